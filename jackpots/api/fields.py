"""Fields that money comes in by: as decimal strings, never as numbers, which may have been rounded on their way."""

from typing import Any

from rest_framework import serializers

from jackpots.rules import money


def _written(told: Any) -> str:
    if not isinstance(told, str):
        raise serializers.ValidationError("Money is written as a decimal string, such as 12.50.")
    return told


class WrittenMoneyField(serializers.CharField):
    """An amount as it was written."""

    def to_internal_value(self, told: Any) -> str:
        return super().to_internal_value(_written(told))


class PatternedMoneyField(serializers.RegexField):
    """An amount as it was written, of a given pattern."""

    def to_internal_value(self, told: Any) -> str:
        return super().to_internal_value(_written(told))


class MoneyField(serializers.CharField):
    """An amount, read into whole micros."""

    def to_internal_value(self, told: Any) -> Any:
        try:
            return money.parse(_written(told))
        except money.BadMoney as no:
            raise serializers.ValidationError(f"{no}.") from no
