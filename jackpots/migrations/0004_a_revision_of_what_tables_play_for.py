"""A row that changes with every link, suspension, approval and end, so that what tables play for can be kept in memory."""

from django.db import migrations, models

# A random token, not a number: after a roll-back a number would come again for something else. Progressives change with every
# claim; only what a round is bound by counts here.
FORWARD = """
CREATE FUNCTION jackpots_make_revision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO jackpots_revision (id, token) VALUES (1, gen_random_uuid()) ON CONFLICT (id) DO UPDATE SET token = excluded.token;
  RETURN NULL;
END $$;
CREATE TRIGGER jackpots_link_makes_revision AFTER INSERT OR UPDATE OR DELETE ON jackpots_link
  FOR EACH STATEMENT EXECUTE FUNCTION jackpots_make_revision();
CREATE TRIGGER jackpots_suspension_makes_revision AFTER INSERT OR UPDATE OR DELETE ON jackpots_suspension
  FOR EACH STATEMENT EXECUTE FUNCTION jackpots_make_revision();
CREATE TRIGGER jackpots_approval_makes_revision AFTER INSERT ON jackpots_approval
  FOR EACH STATEMENT EXECUTE FUNCTION jackpots_make_revision();
CREATE TRIGGER jackpots_progressive_makes_revision AFTER UPDATE OF opened_at, closed_at, heir_id ON jackpots_progressive
  FOR EACH STATEMENT EXECUTE FUNCTION jackpots_make_revision();
INSERT INTO jackpots_revision (id, token) VALUES (1, gen_random_uuid());
"""
BACK = """
DROP TRIGGER jackpots_progressive_makes_revision ON jackpots_progressive;
DROP TRIGGER jackpots_approval_makes_revision ON jackpots_approval;
DROP TRIGGER jackpots_suspension_makes_revision ON jackpots_suspension;
DROP TRIGGER jackpots_link_makes_revision ON jackpots_link;
DROP FUNCTION jackpots_make_revision();
"""


class Migration(migrations.Migration):
    dependencies = [("jackpots", "0003_the_bank_keeps_evidence")]

    operations = [
        migrations.CreateModel(
            name="Revision",
            fields=[
                ("id", models.SmallIntegerField(default=1, primary_key=True, serialize=False)),
                ("token", models.UUIDField()),
            ],
        ),
        migrations.RunSQL(FORWARD, BACK),
    ]
