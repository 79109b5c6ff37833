"""The command line and the Python package as reference pages, from what the program says of itself."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

import ackclock
from ackclock import custom
from ackclock.cli.app import app

ROOT = Path(__file__).resolve().parent.parent


def commands() -> str:
    """Every command: its line, its arguments and its options."""
    return "\n".join(_commands(typer.main.get_command(app), "ackclock")).strip()


def traces() -> str:
    """The reference traces, each linked to its scenario."""
    from ackclock import reference_traces

    folder = "../python/ackclock/reference_traces"
    lines = ["| trace | document and section | what it shows |", "| --- | --- | --- |"]
    lines += [
        f"| [{trace.name}]({folder}/{trace.name}.toml) | {trace.source} | {trace.shows} |"
        for trace in reference_traces.traces()
    ]
    return "\n".join(lines)


def _commands(command: Any, name: str) -> Iterator[str]:
    context = typer.Context(command, info_name=name)
    if hasattr(command, "commands"):
        for word in command.list_commands(context):
            yield from _commands(command.get_command(context, word), f"{name} {word}")
        return
    yield from (f"## `{name}`", "", _plain(command.help or ""), "")
    rows = [row for parameter in command.params if (row := _parameter(parameter))]
    if rows:
        yield from ("| argument or option | meaning |", "| --- | --- |", *rows, "")


def _parameter(parameter: Any) -> str:
    if getattr(parameter, "hidden", False):
        return ""
    option = parameter.param_type_name == "option"
    takes = f" {parameter.metavar}" if option and parameter.metavar else ""
    names = " or ".join(f"`{one}{takes}`" for one in [*parameter.opts, *parameter.secondary_opts])
    shown = names if option else f"`{parameter.metavar or parameter.name.upper()}`"
    meaning = _plain(parameter.help or "").replace("|", "\\|").replace("\n", " ")
    return f"| {shown} | {meaning} |"


def methods(what: str) -> str:
    """The methods of a trait, or the fields of a struct, of a Rust source, with their comments.

    ``what`` is the file and the name of the trait or struct.
    """
    file, name = what.split()
    source = (ROOT / file).read_text(encoding="utf-8")
    (kind, body), *_ = re.findall(rf"^pub (trait|struct) {name}\b(.*?)^\}}", source, re.MULTILINE | re.DOTALL)
    rows = [f"| {'method' if kind == 'trait' else 'field'} of `{name}` | meaning |", "| --- | --- |"]
    for comment, member in re.findall(r"((?:^    ///.*\n)+)    (?:fn|const|pub) (\w+)", body, re.MULTILINE):
        text = " ".join(comment.replace("///", " ").split())
        # A link within the documentation of Rust is its text here.
        plain = re.sub(r"\[(`?)(?:Self::)?([^\]`]+)`?\](?:\([^)]*\))?", r"\1\2\1", text)
        rows.append(f"| `{member}` | {plain} |")
    return "\n".join(rows)


def modules() -> str:
    """Every public module of the package: those without an underscore."""
    rows = ["| module | what it has |", "| --- | --- |"]
    for path in sorted(Path(ackclock.__file__).parent.glob("[a-z]*.py")):
        text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        rows.append(f"| `ackclock.{path.stem}` | {' '.join(text.split(chr(10) * 2)[0].split())} |")
    return "\n".join(rows)


def python() -> str:
    """Every public name of the package: how it is called, and its docstring."""
    parts: list[str] = []
    for name in ackclock.__all__:
        thing = getattr(ackclock, name)
        if inspect.isclass(thing):
            parts += [f"## `{name}`", "", _described(thing)]
            parts += [text for member in _members(thing) for text in _member(thing, member)]
        elif callable(thing):
            parts += [f"## `{name}{_signature(thing)}`", "", _described(thing)]
    return "\n".join(parts).strip()


def records(names: str) -> str:
    """The records that events bring to Python, by name: what each field is, from its docstring."""
    # The compiled classes have no order; the stub has that of the events themselves.
    stub = ast.parse(Path(ackclock.__file__).with_name("_core.pyi").read_text(encoding="utf-8"))
    classes = {node.name: node for node in stub.body if isinstance(node, ast.ClassDef)}
    parts: list[str] = []
    for name in names.split():
        record = getattr(custom, name)
        methods = [node.name for node in classes[name].body if isinstance(node, ast.FunctionDef)]
        fields = [method for method in methods if not method.startswith("_")]
        parts += [f"`{name}`: {_described(record).strip()}", "", "| field | meaning |", "| --- | --- |"]
        parts += [
            f"| `{field}` | {' '.join(_described(getattr(record, field)).split())} |" for field in fields
        ]
        parts.append("")
    return "\n".join(parts).strip()


def _members(thing: type) -> list[str]:
    """The methods and properties that the class itself declares."""
    kinds = (property, classmethod, staticmethod)
    return [
        name
        for name, value in vars(thing).items()
        if not name.startswith("_")
        and (inspect.isfunction(value) or isinstance(value, kinds) or _cached(value))
    ]


def _cached(value: object) -> bool:
    return type(value).__name__ == "cached_property"


def _member(thing: type, name: str) -> list[str]:
    value = inspect.getattr_static(thing, name)
    called = "" if isinstance(value, property) or _cached(value) else _signature(getattr(thing, name))
    return [f"### `{thing.__name__}.{name}{called}`", "", _described(value)]


def _signature(thing: Any) -> str:
    """How it is called, without types: those stand in the package, where editors show them."""
    signature = inspect.signature(thing)
    parameters = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for name, parameter in signature.parameters.items()
        if name != "self"
    ]
    return str(signature.replace(parameters=parameters, return_annotation=inspect.Signature.empty))


def _described(thing: Any) -> str:
    text = inspect.getdoc(thing)
    if not text:
        raise SystemExit(f"error: {thing!r} has no docstring")
    return _plain(text) + "\n"


def _plain(text: str) -> str:
    """A docstring as Markdown: names between single backticks, examples of calls as code."""
    marked = re.sub(r"``([^`]+)``|\[bold\](.*?)\[/bold\]", r"`\1\2`", inspect.cleandoc(text))
    return re.sub(
        r"^(>>> .*(?:\n(?!$).*)*)", lambda found: f"```pycon\n{found[1]}\n```", marked, flags=re.MULTILINE
    )
