"""What commands print of other people's words is only seen: a terminal obeys none of it."""

import ast
import contextlib
import io
import json
import re
import time

import pytest
from test_architecture import FILES

import teachmem
from teachmem import cli
from teachmem.normal import one_line, visible
from teachmem.principal import Principal
from teachmem.server.identity import TokenBook

ATTACK = (
    "calm \x1b[2J\x1b[1;1H\x1b]0;owned\x07\x1b[8m hidden \x9b31m \r over \u202eturned\u2066 \u200bseen "
    "\u00ad \U000e0041\U000e0042 \u3164 end"
)
NAME = f"dock \x1b[2J\u202e\U000e0041\n  approval changes nothing\n{ATTACK}"[:190]
OBEYED = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\u3164\U000e0000-\U000e0fff]"
)
FORGED = "  approval changes nothing"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A store in which an agent with a hostile name has written hostile words that wait for a person."""
    folder = tmp_path_factory.mktemp("hostile")
    with teachmem.open_memory(folder / "northlight.db") as mem:
        agent = mem.agent(NAME, fleet="dock", tenant=NAME)
        lead = mem.person("shift-lead", fleet="dock", tenant=NAME)
        ids = [agent.semantic.remember(f"{number} {ATTACK}").memory.memory_id for number in range(3)]
        agent.semantic.remember(f"from a page {ATTACK}", source="web", evidence=[ids[0]])
        lead.semantic.reject(ids[1], f"because {ATTACK}")
        lead.export(folder / "export.jsonl")
    with teachmem.open_memory(folder / "other.db"):
        pass
    TokenBook(folder / "tokens.json").make(Principal(NAME, NAME, NAME), now=time.time())
    (folder / "broken.jsonl").write_text(f"{json.dumps({'x': ATTACK})}\n{ATTACK}\n", encoding="utf-8")
    return folder


WHO = ["--tenant", NAME, "--fleet", "dock", "--person", "shift-lead"]
COMMANDS = {
    "inbox": ["inbox", "northlight.db", *WHO],
    "inbox as JSON": ["inbox", "northlight.db", *WHO, "--json"],
    "asked": ["inbox", "northlight.db", "approve", "ITEM", *WHO],
    "none": ["inbox", "northlight.db", "approve", f"candidate {ATTACK}", *WHO],
    "verify": ["verify", "northlight.db", "--deep"],
    "verify as JSON": ["verify", "northlight.db", "--json"],
    "verify none": ["verify", f"no {ATTACK}.db"],
    "verify nobody": ["verify", "northlight.db", "--tenant", ATTACK],
    "token list": ["token", "list", "--tokens", "tokens.json"],
    "import": ["import", "other.db", "export.jsonl", *WHO],
    "import broken": ["import", "other.db", "broken.jsonl", *WHO],
    "export over": ["export", "northlight.db", "export.jsonl", *WHO],
    "reindex": ["reindex", "northlight.db"],
    "checkpoint": ["checkpoint", "northlight.db", "--to", "checkpoints.jsonl", "--key", "k/checkpoint.key"],
    "forget": ["forget", "northlight.db", "MEMORY", *WHO, "--reason", ATTACK, "--yes"],
    "connect": [
        "connect",
        "inspector",
        "--store",
        "x.db",
        "--tenant",
        NAME,
        "--fleet",
        NAME,
        "--agent",
        NAME,
    ],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_terminal_is_shown_no_sign_that_it_would_obey(folder, name, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    monkeypatch.setenv("TEACHMEM_HOME", str(folder / "home"))
    with teachmem.open_memory("northlight.db") as mem:
        lead = mem.person("shift-lead", fleet="dock", tenant=NAME)
        item = lead.review.inbox()[0].candidate_id
        memory = lead.semantic.list()[0].memory_id
    words = [{"ITEM": item, "MEMORY": memory}.get(word, word) for word in COMMANDS[name]]
    monkeypatch.setattr("sys.argv", ["teachmem", *words])
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    with contextlib.suppress(SystemExit):
        cli.main()
    captured = capsys.readouterr()
    told = captured.out + captured.err
    assert told
    assert not OBEYED.findall(told), (name, OBEYED.findall(told), told[:400])
    is_argument = name == "connect"  # a name in a line for a shell is quoted, and stays what it is
    assert is_argument or FORGED not in told.splitlines(), "a name may not forge a line"
    assert "Traceback" not in told


@pytest.mark.parametrize("sign", list("\x1b\x7f\x9b\u202e\u200b\U000e0041\u00ad\ufeff"))
def test_a_sign_that_is_not_seen_is_written_as_json_writes_it(sign):
    told = visible(f"gate {sign}four")
    assert sign not in told
    assert json.loads(f'"{told}"') == f"gate {sign}four"
    assert one_line(f"a\n{sign}b") == f"a {visible(sign)}b"


@pytest.mark.parametrize("text", ["gate four", "é 機械手臂 يرجى ✔️ 👩", "a\tb\nc", "שלום"])
def test_what_is_seen_stays(text):
    assert visible(text) == text


OWN = [f"commands.{name}" for name in ("demo", "lab", "lint", "bench", "reset", "version")]


def test_commands_print_through_one_door():
    """`tell` alone prints what may be somebody's words; those in OWN say paths, figures and words of ours."""
    for module, path in FILES.items():
        if module != "cli" and (not module.startswith("commands.") or module in ("commands.tell", *OWN)):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if name in ("print", "echo", "secho", "confirm", "prompt"):
                own = name == "confirm" and isinstance(node.args[0], ast.Constant | ast.JoinedStr)
                assert own, f"{module}:{node.lineno} prints; use commands/tell.py"
