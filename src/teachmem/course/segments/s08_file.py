"""Exercise 8.3: a verifier of a whole file; its laws, and the wrong ideas about it."""

from __future__ import annotations

import json
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from teachmem.course.material import Exercise, Misconception, Wrong, call, is_function, show
from teachmem.ledger import chain

Held = list[tuple[str, int, str]]
Whole = Callable[[str, Held], bool]
SIZES = {"northlight": 4, "southgate": 3}
Edit = Callable[[sqlite3.Connection], object]


@contextmanager
def a_file(
    edit: Edit,
) -> Iterator[tuple[str, dict[tuple[str, int], str]]]:
    """Make a small store's log in a file of its own, change it, and lend its path and the hashes it had."""
    hashes: dict[tuple[str, int], str] = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.db"
        with closing(sqlite3.connect(path)) as file:
            file.execute("PRAGMA synchronous = OFF")
            file.execute(
                "CREATE TABLE audit (body TEXT, prev_hash BLOB, hash BLOB, tenant TEXT, seq INTEGER)"
            )
            file.execute("CREATE TABLE audit_heads (tenant TEXT, seq INTEGER, hash BLOB, time INTEGER)")
            for tenant, entries in SIZES.items():
                last = chain.GENESIS
                for seq in range(1, entries + 1):
                    told = {"actor": "dock-1", "seq": seq, "tenant": tenant, "time": seq}
                    body = json.dumps(told, separators=(",", ":"))
                    own = chain.link(last, body.encode())
                    file.execute("INSERT INTO audit VALUES (?, ?, ?, ?, ?)", (body, last, own, tenant, seq))
                    last = own
                    hashes[tenant, seq] = own.hex()
                file.execute("INSERT INTO audit_heads VALUES (?, ?, ?, ?)", (tenant, entries, last, entries))
            edit(file)
            file.commit()
        yield str(path), hashes


def _answer(whole: Whole, path: str, held: Held, what: str) -> bool:
    got = call(whole, path, held)
    if type(got) is not bool:
        raise Wrong(f"for {what} your function gave {show(got)}; give True or False")
    return got


def _must(
    whole: Whole, wanted: bool, what: str, edit: Edit, held: Callable[[dict[tuple[str, int], str]], Held]
) -> str | None:
    with a_file(edit) as (path, hashes):
        got = _answer(whole, path, held(hashes), what)
    return None if got is wanted else f"for {what} your function gave {got}"


def _nothing(file: sqlite3.Connection) -> None: ...


def _edit_second(file: sqlite3.Connection) -> None:
    file.execute(
        "UPDATE audit SET body = replace(body, 'dock-1', 'dock-9') WHERE tenant = 'southgate' AND seq = 2"
    )


def _cut(file: sqlite3.Connection) -> None:
    file.execute("DELETE FROM audit WHERE tenant = 'northlight' AND seq = 4")


def _cut_and_head(file: sqlite3.Connection) -> None:
    _cut(file)
    file.execute(
        "UPDATE audit_heads SET seq = 3, time = 3, hash = (SELECT hash FROM audit WHERE tenant = 'northlight' "
        "AND seq = 3) WHERE tenant = 'northlight'"
    )


def _another_head(file: sqlite3.Connection) -> None:
    file.execute(
        "UPDATE audit_heads SET hash = (SELECT prev_hash FROM audit WHERE tenant = 'southgate' AND seq = 3) "
        "WHERE tenant = 'southgate'"
    )


def _emptied(file: sqlite3.Connection) -> None:
    file.execute("DELETE FROM audit WHERE tenant = 'southgate'")


def _gone(file: sqlite3.Connection) -> None:
    _emptied(file)
    file.execute("DELETE FROM audit_heads WHERE tenant = 'southgate'")


def _given_away(file: sqlite3.Connection) -> None:
    for table in ("audit", "audit_heads"):
        file.execute(f"UPDATE {table} SET tenant = 'elsewhere' WHERE tenant = 'southgate'")


