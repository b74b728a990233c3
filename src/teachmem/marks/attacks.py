"""The attacks, each a function on a closed store with the verdicts it must get: see `marks/attack.py`.

>>> print(attacks()["cut_the_end"])
cut_the_end: Everything behind an entry is taken out and the head set back. (complete, broken, broken)
>>> len(attacks()) >= 18
True

Sources: attacks on hash-chained logs that were seen in the field; cutting and rewriting as in
Schneier and Kelsey 1999, "Secure audit logs to support computer forensics".
Left out: attacks on the running process. Who can change the code can have it log what they like.
"""

from __future__ import annotations

import sqlite3
from typing import Any

from teachmem.ledger import canonical, chain
from teachmem.marks import tamper
from teachmem.marks.attack import UNSEEN, Attack, register, registered

__all__ = ["UNSEEN", "Attack", "attacks"]

WHOLE, BROKEN = "complete", "broken"


def attacks() -> dict[str, Attack]:
    """Return every attack by name, in teaching order."""
    return registered()


# ---- the entries ----------------------------------------------------------------------------------


@register("An entry says that somebody else acted.", BROKEN, BROKEN, BROKEN)
def edit_a_body(raw: sqlite3.Connection, tenant: str, seq: int) -> None:
    """Edit a body."""
    body, previous, own = tamper.entry(raw, tenant, seq)
    tamper.write(raw, tenant, seq, {**body, "actor": {"name": "nobody"}}, previous, own)


@register("An entry says that somebody else acted, and its own hash is made to fit.", BROKEN, BROKEN, BROKEN)
def edit_a_body_and_its_hash(raw: sqlite3.Connection, tenant: str, seq: int) -> None:
    """Edit a body and its hash."""
    body, previous, _ = tamper.entry(raw, tenant, seq)
    body["actor"] = {"name": "nobody"}
    raw.execute("DELETE FROM audit WHERE tenant = ? AND seq = ?", (tenant, seq))
    tamper.add(raw, body, previous)


@register("The first entry is taken out.", BROKEN, BROKEN, BROKEN, first=1)
def delete_the_first(raw: sqlite3.Connection, tenant: str, seq: int) -> None:
    """Delete the first."""
    raw.execute("DELETE FROM audit WHERE tenant = ? AND seq = 1", (tenant,))


@register("An entry from the middle is taken out.", BROKEN, BROKEN, BROKEN, first=2, spare=1)
def delete_a_middle_one(raw: sqlite3.Connection, tenant: str, seq: int) -> None:
    """Delete a middle one."""
    raw.execute("DELETE FROM audit WHERE tenant = ? AND seq = ?", (tenant, seq))


@register("The last entry is taken out.", BROKEN, BROKEN, BROKEN)
def delete_the_last(raw: sqlite3.Connection, tenant: str, seq: int) -> None:
    """Delete the last."""
    raw.execute("DELETE FROM audit WHERE tenant = ? AND seq = ?", (tenant, tamper.last(raw, tenant)))


@register("All entries are taken out, the rows stay.", BROKEN, BROKEN, BROKEN)
def delete_all(raw: sqlite3.Connection, tenant: str, seq: int) -> None:
    """Delete all."""
    tamper.cut(raw, tenant, 0)


@register("All of a tenant is taken out: entries, head and rows.", WHOLE, BROKEN, WHOLE)
def delete_all_and_the_rows(raw: sqlite3.Connection, tenant: str, seq: int) -> None:
    """Delete all and the rows."""
    tamper.cut(raw, tenant, 0)
    tamper.cut_rows(raw, tenant, 0)
    raw.execute("DELETE FROM memories WHERE tenant = ?", (tenant,))


@register("The head is set back, the entries stay.", BROKEN, BROKEN, BROKEN)
def reset_the_head(raw: sqlite3.Connection, tenant: str, seq: int) -> None:
    """Reset the head."""
    tamper.set_head(raw, tenant, seq - 1)


@register("Two neighbours change places.", BROKEN, BROKEN, BROKEN, spare=1)
def swap(raw: sqlite3.Connection, tenant: str, seq: int) -> None:
    """Swap."""
    (one, before, mid), (two, _, after) = (tamper.entry(raw, tenant, at) for at in (seq, seq + 1))
    raw.execute("DELETE FROM audit WHERE tenant = ? AND seq IN (?, ?)", (tenant, seq, seq + 1))
    for body, at, previous, own in ((two, seq, before, mid), (one, seq + 1, mid, after)):
        text = canonical.encode({**body, "seq": at}).decode()
        raw.execute("INSERT INTO audit (body, prev_hash, hash) VALUES (?, ?, ?)", (text, previous, own))


