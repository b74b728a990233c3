"""The files of the house agree: ranges, lock, conda, versions, imports, and what is tracked."""

import ast
import importlib.metadata
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import yaml
from packaging.markers import Marker, default_environment
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

import teachmem

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PYTHONS = ("3.11", "3.12", "3.13")
LOCKED = re.compile(r"(?P<name>[a-z0-9-]+)==(?P<version>[0-9a-z.]+)(?: ; (?P<marker>[^\\]+))? \\")
HASH = re.compile(r" {4}--hash=sha256:[0-9a-f]{64}(?P<more> \\)?")
BINARY = {".png", ".jpg", ".ico", ".gif", ".woff2", ".db", ".npz"}


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def runtime() -> list[Requirement]:
    extras = PROJECT["project"]["optional-dependencies"]
    rows = [*PROJECT["project"]["dependencies"], *(row for rows in extras.values() for row in rows)]
    return [found for row in rows if (found := Requirement(row)).name != "teachmem"]


def development() -> list[Requirement]:
    rows = PROJECT["dependency-groups"]["dev"] + PROJECT["build-system"]["requires"]
    return [Requirement(row) for row in rows]


@cache
def lock() -> dict[str, list[tuple[Version, Marker | None]]]:
    """Read the lock with a grammar that has no room for anything but names, versions, markers and hashes."""
    rows: dict[str, list[tuple[Version, Marker | None]]] = {}
    hash_due = False
    for number, line in enumerate(text("requirements.lock").splitlines(), start=1):
        if found := HASH.fullmatch(line):
            assert rows, f"line {number} is a hash of nothing"
            hash_due = bool(found["more"])
            continue
        found = LOCKED.fullmatch(line)
        assert found, f"requirements.lock, line {number}: {line!r} is neither a locked package nor a hash"
        assert not hash_due, f"requirements.lock, line {number}: the package before it has no hash"
        hash_due = True
        marker = Marker(found["marker"].strip()) if found["marker"] else None
        rows.setdefault(canonicalize_name(found["name"]), []).append((Version(found["version"]), marker))
    assert not hash_due
    return rows