def a_store_that_has_grown_is_whole(whole: Whole) -> str | None:
    """Two whole chains are whole, with nothing held and with a head that was held some entries ago."""
    for told, held in (
        ("with nothing held", lambda hashes: []),
        (
            "that has grown since entry 2, which you hold",
            lambda hashes: [("northlight", 2, hashes["northlight", 2])],
        ),
    ):
        if wrong := _must(whole, True, f"a whole store of two tenants {told}", _nothing, held):
            return wrong
    return None


def every_chain_is_looked_at(whole: Whole) -> str | None:
    """An edit in any tenant's chain is found."""
    return _must(
        whole, False, "a store in which entry 2 of the second tenant was changed", _edit_second, lambda _: []
    )


def the_head_must_agree(whole: Whole) -> str | None:
    """A last entry that is gone is found, because the head says another number; so is another hash."""
    for what, edit in (
        ("a store from which the last entry of northlight was taken", _cut),
        ("a store in which the head of southgate holds the right number and another hash", _another_head),
    ):
        if wrong := _must(whole, False, what, edit, lambda _: []):
            return wrong
    return None


def what_you_held_must_be_there(whole: Whole) -> str | None:
    """A cut that the head agrees with is found by what you held."""
    return _must(
        whole,
        False,
        "a store cut to 3 entries, head included, of whose entry 4 you hold the hash",
        _cut_and_head,
        lambda hashes: [("northlight", 4, hashes["northlight", 4])],
    ) or _must(
        whole,
        False,
        "a store whose entry 2 is not the one that you hold",
        _nothing,
        lambda hashes: [("northlight", 2, hashes["southgate", 2])],
    )


def the_bytes_say_whose_they_are(whole: Whole) -> str | None:
    """A whole chain that was given to another tenant is found: its bodies name the one it had."""
    return _must(
        whole, False, "a store in which a whole chain was given to another tenant", _given_away, lambda _: []
    )


def a_chain_that_is_gone_is_missed(whole: Whole) -> str | None:
    """A tenant whose entries were all taken is known by its head, or by what somebody holds of it."""
    return _must(
        whole,
        False,
        "a store from which every entry of southgate was taken, but not its head",
        _emptied,
        lambda _: [],
    ) or _must(
        whole,
        False,
        "a store with nothing of southgate in it, of whose entry 3 you hold the hash",
        _gone,
        lambda hashes: [("southgate", 3, hashes["southgate", 3])],
    )


EXERCISE = Exercise(
    id="8.3",
    title="A verifier of your own",
    concept="checkpoint",
    expected="a function of a path and of what you hold",
    fits=is_function,
    laws=(
        a_store_that_has_grown_is_whole,
        every_chain_is_looked_at,
        the_head_must_agree,
        what_you_held_must_be_there,
        the_bytes_say_whose_they_are,
        a_chain_that_is_gone_is_missed,
    ),
    yes="it reads the file with the standard library alone, and believes none of its columns",
    misconceptions=(
        Misconception(
            "what you hold is the end of the log",
            "A log grows. What you hold is an entry that it must still go through, and not its last.",
            "a_store_that_has_grown_is_whole",
        ),
        Misconception(
            "one chain is the whole store",
            "Every tenant has a chain of its own. Ask the file which there are.",
            "every_chain_is_looked_at",
        ),
        Misconception(
            "the head in the file is a checkpoint",
            "It lies beside the log. Whoever cuts the one sets back the other.",
            "what_you_held_must_be_there",
        ),
        Misconception(
            "the columns say what was hashed",
            "Only the bytes were hashed. Whoever changes a column beside them changes no hash.",
            "the_bytes_say_whose_they_are",
        ),
        Misconception(
            "a chain that is gone is not broken",
            "Nothing hangs together better than nothing. Who held a hash of it asks where it is.",
            "a_chain_that_is_gone_is_missed",
        ),
    ),
    hints=(
        "Which tenants does the file hold or ought to, and what has to be true of each of them?",
        "Where on your way along the chain do you meet the entry that you hold?",
        "Which of the things that you read were hashed, and which only stand beside what was?",
    ),
)
