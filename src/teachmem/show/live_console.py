"""The instructor's console: inbox, chain, scope and recall of a store that others are writing to meanwhile.

The widget kit is handed in: `live.py` alone imports it. Four pages; each asks the store anew when it is
opened, when one of its controls changes, and at the button, so that what it shows is of that moment, which
it says. In contrast to the other widgets this one acts in earnest: a decision in the inbox is the person's,
through the gate, with its entry in the chain.

Left out: everything that a person's handle cannot do. It is served for one person (`teachmem console`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from teachmem import store
from teachmem.errors import InvalidInput, TeachmemError
from teachmem.ledger import authors, chain
from teachmem.record import Receipt
from teachmem.show import (
    blocks,
    explore_inbox,
    fused,
    inbox_view,
    markup,
    panel,
    readers,
    trails,
    view,
    words,
)
from teachmem.show.explore_inbox import Inbox

ENTRIES, MEMORIES, HITS = 15, 6, 5
NOTHING = "nothing waits"
DECISIONS: Mapping[str, Callable[[store.Person, str, str], Receipt]] = {
    "approve": lambda person, item, why: person.review.approve(item),
    "reject": lambda person, item, why: person.review.reject(item, why),
    "quarantine": lambda person, item, why: person.review.quarantine(item, why),
}


def build(kit: Any, mem: store.MemoryStore, person: store.Person) -> Any:
    """Make the console of `person`, who should be a steward: others see their own fleet alone."""
    if not isinstance(person, store.Person):
        raise InvalidInput("person", "must be a person's handle; no agent has a console")
    pages = {
        "inbox": _inbox(kit, person),
        "chain": _chain(kit, mem, person),
        "scope": _scope(kit, mem, person),
        "recall": _recall(kit, mem, person),
    }
    tabs = kit.Tab(children=[box for box, _ in pages.values()], titles=tuple(pages))
    redraws = [redraw for _, redraw in pages.values()]
    tabs.observe(lambda _: redraws[tabs.selected_index](), names="selected_index")
    return tabs


def _inbox(kit: Any, person: store.Person) -> tuple[Any, Callable[..., None]]:
    which = kit.Dropdown(**panel.labelled("item"))
    reason = kit.Text(**panel.labelled("reason"))
    buttons = [kit.Button(description=name) for name in DECISIONS]
    shown = panel.Panel(kit, f"You decide as {readers.named(person.principal)}, in earnest.")
    done: list[view.View] = []  # the last receipt, until the next

    def refreshed(*_: object) -> None:
        found = {item.candidate_id: item for item in explore_inbox.gather(person).items}
        if list(which.options) != (names := list(found) or [NOTHING]):
            kept = which.value
            which.options = names
            which.value = kept if kept in names else names[0]
        item = found.get(which.value)
        shown.draw(*done, inbox_view.inbox(Inbox(readers.named(person.principal), (item,) if item else ())))

    def decide(button: Any) -> None:
        try:
            done[:] = [trails.receipt(DECISIONS[button.description](person, which.value, reason.value))]
        except TeachmemError as told:
            shown.say(str(told))
            return
        refreshed()

    for button in buttons:
        button.on_click(decide)
    return _page(kit, shown, [which, reason, kit.HBox(buttons)], refreshed)


def _chain(kit: Any, mem: store.MemoryStore, person: store.Person) -> tuple[Any, Callable[..., None]]:
    deep = kit.Checkbox(**panel.labelled("compare the rows, too"))
    shown = panel.Panel(kit, "The whole log is verified each time; a long one takes a while.")

    def refreshed(*_: object) -> None:
        tenant = person.principal.tenant
        with mem._database.read() as tx:
            last = chain.latest(tx, tenant, ENTRIES)
        rows = tuple(
            (entry["seq"], entry["action"], entry["resource"], _who(entry.get("actor", {}))) for entry in last
        )
        table = view.Table(("entry", "action", "of", "by"), rows)
        report = mem.audit.verify(tenant, deep=deep.value)
        shown.draw(blocks.report(report), _plain(f"the last {words.count(len(rows), 'entry')}", table))

    return _page(kit, shown, [deep], refreshed)


def _scope(kit: Any, mem: store.MemoryStore, person: store.Person) -> tuple[Any, Callable[..., None]]:
    shown = panel.Panel(kit, f"The newest {MEMORIES} facts that you see, and one reader of each fleet.")

    def refreshed(*_: object) -> None:
        newest = [fact.memory_id for fact in person.semantic.list(limit=MEMORIES)]
        handles = list(_one_of_each_fleet(mem, person).values())
        shown.draw(readers.matrix(readers.gather(handles, newest), 0))

    return _page(kit, shown, [], refreshed)


def _recall(kit: Any, mem: store.MemoryStore, person: store.Person) -> tuple[Any, Callable[..., None]]:
    handles = _one_of_each_fleet(mem, person)
    who = kit.Dropdown(options=list(handles), **panel.labelled("who asks"))
    query = kit.Text(value="", continuous_update=False, **panel.labelled("question"))
    shown = panel.Panel(kit, "Facts by words, by meaning and together, as this reader finds them.")

    def refreshed(*_: object) -> None:
        handles.update(_one_of_each_fleet(mem, person))
        if list(who.options) != list(handles):
            who.options = list(handles)
        if not query.value.strip():
            shown.say("Type a question, then Enter.")
            return
        shown.draw(fused.recollection(handles[who.value].semantic.search(query.value, HITS)))

    return _page(kit, shown, [who, query], refreshed)


def _page(
    kit: Any, shown: panel.Panel, controls: list[Any], refreshed: Callable[..., None]
) -> tuple[Any, Callable[..., None]]:
    """Put a page together: its controls, a button that asks the store again, and what it answered."""
    again = kit.Button(description="ask again", tooltip="ask the store again")

    def redraw(*_: object) -> None:
        try:
            refreshed()
        except TeachmemError as told:  # a store that is locked or away for a moment
            shown.say(str(told))

    again.on_click(redraw)
    return shown.box([*controls, again], redraw), redraw


def _one_of_each_fleet(mem: store.MemoryStore, person: store.Person) -> dict[str, store.Handle]:
    """Return the person, and for each fleet whoever acted there first, by what they are called."""
    found: dict[str, store.Handle] = {readers.named(person.principal): person}
    tenant, fleets = person.principal.tenant, set()
    with mem._database.read() as tx:
        acted = authors.agents(tx, tenant)
    for fleet, name in acted:
        if fleet not in fleets:
            fleets.add(fleet)
            handle = mem.agent(name, fleet=fleet, tenant=tenant)
            found[readers.named(handle.principal)] = handle
    return found


def _who(actor: Mapping[str, Any]) -> str:
    return f"{actor.get('name', '')} of {actor.get('fleet', '')}"


def _plain(title: str, table: view.Table) -> view.View:
    body = [markup.el("tr", {}, *(markup.el("td", {}, str(cell)) for cell in row)) for row in table.rows]
    return view.View(title, table, markup.table(table.columns, body))
