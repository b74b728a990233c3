"""What the package never does: run text as code, unpickle what it did not pickle, hand text to a shell.

The scan has no opinion: whoever needs one of these says where and why in ALLOWED, to be judged there.
"""

import ast
import json

import pytest
from helpers import run_python
from test_architecture import FILES

MODULES = {
    "pickle",
    "cPickle",
    "_pickle",
    "cloudpickle",
    "dill",
    "joblib",
    "shelve",
    "marshal",
    "subprocess",
    "pty",
    "ctypes",
    "runpy",
    "code",
    "codeop",
    "xmlrpc",
    "telnetlib",
    "yaml",
    "xml",
    "imp",
}
CALLS = {"eval", "exec", "compile", "__import__", "breakpoint"}
ATTRIBUTES = {
    *("popen", "execv", "execve", "execl", "execvp", "execvpe", "spawnl", "spawnv", "posix_spawn"),
    *("forkpty", "read_pickle", "to_pickle", "import_module", "__import__", "mktemp", "literal_eval"),
    *("enable_load_extension", "load_extension", "create_function", "set_authorizer"),
}
KEYWORDS = {"shell": True, "allow_pickle": True, "verify": False}

ALLOWED = {
    (
        "bench.imports",
        "subprocess",
    ): "this Python, fixed lines, no shell: an import is timed in a fresh process",
    ("marks.systems.known", "import_module"): "an adapter, from a fixed table",
    (
        "marks.systems.rooms",
        "subprocess",
    ): "uv, pip or npm with pinned packages, when somebody asks for a system",
    ("marks.systems.worker", "subprocess"): "that system's own program, with a small environment, no shell",
    ("marks.systems.workers.lines", "runpy"): "the file beside it that serves that system",
    ("marks.probe", "import_module"): "the modules of probes, from a fixed list",
    ("course.rebuilding.contracts", "import_module"): "the modules of laws, from a fixed list",
    ("course.parcel", "pickle"): "a student's own answer, made and read by processes of the same kernel",
    ("course.parcel", "cloudpickle"): "the same: functions of a notebook have no other form",
    ("course.process", "pickle"): "it only writes: the request to the checking process, on a pipe of its own",
    ("course.worker", "pickle"): "it reads its parent's pipe, which nobody else has",
    ("course.rebuilding.inside", "pickle"): "the same, in the process in which a module is rebuilt",
    (
        "course.rebuilding.own",
        "pickle",
    ): "the student's own functions, into a folder of this run, closed to others",
    ("course.rebuilding.own", "cloudpickle"): "the same",
    ("course.rebuilding.boot", "pickle"): "reads that file, whose path its parent has given it",
    ("course.rebuilding.inside", "import_module"): "the module that its parent names",
    ("course.process", "subprocess"): "the checking process: this Python, a fixed program, no shell",
    ("marks.systems.writer", "subprocess"): "a second writer: this Python, a fixed module, no shell",
    ("commands.lab", "subprocess"): "JupyterLab on Windows, where a process cannot become another: no shell",
    ("commands.lab", "execve"): "to become JupyterLab: this Python, a list of words, no shell",
    ("course.checker", "ctypes"): "ends a thread that copies an answer without end",
    ("recall.wiped", "ctypes"): "tells the allocator to fill what it hands out",
    ("teachmem", "import_module"): "the names that the package hands on, from a fixed table",
    ("marks.foil", "import_module"): "the modules of foils, from a fixed list",
    (
        "course.segments",
        "import_module",
    ): "the segments, by the name of their module, which is looked up first",
    ("course.worker", "import_module"): "modules that the student's own answer has imported already",
}


