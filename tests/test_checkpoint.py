"""Checkpoints: signed, outside the database, each grown out of the last, and compared when verifying."""

import json
import os
import stat
import warnings

import pytest
from helpers import opened
from hypothesis import given
from hypothesis import strategies as st
from test_ledger import fill
from test_tamper import entry, head_to, rewrite, tamper
from typer.testing import CliRunner

import teachmem
from teachmem import Checkpoints, CountedIds, InvalidInput, LessonClock, StoreError, cli
from teachmem.ledger import checkpoint, keys
from teachmem.ledger.keys import Signer

RUNNER = CliRunner()


@pytest.fixture
def place(tmp_path):
    """Folders for a store, for its checkpoints, and for the key."""
    for name in ("store", "held", "secret"):
        (tmp_path / name).mkdir()
    return tmp_path


def kept(place, every=1000):
    return Checkpoints(place / "held" / "points", every=every, key=place / "secret" / "key")


def open_at(place, every=1000, checkpoints=...):
    from helpers import START

    where = kept(place, every) if checkpoints is ... else checkpoints
    return teachmem.open_memory(
        place / "store" / "s.db", clock=LessonClock(START), ids=CountedIds(), checkpoints=where
    )


def note(mem, number, tenant="northlight"):
    who = mem.agent("dock-1", fleet="dock", tenant=tenant)
    return who.working.write("arm-1", "observed", f"drift {number}", f"arm 1 drifts by {number}")


def write(place, *numbers, every=1000):
    with teachmem.open_memory(place / "store" / "s.db", checkpoints=kept(place, every)) as mem:
        for number in numbers:
            note(mem, number)


def store(place):
    return place / "store" / "s.db"


# ---- the statement, the signature, the code -----------------------------------------------------

seeds = st.binary(min_size=32, max_size=32)
made = st.builds(
    checkpoint.sign,
    seeds.map(Signer),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=20),
    st.integers(1, 2**53 - 1),
    seeds,
    st.integers(-(2**53) + 1, 2**53 - 1),
)


@given(made)
def test_a_line_is_read_back_as_it_was_signed(one):
    assert checkpoint.read_line(one.line()) == one
    assert one.is_signed()
    assert one.line().count(b"\n") == 1


@given(made, st.data())
def test_no_part_of_a_statement_can_be_changed(one, data):
    told = json.loads(one.line())
    name = data.draw(st.sampled_from(sorted(told)))
    changed = told[name] + 1 if isinstance(told[name], int) else "0" + told[name][:-1]
    if changed != told[name]:
        assert not checkpoint.Checkpoint(**{**told, name: changed}).is_signed()


def test_a_signature_is_that_of_the_published_algorithm():
    # RFC 8032, section 7.1, test 2.
    seed = bytes.fromhex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb")
    signer = Signer(seed)
    assert signer.public == "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"
    assert signer.sign(b"\x72").startswith("92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da")


@given(made, st.data())
def test_a_code_fits_its_head_and_a_misread_one_is_told_or_does_not(one, data):
    (spoken,) = checkpoint.held(one.code)
    assert (spoken.tenant, spoken.seq) == (one.tenant.strip(), one.seq) or one.tenant != one.tenant.strip()
    head = bytes.fromhex(one.head)
    if spoken.tenant == one.tenant:
        assert spoken.fits(head)
    lazy = one.code.rsplit(" ", 1)[1]
    place = data.draw(st.sampled_from([at for at, sign in enumerate(lazy) if sign != "-"]))
    sign = data.draw(st.sampled_from([sign for sign in checkpoint.SIGNS if sign != lazy[place]]))
    misread = lazy[:place] + sign + lazy[place + 1 :]
    try:
        (wrong,) = checkpoint.held(f"x {one.seq} {misread}")
    except InvalidInput:
        return
    assert not wrong.fits(head)


