"""Whoever holds the file can change it. What `verify` then says, entry by entry, and where its sight ends."""

import hashlib
import json
import re
import sqlite3
from contextlib import closing

import pytest
from helpers import opened

from teachmem import InvalidInput
from teachmem.ledger import chain

ENTRIES = 6


@pytest.fixture
def path(tmp_path):
    """A closed store: six entries of northlight, and two of southgate that nobody touches."""
    path = tmp_path / "store.db"
    with opened(path) as mem:
        tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
        cold = mem.agent("cold-1", fleet="cold", tenant="southgate")
        for number in range(1, ENTRIES + 1):
            tech.working.write("arm-1", "observed", f"drift {number}", f"arm 1 drifts by {number}")
            mem.clock.advance(minutes=1)
        for number in (1, 2):
            cold.working.write("door", "observed", f"open {number}", f"door {number} is open")
    return path


def tamper(path, *acts):
    """Do what whoever holds the file can do: take the guard rail down, change it, put it up again."""
    with sqlite3.connect(path) as raw:
        triggers = raw.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        assert len(triggers) == 2
        for name, _ in triggers:
            raw.execute(f"DROP TRIGGER {name}")
        for act in acts:
            act(raw)
        for _, sql in triggers:
            raw.execute(sql)
    raw.close()


def verified(path, tenant=None):
    with opened(path) as mem:
        return mem.audit.verify(tenant)


def run(sql, *values):
    def act(raw):
        assert raw.execute(sql, values).rowcount > 0

    act.__name__ = sql
    return act


def of_third(**claims):
    """Change what the body of entry 3 says, and leave its hash."""

    def act(raw):
        write(raw, 3, {**entry(raw, 3)[0], **claims})

    act.__name__ = f"third entry with {claims}"
    return act


def forged(**claims):
    """Add an entry that nobody wrote, linked to nothing."""

    def act(raw):
        told, *_ = entry(raw, 3)
        body = json.dumps({**told, "event": "forged", **claims})
        raw.execute("INSERT INTO audit (body, prev_hash, hash) VALUES (?, x'00', x'00')", (body,))

    act.__name__ = f"forged entry with {claims}"
    return act


def entry(raw, seq, tenant="northlight"):
    row = raw.execute("SELECT body, prev_hash, hash FROM audit WHERE tenant = ? AND seq = ?", (tenant, seq))
    body, previous, own = row.fetchone()
    return json.loads(body), previous, own


def write(raw, seq, told, previous=None, own=None, tenant="northlight"):
    """Write a body over entry `seq`, leaving the hashes as they are unless others are given."""
    body = json.dumps(told, sort_keys=True, separators=(",", ":"))
    sets, values = ["body = ?"], [body]
    for column, value in (("prev_hash", previous), ("hash", own)):
        if value is not None:
            sets.append(f"{column} = ?")
            values.append(value)
    raw.execute(f"UPDATE audit SET {', '.join(sets)} WHERE tenant = ? AND seq = ?", (*values, tenant, seq))


def another_actor(raw):
    told, *_ = entry(raw, 3)
    write(raw, 3, {**told, "actor": {**told["actor"], "name": "dock-9"}})


def another_actor_with_its_own_hash(raw):
    told, previous, _ = entry(raw, 3)
    told["actor"]["name"] = "dock-9"
    body = json.dumps(told, sort_keys=True, separators=(",", ":")).encode()
    write(raw, 3, told, own=chain.link(previous, body))


def another_spelling(raw):
    raw.execute("UPDATE audit SET body = body || ' ' WHERE tenant = 'northlight' AND seq = 3")


def swap(raw):
    (one, *_), (two, *_) = entry(raw, 3), entry(raw, 4)
    raw.execute("UPDATE audit SET body = json_set(body, '$.seq', 99, '$.event', 'x') WHERE seq = 3")
    write(raw, 4, {**two, "event": "entry-of-4", "seq": 4, "touched": one["touched"]})
    write(raw, 99, {**one, "event": "entry-of-3", "touched": two["touched"]})


def fork(raw):
    """Forge an entry 7 that links well, and leave the head where it is."""
    told, _, own = entry(raw, ENTRIES)
    body = json.dumps({**told, "seq": ENTRIES + 1, "event": "forged"}, sort_keys=True, separators=(",", ":"))
    forged = chain.link(own, body.encode())
    raw.execute("INSERT INTO audit (body, prev_hash, hash) VALUES (?, ?, ?)", (body, own, forged))


def rewrite(raw, first=1, **claims):
    """Recompute every hash of the tenant from `first` on, its head too, with `claims` in entry `first`."""
    for seq in range(first, ENTRIES + 1):
        told, _, _ = entry(raw, seq)
        previous = entry(raw, seq - 1)[2] if seq > 1 else chain.GENESIS
        told.update(claims if seq == first else {})
        body = json.dumps(told, sort_keys=True, separators=(",", ":")).encode()
        write(raw, seq, told, previous, chain.link(previous, body))
    raw.execute("UPDATE audit_heads SET hash = ? WHERE tenant = 'northlight'", (entry(raw, ENTRIES)[2],))


