"""Bodies with unknown fields are refused, not ignored: a field nobody reads is a wish nobody fulfils."""

from typing import Any

from rest_framework import serializers
from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser
from rest_framework.request import Request


class StrictJSONParser(JSONParser):
    """JSON, refused as unreadable also where it is nested too deep to be read."""

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Any:
        try:
            return super().parse(stream, media_type, parser_context)
        except RecursionError:
            raise ParseError from None


class StrictSerializer(serializers.Serializer[Any]):
    def to_internal_value(self, data: Any) -> Any:
        unknown = sorted(set(data) - set(self.fields)) if isinstance(data, dict) else []
        if unknown:
            # A name may be no text that can be sent back, so it is said in plain characters.
            raise serializers.ValidationError({ascii(name)[1:-1]: ["There is no such field."] for name in unknown})
        return super().to_internal_value(data)


def told_in(shape: type[StrictSerializer], request: Request) -> dict[str, Any]:
    """What a body says, read by its shape; refused where it does not fit."""
    read = shape(data=request.data)
    read.is_valid(raise_exception=True)
    return dict(read.validated_data)


class PinField(serializers.CharField):
    """A PIN as it was typed: a number may have lost its leading noughts on the way."""

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=20, trim_whitespace=False, **options)

    def to_internal_value(self, told: Any) -> str:
        if not isinstance(told, str):
            raise serializers.ValidationError("A PIN is sent as a string of digits.")
        return super().to_internal_value(told)