def test_a_code_may_be_written_without_care(place):
    with open_at(place, checkpoints=None) as mem:
        note(mem, 1)
        one = mem.audit.verify()
        (end,) = one.ends
        code = checkpoint.code_of("northlight", 1, end.hash)
        for spelled in (code, code.lower(), code.replace("-", ""), code.replace("0", "O").replace("1", "I")):
            assert mem.audit.verify(checkpoint=f"  northlight 1 {spelled} ").status == "complete"
        assert mem.audit.verify(checkpoint=f"northlight 1 {end.hash.hex()}").status == "complete"
        assert mem.audit.verify(checkpoint=f"northlight 1 {'00' * 32}").broken_at == 1
        assert mem.audit.verify(checkpoint=f"southgate 1 {code}").broken_at == 1


# ---- made on demand, after so many entries, on close ------------------------------------------------


def test_one_is_made_on_demand_and_leaves_an_entry(place):
    with open_at(place) as mem:
        note(mem, 1)
        one = mem.audit.checkpoint("northlight")
        assert (one.tenant, one.seq) == ("northlight", 2)  # the entry that says so is the last it covers
        assert one.is_signed()
        assert mem.audit.checkpoints() == (one,)
        report = mem.audit.verify(checkpoint=one, deep=True)
        assert (report.status, report.entries, report.head) == ("complete", 2, one.head)
    with open_at(place) as mem:
        assert mem.audit.checkpoints() == (one,)  # nothing has grown, so closing made none


def test_a_store_in_memory_keeps_its_own_and_writes_no_file(tmp_path, monkeypatch):
    monkeypatch.setenv("TEACHMEM_HOME", str(tmp_path / "home"))
    codes = []
    for _ in range(2):
        with opened() as mem:
            for _ in fill(mem):
                pass
            both = mem.audit.checkpoint()
            assert [one.tenant for one in both] == ["northlight", "southgate"]
            assert mem.audit.checkpoint() == ()
            assert mem.audit.verify(checkpoint=mem.audit.checkpoints(), deep=True).status == "complete"
            codes.append([one.code for one in both])
    assert codes[0] == codes[1]  # a lesson's code is the same on every machine
    assert not (tmp_path / "home").exists()


def test_one_is_made_after_every_so_many_entries_and_on_close(place):
    with open_at(place, every=5) as mem:
        for number in range(12):
            note(mem, number)
        assert [one.seq for one in mem.audit.checkpoints()] == [6, 12]
        note(mem, 0)  # a duplicate: no entry
        note(mem, 99, "southgate")
    found, lost = checkpoint.read(place / "held" / "points")
    assert [(one.tenant, one.seq) for one in found] == [
        ("northlight", 6),
        ("northlight", 12),
        ("northlight", 15),
        ("southgate", 2),
    ]
    assert lost == []
    with open_at(place) as mem:
        assert mem.audit.verify(checkpoint=place / "held" / "points").status == "complete"


