"""The doctor: every probe can find fault, and the code tells at a distance what it found."""

from __future__ import annotations

import importlib.metadata
import json
import locale
import platform
import sqlite3
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from teachmem import TeachmemError, cli
from teachmem.commands import doctor, places, probe, probe_kit, probe_room, spoken
from teachmem.recall import embed

RUNNER = CliRunner()
STATES = st.lists(st.integers(0, 2), min_size=spoken.CHECKS, max_size=spoken.CHECKS)


@given(STATES)
def test_a_code_says_every_state_and_nothing_else(states):
    code = spoken.encode(states)
    assert len(code) == 7
    assert spoken.decode(code, spoken.CHECKS) == states
    assert spoken.decode(code.replace("-", " ").lower(), spoken.CHECKS) == states
    assert (code == "000-000") == (not any(states))


@given(STATES, st.integers(0, 5), st.sampled_from(spoken.SIGNS))
def test_one_misheard_sign_is_found(states, place, sign):
    signs = list(spoken.encode(states).replace("-", ""))
    if signs[place] != sign:
        signs[place] = sign
        with pytest.raises(TeachmemError, match="misheard"):
            spoken.decode("".join(signs), spoken.CHECKS)


@given(STATES, st.integers(0, 4))
def test_two_swapped_signs_are_found(states, place):
    signs = list(spoken.encode(states).replace("-", ""))
    if signs[place] != signs[place + 1]:
        signs[place], signs[place + 1] = signs[place + 1], signs[place]
        with pytest.raises(TeachmemError, match="misheard"):
            spoken.decode("".join(signs), spoken.CHECKS)


@pytest.mark.parametrize("code", ["", "12345", "1234567", "ABCDEF", "000-0 0Z"])
def test_what_is_no_code_is_refused(code):
    with pytest.raises(TeachmemError, match="six signs"):
        spoken.decode(code, spoken.CHECKS)


def test_there_is_a_place_in_the_code_for_every_probe():
    assert len(doctor.PROBES) <= spoken.CHECKS
    assert len(spoken.SIGNS) ** 5 > 3**spoken.CHECKS


def test_the_doctor_answers_in_time_and_its_code_can_be_read_back():
    started = time.process_time()
    answer = RUNNER.invoke(cli.app, ["doctor", "--json"])
    assert time.process_time() - started < 5  # aim: under 3, on a machine of its own
    told = json.loads(answer.output)
    assert [check["name"] for check in told["checks"]] == [name for name, _ in doctor.PROBES]
    assert all(check["cure"] for check in told["checks"] if check["state"] != "well")
    faults = [check for check in told["checks"] if check["state"] == "fault"]
    assert answer.exit_code == (1 if faults else 0), faults
    assert told["ok"] == (not faults)
    read = RUNNER.invoke(cli.app, ["doctor", "--read", told["code"]]).output.splitlines()
    words = {"well": "well", "warning": "LOOK", "fault": "FAULT"}
    assert [line.split()[0] for line in read] == [words[check["state"]] for check in told["checks"]]


def test_what_the_doctor_prints_is_what_it_found(monkeypatch):
    def fault() -> probe.Found:
        raise probe.Trouble("no floor", "build one")

    def crash() -> probe.Found:
        raise RuntimeError("odd")

    fakes = (("floor", fault), ("odd", crash), ("fine", lambda: probe.Found("good")))
    monkeypatch.setattr(doctor, "PROBES", fakes)
    answer = RUNNER.invoke(cli.app, ["doctor"])
    assert answer.exit_code == 1
    shown = ("FAULT  floor      no floor", "cure: build one", "RuntimeError: odd", "well   fine       good")
    assert all(line in answer.output for line in shown)
    assert f"Read aloud: {spoken.encode([2, 2, 0])}" in answer.output


def test_here_everything_that_the_lessons_need_is_well():
    for name in ("python", "packages", "sqlite", "store", "tokenizer", "data"):
        assert probe.examine(dict(doctor.PROBES)[name]).state == probe.WELL, name


def trouble(look, *arguments) -> probe.Found:
    found = probe.examine(lambda: look(*arguments))
    assert found.state != probe.WELL
    assert found.cure
    return found


def test_a_python_out_of_range_is_found(monkeypatch):
    monkeypatch.setattr(platform, "python_version", lambda: "3.10.2")
    assert "3.10.2" in trouble(probe_kit.python).found


def test_a_missing_package_and_one_out_of_range_are_found():
    def version(name: str) -> str:
        if name == "numpy":
            raise importlib.metadata.PackageNotFoundError
        return "0.0.1" if name == "sqlalchemy" else importlib.metadata.version(name)

    found = trouble(probe_kit.packages, version)
    assert "numpy is missing" in found.found
    assert "sqlalchemy 0.0.1 is not" in found.found
    assert found.state == probe.FAULT


