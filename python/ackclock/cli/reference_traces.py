"""``ackclock reference-traces``."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from ackclock._files import writable
from ackclock._libraries import need_matplotlib
from ackclock.cli.terminal import console, progress_bar, shown


def reference_traces(names: Sequence[str], out: Path) -> None:
    """Writes the reference traces as a folder and an archive into ``out``. InputError for an unknown name, and
    without Matplotlib.
    """
    from ackclock import __version__
    from ackclock.reference_traces import archive_name, make, readme, traces, write_archive

    wanted = traces(names)
    # Before anything runs: each trace has a figure.
    need_matplotlib()
    writable(out)
    folder = out / archive_name(__version__)
    shutil.rmtree(folder, ignore_errors=True)
    made = []
    with progress_bar("reference traces") as progress:
        for number, trace in enumerate(wanted, start=1):
            made.append((trace, make(trace, folder / trace.name)))
            progress(number, len(wanted), number / len(wanted))
    (folder / "README.md").write_text(readme(made, __version__), encoding="utf-8", newline="\n")
    archive = write_archive(folder)
    for path in (folder, archive):
        console().print(f"wrote {shown(path)}", soft_wrap=True)
