"""What no code of ours, however wrong, may do to the ledger."""

from django.db import migrations

FORWARD = """
-- Money never crosses from one progressive to another: both accounts of a transfer are its own progressive's.
ALTER TABLE ledger_transfer
  ADD CONSTRAINT debit_is_of_the_progressive FOREIGN KEY (debit_id, progressive_id) REFERENCES ledger_account (id, progressive_id),
  ADD CONSTRAINT credit_is_of_the_progressive FOREIGN KEY (credit_id, progressive_id) REFERENCES ledger_account (id, progressive_id);

CREATE TRIGGER ledger_transfer_is_evidence BEFORE UPDATE OR DELETE ON ledger_transfer FOR EACH ROW EXECUTE FUNCTION evidence_refuses_change();
CREATE TRIGGER ledger_transfer_is_not_emptied BEFORE TRUNCATE ON ledger_transfer FOR EACH STATEMENT EXECUTE FUNCTION evidence_refuses_change();
CREATE TRIGGER ledger_account_is_evidence BEFORE UPDATE OR DELETE ON ledger_account FOR EACH ROW EXECUTE FUNCTION evidence_refuses_change();
CREATE TRIGGER ledger_account_is_not_emptied BEFORE TRUNCATE ON ledger_account FOR EACH STATEMENT EXECUTE FUNCTION evidence_refuses_change();

-- A resolution repeats the reservation it resolves; a reversal mirrors the transfer it reverses. Contributions pass neither test.
CREATE FUNCTION ledger_resolution_fits() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM ledger_transfer r WHERE r.id = NEW.resolves_id AND r.kind = 2 AND r.progressive_id = NEW.progressive_id
                 AND r.debit_id = NEW.debit_id AND r.credit_id = NEW.credit_id AND r.amount_micros = NEW.amount_micros) THEN
    RAISE EXCEPTION 'transfer % does not fit the reservation % it resolves', NEW.id, NEW.resolves_id;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER ledger_transfer_resolution_fits BEFORE INSERT ON ledger_transfer
  FOR EACH ROW WHEN (NEW.kind IN (3, 4)) EXECUTE FUNCTION ledger_resolution_fits();

CREATE FUNCTION ledger_reversal_fits() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM ledger_transfer r WHERE r.id = NEW.reverses_id AND r.kind IN (1, 3) AND r.progressive_id = NEW.progressive_id
                 AND r.debit_id = NEW.credit_id AND r.credit_id = NEW.debit_id AND r.amount_micros = NEW.amount_micros) THEN
    RAISE EXCEPTION 'transfer % does not mirror the transfer % it reverses', NEW.id, NEW.reverses_id;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER ledger_transfer_reversal_fits BEFORE INSERT ON ledger_transfer
  FOR EACH ROW WHEN (NEW.reverses_id IS NOT NULL) EXECUTE FUNCTION ledger_reversal_fits();

-- An account comes with its balance row. The application may not write balances, so the database does it with its owner's rights.
CREATE FUNCTION ledger_open_balance() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO ledger_balance (account_id, credits_posted, debits_posted, credits_reserved, debits_reserved, may_be_negative)
  VALUES (NEW.id, 0, 0, 0, 0, NEW.may_be_negative);
  INSERT INTO ledger_folded (progressive_id, folded_to, folded_count) VALUES (NEW.progressive_id, 0, 0) ON CONFLICT DO NOTHING;
  RETURN NEW;
END $$;
CREATE TRIGGER ledger_account_opens_balance AFTER INSERT ON ledger_account FOR EACH ROW EXECUTE FUNCTION ledger_open_balance();

-- Folding by id is safe because every insert draws its id after taking the progressive's shared lock and keeps the lock until it
-- commits: under the exclusive lock nothing is in flight, and later ids are larger. The sequence must not hand out ids in advance.
ALTER TABLE ledger_transfer ALTER COLUMN id SET CACHE 1;
ALTER TABLE ledger_balance SET (fillfactor = 50);
ALTER TABLE ledger_folded SET (fillfactor = 50);

CREATE FUNCTION ledger_fold(progressive bigint) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  last_folded bigint;
  newest bigint;
  tail bigint;
BEGIN
  IF NOT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND classid = 7001 AND objid = progressive::oid AND objsubid = 2
                 AND mode = 'ExclusiveLock' AND granted AND pid = pg_backend_pid()
                 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) THEN
    RAISE EXCEPTION 'progressive % is folded only under its exclusive lock', progressive;
  END IF;
  SELECT folded_to INTO last_folded FROM ledger_folded WHERE progressive_id = progressive;
  SELECT max(id), count(*) INTO newest, tail FROM ledger_transfer WHERE progressive_id = progressive AND id > last_folded;
  IF tail = 0 THEN
    RETURN;
  END IF;
  UPDATE ledger_balance balance
     SET credits_posted = balance.credits_posted + change.credits_posted, debits_posted = balance.debits_posted + change.debits_posted,
         credits_reserved = balance.credits_reserved + change.credits_reserved, debits_reserved = balance.debits_reserved + change.debits_reserved
    FROM (SELECT account_id,
                 coalesce(sum(amount) FILTER (WHERE is_credit AND kind IN (1, 3)), 0) AS credits_posted,
                 coalesce(sum(amount) FILTER (WHERE NOT is_credit AND kind IN (1, 3)), 0) AS debits_posted,
                 coalesce(sum(CASE WHEN kind = 2 THEN amount ELSE -amount END) FILTER (WHERE is_credit AND kind IN (2, 3, 4)), 0) AS credits_reserved,
                 coalesce(sum(CASE WHEN kind = 2 THEN amount ELSE -amount END) FILTER (WHERE NOT is_credit AND kind IN (2, 3, 4)), 0) AS debits_reserved
            FROM (SELECT debit_id AS account_id, false AS is_credit, kind, amount_micros AS amount
                    FROM ledger_transfer WHERE progressive_id = progressive AND id > last_folded
                  UNION ALL
                  SELECT credit_id, true, kind, amount_micros
                    FROM ledger_transfer WHERE progressive_id = progressive AND id > last_folded) side
           GROUP BY account_id) change
   WHERE balance.account_id = change.account_id;
  UPDATE ledger_folded SET folded_to = newest, folded_count = folded_count + tail WHERE progressive_id = progressive;
END $$;
"""

BACKWARD = """
DROP FUNCTION ledger_fold(bigint);
DROP TRIGGER ledger_account_opens_balance ON ledger_account;
DROP FUNCTION ledger_open_balance();
DROP TRIGGER ledger_transfer_reversal_fits ON ledger_transfer;
DROP FUNCTION ledger_reversal_fits();
DROP TRIGGER ledger_transfer_resolution_fits ON ledger_transfer;
DROP FUNCTION ledger_resolution_fits();
DROP TRIGGER ledger_account_is_not_emptied ON ledger_account;
DROP TRIGGER ledger_account_is_evidence ON ledger_account;
DROP TRIGGER ledger_transfer_is_not_emptied ON ledger_transfer;
DROP TRIGGER ledger_transfer_is_evidence ON ledger_transfer;
ALTER TABLE ledger_transfer DROP CONSTRAINT debit_is_of_the_progressive, DROP CONSTRAINT credit_is_of_the_progressive;
"""


class Migration(migrations.Migration):
    dependencies = [("ledger", "0001_initial"), ("audit", "0001_initial")]
    operations = [migrations.RunSQL(FORWARD, BACKWARD)]