def found_in(tree):
    """Yield the name and the line of everything that wants a reason."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((each.name.split(".")[0], node.lineno) for each in node.names if is_listed(each.name))
        elif isinstance(node, ast.ImportFrom):
            if is_listed(node.module or ""):
                yield (node.module or "").split(".")[0], node.lineno
            yield from ((each.name, node.lineno) for each in node.names if each.name in ATTRIBUTES)
        elif isinstance(node, ast.Call):
            name = getattr(node.func, "id", "")
            if name in CALLS:
                yield name, node.lineno
            for keyword in node.keywords:
                value = getattr(keyword.value, "value", keyword.value)
                if keyword.arg in KEYWORDS and value is not (not KEYWORDS[keyword.arg]):
                    yield f"{keyword.arg}=", node.lineno
        elif isinstance(node, ast.Attribute):
            of = getattr(node.value, "id", "")
            if node.attr in ATTRIBUTES or (of, node.attr) in {("os", "system"), ("os", "fork")}:
                yield node.attr, node.lineno


def is_listed(module):
    return module.split(".")[0] in MODULES


def test_nothing_runs_text_as_code_or_unpickles_or_starts_a_shell_without_a_reason():
    seen = {
        (module or "teachmem", name): line
        for module, path in FILES.items()
        for name, line in found_in(ast.parse(path.read_text(encoding="utf-8")))
    }
    strange = {each: line for each, line in seen.items() if each not in ALLOWED}
    assert not strange, "say in ALLOWED why this is safe, or do it in another way"
    assert set(ALLOWED) == set(seen), "these are not done any more: take them off the list"


@pytest.mark.parametrize(
    "code",
    [
        "import pickle",
        "from pickle import loads",
        "import os; os.system('x')",
        "eval(x)",
        "exec(x)",
        "__import__(name)",
        "import subprocess",
        "run(x, shell=True)",
        "run(x, shell=flag)",
        "np.load(x, allow_pickle=True)",
        "import yaml",
        "import marshal",
        "import importlib; importlib.import_module(x)",
        "from importlib import import_module",
        "pd.read_pickle(x)",
        "connection.enable_load_extension(True)",
        "get(url, verify=False)",
        "from xml.etree import ElementTree",
    ],
)
def test_the_scan_sees_what_it_should(code):
    assert list(found_in(ast.parse(code)))


@pytest.mark.parametrize(
    "code", ["run(x, shell=False)", "re.compile(x)", "import importlib.util", "model.eval()"]
)
def test_the_scan_lets_pass_what_is_harmless(code):
    assert not list(found_in(ast.parse(code)))


# ---- whoever can hand in bytes: a store, an import, a backup, a journal, a call


HOOKED = """
import sys, json, asyncio
from pathlib import Path
WATCHED = "pickle.find_class os.system subprocess.Popen os.exec os.posix_spawn os.fork os.startfile".split()
seen = []
sys.addaudithook(lambda event, given: seen.append((event, str(given)[:200])) if event in WATCHED else None)
folder = Path(sys.argv[1])
import teachmem
from teachmem.server import app
from teachmem.principal import Principal
from teachmem.vocabulary import Role
from teachmem.course import classroom, grading, journal
from fastmcp import Client
hostile = "cos\\nsystem\\n(S'touch owned'\\ntR. $(touch owned) `touch owned`; touch owned"
with teachmem.open_memory(folder / "northlight.db", checkpoints=folder / "checkpoints.jsonl") as mem:
    dock = mem.agent("dock-1", fleet="dock", tenant="northlight")
    steward = mem.person("data-officer", fleet="dock", tenant="northlight", clearance=3)
    dock.semantic.remember(hostile, subject="arm", predicate="has_status", object=hostile[:190])
    dock.working.write("arm", "observed", "x", hostile)
    dock.episodic.log("observation", hostile)
    dock.ask(hostile)
    mem.audit.checkpoint("northlight")
    steward.export(folder / "export.jsonl")
    mem.backup(folder / "backup.db")
    async def calls():
        who = Principal("northlight", "dock", "data-officer", Role.PERSON, 3)
        async with Client(app.build(mem, fixed=who)) as client:
            for tool in ("semantic_search", "episodic_recall", "ask"):
                await client.call_tool(tool, {"query": hostile, "question": hostile}, raise_on_error=False)
            await client.call_tool("semantic_remember", {"content": hostile})
    asyncio.run(calls())
with teachmem.open_memory(folder / "other.db") as mem:
    steward = mem.person("data-officer", fleet="dock", tenant="northlight", clearance=3)
    steward.load_export(folder / "export.jsonl")
    steward.restore(folder / "backup.db")
    mem.audit.verify(deep=True)
journal.Journal(folder / "class").add("02", "hint", "2.1")
file = folder / "class" / journal.NAME
file.write_bytes(file.read_bytes() + hostile.encode() + b"\\n\\x80\\x04\\x95")
classroom.roster(folder / "class")
grading.grade(folder / "class")
print(json.dumps(seen))
"""


def test_nothing_that_comes_from_others_is_unpickled_or_started(tmp_path):
    """Stores, exports, backups, calls and students' records: none reaches the code that unpickles answers."""
    assert json.loads(run_python(HOOKED, tmp_path)) == []
    assert not list(tmp_path.rglob("owned"))


EVIL = """
import io, pickle, queue, sys
class Evil:
    def __reduce__(self):
        return (open, (sys.argv[1], "w"))
from teachmem.course import process
from teachmem.course.worker import frame
body = pickle.dumps(Evil())
parent = process.Process.__new__(process.Process)
parent._heard = queue.SimpleQueue()
parent._popen = type("Gone", (), {"stdout": io.BytesIO(frame(body) + frame(b'[1]') + frame(b'{"n": 1}'))})
parent._listen()
print(parent._heard.get())
"""


def test_a_checking_process_that_was_taken_over_cannot_answer_with_a_pickle(tmp_path):
    """An answer runs over there, with the student's rights; what comes back is JSON and nothing else."""
    assert run_python(EVIL, tmp_path / "owned").strip() == "None"
    assert not (tmp_path / "owned").exists()
