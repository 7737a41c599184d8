from typing import Any

from django.apps import apps
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection, models, transaction

# What the application itself takes away again: notices that are done, posts given up, tables a controller no longer serves,
# and sessions, which Django ends. Nothing else that ever happened at a table or in the cage can be made to vanish.
DELETABLE = frozenset({"audit_notice", "people_appointment", "tables_controller_tables", "django_session"})


class Command(BaseCommand):
    help = "Give the application's role what it needs and nothing else. Run as the owner, after migrate."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--role", required=True)

    def handle(self, *, role: str, **_options: Any) -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT rolsuper OR rolname = current_user FROM pg_roles WHERE rolname = %s", [role])
            found = cursor.fetchone()
            if found is None:
                raise CommandError(f"There is no role {role}.")
            if found[0]:
                raise CommandError(f"{role} is the owner or a superuser: nothing can be kept from it. Name the application's own role.")
            for statement in statements(connection.ops.quote_name(role)):
                cursor.execute(statement)


def statements(role: str) -> list[str]:
    """Everything is taken away first, so that a right once given by mistake does not live on."""
    taken = [f"REVOKE ALL ON ALL {things} IN SCHEMA public FROM {role}, PUBLIC" for things in ("TABLES", "SEQUENCES", "FUNCTIONS")]
    given = [
        f"REVOKE ALL ON SCHEMA public FROM {role}, PUBLIC",
        f"GRANT USAGE ON SCHEMA public TO {role}",
        f"GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO {role}",
        f"GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO {role}",
        f"GRANT SELECT ON django_migrations TO {role}",
    ]
    tables = [f"GRANT {rights(model)} ON {connection.ops.quote_name(model._meta.db_table)} TO {role}" for model in _models()]
    return [*taken, *given, *tables]


def rights(model: type[models.Model]) -> str:
    if getattr(model, "is_evidence", False):
        return "SELECT, INSERT"
    if getattr(model, "is_fold", False):
        return "SELECT"
    return "SELECT, INSERT, UPDATE, DELETE" if model._meta.db_table in DELETABLE else "SELECT, INSERT, UPDATE"


def _models() -> list[type[models.Model]]:
    return [model for model in apps.get_models(include_auto_created=True) if model._meta.managed and not model._meta.proxy]
