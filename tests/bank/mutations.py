"""What bin/mutants takes out of the code, one at a time, and which tests ought to miss it."""

from dataclasses import dataclass

LEDGER = "jackpots/ledger/migrations/0001_initial.py"
INVARIANTS = "jackpots/ledger/migrations/0002_the_database_holds_the_invariants.py"
GUARDS = "tests/bank/test_guards.py"
SETTLING = "tests/jackpots/test_settling.py"
EVENTS = "tests/doors/test_events.py"
SIGNING = "tests/bank/test_signing.py"
TOGETHER = "tests/jackpots/test_together.py"
GATHERING = "tests/races/test_gathering.py"


@dataclass(frozen=True)
class Mutant:
    """What is taken out, and who should miss it."""

    name: str
    path: str
    text: str
    instead: str
    tests: tuple[str, ...]


MUTANTS = [
    Mutant(
        "index: a reservation is resolved once",
        LEDGER,
        'condition=models.Q(("resolves__isnull", False)), fields=("resolves",)',
        'fields=("resolves", "id")',
        (f"{GUARDS}::test_a_reservation_is_resolved_once",),
    ),
    Mutant(
        "index: a transfer is reversed once",
        LEDGER,
        'condition=models.Q(("reverses__isnull", False)), fields=("reverses",)',
        'fields=("reverses", "id")',
        (f"{GUARDS}::test_a_transfer_is_reversed_once",),
    ),
    Mutant(
        "index: a wager contributes once to a meter",
        LEDGER,
        'fields=("wager", "credit")',
        'fields=("wager", "credit", "id")',
        (f"{GUARDS}::test_a_wager_contributes_once_to_a_meter",),
    ),
    Mutant(
        "constraint: a meter never passes below zero",
        LEDGER,
        '("may_be_negative", True),',
        '("may_be_negative__in", [True, False]),',
        (f"{GUARDS}::test_a_meter_never_passes_below_zero",),
    ),
    Mutant(
        "constraint: a transfer moves something",
        LEDGER,
        'models.Q(("amount_micros__gt", 0))',
        'models.Q(("amount_micros__gt", -9))',
        (f"{GUARDS}::test_a_transfer_moves_something",),
    ),
    Mutant(
        "constraint: no transfer crosses progressives",
        INVARIANTS,
        "FOREIGN KEY (credit_id, progressive_id) REFERENCES ledger_account (id, progressive_id)",
        "FOREIGN KEY (credit_id) REFERENCES ledger_account (id)",
        (f"{GUARDS}::test_no_transfer_crosses_progressives",),
    ),
    Mutant(
        "trigger: a resolution fits its reservation",
        INVARIANTS,
        "WHEN (NEW.kind IN (3, 4))",
        "WHEN (false)",
        (f"{GUARDS}::test_a_resolution_fits_its_reservation",),
    ),
    Mutant(
        "trigger: a reversal mirrors its transfer",
        INVARIANTS,
        "WHEN (NEW.reverses_id IS NOT NULL)",
        "WHEN (false)",
        (f"{GUARDS}::test_a_reversal_mirrors_its_transfer",),
    ),
    Mutant(
        "trigger: a transfer is evidence, even to the owner",
        INVARIANTS,
        "ledger_transfer_is_evidence BEFORE UPDATE OR DELETE ON",
        "ledger_transfer_is_evidence BEFORE UPDATE OF progressive_id ON",
        ("tests/bank/test_owner.py",),
    ),
    Mutant(
        "trigger: transfers are not emptied",
        INVARIANTS,
        "ledger_transfer_is_not_emptied BEFORE TRUNCATE ON ledger_transfer FOR",
        "ledger_transfer_is_not_emptied BEFORE TRUNCATE ON ledger_folded FOR",
        ("tests/bank/test_owner.py::test_transfers_refuse_to_be_emptied_themselves",),
    ),
    Mutant(
        "lock: the fold asks whether it is held at all",
        INVARIANTS,
        "IF NOT EXISTS (SELECT 1 FROM pg_locks",
        "IF false AND NOT EXISTS (SELECT 1 FROM pg_locks",
        (f"{GUARDS}::test_nothing_is_folded_without_the_exclusive_lock",),
    ),
    Mutant(
        "lock: the fold asks for it exclusive",
        INVARIANTS,
        "AND mode = 'ExclusiveLock' AND granted",
        "AND granted",
        (f"{GUARDS}::test_nothing_is_folded_without_the_exclusive_lock",),
    ),
    Mutant(
        "rights: balances are the database's own",
        "audit/management/commands/guard.py",
        'if getattr(model, "is_fold", False):',
        'if getattr(model, "is_fold_no_more", False):',
        (f"{GUARDS}::test_the_application_may_not_change_the_ledger",),
    ),
    Mutant(
        "lock: claims take the progressive's",
        "jackpots/ledger/book.py",
        'cursor.execute(f"SELECT {mode.value}(%s, %s)", [LOCK_CLASS, progressive_id])',
        "pass",
        ("tests/jackpots/test_a_hit_from_felt_to_paper.py",),
    ),
    Mutant(
        "lock: claims take it exclusive",
        "jackpots/ledger/book.py",
        'EXCLUSIVE = "pg_advisory_xact_lock"',
        'EXCLUSIVE = "/* exclusive */ pg_advisory_xact_lock_shared"',
        ("tests/jackpots/test_a_hit_from_felt_to_paper.py",),
    ),
    Mutant(
        "lock: contributions take it shared",
        "jackpots/ledger/book.py",
        "    for progressive_id in ordered:\n        writing.add(HOLD_SHARED",
        "    for progressive_id in ():\n        writing.add(HOLD_SHARED",
        ("tests/races/test_contributions.py::test_with_the_shared_lock_the_claim_waits_and_counts_it",),
    ),
    Mutant(
        "lock: the controller's row",
        "tables/inbox.py",
        "FROM tables_controller WHERE id = wanted.id FOR NO KEY UPDATE",
        "FROM tables_controller WHERE id = wanted.id",
        ("tests/races/test_controllers.py::test_with_it_the_event_comes_too_late_and_is_told_so",),
    ),
    Mutant(
        "lock: the round's row",
        "tables/inbox.py",
        "FROM tables_round WHERE id = wanted.id FOR NO KEY UPDATE",
        "FROM tables_round WHERE id = wanted.id",
        ("tests/races/test_rounds.py::test_with_the_rounds_row_one_waits_for_the_other",),
    ),
    Mutant(
        "index: each place on a meter is taken once",
        "jackpots/migrations/0002_initial.py",
        'fields=("progressive", "place"), name',
        'fields=("progressive", "place", "id"), name',
        ("tests/races/test_claims.py::test_without_the_lock_the_index_over_places_still_refuses_the_second_which_is_then_taken_again",),
    ),
    Mutant(
        "fold: before an amount is read",
        "jackpots/ledger/book.py",
        "        self.fold(progressive_id)\n        accounts =",
        "        accounts =",
        ("tests/jackpots/test_a_hit_from_felt_to_paper.py", SETTLING),
    ),
    Mutant(
        "claims: one hand is claimed once",
        "jackpots/claims.py",
        'raise _Refused("duplicate-claim")',
        "return",
        ("tests/jackpots/test_claims.py::test_one_hand_is_claimed_once",),
    ),
    Mutant("settling: the order of payment", "jackpots/windows.py", "return (-hit.seat, 0)", "return (hit.seat, 0)", (SETTLING,)),
    Mutant(
        "settling: resets are settled again",
        "jackpots/settling.py",
        "    _settle_resets(act, window, outcome)\n    _settle_voids",
        "    _settle_voids",
        (SETTLING,),
    ),
    Mutant(
        "settling: signatures under another amount are lost",
        "jackpots/settling.py",
        "        hit.signatures.update(is_lost=True)\n        # Shared",
        "        # Shared",
        (f"{SIGNING}::test_a_signature_under_another_amount_is_lost",),
    ),
    Mutant("voids: the house makes good", "jackpots/wagers.py", "if made_good > 0:", "if made_good < 0:", (SETTLING,)),
    Mutant(
        "money: what is divided is rounded down",
        "jackpots/rules/money.py",
        "return _counted(micros) // CENT * CENT",
        "return -(-_counted(micros) // CENT) * CENT",
        ("tests/rules/test_money.py",),
    ),
    Mutant(
        "money: percentages are rounded down",
        "jackpots/rules/money.py",
        "return _counted(amount_micros) * percent_ppm // (WHOLE_PPM * CENT) * CENT",
        "return -(-_counted(amount_micros) * percent_ppm // (WHOLE_PPM * CENT)) * CENT",
        ("tests/rules/test_money.py",),
    ),
    Mutant(
        "signing: the amount seen is the amount",
        "jackpots/hits.py",
        "if hit.award_micros != seen_micros:",
        "if False:",
        (f"{SIGNING}::test_nobody_signs_an_amount_that_is_not_so",),
    ),
    Mutant(
        "signing: a second signature is another's",
        "jackpots/hits.py",
        "if person in earlier:",
        "if False:",
        (f"{SIGNING}::test_nobody_signs_a_hit_twice",),
    ),
    Mutant(
        "index: a second signature is another's",
        "jackpots/migrations/0002_initial.py",
        'fields=("hit", "person"), name',
        'fields=("hit", "person", "id"), name',
        (f"{SIGNING}::test_the_database_takes_one_signature_of_a_person_under_a_hit",),
    ),
    Mutant(
        "motions: the second is another's",
        "jackpots/motions.py",
        "if moved.first.person_id == person.pk:",
        "if False:",
        ("tests/jackpots/test_motions.py::test_the_second_signature_is_another_persons",),
    ),
    Mutant(
        "motions: both sign the same",
        "jackpots/motions.py",
        "if moved.facts != dict(facts):",
        "if False:",
        ("tests/jackpots/test_motions.py::test_both_sign_the_same",),
    ),
    Mutant("inbox: no sequence is left out", "tables/inbox.py", "if arrived.sequence > expected:", "if False:", (EVENTS,)),
    Mutant("inbox: no id comes with other content", "tables/inbox.py", "if digest != arrived.digest:", "if False:", (EVENTS,)),
    Mutant(
        "intake: a refusal undoes what was begun",
        "jackpots/intake.py",
        "        with transaction.atomic():\n            taken = _follow(",
        "        if True:\n            taken = _follow(",
        ("tests/jackpots/test_runs.py::test_a_refused_void_opens_no_round",),
    ),
    Mutant(
        "controllers: the row is held while a technician decides",
        "tables/controllers.py",
        "held = Controller.objects.select_for_update(no_key=True).get(pk=controller.pk)",
        "held = Controller.objects.get(pk=controller.pk)",
        ("tests/races/test_controllers.py::test_with_it_the_event_comes_too_late_and_is_told_so",),
    ),
    Mutant(
        "inbox: two controllers of one table take turns",
        "tables/inbox.py",
        "    writing.add(HOLD_TABLES, sought)\n",
        "",
        ("tests/races/test_controllers.py::test_with_it_the_lock_out_counts_every_wager",),
    ),
    Mutant(
        "inbox: a sender is proven where its event is taken",
        "tables/inbox.py",
        "return self.is_proven and self.controller.revoked_at is None",
        "return self.controller.revoked_at is None",
        (TOGETHER,),
    ),
    Mutant(
        "inbox: a token proves its own controller",
        "tables/inbox.py",
        " AND token.controller_id = controller.id",
        "",
        (f"{TOGETHER}::test_a_sender_is_proven_where_its_event_is_taken",),
    ),
    Mutant(
        "intake: a revoked controller is not taken among others",
        "jackpots/intake.py",
        "if not own.is_senders or not own.are_next([arrived]):",
        "if not own.are_next([arrived]):",
        (f"{TOGETHER}::test_a_revoked_controller_is_left_out_whatever_its_token",),
    ),
    Mutant(
        "intake: whoever is not next is left out",
        "jackpots/intake.py",
        "if not own.is_senders or not own.are_next([arrived]):",
        "if not own.is_senders:",
        (f"{TOGETHER}::test_who_is_not_next_is_left_out_and_nothing_of_it_is_kept",),
    ),
    Mutant(
        "runs: those taken together wait for nobody long",
        "jackpots/runs.py",
        'SHORT_PATIENCE = "10ms"',
        'SHORT_PATIENCE = "1h"',
        (f"{GATHERING}::test_nobody_waits_long_for_a_table_that_somebody_else_holds",),
    ),
    Mutant(
        "gathering: one event of a table at a time",
        "jackpots/gathering.py",
        " and _table(one) not in tables",
        "",
        (f"{GATHERING}::test_two_controllers_of_one_table_never_go_together",),
    ),
    Mutant(
        "gathering: nobody waits for what one of them waits for",
        "jackpots/gathering.py",
        "            _take(together)\n",
        "            mine.answer = intake.receive(sender=mine.sender, arrived=mine.arrived, now=mine.now)\n",
        (f"{GATHERING}::test_nobody_waits_for_a_table_that_somebody_holds",),
    ),
    Mutant(
        "gathering: nobody stands in line for ever",
        "jackpots/gathering.py",
        "not mine.called.wait(LONGEST_WAIT_SECONDS)",
        "not mine.called.wait(3600)",
        (f"{GATHERING}::test_who_has_stood_in_line_too_long_goes_alone",),
    ),
    Mutant(
        "intake: only the controller is told how far it has come",
        "jackpots/intake.py",
        "        _require_known(sender, refusal, now)\n",
        "        pass\n",
        ("tests/doors/test_controllers.py::test_whose_a_token_is_is_asked_once_and_proven_with_every_event",),
    ),
    Mutant(
        "controllers: a wrong PIN signs nothing",
        "tables/controllers.py",
        "return None if pin is None else signing.check_pin(person=person, pin=pin, now=now)",
        "return None",
        ("tests/tables/test_controllers.py::test_a_wrong_pin_changes_nothing",),
    ),
    Mutant(
        "controllers: a token is good until it expires",
        "tables/controllers.py",
        "OR token.expires_at > %(now)s::timestamptz",
        "OR token.expires_at <> %(now)s::timestamptz",
        ("tests/tables/test_controllers.py",),
    ),
    Mutant("controllers: a rate is kept", "tables/rates.py", "if wait_ns > 0:", "if False:", ("tests/tables/test_rates.py",)),
    Mutant(
        "controllers: one alarm of a kind at a time",
        "tables/migrations/0003_a_watch_over_controllers.py",
        'fields=("controller", "kind"), name',
        'fields=("controller", "kind", "id"), name',
        ("tests/tables/test_watching.py::test_the_database_takes_one_alarm_of_a_kind_at_a_time",),
    ),
    *(
        Mutant(
            f"courses: a change of a {changed} makes a revision",
            "jackpots/migrations/0004_a_revision_of_what_tables_play_for.py",
            f"{changed}_makes_revision AFTER {when} ON",
            f"{changed}_makes_revision AFTER DELETE ON",
            ("tests/jackpots/test_courses.py",),
        )
        for changed, when in (
            ("link", "INSERT OR UPDATE OR DELETE"),
            ("suspension", "INSERT OR UPDATE OR DELETE"),
            ("approval", "INSERT"),
            ("progressive", "UPDATE OF opened_at, closed_at, heir_id"),
        )
    ),
    Mutant(
        "courses: what was kept at another revision is read again",
        "jackpots/courses.py",
        "kept.revision != revision or ",
        "",
        ("tests/jackpots/test_courses.py",),
    ),
    Mutant(
        "courses: what was kept from a later moment is read again",
        "jackpots/courses.py",
        " or kept.since > since",
        "",
        ("tests/jackpots/test_courses.py",),
    ),
]