def test_key_and_checkpoints_are_for_their_owner_only(place):
    write(place, 1)
    for path in (place / "held" / "points", place / "secret" / "key"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600 or os.name == "nt"
    seed = bytes.fromhex((place / "secret" / "key").read_text(encoding="ascii"))
    (one,) = checkpoint.read(place / "held" / "points")[0]
    assert Signer(seed).public == one.key


@pytest.mark.skipif(os.name == "nt", reason="file modes are those of POSIX")
def test_a_key_that_others_may_read_signs_nothing(place):
    write(place, 1)
    (place / "secret" / "key").chmod(0o644)
    with open_at(place) as mem:
        note(mem, 2)
        with pytest.raises(StoreError, match="chmod 600"):
            mem.audit.checkpoint("northlight")
        (place / "secret" / "key").chmod(0o600)


def test_a_key_beside_the_log_is_refused(place):
    where = Checkpoints(place / "held" / "points", key=place / "store" / "key")
    with open_at(place, checkpoints=where) as mem:
        note(mem, 1)
        with pytest.raises(StoreError, match="beside the log"):
            mem.audit.checkpoint("northlight")
        with pytest.warns(RuntimeWarning, match="beside the log"):
            mem.close()
    assert not (place / "store" / "key").exists()


def test_without_a_place_the_file_lies_beside_and_the_key_in_the_settings(place, monkeypatch):
    monkeypatch.setenv("TEACHMEM_HOME", str(place / "secret"))
    with open_at(place, checkpoints=None) as mem:
        note(mem, 1)
        one = mem.audit.checkpoint("northlight")
    assert checkpoint.read(place / "store" / "s.db.checkpoints")[0] == [one]
    assert keys.load(place / "secret" / "checkpoint.key").public == one.key
    assert one.key != Signer(b"".join(CountedIds().salt() for _ in range(2))).public  # never a counted key


@pytest.mark.parametrize("given", [5, b"x", object()])
def test_a_place_that_is_none_is_refused(place, given):
    with pytest.raises(InvalidInput, match="checkpoints"):
        open_at(place, checkpoints=given)


def test_a_log_with_nothing_in_it_is_not_signed(place):
    with open_at(place) as mem:
        assert mem.audit.checkpoint() == ()
        with pytest.raises(StoreError, match="nothing to sign"):
            mem.audit.checkpoint("northlight")


def test_a_file_that_cannot_be_written_warns_and_takes_no_write_back(place):
    where = Checkpoints(place / "nowhere" / "points", every=1, key=place / "secret" / "key")
    mem = open_at(place, checkpoints=where)
    with pytest.warns(RuntimeWarning, match="no checkpoint was made"):
        assert note(mem, 1).verdict == "accepted"
    with pytest.warns(RuntimeWarning, match="no checkpoint was made"):
        mem.close()
    with open_at(place, checkpoints=None) as mem:
        assert len(mem.agent("dock-1", fleet="dock", tenant="northlight").working.read()) == 1


# ---- each grows out of the last --------------------------------------------------------------------


def grown(place):
    """A store with three checkpoints of northlight, at 3, 6 and 9 entries."""
    for number in (1, 3, 5):
        write(place, number, number + 1)
    points, _ = checkpoint.read(place / "held" / "points")
    assert [one.seq for one in points] == [3, 6, 9]
    return points


def rewritten(path, first):
    def act(raw):
        raw.execute("CREATE TEMP TABLE ends AS SELECT max(seq) AS seq FROM audit")
        import test_tamper

        before, test_tamper.ENTRIES = test_tamper.ENTRIES, raw.execute("SELECT seq FROM ends").fetchone()[0]
        try:
            rewrite(raw, first, action="working.clear")
        finally:
            test_tamper.ENTRIES = before

    tamper(path, act)


@pytest.mark.parametrize("first", range(1, 10))
def test_a_rewritten_log_is_found_by_every_later_checkpoint_and_no_earlier_one(place, first):
    points = grown(place)
    rewritten(store(place), first)
    with open_at(place, checkpoints=None) as mem:
        assert mem.audit.verify().status == "complete"
        for one in points:
            report = mem.audit.verify(checkpoint=one, key=one.key)
            assert report.status == ("broken" if one.seq >= first else "complete")
        every = mem.audit.verify(checkpoint=points, key=points[0].key)
        assert every.broken_at == min(one.seq for one in points if one.seq >= first)


@pytest.mark.parametrize("first", [5, 7, 9])
def test_a_log_that_does_not_follow_from_its_last_checkpoint_is_not_signed(place, first):
    points = grown(place)
    rewritten(store(place), first)
    with open_at(place) as mem:
        note(mem, 7)
        with pytest.raises(StoreError, match="does not hold"):
            mem.audit.checkpoint("northlight")
        with pytest.warns(RuntimeWarning, match="does not hold"):
            mem.close()
    assert checkpoint.read(place / "held" / "points")[0] == points


def test_a_log_cut_to_a_checkpoint_and_regrown_needs_the_later_one(place):
    points = grown(place)

    def cut(raw):
        head_to(raw, 6)
        raw.execute("DELETE FROM audit WHERE seq > 6")
        raw.execute("DELETE FROM memories WHERE seq > 6")

    tamper(store(place), cut)
    key = points[0].key
    with teachmem.open_memory(store(place)) as mem:
        for number in range(50, 55):
            note(mem, number)
        assert mem.audit.verify(checkpoint=points[:2], key=key, deep=True).status == "complete"
        assert mem.audit.verify(checkpoint=points, key=key).broken_at == 9


def test_a_checkpoint_that_the_walk_does_not_reach_leaves_it_partial(place):
    points = grown(place)
    key = points[0].key
    with open_at(place, checkpoints=None) as mem:
        report = mem.audit.verify("northlight", checkpoint=points, key=key, limit=4)
        assert report.status == "partial"
        assert [each for each in report.unchecked if "was not reached" in each] == [
            "the checkpoint of entry 6 of northlight was not reached",
            "the checkpoint of entry 9 of northlight was not reached",
        ]
        first = points[0]
        rest = mem.audit.verify("northlight", checkpoint=points, key=key, after=(first.seq, first.head))
        assert (rest.status, rest.entries) == ("partial", 6)
    rewritten(store(place), 2)
    with open_at(place, checkpoints=None) as mem:
        (end,) = mem.audit.verify("northlight", limit=5).ends
        rest = mem.audit.verify("northlight", checkpoint=points[0], key=key, after=(5, end.hash.hex()))
        assert rest.broken_at == 3  # behind the place to go on from, and looked up all the same


# ---- what is held may be wrong, too ------------------------------------------------------------------


def test_a_forged_signature_is_broken_and_an_unknown_key_leaves_a_doubt(place):
    points = grown(place)
    last = points[-1]
    with open_at(place, checkpoints=None) as mem:
        forged = checkpoint.Checkpoint(last.tenant, last.seq, last.head, last.time, last.key, "00" * 64)
        assert mem.audit.verify(checkpoint=forged, key=last.key).broken_at == last.seq
        report = mem.audit.verify(checkpoint=last, key="ab" * 32)
        assert (report.status, len(report.unchecked)) == ("partial", 1)
        other = checkpoint.sign(Signer(bytes(32)), last.tenant, last.seq, bytes(32), last.time)
        assert mem.audit.verify(checkpoint=other, key=last.key).status == "broken"
    with open_at(place) as mem:  # knows its own key
        assert mem.audit.verify(checkpoint=last).status == "complete"


def test_a_line_cut_in_half_is_kept_apart_and_the_good_ones_count(place):
    points = grown(place)
    path = place / "held" / "points"
    data = path.read_bytes()
    path.write_bytes(data + data.splitlines()[0][:50])
    write(place, 7)
    found, lost = checkpoint.read(path)
    assert [one.seq for one in found] == [3, 6, 9, 11]
    assert found[:3] == points
    assert lost == [4]
    with open_at(place, checkpoints=None) as mem:
        report = mem.audit.verify(checkpoint=path, key=points[0].key)
        assert report.status == "partial"
        assert "line 4 of points cannot be read as a checkpoint" in report.unchecked


@pytest.mark.parametrize(
    "line",
    [b"{}", b"[]", b"null", b"\xff", b'{"tenant":1}', b"{" * 3000],
)
def test_a_line_of_something_else_is_no_checkpoint(line):
    assert checkpoint.read_line(line) is None


def test_a_checkpoint_of_a_tenant_that_is_gone_is_broken(place):
    points = grown(place)

    def gone(raw):
        for table in ("audit", "audit_heads", "memories"):
            raw.execute(f"DELETE FROM {table}")

    tamper(store(place), gone)
    with open_at(place, checkpoints=None) as mem:
        assert mem.audit.verify().status == "complete"
        assert mem.audit.verify(checkpoint=points, key=points[0].key).status == "broken"
        assert mem.audit.verify("northlight", checkpoint=points, key=points[0].key).status == "broken"


@pytest.mark.parametrize("given", [5, "no such file", object(), "northlight 4 AAAA-AAAA-AAAA-AAAA-A"])
def test_what_is_no_checkpoint_is_refused(place, given):
    with open_at(place, checkpoints=None) as mem, pytest.raises(InvalidInput, match="checkpoint"):
        mem.audit.verify(checkpoint=given)


def test_two_stores_of_one_file_make_their_checkpoints_side_by_side(place):
    with (
        open_at(place, every=3) as one,
        teachmem.open_memory(store(place), checkpoints=kept(place, 3)) as two,
    ):
        for number in range(10):
            note(one, number)
            note(two, 100 + number)
    with open_at(place) as mem, warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(mem.audit.checkpoints()) >= 6
        assert mem.audit.verify(checkpoint=mem.audit.checkpoints(), deep=True).status == "complete"


# ---- the command line ------------------------------------------------------------------------------


def asked(*words):
    return RUNNER.invoke(cli.app, [*map(str, words)])


@pytest.fixture
def shop(place, monkeypatch):
    monkeypatch.setenv("TEACHMEM_HOME", str(place / "secret"))
    with teachmem.open_memory(store(place)) as mem:
        for number in range(4):
            note(mem, number)
            note(mem, number, "southgate")
    return store(place)


def test_the_command_prints_codes_that_verify_takes(shop, place):
    answer = asked("checkpoint", shop, "--to", place / "held" / "points")
    assert answer.exit_code == 0
    codes = answer.output.splitlines()[:2]
    assert [code.split()[:2] for code in codes] == [["northlight", "5"], ["southgate", "5"]]
    held = [word for code in codes for word in ("--checkpoint", code)]
    for words in (held, ["--checkpoint", place / "held" / "points", "--deep"]):
        answer = asked("verify", shop, *words)
        assert answer.exit_code == 0, answer.output
        assert "as far back as the last" in answer.output
    rewritten_of_all(shop)
    assert asked("verify", shop).exit_code == 0
    assert asked("verify", shop, *held).exit_code == 1
    assert asked("verify", shop, "--checkpoint", place / "held" / "points").exit_code == 1
    again = asked("checkpoint", shop, "--to", place / "held" / "points")
    assert isinstance(again.exception, StoreError)
    assert "does not hold" in str(again.exception)


def rewritten_of_all(path):
    def act(raw):
        from teachmem.ledger import chain

        body, previous, _ = entry(raw, 5)
        body["action"] = "working.clear"
        data = json.dumps(body, sort_keys=True, separators=(",", ":"))
        own = chain.link(previous, data.encode())
        raw.execute(
            "UPDATE audit SET body = ?, hash = ? WHERE tenant = 'northlight' AND seq = 5", (data, own)
        )
        raw.execute("UPDATE audit_heads SET hash = ? WHERE tenant = 'northlight'", (own,))

    tamper(path, act)


def test_the_command_goes_on_where_a_limit_ended_it(shop):
    first = asked("verify", shop, "--tenant", "northlight", "--limit", 2)
    assert first.exit_code == 3
    (line,) = [line for line in first.output.splitlines() if "--resume" in line]
    rest = asked("verify", shop, *line.split("go on with: ")[1].split())
    assert rest.exit_code == 3
    assert "2 entries checked" in rest.output
    for wrong in ("2", "x:y", "2:zz"):
        answer = asked("verify", shop, "--tenant", "northlight", "--resume", wrong)
        assert isinstance(answer.exception, InvalidInput)


def test_a_store_that_is_missing_is_not_made(place):
    answer = asked("checkpoint", place / "no.db")
    assert isinstance(answer.exception, StoreError)
    assert not (place / "no.db").exists()
