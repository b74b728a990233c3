"""What suite and set-up stand on: no network, alike kernels, a Python that fits, an honest stamp."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings

import set_up

ROOT = Path(__file__).resolve().parents[1]
posix = pytest.mark.skipif(os.name == "nt", reason="Windows sets up without make and sh")


def test_a_socket_that_leaves_this_machine_is_blocked():
    with pytest.raises((RuntimeError, UserWarning), match="tried to use socket"):
        socket.create_connection(("192.0.2.1", 80), timeout=1)


def test_a_socket_on_this_machine_is_not():
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname(), timeout=5).close()


def test_kernels_and_examples_are_the_same_every_time():
    assert os.environ["TEACHMEM_STATIC"] == "1"
    assert os.environ["TZ"] == "UTC"
    assert settings().derandomize == (os.environ.get("HYPOTHESIS_PROFILE", "ci") == "ci")


def find_python(asked: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    script = ROOT / "scripts" / "find_python.sh"
    return subprocess.run(["sh", script, asked, ""], cwd=cwd, capture_output=True, text=True, check=False)


def launcher(folder: Path, name: str, version: str) -> str:
    """Make something that calls itself a Python of that version."""
    path = folder / name
    path.write_text(
        f'#!/bin/sh\ncase "$2" in import*) exit 1;; esac\necho Python {version}\n', encoding="utf-8"
    )
    path.chmod(0o755)
    return str(path)


@posix
@pytest.mark.parametrize("version", ["3.10.13", "3.14.0"])
def test_another_python_is_refused_in_one_sentence(tmp_path, version):
    answer = find_python(launcher(tmp_path, "python3", version), tmp_path)
    assert answer.returncode == 1
    assert answer.stdout == ""
    assert answer.stderr.count("\n") == 1
    assert "teachmem needs Python 3.11, 3.12 or 3.13" in answer.stderr
    assert version in answer.stderr


@posix
def test_a_launcher_that_does_not_run_is_passed_over(tmp_path, monkeypatch):
    launcher(tmp_path, "python3.13", "none")
    (tmp_path / "python3.12").symlink_to(sys.executable)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert find_python("", tmp_path).stdout.strip() == "python3.12"


@pytest.fixture
def venv(tmp_path, monkeypatch):
    """A finished .venv in miniature, for the questions that set_up asks of it."""
    for name, path in {"VENV": ".venv", "STAMP": ".venv/stamp", "UNFINISHED": ".venv/unfinished"}.items():
        monkeypatch.setattr(set_up, name, tmp_path / path)
    set_up.VENV.mkdir()
    set_up.STAMP.write_text(set_up.expected_stamp(), encoding="utf-8")
    return set_up.VENV


def test_a_finished_environment_is_left_alone(venv, monkeypatch):
    monkeypatch.setattr(set_up, "build", lambda wheels: pytest.fail("built again"))
    set_up.set_up(None)
    assert set_up.usable()


def test_an_interrupted_set_up_starts_over(venv):
    set_up.UNFINISHED.touch()
    assert not set_up.usable()


def test_a_moved_environment_is_built_anew(venv):
    stamp = set_up.expected_stamp().replace(str(venv), str(venv.parent / "elsewhere"))
    set_up.STAMP.write_text(stamp, encoding="utf-8")
    assert not set_up.usable()


@pytest.mark.parametrize("name", ["requirements.lock", "pyproject.toml"])
def test_a_changed_lock_or_project_is_installed_over_what_is_there(venv, monkeypatch, name):
    stamp = set_up.expected_stamp().replace(f"{name} ", f"{name} 0")
    set_up.STAMP.write_text(stamp, encoding="utf-8")
    called = []
    monkeypatch.setattr(set_up, "build", called.append)
    set_up.set_up(None)
    assert called == [None]
    assert set_up.usable()


def test_wheels_of_another_python_are_refused(tmp_path):
    (tmp_path / "python-version").write_text("3.99\n", encoding="utf-8")
    with pytest.raises(SystemExit, match=r"3\.99"):
        set_up.wheels_options(tmp_path)
    with pytest.raises(SystemExit, match="does not exist"):
        set_up.wheels_options(tmp_path / "nowhere")
