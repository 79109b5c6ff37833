"""The command line."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from ackclock.errors import AckclockError, InputError, Interrupted

DONE, FAILED, WRONG_INPUT, INTERRUPTED = 0, 1, 2, 130


def main() -> None:
    """The console script ``ackclock``."""
    sys.exit(invoke(sys.argv[1:]))


def invoke(arguments: Sequence[str]) -> int:
    """Run the command line and return its exit code: 0 success, 1 failure, 2 wrong input, 130 interrupted."""
    try:
        from ackclock.cli.app import app

        app(args=list(arguments), prog_name="ackclock")
    except SystemExit as exit:
        if exit.code == INTERRUPTED:  # Typer's own answer to Ctrl-C, which it gives without a word
            complain("interrupted")
        return exit.code if isinstance(exit.code, int) else FAILED
    except Interrupted as stopped:
        complain(str(stopped))
        return INTERRUPTED
    except KeyboardInterrupt:
        complain("interrupted")
        return INTERRUPTED
    except InputError as error:
        complain(str(error))
        return WRONG_INPUT
    except AckclockError as error:
        complain(str(error))
        return FAILED
    except BrokenPipeError:
        # The reader of the pipe has closed it (`ackclock list | head`).
        sys.stderr.close()
        return FAILED
    except OSError as error:
        complain(f"{error.filename}: {error.strerror}" if error.filename else str(error))
        return FAILED
    return DONE


def complain(message: str) -> None:
    """Writes an error message on standard error."""
    from ackclock.cli import terminal

    terminal.complain(message)