def head_to(raw, seq):
    told, _, own = entry(raw, seq)
    raw.execute(
        "UPDATE audit_heads SET seq = ?, hash = ?, time = ? WHERE tenant = 'northlight'",
        (seq, own, told["time"]),
    )


def head_of_entry_5(raw):
    head_to(raw, 5)


def all_recomputed_with_an_earlier_time(raw):
    rewrite(raw, 3, time=0)


OF = "WHERE tenant = 'northlight'"
CAUGHT = [
    (another_actor, 3),
    (another_actor_with_its_own_hash, 4),
    (another_spelling, 3),
    (run(f"UPDATE audit SET hash = x'{'00' * 32}' {OF} AND seq = 3"), 3),
    (run(f"UPDATE audit SET prev_hash = x'{'00' * 32}' {OF} AND seq = 3"), 3),
    (run(f"UPDATE audit SET hash = 'text' {OF} AND seq = 3"), 3),
    (run(f"UPDATE audit SET hash = x'{'00' * 32}' {OF} AND seq = 6"), 6),
    (run(f"DELETE FROM audit {OF} AND seq = 1"), 1),
    (run(f"DELETE FROM audit {OF} AND seq = 3"), 3),
    (run(f"DELETE FROM audit {OF} AND seq IN (1, 2)"), 1),
    (run(f"DELETE FROM audit {OF} AND seq = 6"), 6),
    (run(f"DELETE FROM audit {OF}"), 1),
    (run(f"DELETE FROM audit_heads {OF}"), 1),
    (run(f"UPDATE audit_heads SET seq = 5 {OF}"), 6),
    (run(f"UPDATE audit_heads SET seq = 9 {OF}"), 7),
    (run(f"UPDATE audit_heads SET hash = x'{'00' * 32}' {OF}"), 7),
    (run(f"UPDATE audit_heads SET hash = 'text' {OF}"), 7),
    (run(f"UPDATE audit_heads SET seq = 'text' {OF}"), 1),
    (head_of_entry_5, 6),
    (swap, 3),
    (fork, 7),
    (forged(seq=99), 7),
    (forged(seq=0), 1),
    (forged(seq=-7), 1),
    (forged(seq=3.5), 4),
    (forged(seq="text"), 7),
    (forged(seq=10**30), 7),
    (of_third(tenant="southgate"), 3),
    (of_third(time="noon"), 3),
    (of_third(time=True), 3),
    (all_recomputed_with_an_earlier_time, 3),
]


@pytest.mark.parametrize(("act", "place"), CAUGHT, ids=[act.__name__ for act, _ in CAUGHT])
def test_a_change_is_found_where_it_was_made(path, act, place):
    tamper(path, act)
    report = verified(path)
    assert report.status == "broken"
    assert (report.broken_at, report.findings[0].tenant) == (place, "northlight")
    assert f"entry {place} of northlight" in str(report)
    assert verified(path, "northlight").broken_at == place


def test_a_broken_chain_is_reported_beside_the_whole_one_of_another_tenant(path):
    tamper(path, another_actor)
    assert verified(path, "southgate").status == "complete"
    assert verified(path, "northlight").status == "broken"


def test_an_entry_moved_to_another_tenant_breaks_both(path):
    tamper(path, of_third(tenant="southgate"))
    assert verified(path, "northlight").broken_at == 3
    assert verified(path, "southgate").broken_at == 3


def test_a_forged_tenant_without_a_head_is_broken_not_history(path):
    tamper(path, forged(tenant="ghost", seq=1))
    assert verified(path).status == "broken"
    assert verified(path, "ghost").broken_at == 1


def without_its_rules(raw):
    """Make the log a table whose columns are not generated from the bodies, and which takes anything."""
    raw.execute("CREATE TABLE plain AS SELECT * FROM audit")
    raw.execute("DROP TABLE audit")
    raw.execute("ALTER TABLE plain RENAME TO audit")


@pytest.mark.parametrize(
    ("tenant", "seq"), [("northlight", None), (None, 1), (None, None), ("northlight", "x")]
)
def test_a_forged_row_outside_the_numbers_is_not_served_as_history(path, tenant, seq):
    with closing(sqlite3.connect(path)) as raw:
        without_its_rules(raw)
        assert raw.execute("SELECT count(*) FROM audit").fetchone() == (ENTRIES + 2,)
        raw.execute("INSERT INTO audit (body, tenant, seq) VALUES ('{}', ?, ?)", (tenant, seq))
        raw.commit()
    assert verified(path).status == "broken"
    assert str(verified(path))


def test_a_whole_chain_given_to_another_tenant_is_found_though_every_hash_fits(path):
    with closing(sqlite3.connect(path)) as raw:
        without_its_rules(raw)
        raw.execute(f"UPDATE audit SET tenant = 'ghost' {OF}")
        raw.execute(f"UPDATE audit_heads SET tenant = 'ghost' {OF}")
        raw.execute("UPDATE audit SET body = 'no JSON' WHERE tenant = 'southgate' AND seq = 2")
        raw.commit()
    assert (verified(path, "ghost").status, verified(path, "ghost").broken_at) == ("broken", 1)
    assert verified(path, "southgate").broken_at == 2


