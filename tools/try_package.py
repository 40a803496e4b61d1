"""Build source distribution and wheel, install each in an empty environment, and try it there.

    python -m tools.try_package

Both must hold every file of the package; `linkwork demo` and `linkwork check` must run with nothing but
what the package asks for, in a folder that has nothing of this repository.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
COMMANDS = (
    "demo -o demo.html",
    "check puma560",
    "inverse dasgupta1998 --motion dasgupta-I -o forces.csv",
)


def package_files() -> set[str]:
    files = (path for path in (ROOT / "src" / "linkwork").rglob("*") if path.is_file())
    return {path.relative_to(ROOT / "src").as_posix() for path in files if path.suffix != ".pyc"}


def held(archive: Path) -> set[str]:
    """Files of the package in a wheel or a source distribution."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            names = wheel.namelist()
    else:
        with tarfile.open(archive) as source:
            members = (each.name.partition("/src/") for each in source if each.isfile())
            names = [inside for _, _, inside in members]
    return {name for name in names if name.startswith("linkwork/")}


def built(folder: Path) -> list[Path]:
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-d", str(folder)], cwd=ROOT, check=True)
    archives = sorted(path for path in folder.iterdir() if path.suffix in (".whl", ".gz"))
    if len(archives) != 2:
        sys.exit(f"expected one wheel and one source distribution, built {[p.name for p in archives]}")
    for archive in archives:
        if different := held(archive) ^ package_files():
            sys.exit(f"{archive.name} and src/linkwork differ in {sorted(different)[:5]}")
    return archives


def tried(archive: Path, folder: Path) -> None:
    """In an environment that has pip alone; Python finds no other package."""
    folder.mkdir()
    venv = folder / "environment"
    subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
    programs = venv / ("Scripts" if os.name == "nt" else "bin")
    install = [
        str(programs / "python"),
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ]
    plain = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "LINKWORK"))
    }
    plain["LINKWORK_CACHE"] = str(folder / "cache")
    subprocess.run([*install, str(archive)], cwd=folder, env=plain, check=True)
    for command in COMMANDS:
        print(f"{archive.name}: linkwork {command}", flush=True)
        subprocess.run([str(programs / "linkwork"), *command.split()], cwd=folder, env=plain, check=True)
    if (folder / "demo.html").stat().st_size < 100_000:
        sys.exit("linkwork demo wrote a page that is nearly empty")


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number, archive in enumerate(built(folder / "archives")):
            tried(archive, folder / f"try-{number}")


if __name__ == "__main__":
    main()
