"""A floor that has been played on for long: events, rounds, wagers, terms, transfers and records, written in bulk.

The rows are what the product itself would have left, as far as their sizes, indexes and references go. They are written by the
superuser with triggers off, in a few statements; no record's digest is right, and nothing here is sealed.
"""

from typing import Any

from tests.bench.door.site import Floor

PREPARE = "SET session_replication_role = replica; SET synchronous_commit = off; SET work_mem = '256MB'; SET maintenance_work_mem = '256MB'"

ROUNDS = """
INSERT INTO tables_round
  (table_id, number, state, count, bound_at, opened_at, locked_at, contributed_at, closed_at, folded_seats, void_seats, void_reason)
SELECT t.id, n, 'settled', 'agrees', at, at, at, at, at + interval '30 s', '{}', '{}', ''
  FROM generate_series(1, %(rounds)s) n
 CROSS JOIN (SELECT table_id AS id FROM jackpots_link) t
 CROSS JOIN LATERAL (SELECT now() - interval '40 days' + n * interval '40 days' / %(rounds)s AS at) moment
 ORDER BY n, t.id
"""
TERMS = """
INSERT INTO jackpots_terms (round_id, progressive_id, configuration_id, is_inherited)
SELECT r.id, c.progressive_id, c.id, false FROM tables_round r CROSS JOIN jackpots_configuration c ORDER BY r.id
"""
WAGERS = """
INSERT INTO tables_wager (round_id, seat, wager, "on", amount_micros, is_coupon, state)
SELECT r.id, seat, 'progressive', 'player', 1000000, false, 'accepted'
  FROM tables_round r CROSS JOIN (VALUES (1), (5)) s (seat)
 ORDER BY r.id
"""
EVENTS = """
INSERT INTO tables_event (id, controller_id, told_id, sequence, digest, round_id, type, told_at, recorded_at, body, answer)
SELECT uuidv7(now() - r.opened_at), ct.controller_id, gen_random_uuid(),
       row_number() OVER (PARTITION BY ct.controller_id ORDER BY r.id, kind),
       md5(r.id || kind) || md5(kind || r.id), r.id, kind, r.opened_at, r.opened_at,
       rpad('{"at":"2026-11-18T05:04:29.123Z","chips":2,"id":"', CASE kind WHEN 'lockout' THEN 300 ELSE 140 END, 'b'),
       rpad('{"id":"019a9555-7d3c-7000-8000-0b7d1f7a9c11","sequence":', CASE kind WHEN 'lockout' THEN 370 ELSE 110 END, 'a')
  FROM tables_round r
  JOIN tables_controller_tables ct ON ct.table_id = r.table_id
 CROSS JOIN (VALUES ('lockout'), ('settle')) k (kind)
 ORDER BY r.id, kind
"""
TRANSFERS = """
INSERT INTO ledger_transfer
  (progressive_id, property_id, gaming_day, reason, kind, debit_id, credit_id, amount_micros, round_id, wager_id, event_id, recorded_at)
SELECT d.progressive_id, d.property_id, e.recorded_at::date, 'contribution', 1, d.id, c.id, 700000, w.round_id, w.id, e.id, e.recorded_at
  FROM tables_wager w
  JOIN tables_event e ON e.round_id = w.round_id AND e.type = 'lockout'
  JOIN ledger_account d ON d.code = 'players'
  JOIN ledger_account c ON c.code = 'main' AND c.progressive_id = d.progressive_id
 ORDER BY w.id
"""
RECORDS = """
INSERT INTO audit_record (kind, property_id, subject, recorded_at, body)
SELECT 'event-applied', c.property_id, 'controller:' || c.name, e.recorded_at,
       rpad('{"actor":"controller:CTL-01","facts":{"answer":', CASE e.type WHEN 'lockout' THEN 1100 ELSE 600 END, 'r')
  FROM tables_event e JOIN tables_controller c ON c.id = e.controller_id
 ORDER BY e.recorded_at
"""
SEQUENCES = """
UPDATE tables_controller c SET next_sequence = 1 + (SELECT coalesce(max(sequence), 0) FROM tables_event e WHERE e.controller_id = c.id)
"""
FOLD = "BEGIN; SELECT pg_advisory_xact_lock(7001, id::int), ledger_fold(id) FROM jackpots_progressive; COMMIT"


def fill(cursor: Any, floor: Floor, *, events: int) -> int:
    """Make so many events, a lock-out and a settle for each round; the controllers go on after them. How many there are is the answer."""
    tables = sum(len(one.tables) for one in floor.controllers)
    rounds = max(1, events // 2 // tables)
    cursor.execute(PREPARE)
    cursor.execute(ROUNDS, {"rounds": rounds})
    for statement in (TERMS, WAGERS, EVENTS, TRANSFERS, RECORDS, SEQUENCES, FOLD, "VACUUM ANALYZE", "CHECKPOINT"):
        cursor.execute(statement)
    _go_on(cursor, floor, rounds)
    return rounds * tables * 2


def _go_on(cursor: Any, floor: Floor, rounds: int) -> None:
    cursor.execute("SELECT name, next_sequence FROM tables_controller")
    stand = dict(cursor.fetchall())
    for one in floor.controllers:
        one.next_sequence = stand[one.name]
        one.rounds = dict.fromkeys(one.tables, rounds)