@pytest.mark.parametrize("claims", [{"seq": None}, {"tenant": None}, {"seq": 3}, {"event": "entry-0003"}])
def test_some_forgeries_do_not_even_enter_the_table(path, claims):
    with pytest.raises(sqlite3.IntegrityError):
        tamper(path, forged(**({"event": "forged"} | claims)))


def bytes_in_place(path, pattern, replacement):
    """Change bytes of the file itself, past SQLite and everything it generates or checks."""
    data = path.read_bytes()
    changed, count = re.subn(pattern, replacement, data, count=1)
    assert count == 1
    assert len(changed) == len(data)
    path.write_bytes(changed)


THIRD = rb'(\{"action":"working\.write",[^{}]*\{[^{}]*\},"event":")entry-0003'


@pytest.mark.parametrize(
    ("pattern", "replacement"),
    [
        (THIRD, rb"\1entry-0009"),
        (THIRD, b"\\1entry-000\xff"),  # no text any more
        (THIRD, b"\\1entry-00\x003"),
        (rb'\{("action":"working\.write",[^{}]*\{[^{}]*\},"event":"entry-0003)', rb"[\1"),  # no JSON any more
        (rb'\{"a(ction":"working\.write",[^{}]*\{[^{}]*\},"event":"entry-0003)', rb"{'a\1"),
    ],
)
def test_bytes_changed_in_the_file_itself_are_found(path, pattern, replacement):
    bytes_in_place(path, pattern, replacement)
    report = verified(path)
    assert (report.status, report.broken_at) == ("broken", 3)


def test_a_body_of_a_thousand_nested_lists_is_a_finding_not_a_crash(path):
    with sqlite3.connect(path) as raw:
        told, *_ = entry(raw, 3)
    raw.close()
    deep = "[" * 900 + "]" * 900
    text = json.dumps({**told, "deep": 0}).replace('"deep": 0', f'"deep": {deep}')
    tamper(path, run(f"UPDATE audit SET body = ? {OF} AND seq = 3", text))
    assert verified(path).broken_at == 3


def test_verification_counts_what_it_checked(path):
    assert verified(path).entries == ENTRIES + 2
    tamper(path, run(f"DELETE FROM audit {OF} AND seq IN (1, 2)"))
    assert verified(path).entries == ENTRIES
    assert verified(path, "northlight").entries == ENTRIES - 2


def test_the_heads_of_several_chains_are_told_as_one(path):
    with opened(path) as mem:
        heads = [bytes.fromhex(mem.audit.verify(tenant).head) for tenant in ("northlight", "southgate")]
        assert mem.audit.verify().head == hashlib.sha256(b"".join(heads)).hexdigest()


def test_an_empty_store_has_a_whole_chain_of_nothing():
    with opened() as mem:
        report = mem.audit.verify()
        assert (report.status, report.entries, report.broken_at) == ("complete", 0, None)


@pytest.mark.parametrize("tenant", ["", " ", 5, b"northlight", "\ud800", "a\x00b", ["northlight"]])
def test_a_question_about_no_tenant_is_refused(path, tenant):
    with opened(path) as mem, pytest.raises(InvalidInput) as caught:
        mem.audit.verify(tenant)
    assert caught.value.field == "tenant"


def test_a_tenant_is_asked_for_in_any_composition(tmp_path):
    with opened(tmp_path / "store.db") as mem:
        tech = mem.agent("dock-1", fleet="dock", tenant="cafe\u0301")
        tech.working.write("arm-1", "observed", "drift", "arm 1 drifts")
        assert mem.audit.verify("cafe\u0301").entries == mem.audit.verify("caf\u00e9").entries == 1


# ---- where its sight ends ----------------------------------------------------------------------
# A chain that is checked only against itself proves that it is consistent, not that it is history.
# These need a checkpoint that somebody else holds; each is told here so that nobody claims more.


def cut(raw):
    head_to(raw, 4)
    raw.execute(f"DELETE FROM audit {OF} AND seq > 4")


def all_gone(raw):
    raw.execute(f"DELETE FROM audit {OF}")
    raw.execute(f"DELETE FROM audit_heads {OF}")


def all_recomputed(raw):
    rewrite(raw, 3, action="working.clear")


def test_an_empty_chain_is_broken_where_rows_say_otherwise(path):
    tamper(path, all_gone)
    assert (verified(path).status, verified(path).broken_at) == ("broken", 1)
    tamper(path, run("DELETE FROM memories WHERE tenant = 'northlight'"))
    assert verified(path).status == "complete"  # all of it gone: only a checkpoint knows


@pytest.mark.parametrize("act", [cut, all_recomputed])
def test_a_consistent_cut_or_rewrite_is_not_seen_without_a_checkpoint(path, act):
    honest = verified(path)
    tamper(path, act)
    assert verified(path).status == "complete"
    assert verified(path).head != honest.head  # what a checkpoint would compare
