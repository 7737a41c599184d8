from typing import Any

from django.apps import AppConfig
from django.core import checks

from jackpots import rulebook


class JackpotsConfig(AppConfig):
    name = "jackpots"
    verbose_name = "The bank"

    def ready(self) -> None:
        checks.register(rule_texts_can_be_taken)


def rule_texts_can_be_taken(**_: Any) -> list[checks.CheckMessage]:
    """A rule text that cannot be taken stops every command before it does anything."""
    complaint = rulebook.complaint()
    return [checks.Error(complaint, id="jackpots.E001")] if complaint else []