@register("An entry is written a second time, behind the last.", BROKEN, BROKEN, BROKEN)
def duplicate(raw: sqlite3.Connection, tenant: str, seq: int) -> None:
    """Duplicate."""
    body, end = tamper.entry(raw, tenant, seq)[0], tamper.last(raw, tenant)
    again = {**body, "seq": end + 1, "event": tamper.forged_id(tenant, seq)}
    tamper.add(raw, again, tamper.entry(raw, tenant, end)[2])


@register("A forged entry is put between two.", BROKEN, BROKEN, BROKEN, spare=1)
def insert(raw: sqlite3.Connection, tenant: str, seq: int) -> None:
    """Insert."""
    body, _, own = tamper.entry(raw, tenant, seq)
    end = tamper.last(raw, tenant)
    for at in range(end, seq, -1):  # room is made for it: every later one gets the next number
        later, previous, its_own = tamper.entry(raw, tenant, at)
        tamper.write(raw, tenant, at, {**later, "seq": at + 1}, previous, its_own)
    forged = {**body, "seq": seq + 1, "event": tamper.forged_id(tenant, seq), "touched": []}
    text = canonical.encode(forged).decode()
    raw.execute(
        "INSERT INTO audit (body, prev_hash, hash) VALUES (?, ?, ?)", (text, own[::-1], chain.GENESIS)
    )


@register("An entry gets another number.", BROKEN, BROKEN, BROKEN)
def renumber(raw: sqlite3.Connection, tenant: str, seq: int) -> None:
    """Renumber."""
    body, previous, own = tamper.entry(raw, tenant, seq)
    tamper.write(raw, tenant, seq, {**body, "seq": 10_000_000 + seq}, previous, own)


@register("An entry is moved to another tenant.", BROKEN, BROKEN, BROKEN)
def move_to_another_tenant(raw: sqlite3.Connection, tenant: str, seq: int) -> None:
    """Move to another tenant."""
    body, previous, own = tamper.entry(raw, tenant, seq)
    tamper.write(raw, tenant, seq, {**body, "tenant": "somewhere-else"}, previous, own)


@register("An entry is forged that has no place in any chain.", BROKEN, BROKEN, BROKEN)
def entry_outside_the_chain(raw: sqlite3.Connection, tenant: str, seq: int) -> None:
    """Entry outside the chain."""
    raw.execute("CREATE TABLE plain AS SELECT * FROM audit")  # without NOT NULL, unique or generated columns
    raw.execute("DROP TABLE audit")
    raw.execute("ALTER TABLE plain RENAME TO audit")
    raw.execute("INSERT INTO audit (body) SELECT body FROM audit WHERE tenant = ? AND seq = ?", (tenant, seq))


@register("An entry gets an earlier time, and all hashes are made to fit.", BROKEN, BROKEN, BROKEN, first=2)
def set_one_time_back(raw: sqlite3.Connection, tenant: str, seq: int) -> None:
    """Set one time back."""
    earlier = tamper.entry(raw, tenant, seq - 1)[0]["time"] - 1
    tamper.recompute(raw, tenant, seq, lambda body: body.update(time=earlier) if body["seq"] == seq else None)


# ---- what only a checkpoint shows -----------------------------------------------------------------


@register("Everything behind an entry is taken out and the head set back.", WHOLE, BROKEN, BROKEN, spare=1)
def cut_the_end(raw: sqlite3.Connection, tenant: str, seq: int) -> None:
    """Cut the end."""
    tamper.cut(raw, tenant, seq)


@register(
    "Everything behind an entry is taken out, the rows too, and the head set back.",
    WHOLE,
    BROKEN,
    WHOLE,
    spare=1,
)
def cut_the_end_and_the_rows(raw: sqlite3.Connection, tenant: str, seq: int) -> None:
    """Cut the end and the rows."""
    tamper.cut(raw, tenant, seq)
    tamper.cut_rows(raw, tenant, seq)


@register("The file is replaced by an older backup of itself.", WHOLE, BROKEN, WHOLE, spare=1, restores=True)
def restore_a_backup(raw: sqlite3.Connection, tenant: str, seq: int) -> None:
    """Nothing more: the file was copied."""


@register(
    "Everything from an entry on is written anew with another actor.", WHOLE, BROKEN, WHOLE, rewrites=True
)
def rewrite_from_here(raw: sqlite3.Connection, tenant: str, seq: int) -> None:
    """Rewrite from here."""
    tamper.recompute(raw, tenant, seq, lambda body: body.update(actor={"name": "nobody"}))


@register("The whole log is written anew with other ids.", WHOLE, BROKEN, WHOLE)
def rewrite_all(raw: sqlite3.Connection, tenant: str, seq: int) -> None:
    """Rewrite all."""
    tamper.recompute(raw, tenant, 1, lambda body: body.update(event="re-" + body["event"]))


