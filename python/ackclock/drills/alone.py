"""One drill in a process that shares nothing with another: ``python -m ackclock.drills.alone``.

Forks of one process have their memory at equal addresses, and so hide a stack whose behaviour depends on them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import ackclock
from ackclock._stacks import Stack, stacks
from ackclock.drills.drill import Target, conduct, law_of
from ackclock.drills.record import CannotTell
from ackclock.drills.script import Rule, Script
from ackclock.errors import AckclockError, RunError


def hashes(target: Target, script: Script, seed: int) -> tuple[int, int, int]:
    """Returns the number of datagrams, a hash of their times and lengths, and one of their content. CannotTell,
    RunError.
    """
    stack = target.stack.word if isinstance(target.stack, Stack) else target.stack
    job = json.dumps({"stack": stack, "control": target.control, "seed": seed, "script": asdict(script)})
    path = os.pathsep.join([str(Path(ackclock.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    made = subprocess.run(
        [sys.executable, "-m", "ackclock.drills.alone"],
        input=job,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    if made.returncode:
        raise RunError(made.stderr.strip().rpartition("\n")[2])
    answer = json.loads(made.stdout)
    if isinstance(answer, str):
        raise CannotTell(answer)
    count, shape, content = answer
    return count, shape, content


def main() -> None:
    """Makes the drill that standard input describes, and prints its hashes."""
    job = json.load(sys.stdin)
    word, control, script = job["stack"], job["control"], job["script"]
    rules = [Rule(**rule) for rule in script.pop("rules")]
    stack: Stack | str = stacks([word])[0] if os.sep in word else word
    target = Target(stack, control, law_of(control))
    try:
        record = conduct(target, Script(rules=rules, **script), job["seed"])
    except CannotTell as reason:
        sys.stdout.write(json.dumps(str(reason)))
        return
    except AckclockError as error:
        sys.exit(str(error))
    count = len(record.datagrams("sent", -1e9)) + len(record.datagrams("sent", -1e9, forward=False))
    sys.stdout.write(json.dumps([count, *record.hashes]))


if __name__ == "__main__":
    main()
