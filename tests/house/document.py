"""The published document, as it stands in docs/api.yaml, and judging by its shapes."""

import json
from typing import Any

import jsonschema
import yaml
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from tests.house import files

PAPER = files.ROOT / "docs" / "api.yaml"
DOCUMENT: dict[str, Any] = yaml.load(PAPER.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
OPERATIONS: dict[str, dict[str, Any]] = {one["operationId"]: one for path in DOCUMENT["paths"].values() for one in path.values()}


def resolved(said: dict[str, Any]) -> dict[str, Any]:
    """What is meant, where the document points at another place of itself."""
    if "$ref" not in said:
        return said
    found: Any = DOCUMENT
    for part in said["$ref"].removeprefix("#/").split("/"):
        found = found[part]
    return dict(found)


def judge(schema: dict[str, Any]) -> jsonschema.Draft202012Validator:
    """Judges by a shape of the document, in the place where the shapes it points at are found."""
    known = Registry().with_resource("urn:api", DRAFT202012.create_resource(DOCUMENT))
    text = json.dumps(schema).replace('"#/components', '"urn:api#/components')
    return jsonschema.Draft202012Validator(json.loads(text), registry=known)