def test_a_missing_extra_is_a_warning():
    def version(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError

    assert trouble(probe_kit.extras, version).state == probe.WARNING


def test_without_a_checkout_the_installed_metadata_tells(monkeypatch, tmp_path):
    rows = [
        "numpy<3,>=2.2",
        "jupyterlab<5,>=4.5; extra == 'core'",
        "chromadb<1.6,>=1.5; extra == 'full'",
        "teachmem[core]; extra == 'full'",
    ]
    monkeypatch.setattr(importlib.metadata, "requires", lambda _: rows)
    monkeypatch.setattr(places, "PACKAGE", tmp_path / "src" / "teachmem")
    told = probe_kit.project()
    assert told["core"] == ["numpy<3,>=2.2", "jupyterlab<5,>=4.5"]
    assert told["full"] == ["chromadb<1.6,>=1.5"]
    assert probe.examine(probe_kit.python).state == probe.WELL


def test_a_sqlite_without_wal_is_found(monkeypatch):
    class Rollback:
        def execute(self, _: str) -> Rollback:
            return self

        def fetchone(self) -> tuple[str]:
            return ("delete",)

        def close(self) -> None: ...

    monkeypatch.setattr(sqlite3, "connect", lambda *_: Rollback())
    assert "not WAL" in trouble(probe_kit.sqlite).found


def test_it_says_whether_chroma_and_word_vectors_are_there(monkeypatch):
    assert "word vectors wordllama-256" in probe_kit.tokenizer().found
    real = importlib.metadata.version
    assert probe_kit.extras().found == f"chromadb {real('chromadb')}, fastmcp {real('fastmcp')}"
    old = {"chromadb": "1.4.0"}
    found = trouble(lambda: probe_kit.extras(lambda name: old.get(name) or real(name)))
    assert found.state == probe.WARNING
    assert "chromadb 1.4.0 is not" in found.found
    monkeypatch.setattr(embed.WordEmbedder, "is_installed", staticmethod(lambda: False))
    found = trouble(probe_kit.tokenizer)
    assert found.state == probe.WARNING
    assert "no word vectors: searches by hashing-256 (lexical)" in found.found


def test_word_vectors_that_know_no_meaning_are_found(monkeypatch):
    monkeypatch.setattr(embed.WordEmbedder, "embed", lambda self, texts: np.ones((len(texts), 256)))
    assert "know no meaning" in trouble(probe_kit.tokenizer).found


def test_a_tokenizer_that_counts_otherwise_is_found(monkeypatch):
    from teachmem.recall import tokens

    monkeypatch.setattr(tokens, "count", lambda text: len(text))
    assert "tokens where 5 are right" in trouble(probe_kit.tokenizer).found


def test_a_kernel_that_starts_another_python_is_found(monkeypatch):
    from types import SimpleNamespace

    from jupyter_client import kernelspec

    spec = SimpleNamespace(argv=["/elsewhere/bin/python3", "-m"])
    monkeypatch.setattr(kernelspec.KernelSpecManager, "get_kernel_spec", lambda *_: spec)
    assert "/elsewhere/bin/python3" in trouble(probe_kit.kernel).found

    def none(_: object, name: str) -> None:
        raise kernelspec.NoSuchKernel(name)

    monkeypatch.setattr(kernelspec.KernelSpecManager, "get_kernel_spec", none)
    assert trouble(probe_kit.kernel).state == probe.FAULT


def test_a_work_folder_that_cannot_be_written_is_found(monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("TEACHMEM_WORK", str(tmp_path / "file"))
    assert "cannot be written" in trouble(probe_room.work).found


@pytest.mark.parametrize("damage", ["cut", "missing"])
def test_damaged_data_is_found(monkeypatch, tmp_path, damage):
    from teachmem.course import world

    for name in ("catalogue.json", "episodes.jsonl", "notes.jsonl"):
        (tmp_path / name).write_text("[]", encoding="utf-8")
    monkeypatch.setattr(world, "data_folder", lambda: tmp_path)
    assert probe.examine(probe_room.data).state == probe.WELL
    if damage == "cut":
        (tmp_path / "notes.jsonl").write_text('{"a": 1}\n{"b', encoding="utf-8")
    else:
        (tmp_path / "notes.jsonl").unlink()
    assert "notes" in trouble(probe_room.data).found


def test_a_terminal_that_speaks_no_utf_8_is_found(monkeypatch):
    monkeypatch.setattr(locale, "getpreferredencoding", lambda _: "latin-1")
    assert trouble(probe_room.text).state == probe.WARNING


def test_a_misspelled_setting_is_found_and_its_value_is_not_shown(monkeypatch):
    monkeypatch.setenv("TEACHMEM_HOEM", "secret-place")
    found = trouble(probe_room.settings)
    assert "TEACHMEM_HOEM" in found.found
    assert "secret-place" not in found.found + found.cure


def test_static_mode_is_pointed_out(monkeypatch):
    monkeypatch.setenv("TEACHMEM_STATIC", "1")
    assert "no live widgets" in trouble(probe_room.settings).found


def test_a_full_disk_and_a_missing_browser_are_found(monkeypatch):
    assert trouble(probe_room.room, lambda _: "/bin/x", lambda _: 10**6).state == probe.FAULT
    monkeypatch.setattr(probe_room.sys, "platform", "linux")
    assert trouble(probe_room.room, lambda _: None, lambda _: 10**12).state == probe.WARNING


def test_no_probe_leaves_anything_behind(tmp_path, monkeypatch):
    monkeypatch.setenv("TEACHMEM_WORK", str(tmp_path / "work"))
    for _, look in doctor.PROBES:
        probe.examine(look)
    assert list(Path(tmp_path).iterdir()) == []
