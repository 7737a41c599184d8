from django.apps import AppConfig


class LedgerConfig(AppConfig):
    name = "jackpots.ledger"
    label = "ledger"
    verbose_name = "The ledger"
