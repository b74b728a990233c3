"""What holds keys, tokens, memories or a record is its owner's alone, whatever the umask says."""

import ast
import os
import stat

import pytest
from helpers import opened, run_python
from test_architecture import FILES

from teachmem import private
from teachmem.commands import connect
from teachmem.server.identity import TokenBook

posix = pytest.mark.skipif(os.name != "posix", reason="Windows gives files the rights of the profile")

EVERY_FILE = """
import os, sys
from pathlib import Path
os.umask(int(sys.argv[2], 8))
home = Path(sys.argv[1])
os.environ.update(TEACHMEM_HOME=str(home / "home"), TEACHMEM_STATIC="", ANONYMIZED_TELEMETRY="False")
import teachmem
from teachmem.commands import connect
from teachmem.course import eventfile, journal
from teachmem.principal import Principal
from teachmem.server.identity import TokenBook

mem = teachmem.open_memory(home / "northlight.db", checkpoints=home / "checkpoints.jsonl")
steward = mem.person("data-officer", fleet="dock", tenant="northlight", clearance=3)
steward.semantic.remember("the hoist hums")
mem.audit.checkpoint("northlight")
mem.audit.copy_to(home / "copy.db")
mem.backup(home / "backup.db")
steward.export(home / "export.jsonl")
TokenBook(home / "served" / "deep" / "tokens.json").make(Principal("northlight", "dock", "dock-1"), now=0)
journal.Journal(home / "record" / "deep").add("02", "hint", "2.1")
with (home / "record" / "deep" / "progress.jsonl").open("a") as file:
    file.write("damaged\\n")
eventfile.mend(home / "record" / "deep" / "progress.jsonl")
client = home / "mcp.json"
for name in "ab":
    connect.merge(client, "servers", name, {"command": "python"})
names = sorted(str(found.relative_to(home)) for found in home.rglob("*"))
print("\\n".join(f"{Path(home, name).stat().st_mode:o} {name}" for name in names))
mem.close()
"""
EXPECTED = {
    "northlight.db",
    "northlight.db-wal",
    "northlight.db-shm",
    "checkpoints.jsonl",
    "home/checkpoint.key",
    "copy.db",
    "backup.db",
    "export.jsonl",
    "served/deep/tokens.json",
    "record/deep/progress.jsonl",
    "record/deep/progress.lock",
    "record/deep/progress-damaged-1.jsonl",
    "mcp.json",
    "mcp.json.bak",
}


@posix
@pytest.mark.parametrize("umask", ["000", "022", "777"])
def test_every_file_and_folder_is_its_owners_only_under_any_umask(tmp_path, umask):
    told = [line.split(" ", 1) for line in run_python(EVERY_FILE, tmp_path, umask).splitlines()]
    modes = {name: int(mode, 8) for mode, name in told}
    assert set(modes) >= EXPECTED
    for name, mode in modes.items():
        right = private.FOLDER if stat.S_ISDIR(mode) else private.FILE
        assert stat.S_IMODE(mode) == right, name


@posix
@pytest.mark.parametrize("umask", ["000", "022"])
def test_a_folder_of_vectors_is_closed_even_if_it_was_there_and_open(tmp_path, umask):
    pytest.importorskip("chromadb")
    code = """
import os, sys, teachmem
os.umask(int(sys.argv[2], 8))
folder = sys.argv[1] + "/vectors"
os.mkdir(folder)
with teachmem.open_memory(sys.argv[1] + "/northlight.db", vectors=folder) as mem:
    dock = mem.agent("dock-1", fleet="dock", tenant="northlight")
    dock.semantic.remember("the hoist hums")
    assert len(dock.semantic.search("hoist")) == 1
print(f"{os.stat(folder).st_mode:o}", len(os.listdir(folder)))
"""
    mode, held = run_python(code, tmp_path, umask).split()
    assert stat.S_IMODE(int(mode, 8)) == private.FOLDER
    assert int(held) > 1


