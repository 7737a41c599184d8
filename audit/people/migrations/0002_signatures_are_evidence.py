"""Signatures are only ever added; the database refuses everything else."""

from django.db import migrations

FORWARD = """
CREATE TRIGGER people_signature_is_evidence BEFORE UPDATE OR DELETE ON people_signature
    FOR EACH ROW EXECUTE FUNCTION evidence_refuses_change();
CREATE TRIGGER people_signature_is_not_emptied BEFORE TRUNCATE ON people_signature
    FOR EACH STATEMENT EXECUTE FUNCTION evidence_refuses_change();
"""

BACKWARD = """
DROP TRIGGER people_signature_is_evidence ON people_signature;
DROP TRIGGER people_signature_is_not_emptied ON people_signature;
"""


class Migration(migrations.Migration):
    dependencies = [("people", "0001_initial"), ("audit", "0001_initial")]
    operations = [migrations.RunSQL(FORWARD, BACKWARD)]