def tracked() -> list[Path]:
    """Every file that is, or would be, tracked; without git, every file outside the ignored folders."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if listed.returncode == 0 and listed.stdout:
        names = listed.stdout.decode("utf-8").rstrip("\0").split("\0")
    else:
        ignored = {".git", *(row.strip("/") for row in text(".gitignore").split() if row.endswith("/"))}
        names = [
            str(path.relative_to(ROOT))
            for path in ROOT.rglob("*")
            if not ignored & set(path.relative_to(ROOT).parts)
        ]
    return [ROOT / name for name in names if (ROOT / name).is_file()]


def texts() -> Iterator[tuple[Path, bytes]]:
    for path in tracked():
        if path.suffix not in BINARY:
            yield path, path.read_bytes()


# ---- ranges, lock, conda ---------------------------------------------------------------------


@pytest.mark.parametrize("requirement", [*runtime(), *development()], ids=str)
def test_every_locked_version_lies_in_the_declared_range(requirement):
    locked = lock().get(canonicalize_name(requirement.name), [])
    assert locked, f"{requirement.name} is declared in pyproject.toml and missing in requirements.lock"
    for version, _ in locked:
        assert requirement.specifier.contains(version, prereleases=True)


@pytest.mark.parametrize("python", PYTHONS)
def test_each_python_finds_exactly_one_version_of_every_direct_dependency(python):
    here = {**default_environment(), "python_version": python, "python_full_version": f"{python}.0"}
    for requirement in [*runtime(), *development()]:
        rows = lock()[canonicalize_name(requirement.name)]
        fitting = [version for version, marker in rows if marker is None or marker.evaluate(here)]
        assert len(fitting) == 1, (requirement.name, fitting)


def test_every_runtime_range_has_an_upper_bound():
    for requirement in runtime():
        assert any(part.operator == "<" for part in requirement.specifier), requirement


def test_lock_is_read_strictly():
    assert len(lock()) > 100
    for name in ("teachmem", "pip", "setuptools"):
        assert name not in lock()
    assert "://" not in text("requirements.lock")


def test_conda_brings_python_and_pip_and_the_lock_brings_the_rest():
    conda = yaml.safe_load(text("environment.yml"))
    assert conda["channels"] == ["conda-forge"]
    python, pip, through_pip = conda["dependencies"]
    assert pip == "pip"
    assert through_pip == {"pip": ["-r requirements.lock"]}
    name, _, versions = python.partition(" ")
    assert name == "python"
    assert SpecifierSet(versions) == SpecifierSet(PROJECT["project"]["requires-python"])


def test_the_declared_pythons_are_the_tested_ones():
    declared = [row.rpartition(" ")[2] for row in PROJECT["project"]["classifiers"] if ":: 3." in row]
    assert tuple(declared) == PYTHONS
    jobs = yaml.safe_load(text(".github/workflows/test.yml"))["jobs"]
    assert tuple(jobs["make"]["strategy"]["matrix"]["python"]) == PYTHONS
    for python in PYTHONS:
        assert Version(python) in SpecifierSet(PROJECT["project"]["requires-python"])
    for python in ("3.10", "3.14"):
        assert Version(python) not in SpecifierSet(PROJECT["project"]["requires-python"])


# ---- versions and documents --------------------------------------------------------------------


def test_one_version_everywhere():
    newest = re.search(r"^## \[(.+?)\]", text("CHANGELOG.md"), flags=re.MULTILINE)
    assert newest
    assert newest[1] == teachmem.__version__
    assert str(yaml.safe_load(text("CITATION.cff"))["version"]) == teachmem.__version__


def test_licences_are_there_and_named():
    assert text("LICENSE").startswith("MIT License")
    assert PROJECT["project"]["license"] == "MIT"
    for document in ("README.md", "LICENSES.md"):
        assert "MIT" in text(document)
        assert "CC BY 4.0" in text(document)


def test_readme_leads_with_the_two_commands_and_names_every_way_in():
    readme = text("README.md")
    commands = re.findall(r"^(make \w+)", readme, flags=re.MULTILINE)
    assert commands[:2] == ["make lab", "make test"]
    for line in (
        "make wheelhouse",
        "make lab WHEELS=wheels",
        "conda env create -f environment.yml",
        "pip install --no-deps --no-build-isolation -e .",
        "py -3.12 -m venv .venv",
        "--require-hashes --compile-bytecode -r requirements.lock",
    ):
        assert line in readme, line


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md", "LICENSES.md", "CHANGELOG.md"])
def test_documents_name_targets_and_files_that_exist(document):
    targets = set(re.findall(r"^([a-z]+):", text("Makefile"), flags=re.MULTILINE))
    named = set(re.findall(r"(?:^|`)make ([a-z]+)", text(document), flags=re.MULTILINE))
    assert named <= targets
    for link in re.findall(r"\]\(([^)#]+)\)", text(document)):
        assert "://" in link or (ROOT / link).exists(), link


def test_make_help_names_every_target():
    makefile = text("Makefile")
    phony = re.search(r"^\.PHONY: (.+)$", makefile, flags=re.MULTILINE)
    assert phony
    for target in set(phony[1].split()) - {"help"}:
        assert f'@echo "make {target} ' in makefile, target


def test_configuration_files_parse():
    json.loads(text(".devcontainer/devcontainer.json"))
    for name in (".pre-commit-config.yaml", "CITATION.cff"):
        assert yaml.safe_load(text(name))
    hooks = yaml.safe_load(text(".pre-commit-config.yaml"))["repos"]
    assert [place["repo"] for place in hooks] == ["local"]


# ---- imports -----------------------------------------------------------------------------------


def notebook_source(path: Path) -> str:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    return "\n".join(line for cell in code for line in cell.splitlines() if not line.lstrip().startswith("%"))


def imported(source: str) -> set[str]:
    """Name the outside packages that a module imports, wherever in it the import stands."""
    flags = ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    found: set[str] = set()
    for node in ast.walk(compile(source, "<source>", "exec", flags=flags)):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.add(node.module.partition(".")[0])
    return found - sys.stdlib_module_names - {"teachmem"}


@pytest.mark.parametrize("folder", ["src", "notebooks", "scripts"])
def test_every_import_is_declared(folder):
    own = {path.stem for path in (ROOT / "scripts").glob("*.py")} if folder == "scripts" else set()
    declared = {canonicalize_name(requirement.name) for requirement in runtime()}
    if folder == "scripts":
        declared |= {canonicalize_name(requirement.name) for requirement in development()}
    providers = importlib.metadata.packages_distributions()
    sources = {path: path.read_text(encoding="utf-8") for path in sorted((ROOT / folder).rglob("*.py"))}
    sources |= {path: notebook_source(path) for path in sorted((ROOT / folder).glob("*.ipynb"))}
    undeclared = {
        f"{path.relative_to(ROOT).as_posix()}: {name}"
        for path, source in sources.items()
        for name in imported(source) - own
        if "workers" not in path.parts  # these run in the environments of other systems, which bring it
        and not declared & {canonicalize_name(provider) for provider in providers.get(name, [])}
    }
    assert not undeclared


# ---- what is tracked ---------------------------------------------------------------------------

#: Folders of somebody's machine. The house's own `work/` is written without a slash before it.
MACHINE = re.compile(rb"(?<![\w.~*/})-])/(?:home|root|Users|work|farm|opt|private|tmp)/\w|[A-Z]:\\Users\\")
REGISTRY = re.compile(rb"://[\w.-]*(?:pypi|pythonhosted|npmjs|anaconda|docker|artifactory|nexus)\b")


def test_no_file_names_a_machine_or_a_registry():
    named = {
        f"{path.relative_to(ROOT).as_posix()}: {found[0]!r}"
        for path, content in texts()
        for pattern in (MACHINE, REGISTRY)
        if (found := pattern.search(content))
    }
    assert not named


def test_text_is_utf8_with_plain_line_ends():
    for path, content in texts():
        content.decode("utf-8")
        assert b"\r" not in content, path
        assert not content or content.endswith(b"\n"), path


def test_the_tree_stays_small():
    assert sum(path.stat().st_size for path in tracked()) < 20_000_000