@register(
    "A memory gets another content, and its entry and all that follows are made to fit.",
    *(WHOLE, BROKEN, WHOLE),
    rewrites=True,
)
def rewrite_and_fit_the_rows(raw: sqlite3.Connection, tenant: str, seq: int) -> None:
    """Rewrite and fit the rows."""
    digests = tamper.change_rows(raw, tenant, seq, content="it never happened")

    def edit(body: dict[str, Any]) -> None:
        body["actor"] = {"name": "nobody"}
        for item in body["touched"] if body["seq"] == seq else ():
            item.update(digests.get(f"{item['id']} {item['version']}", {}))
            raw.execute(
                "UPDATE memories SET content_digest = ? WHERE memory_id = ? AND version = ?",
                (item["digest"], item["id"], item["version"]),
            )

    tamper.recompute(raw, tenant, seq, edit)


@register("The log is cut and goes on with other entries, as many as before.", WHOLE, BROKEN, WHOLE, spare=1)
def cut_and_grow_again(raw: sqlite3.Connection, tenant: str, seq: int) -> None:
    """Cut and grow again."""
    body, _, own = tamper.entry(raw, tenant, seq)
    end = tamper.last(raw, tenant)
    tamper.cut(raw, tenant, seq)
    tamper.cut_rows(raw, tenant, seq)
    for at in range(seq + 1, end + 1):
        own = tamper.add(raw, {**body, "seq": at, "event": tamper.forged_id(tenant, at), "touched": []}, own)
    tamper.set_head(raw, tenant, end)


@register("Every time in the log and the rows is an hour earlier.", WHOLE, BROKEN, WHOLE)
def set_all_times_back(raw: sqlite3.Connection, tenant: str, seq: int) -> None:
    """Set all times back."""
    hour = 3_600_000_000
    tamper.recompute(raw, tenant, 1, lambda body: body.update(time=body["time"] - hour))
    for column in ("recorded_at", "superseded_at"):
        raw.execute(f"UPDATE memories SET {column} = {column} - {hour} WHERE tenant = ?", (tenant,))


# ---- what only the rows show ----------------------------------------------------------------------


@register("A memory gets another content.", WHOLE, WHOLE, BROKEN)
def edit_a_content(raw: sqlite3.Connection, tenant: str, seq: int) -> None:
    """Edit a content."""
    tamper.change_rows(raw, tenant, seq, content="it never happened")


@register("A memory gets another source.", WHOLE, WHOLE, BROKEN)
def edit_a_column(raw: sqlite3.Connection, tenant: str, seq: int) -> None:
    """Edit a column."""
    tamper.change_rows(raw, tenant, seq, source="catalogue")


@register("A memory gets another status.", WHOLE, WHOLE, BROKEN)
def edit_a_status(raw: sqlite3.Connection, tenant: str, seq: int) -> None:
    """Edit a status."""
    tamper.change_rows(raw, tenant, seq, status="archived")


@register("A memory is taken out.", WHOLE, WHOLE, BROKEN)
def delete_a_row(raw: sqlite3.Connection, tenant: str, seq: int) -> None:
    """Delete a row."""
    raw.execute("DELETE FROM memories WHERE tenant = ? AND seq = ?", (tenant, seq))


@register("A memory is forged that no entry names.", WHOLE, WHOLE, BROKEN)
def forge_a_row(raw: sqlite3.Connection, tenant: str, seq: int) -> None:
    """Forge a row."""
    names = [row[1] for row in raw.execute("PRAGMA table_info(memories)")]
    other = {"memory_id": "?", "version": "1", "superseded_at": "NULL", "twin_key": "NULL"}
    taken = ", ".join(other.get(name, name) for name in names)
    raw.execute(
        f"INSERT INTO memories ({', '.join(names)}) SELECT {taken} FROM memories "
        "WHERE tenant = ? AND seq = ? LIMIT 1",
        (tamper.forged_id(tenant, seq), tenant, seq),
    )


@register("A memory is erased, and no entry says so.", WHOLE, WHOLE, BROKEN)
def erase_without_an_entry(raw: sqlite3.Connection, tenant: str, seq: int) -> None:
    """Erase without an entry."""
    raw.execute("UPDATE memories SET content = '', salt = NULL WHERE tenant = ? AND seq = ?", (tenant, seq))


# ---- what nothing here shows ----------------------------------------------------------------------


@register("A memory gets another vector, so that search ranks it elsewhere.", WHOLE, WHOLE, WHOLE)
def edit_a_vector(raw: sqlite3.Connection, tenant: str, seq: int) -> None:
    """Edit a vector."""
    raw.execute("UPDATE memories SET embedding = zeroblob(8) WHERE tenant = ? AND seq = ?", (tenant, seq))
