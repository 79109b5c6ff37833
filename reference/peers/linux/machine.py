"""A virtual machine that runs `path.c` on a kernel of Debian, in virtual time: equal runs are equal to the last bit.

QEMU emulates the processor, counts a nanosecond for each instruction, and skips the time in which the machine is
idle. Nothing in the machine depends on the host: it has no network and no disk, its clock begins at a fixed date, and
its processor has no random numbers. It is an old model on purpose: with the newest that QEMU 7.2 knows, the kernel
sometimes dies of a double fault, depending on the words of its command line.
"""

from __future__ import annotations

import lzma
import os
import re
import stat
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
#: The kernel's release, on which the results depend.
KERNEL = "6.12.95+deb12-cloud-amd64"
SOURCE = "deb http://deb.debian.org/debian bookworm-backports main"
MODULES = ("drivers/net/tun", "net/ipv4/tcp_bbr")
#: The beginning of a frame of zstd, with which the kernel's image is compressed.
ZSTD = b"\x28\xb5\x2f\xfd"

MACHINE = (
    *("qemu-system-x86_64", "-M", "pc", "-m", "512", "-smp", "1", "-nographic", "-no-reboot", "-nodefaults"),
    *("-nic", "none", "-serial", "stdio", "-cpu", "Nehalem", "-seed", "42"),
    *("-rtc", "clock=vm,base=2026-01-01", "-accel", "tcg,thread=single", "-icount", "shift=0,sleep=off"),
)
COMMAND_LINE = "console=ttyS0 panic=-1 quiet mitigations=off norandmaps random.trust_cpu=off"


def run(command: list[str], place: Path) -> None:
    """Run a command in a folder."""
    subprocess.run(command, cwd=place, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 (our own words)


def fetch_kernel(place: Path) -> Path:
    """Fetch the kernel's package by apt, without a change of the system's sources; the folder of its files."""
    (place / "lists" / "partial").mkdir(parents=True, exist_ok=True)
    (place / "sources.list").write_text(SOURCE + "\n", encoding="utf-8")
    options = {
        "Dir::Etc::sourcelist": place / "sources.list",
        "Dir::Etc::sourceparts": "/dev/null",
        "Dir::State::lists": place / "lists",
        "Dir::Cache::pkgcache": "",
        "Dir::Cache::srcpkgcache": "",
    }
    apt = ["apt-get", "-qq", *(word for name, value in options.items() for word in ("-o", f"{name}={value}"))]
    run([*apt, "update"], place)
    run([*apt, "download", f"linux-image-{KERNEL}"], place)
    package = next(place.glob(f"linux-image-{KERNEL}_*.deb"))
    run(["dpkg-deb", "-x", package.name, "kernel"], place)
    return place / "kernel"


def unpacked_kernel(files: Path, place: Path) -> Path:
    """The kernel's ELF file, from which QEMU starts it without its own decompression."""
    image = (files / "boot" / f"vmlinuz-{KERNEL}").read_bytes()
    for found in re.finditer(re.escape(ZSTD), image):
        words = ["zstd", "-dcq"]
        done = subprocess.run(words, input=image[found.start() :], capture_output=True, check=False)  # noqa: S603 (ours)
        if done.stdout.startswith(b"\x7fELF"):
            (place / "vmlinux").write_bytes(done.stdout)
            return place / "vmlinux"
    message = f"no kernel in vmlinuz-{KERNEL}"
    raise ValueError(message)


def padded(data: bytes) -> bytes:
    """The data with the zeros that follow it in an archive."""
    return data + bytes(-len(data) % 4)


def entry(name: str, mode: int, content: bytes = b"", device: tuple[int, int] = (0, 0)) -> bytes:
    """A file of a cpio archive (newc), which the kernel unpacks into its memory at its start."""
    numbers = (1, mode, 0, 0, 1, 0, len(content), 0, 0, *device, len(name) + 1, 0)
    head = "070701" + "".join(f"{number:08x}" for number in numbers) + name + "\0"
    return padded(head.encode()) + padded(content)


def initial_files(program: Path, files: Path) -> bytes:
    """The machine's files: the program, its console, and the modules that it loads."""
    modules = files / "lib" / "modules" / KERNEL / "kernel"
    read = {Path(name).name: lzma.decompress((modules / f"{name}.ko.xz").read_bytes()) for name in MODULES}
    return b"".join(
        [
            entry("dev", stat.S_IFDIR | 0o755),
            entry("dev/console", stat.S_IFCHR | 0o600, device=(5, 1)),
            entry("init", stat.S_IFREG | 0o755, program.read_bytes()),
            *(entry(f"{name}.ko", stat.S_IFREG | 0o644, content) for name, content in read.items()),
            entry("TRAILER!!!", 0),
        ]
    )


def build(place: Path) -> list[str]:
    """Make the machine in a folder; the command that runs it, to which the program's words are added.

    If the variable ORACLE_KERNEL names a folder, the kernel is taken from there instead of from Debian's archive.
    `dpkg-deb -x` makes such a folder of the package.
    """
    given = os.environ.get("ORACLE_KERNEL")
    files = Path(given) if given else fetch_kernel(place)
    flags = ["-O2", "-static", "-Wall", "-Wextra", "-Werror"]
    run(["gcc", *flags, str(HERE / "path.c"), "-o", "init"], place)
    (place / "files.cpio").write_bytes(initial_files(place / "init", files))
    kernel = unpacked_kernel(files, place)
    return [*MACHINE, "-kernel", str(kernel), "-initrd", str(place / "files.cpio"), "-append"]


def command(machine: list[str], words: list[str]) -> list[str]:
    """The command of a run."""
    return [*machine, f"{COMMAND_LINE} -- {' '.join(words)}"]