@posix
def test_what_lies_in_the_way_is_not_written_into(tmp_path):
    """Somebody who may write in the folder lays a file of theirs, or a link, where ours is made aside."""
    theirs = tmp_path / "theirs"
    with opened() as mem:
        steward = mem.person("data-officer", fleet="dock", tenant="northlight", clearance=3)
        steward.semantic.remember("the hoist hums")
        for kind in ("file", "link"):
            theirs.write_text("", encoding="utf-8")
            aside = tmp_path / f".{kind}.jsonl.part"
            aside.symlink_to(theirs) if kind == "link" else aside.touch(0o666)
            held = aside.open("rb")  # whoever holds the file open would read what is written into it
            steward.export(tmp_path / f"{kind}.jsonl")
            with held:
                assert held.read() == b""
            assert stat.S_IMODE((tmp_path / f"{kind}.jsonl").stat().st_mode) == private.FILE
        assert theirs.read_bytes() == b""
    book = TokenBook(tmp_path / "tokens.json")
    (tmp_path / "tokens.json.new").symlink_to(theirs)
    private.write(book.path, b"[]")
    assert theirs.read_bytes() == b""


@posix
@pytest.mark.parametrize("mode", [0o600, 0o640])
def test_a_clients_file_keeps_its_mode_and_its_copy_is_private(tmp_path, mode):
    """It may hold keys of other servers."""
    file = tmp_path / "mcp.json"
    file.write_text('{"servers": {"other": {"env": {"KEY": "secret"}}}}', encoding="utf-8")
    file.chmod(mode)
    connect.merge(file, "servers", "teachmem", {"command": "python"})
    assert stat.S_IMODE(file.stat().st_mode) == mode
    assert stat.S_IMODE((tmp_path / "mcp.json.bak").stat().st_mode) == private.FILE
    assert "secret" in file.read_text(encoding="utf-8")


def test_a_write_that_fails_leaves_what_was_there(tmp_path, monkeypatch):
    file = tmp_path / "tokens.json"
    private.write(file, b"old")
    monkeypatch.setattr(os, "fsync", lambda handle: (_ for _ in ()).throw(OSError("no room")))
    with pytest.raises(OSError, match="no room"):
        private.write(file, b"new")
    assert [each.name for each in tmp_path.iterdir()] == ["tokens.json"]
    assert file.read_bytes() == b"old"


# ---- nobody else makes files

MAKERS = {"open", "write_text", "write_bytes", "mkdir", "touch", "makedirs", "copy", "copyfile", "copytree"}
PLAY = ("bench.", "marks.", "course.segments.", "course.rebuilding.")  # figures, and temporary folders
ELSEWHERE = {
    "commands.marks": "a card of results, to be shown around",
    "commands.lab": "a student's copy of a public notebook",
    "commands.bench": "figures",
    "commands.connect": "the folder of a client's settings",
    "course.lint": "a notebook in its normal form",
    "course.worker": "os.devnull",
    "recall.place": "the mark in a folder that was closed before",
    "show.explore_inbox": "a copy in a temporary folder, which is its owner's only",
}


def makes_files(tree):
    """Yield the line of every call that may make a file or a folder; opening for reading makes none."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        of = getattr(getattr(node.func, "value", None), "id", "")
        if name not in MAKERS or (name == "copy" and of != "shutil"):
            continue
        if name == "open" and of != "os":
            if of in ("Database", "request") or (of or "x")[0].isupper():
                continue
            words = [each.value for each in ast.walk(node) if isinstance(each, ast.Constant)]
            if not any(isinstance(word, str) and set("wax") & set(word) and len(word) < 4 for word in words):
                continue
        yield node.lineno


def test_files_are_made_by_private_alone():
    found = {
        module: lines
        for module, path in FILES.items()
        if (lines := list(makes_files(ast.parse(path.read_text(encoding="utf-8")))))
        and module != "private"
        and not module.startswith(PLAY)
    }
    strange = {module: lines for module, lines in found.items() if module not in ELSEWHERE}
    assert not strange, "these make a file: use teachmem.private, or say why not in ELSEWHERE"
    assert set(found) == set(ELSEWHERE), "these make no file any more: take them off the list"


def test_the_scan_sees_what_it_should():
    seen = """
open("file", "w"); open("file"); path.open("rb+"); path.open("rb"); path.write_text("x"); path.mkdir()
os.open(path, os.O_CREAT); shutil.copy(a, b); copy.copy(x)
"""
    assert sorted(makes_files(ast.parse(seen))) == [2, 2, 2, 3, 3]
