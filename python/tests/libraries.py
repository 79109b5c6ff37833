"""Stacks in libraries for tests: the toy in C, faulty variants of it, and noq behind the boundary."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "crates" / "stacks" / "include"
TOY = ROOT / "examples" / "stacks" / "toy" / "toy.c"
FUNCTIONS = {
    # function: (its type, its parameters, their names)
    "abi": ("uint32_t", "void", ""),
    "about": ("const char *", "const char *key", "key"),
    "new": (
        "ackclock_end *",
        (
            "uint32_t role, uint64_t seed, const ackclock_option *options, size_t count, uint64_t now, char *error, "
            "size_t size"
        ),
        "role, seed, options, count, now, error, size",
    ),
    "recv": (
        "void",
        "ackclock_end *end, uint8_t *datagram, size_t length, uint32_t ecn, uint64_t now",
        "end, datagram, length, ecn, now",
    ),
    "send": (
        "size_t",
        "ackclock_end *end, uint8_t *buffer, size_t size, uint32_t *ecn, uint64_t *at, uint64_t now",
        "end, buffer, size, ecn, at, now",
    ),
    "timeout": ("uint64_t", "ackclock_end *end, uint64_t now", "end, now"),
    "on_timeout": ("void", "ackclock_end *end, uint64_t now", "end, now"),
    "write": (
        "uint64_t",
        "ackclock_end *end, uint64_t bytes, uint32_t fin, uint64_t now",
        "end, bytes, fin, now",
    ),
    "read": ("uint64_t", "ackclock_end *end, uint64_t now", "end, now"),
    "state": ("void", "ackclock_end *end, ackclock_state *state", "end, state"),
    "free": ("void", "ackclock_end *end", "end"),
}
"""The functions of ``ackclock_stack.h``."""


def compiled(folder: Path, name: str, code: str) -> Path:
    """Returns the library of a source in C."""
    source, library = folder / f"{name}.c", folder / f"lib{name}.so"
    source.write_text(code, encoding="utf-8")
    flags = ["-O1", "-Wall", "-Wextra", "-Werror", "-Wno-unused", "-shared", "-fPIC", f"-I{INCLUDE}"]
    subprocess.run(["cc", *flags, "-o", library, source, "-lm"], check=True)
    return library


def toy(folder: Path) -> Path:
    """Returns the library of the toy stack."""
    return compiled(folder, "toy", TOY.read_text(encoding="utf-8"))


def changed_toy(folder: Path, name: str, functions: dict[str, str], first: str = "") -> Path:
    """Returns the toy with code before some of its functions. The code may return, and call what it replaces as
    ``toy_`` with the function's name. An empty text in place of code leaves the function out.
    """
    lines = [f"#define ackclock_stack_{function} toy_{function}" for function in functions]
    lines += [f'#include "{TOY}"']
    lines += [f"#undef ackclock_stack_{function}" for function in functions]
    lines += [first]
    for function, code in functions.items():
        if not code:
            continue
        kind, parameters, names = FUNCTIONS[function]
        back = "" if kind == "void" else "return "
        unused = " ".join(f"(void){one.strip()};" for one in names.split(",") if one)
        lines += [
            f"{kind} ackclock_stack_{function}({parameters}) {{ {unused} {code} {back}toy_{function}({names}); }}"
        ]
    return compiled(folder, name, "\n".join(lines) + "\n")


@cache
def noq_library() -> Path:
    """Returns the library of the example of the crate ``ackclock-stacks``."""
    build = ["cargo", "build", "--quiet", "--locked", "--profile", "test", "--workspace"]
    subprocess.run([*build, "--example", "noq_library"], cwd=ROOT, check=True)
    sys.path.insert(0, str(ROOT / "scripts"))
    from build_folder import build_folder

    return build_folder() / "debug" / "examples" / "libnoq_library.so"
