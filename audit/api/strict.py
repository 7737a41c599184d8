"""Bodies with unknown fields are refused, not ignored: a field nobody reads is a wish nobody fulfils."""

from typing import Any

from rest_framework import serializers


class StrictSerializer(serializers.Serializer[Any]):
    def to_internal_value(self, data: Any) -> Any:
        unknown = sorted(set(data) - set(self.fields)) if isinstance(data, dict) else []
        if unknown:
            raise serializers.ValidationError({name: ["There is no such field."] for name in unknown})
        return super().to_internal_value(data)
