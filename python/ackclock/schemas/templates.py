"""The JSON Schema of templates: tables that stand for several tables and are expanded before they are checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_WORDS: Mapping[str, Any] = {
    "for_all": {
        "type": "array",
        "items": {"type": "string"},
        "minItems": 1,
        "description": (
            "names of axes; one table is made for each combination of their values, the first "
            "axis changing slowest"
        ),
    },
    "except": {
        "type": "array",
        "items": {"type": "object"},
        "description": "combinations to leave out, as { axis = value } or { axis = [values] }",
    },
    "rows": {
        "type": "array",
        "items": {"type": "object"},
        "minItems": 1,
        "description": (
            "rows; the template makes one table for each row. An entry of a row sets the key of the same name, if "
            "tables of this kind have such a key. In the table's values, the entry's name in braces, as in `{n}`, "
            "stands for the entry's value"
        ),
    },
    "each": {
        "type": "array",
        "items": {"type": "object"},
        "minItems": 1,
        "description": (
            "tables that the template makes for each combination of values (`for_all`) or for each row (`rows`); the "
            "template's other keys apply to all of them"
        ),
    },
}


def with_templates(schema: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Returns ``schema`` with arrays of tables, named with their definitions in ``names``, that may have tables that
    stand for several.
    """
    definitions = dict(schema["$defs"])
    for name, kind in names.items():
        plain = definitions[kind]
        definitions[f"{kind}Template"] = {
            "type": "object",
            "title": f"{kind}Template",
            "description": f"A template for several {name}, in which the differing values are in braces.",
            # A name in braces may replace any value.
            "properties": {
                **{key: _described(value) for key, value in plain["properties"].items()},
                **_WORDS,
            },
            "additionalProperties": False,
            "anyOf": [{"required": ["for_all"]}, {"required": ["rows"]}],
        }
    kinds = [f"#/$defs/{kind}" for kind in names.values()]
    definitions = {
        key: value if key.endswith("Template") else _replaced(value, kinds)
        for key, value in definitions.items()
    }
    return {key: definitions if key == "$defs" else _replaced(value, kinds) for key, value in schema.items()}


def _described(value: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value[key] for key in ("title", "description") if key in value}


def _replaced(node: Any, kinds: Sequence[str]) -> Any:
    """Returns ``node`` with arrays whose items may be templates too."""
    if isinstance(node, list):
        return [_replaced(item, kinds) for item in node]
    if not isinstance(node, dict):
        return node
    result = {key: _replaced(value, kinds) for key, value in node.items()}
    items = result.get("items")
    if isinstance(items, dict) and items.get("$ref") in kinds:
        result["items"] = {"anyOf": [items, {"$ref": f"{items['$ref']}Template"}]}
    return result
