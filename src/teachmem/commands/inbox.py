"""`teachmem inbox`: what waits for a person, and what a named person decides on it.

Before it acts it shows what is decided on, and asks; what is approved is what was shown. With `--seen`,
the digest that a listing printed, it need not ask: it is refused if the item has changed since.

On this machine whoever can open the file is believed to be who they say; the chain keeps the name.

Left out: what an action does (`rules/review.py`).
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from teachmem import errors
from teachmem.commands import places
from teachmem.commands.tell import tell

if TYPE_CHECKING:
    from teachmem.record import Receipt
    from teachmem.rules.inbox import Candidate
    from teachmem.rules.review import Review

NO = 1
SHOWN = 12  # signs of a digest that are printed
ACTIONS = ("approve", "reject", "edit", "defer", "quarantine")


def inbox(
    store: Annotated[str, typer.Argument(help="The store: a file's path, or a SQLAlchemy URL.")],
    action: Annotated[str | None, typer.Argument(help=f"One of {', '.join(ACTIONS)}.")] = None,
    item: Annotated[str | None, typer.Argument(help="What it is about, such as candidate-0001.")] = None,
    *,
    person: Annotated[str, typer.Option(help="Who looks, or decides.")],
    fleet: Annotated[str, typer.Option(help="The fleet of this person.")],
    tenant: Annotated[str, typer.Option(help="The tenant of this person.")],
    clearance: Annotated[int, typer.Option(help="1 their own fleet, 3 any of the tenant.")] = 1,
    reason: Annotated[str, typer.Option(help="Why, for reject and quarantine.")] = "",
    text: Annotated[str, typer.Option(help="The new text, for edit.")] = "",
    until: Annotated[str | None, typer.Option(help="A day or a moment: for defer, or a moratorium.")] = None,
    seen: Annotated[str | None, typer.Option(help="The digest that you read; then nothing is asked.")] = None,
    deferred: Annotated[bool, typer.Option("--deferred", help="List what was put off, too.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the list as JSON.")] = False,
) -> None:
    """List what waits for a person, or decide on one item. Exit code: 0 done, 1 you said no, 2 could not."""
    from teachmem import store as stores

    if action is not None and action not in ACTIONS:
        raise errors.InvalidInput("action", f"must be one of {', '.join(ACTIONS)}, not {action!r}")
    if action is not None and item is None:
        raise errors.InvalidInput("item", f"say what to {action}; `teachmem inbox {store}` lists the ids")
    places.check_store(store)
    end = None if until is None else moment(until)
    with stores.open_memory(store) as mem:
        review = mem.person(person, fleet=fleet, tenant=tenant, clearance=clearance).review
        if action is None:
            waiting = review.inbox(deferred=deferred)
            tell(json.dumps([_plain(one) for one in waiting], indent=1) if as_json else _list(waiting))
            return
        found = _found(review, str(item), seen)
        if not seen and not yes:
            tell(f"{found}\n")
            if not typer.confirm(f"{action} this?", default=False):
                tell("Nothing was changed.")
                raise typer.Exit(NO)
        receipt = _decide(review, action, found, reason, text, end)
    tell("\n".join([str(receipt), *(f"  {step}" for step in receipt.steps if step.reason)]))


def moment(said: str) -> datetime:
    """Return a day (midnight UTC) or a moment with its zone.

    >>> moment("2026-03-02").isoformat()
    '2026-03-02T00:00:00+00:00'
    """
    try:
        found = datetime.fromisoformat(said)
    except ValueError as error:
        raise errors.InvalidInput("until", f"{said!r} is no day such as 2026-03-02, and no moment") from error
    return found.replace(tzinfo=UTC) if len(said) == len("2026-03-02") else found


def _found(review: Review, item_id: str, seen: str | None) -> Candidate:
    for one in review.inbox(deferred=True):
        if one.candidate_id == item_id:
            if seen and (len(seen) < SHOWN or not one.digest.startswith(seen)):
                raise errors.Overtaken(f"{item_id} has changed since you read it; read it again")
            return one
    raise errors.NotFound(item_id)


def _decide(
    review: Review, action: str, found: Candidate, reason: str, text: str, end: datetime | None
) -> Receipt:
    if action == "approve":
        return review.approve(found)
    if action == "reject":
        return review.reject(found, reason, end)
    if action == "edit":
        return review.edit(found, text)
    if action == "quarantine":
        return review.quarantine(found, reason)
    if end is None:
        raise errors.InvalidInput("until", "say until when, such as --until 2026-03-09")
    return review.defer(found, end)


def _list(waiting: list[Candidate]) -> str:
    told = [f"{one}\n  seen {one.digest[:SHOWN]}" for one in waiting]
    return "\n\n".join(told) or "Nothing waits for you."


def _plain(one: Candidate) -> dict[str, Any]:
    return {
        "id": one.candidate_id,
        "state": one.state,
        "reason": one.reason,
        "content": one.content,
        "by": one.agent,
        "fleet": one.fleet,
        "findings": list(one.findings),
        "changes": list(one.changes),
        "evidence": {memory.memory_id: memory.content for memory in one.evidence},
        "unseen": one.unseen,
        "beside": [str(stone) for stone in one.beside],
        "until": None if one.until is None else one.until.isoformat(),
        "seen": one.digest,
    }
