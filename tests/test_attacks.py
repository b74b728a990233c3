"""Every attack at every place: what is caught, by what, what is not; and a second verifier that agrees."""

import ast
import hashlib
import json
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import SRC, opened

from teachmem.ledger import checkpoint
from teachmem.ledger.keys import Signer
from teachmem.marks.attacks import UNSEEN, attacks

STANDALONE = SRC / "teachmem" / "standalone_verifier.py"
ENTRIES = 7
TENANT = "northlight"
KEY = Signer(bytes(32))


def load_standalone():
    import importlib.util

    spec = importlib.util.spec_from_file_location("standalone_verifier_by_itself", STANDALONE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


ALONE = load_standalone()


def written(mem, entries):
    """Let the tenant write one row an entry, the last but one a revision; yield after each entry."""
    tech = mem.agent("dock-1", fleet="dock", tenant=TENANT)
    lead = mem.person("shift-lead", fleet="dock", tenant=TENANT)
    fact = None
    for number in range(1, entries + 1):
        mem.clock.advance(minutes=1)
        if number % 5 == 0 and fact:
            tech.semantic.revise(
                fact, content=f"arm {number} weighs nine kilograms", confidence=0.1 * (number % 9)
            )
            fact = None
        elif number % 3 == 0:
            fact = tech.semantic.remember(f"arm {number} weighs nine kilos", confidence=0.7).memory.memory_id
        elif number % 2:
            tech.working.write("arm", "observed", f"drift {number}", f"der Arm {number} driftet \u817f")
        else:
            lead.episodic.log("observation", f"gate {number} is open", importance=1)
        yield number


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """A closed store with a small log, a copy of it after every entry, and a checkpoint of each entry."""
    folder = tmp_path_factory.mktemp("shop")
    path = folder / "store.db"
    with opened(path) as mem:
        mem.agent("cold-1", fleet="cold", tenant="southgate").semantic.remember("the cold door is shut")
        points = {}
        for number in written(mem, ENTRIES):
            (end,) = mem.audit.verify(TENANT).ends
            points[number] = checkpoint.sign(KEY, TENANT, number, end.hash, end.time)
            with mem._database._engine.connect() as connection:
                connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
            shutil.copy(path, folder / f"store.db.{number}")
    return folder, points


@pytest.fixture
def fresh(shop, tmp_path):
    """A copy of the store that may be attacked."""

    def make():
        for path in shop[0].iterdir():
            shutil.copy(path, tmp_path / path.name)
        return tmp_path / "store.db"

    return make


def verdicts(path, point):
    """Return what the package says alone, with a checkpoint, and with the rows; the other verifier agrees."""
    with opened(path) as mem:
        said = [
            mem.audit.verify(),
            mem.audit.verify(checkpoint=point, key=KEY.public),
            mem.audit.verify(deep=True),
        ]
    held = [{"tenant": point.tenant, "seq": point.seq, "head": point.head}]
    also = [ALONE.verify(path), ALONE.verify(path, held), ALONE.verify(path, deep=True)]
    assert [report.status for report in said] == [result.status for result in also], (said, also)
    for report, result in zip(said, also, strict=True):
        assert {f.tenant for f in report.findings} == {f.tenant for f in result.findings}
    return tuple(str(report.status) for report in said)


def test_an_untouched_store_is_complete_whatever_is_asked(fresh, shop):
    assert verdicts(fresh(), shop[1][ENTRIES]) == ("complete", "complete", "complete")


@pytest.mark.parametrize("attack", attacks().values(), ids=attacks())
def test_an_attack_gets_its_verdicts_wherever_it_is_made(fresh, shop, attack):
    assert list(attack.places(ENTRIES))
    for seq in attack.places(ENTRIES):
        path = fresh()
        before = path.read_bytes()
        attack.apply(path, TENANT, seq)
        assert path.read_bytes() != before
        got = verdicts(path, shop[1][ENTRIES])
        assert got == (attack.alone, attack.held, attack.deep), (attack.name, seq)


@pytest.mark.parametrize(
    "attack", [one for one in attacks().values() if one.rewrites], ids=lambda one: one.name
)
def test_a_rewriting_is_seen_by_every_checkpoint_it_reaches_and_by_no_earlier_one(fresh, shop, attack):
    for seq in attack.places(ENTRIES):
        path = fresh()
        attack.apply(path, TENANT, seq)
        with opened(path) as mem:
            for number, point in shop[1].items():
                report = mem.audit.verify(checkpoint=point, key=KEY.public)
                assert report.status == ("broken" if number >= seq else "complete")
            every = mem.audit.verify(checkpoint=shop[1].values(), key=KEY.public)
            assert every.broken_at == seq  # with one of each entry, the place itself


def test_the_place_of_an_edit_is_the_first_that_is_said(fresh, shop):
    for name in ("edit_a_body", "delete_a_middle_one", "swap", "insert", "renumber", "set_one_time_back"):
        attack = attacks()[name]
        for seq in attack.places(ENTRIES):
            path = fresh()
            attack.apply(path, TENANT, seq)
            with opened(path) as mem:
                assert mem.audit.verify(TENANT).broken_at in (seq, seq + (name == "insert")), (name, seq)


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A log of a thousand entries."""
    path = tmp_path_factory.mktemp("large") / "store.db"
    with opened(path) as mem:
        for _ in written(mem, 1000):
            pass
        (end,) = mem.audit.verify(TENANT).ends
    return path, checkpoint.sign(KEY, TENANT, end.seq, end.hash, end.time)


@pytest.mark.parametrize(
    "attack", [one for one in attacks().values() if not one.restores], ids=lambda one: one.name
)
def test_in_a_large_log_it_is_the_same_at_any_place(large, tmp_path, attack):
    path = tmp_path / "store.db"
    seq = random.Random(attack.name).choice(attack.places(1000))
    shutil.copy(large[0], path)
    attack.apply(path, TENANT, seq)
    assert verdicts(path, large[1]) == (attack.alone, attack.held, attack.deep), seq


def test_there_are_enough_attacks_and_what_is_unseen_is_said_and_shown():
    assert len(attacks()) >= 18
    unseen = [one for one in attacks().values() if (one.alone, one.held, one.deep) == ("complete",) * 3]
    told = [name for name, _ in UNSEEN]
    assert [one.name for one in unseen] == ["edit_a_vector"]
    assert {"edit_a_vector", "rewrite_and_fit_the_rows"} <= set(told)
    assert all(re.fullmatch(r"[^.]+\.", one.done) for one in attacks().values())


# ---- the verifier that stands alone -------------------------------------------------------------------


def test_it_imports_the_standard_library_alone_but_for_the_signature():
    tree = ast.parse(STANDALONE.read_text(encoding="utf-8"))
    named = {
        (node.module if isinstance(node, ast.ImportFrom) else alias.name).split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    assert named - set(sys.stdlib_module_names) == {"cryptography"}


def run_alone(*words):
    """Run the file as a program of its own, where nothing but the standard library can be found."""
    command = [sys.executable, "-I", "-S", STANDALONE, *words]
    return subprocess.run([*map(str, command)], capture_output=True, text=True, check=False, encoding="utf-8")


def test_it_runs_by_itself_and_says_what_it_could_not_check(fresh, shop, tmp_path):
    path = fresh()
    points = tmp_path / "points"
    for point in shop[1].values():
        checkpoint.append(points, point)
    before = path.read_bytes()
    plain = run_alone(path, "--deep")
    assert (plain.returncode, plain.stderr) == (0, "")
    assert plain.stdout.startswith(f"complete: {ENTRIES + 1} entries checked")
    partial = run_alone(path, "--checkpoints", points)
    assert partial.returncode == 3
    assert "for want of `cryptography`" in partial.stdout
    last = shop[1][ENTRIES]
    assert run_alone(path, "--head", f"{TENANT} {ENTRIES} {last.head}").returncode == 0
    assert path.read_bytes() == before
    attacks()["cut_the_end_and_the_rows"].apply(path, TENANT, 3)
    assert run_alone(path, "--deep").returncode == 0
    assert run_alone(path, "--checkpoints", points).returncode == 1
    assert run_alone(path, "--head", f"{TENANT} {ENTRIES} {last.head}").returncode == 1
    assert run_alone(tmp_path / "missing.db").returncode == 2
    assert run_alone(points).returncode == 2
    assert not (tmp_path / "missing.db").exists()


def test_where_cryptography_is_found_signatures_are_checked(fresh, shop, tmp_path, capsys):
    path, points = fresh(), tmp_path / "points"
    checkpoint.append(points, shop[1][3])
    assert ALONE.main([str(path), "--checkpoints", str(points)]) == 0
    last = shop[1][ENTRIES]
    forged = checkpoint.Checkpoint(last.tenant, last.seq, last.head, last.time, last.key, "00" * 64)
    checkpoint.append(points, forged)
    assert ALONE.main([str(path), "--checkpoints", str(points)]) == 1
    assert "not signed by its key" in capsys.readouterr().out


def test_it_agrees_on_a_store_from_which_a_person_erased_something(tmp_path):
    path = tmp_path / "store.db"
    with opened(path) as mem:
        for _ in written(mem, 6):
            pass
        lead = mem.person("shift-lead", fleet="dock", tenant=TENANT, clearance=3)
        lead.forget("fact-0001", "it named a person")
        assert mem.audit.verify(deep=True).status == "complete"
    assert ALONE.verify(path, deep=True).status == "complete"
    attacks()["edit_a_content"].apply(path, TENANT, 3)
    with opened(path) as mem:
        assert mem.audit.verify(deep=True).status == ALONE.verify(path, deep=True).status == "broken"


def test_it_agrees_that_an_erased_row_needs_its_entry(fresh):
    from test_verify import erase, say_forgotten

    path = fresh()
    with opened(path) as mem:
        one = erase(mem, 1)
        before = mem.audit.verify(deep=True).status
        assert ALONE.verify(path, deep=True).status == before == "broken"
        say_forgotten(mem, one)
        after = mem.audit.verify(deep=True).status
        assert ALONE.verify(path, deep=True).status == after == "complete"


# ---- the page that says the format -------------------------------------------------------------------


def vectors():
    """Compute the test vectors of docs/audit-format.md with hashlib alone, but for the signature."""
    genesis = hashlib.sha256(b"teachmem/audit/1/genesis").digest()
    salt = bytes(range(16))
    content = "arm 1 drifts by 3 \u00b5m"
    claims = ["dock", "dock-1", "team", "", "working", "note", "arm-1", "observed", "drift"]
    claims += [None, "0.5", 0, "agent", None, None, None, "{}", 0, "{}"]
    spelled = json.dumps(claims, separators=(",", ":"), ensure_ascii=False)
    digest = hashlib.sha256(b"teachmem/content/1\n" + salt + content.encode()).hexdigest()
    row = hashlib.sha256(b"teachmem/row/1\n" + salt + spelled.encode()).hexdigest()
    item = {"id": "note-0001", "version": 1, "status": "active", "digest": digest, "row": row}
    body = {
        "action": "working.write",
        "actor": {"fleet": "dock", "name": "dock-1", "role": "agent"},
        "event": "entry-0001",
        "resource": "note-0001",
        "seq": 1,
        "tenant": TENANT,
        "time": 1772442000000000,
        "touched": [item],
    }
    data = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    first = hashlib.sha256(b"teachmem/audit/1\n" + genesis + data.encode()).digest()
    point = checkpoint.sign(Signer(bytes(range(32))), TENANT, 1, first, 1772442000000000)
    return {
        "genesis": genesis.hex(),
        "salt": salt.hex(),
        "content": content,
        "claims": spelled,
        "digest": digest,
        "row": row,
        "body(1)": data,
        "hash(1)": first.hex(),
        "key (private)": bytes(range(32)).hex(),
        "checkpoint": point.line().decode().strip(),
        "code": point.code,
    }


def test_the_vectors_on_the_page_are_these():
    page = (SRC.parent / "docs" / "audit-format.md").read_text(encoding="utf-8")
    (box,) = re.findall(r"## Test vectors\n.*?```text\n(.*?)```", page, flags=re.DOTALL)
    assert dict(line.split(" = ", 1) for line in box.splitlines()) == vectors()


def test_the_package_makes_the_same_of_them():
    from teachmem.ledger import chain, rows

    told = vectors()
    salt, claims = bytes.fromhex(told["salt"]), json.loads(told["claims"])
    named = dict(zip(rows.CLAIMED, claims, strict=True))
    assert rows.content_digest(told["content"], salt) == told["digest"]
    assert rows.row_digest({**named, "confidence": 0.5}, salt) == told["row"]
    assert chain.link(chain.GENESIS, told["body(1)"].encode()).hex() == told["hash(1)"]
    assert checkpoint.code_of(TENANT, 1, bytes.fromhex(told["hash(1)"])) == told["code"].split()[2]
    assert ALONE.read(told["body(1)"].encode())["seq"] == 1
    assert Path(STANDALONE).name in (SRC.parent / "docs" / "audit-format.md").read_text(encoding="utf-8")
