"""Probes of scope: a reader gets what they may read, and nothing else, on every path."""

from __future__ import annotations

from collections.abc import Callable

from teachmem.marks.probe import control, expect, kept, probe, refused, texts
from teachmem.marks.system import Actor, NotOffered, Refused, System

SECRET, OPEN = "the key hangs behind bay two", "bay two is swept"
QUESTION = "the key behind bay two"
KEY = ("key", "located_in", "bay two")


def reads(reader: Actor, memory_id: str) -> dict[str, Callable[[], str]]:
    """Return every way in which a reader could come upon the secret."""
    return {
        "search": lambda: " ".join(texts(reader.recall(QUESTION, k=50))),
        "list": lambda: " ".join(texts(reader.everything())),
        "get": lambda: str(reader.get(memory_id)),
        "history": lambda: " ".join(reader.history(memory_id)),
        "graph": lambda: " ".join(reader.neighbours("bay two")),
        "context": lambda: reader.context(QUESTION),
        "ask": lambda: reader.ask("where is the key?"),
        "trail": lambda: " ".join(reader.trail(memory_id)),
    }


def kept_from(writer: Actor, reader: Actor, memory_id: str) -> str:
    """Expect the secret on every path of its writer that is offered, and on none of the reader's."""
    own, others, asked = reads(writer, memory_id), reads(reader, memory_id), []
    for path in own:
        try:
            seen = own[path]()
        except NotOffered:
            continue
        hint = "dock-1" if path == "trail" else "key hangs"
        control(hint in seen, f"its writer comes upon it by {path}")
        asked.append(path)
        expect(hint not in others[path](), f"another one comes upon it by {path}")
    return ", ".join(asked)


@probe(
    "scope_enforced",
    name="private_from_a_colleague",
    asks="Is a private memory kept from a colleague, on every path?",
)
def private_from_a_colleague(system: System) -> str:
    """Write for nobody but oneself, and look as a colleague of the same fleet."""
    writer, colleague = system.acting("dock-1"), system.acting("dock-2")
    writer.write(OPEN)
    control(OPEN in texts(colleague.recall(OPEN)), "a colleague finds what is for the fleet")
    held = writer.write(SECRET, triple=KEY, private=True)
    return f"kept from a colleague by {kept_from(writer, colleague, held)}"


@probe(
    "scope_enforced",
    name="fleet_from_a_fleet",
    asks="Is a fleet's memory kept from another fleet, on every path?",
)
def fleet_from_a_fleet(system: System) -> str:
    """Write for one's fleet, and look from another."""
    writer, colleague = system.acting("dock-1"), system.acting("dock-2")
    other = system.acting("line-3", fleet="line")
    held = writer.write(SECRET, triple=KEY)
    control(SECRET in texts(colleague.recall(SECRET)), "a colleague of the fleet finds it")
    return f"kept from another fleet by {kept_from(writer, other, held)}"


@probe(
    "scope_enforced",
    name="tenant_from_a_tenant",
    asks="Is a tenant's memory kept from another tenant, on every path?",
)
def tenant_from_a_tenant(system: System) -> str:
    """Write in one tenant, and look as an agent of the same name and fleet of another."""
    writer = system.acting("dock-1")
    other = system.acting("dock-1", tenant="southgate")
    other.write(OPEN)
    control(OPEN in texts(other.recall(OPEN)), "the other tenant finds its own")
    held = writer.write(SECRET, triple=KEY)
    return f"kept from another tenant by {kept_from(writer, other, held)}"


@probe(
    "scope_enforced",
    name="names_are_no_patterns",
    asks="Does an agent whose name is a pattern, a prefix or another case of a name get only its own?",
)
def names_are_no_patterns(system: System) -> str:
    """Write privately as dock-1, and look as agents of tricky names."""
    writer = system.acting("dock-1")
    writer.write(SECRET, private=True)
    control(SECRET in texts(writer.recall(SECRET)), "its writer finds it")
    tricky = ("*", "%", "dock-%", "dock-_", "dock", "dock-11", "DOCK-1", "x' OR '1'='1")
    for name in tricky:
        expect(SECRET not in texts(system.acting(name).recall(SECRET)), f"an agent named {name!r} finds it")
    return f"none of {len(tricky)} names stands for another"


@probe(
    "scope_enforced",
    name="no_scope_no_answer",
    asks="Does a reader whose fleet or tenant was left empty get nothing, and not everything?",
)
def no_scope_no_answer(system: System) -> str:
    """Look as somebody of no fleet, and of no tenant."""
    writer, colleague = system.acting("dock-1"), system.acting("dock-2")
    writer.write(SECRET)
    control(kept(colleague, SECRET), "a colleague of the fleet finds it")
    nobody: dict[str, Callable[[], Actor]] = {
        "fleet": lambda: system.acting("dock-2", fleet=""),
        "tenant": lambda: system.acting("dock-2", tenant=""),
    }
    for what, acting in nobody.items():
        try:
            found = texts(acting().recall(SECRET))
        except Refused:
            continue
        expect(SECRET not in found, f"somebody of no {what} finds it")
    return "without a fleet or a tenant nothing is found"


@probe(
    "scope_enforced",
    name="changed_by_its_id",
    asks="Can a memory of another tenant be neither changed nor withdrawn nor erased by who has its id?",
)
def changed_by_its_id(system: System) -> str:
    """Try each act with the id of another tenant's memory."""
    writer = system.acting("dock-1")
    other = system.acting("dock-1", tenant="southgate")
    person = system.acting("shift-lead", tenant="southgate", person=True)
    own = other.write(OPEN)
    held = writer.write(SECRET)
    control(SECRET in texts(writer.recall(SECRET)), "its writer finds it")
    acts: dict[str, Callable[[str], None]] = {
        "changes": lambda memory_id: other.revise(memory_id, "bay two is closed"),
        "withdraws": lambda memory_id: other.retract(memory_id, "wrong"),
        "rejects": lambda memory_id: person.reject(memory_id, "wrong"),
        "erases": lambda memory_id: person.forget(memory_id, "wrong"),
    }
    acts["changes"](own)
    control(kept(other, "bay two is closed"), "one's own can be changed by its id")
    asked = []
    for act, does in acts.items():
        try:
            refused(does, held)
        except NotOffered:
            continue
        asked.append(act)
        expect(SECRET in texts(writer.recall(SECRET)), f"somebody of another tenant {act} it by its id")
    acts["changes"](own)
    control(kept(other, "bay two is closed"), "one's own can be changed by its id")
    return f"by its id nobody of another tenant {', '.join(asked)} it"


@probe(
    "scope_enforced",
    name="hidden_as_absent",
    asks="Does an id that one may not see answer exactly as one that does not exist?",
)
def hidden_as_absent(system: System) -> str:
    """Compare what is said of a hidden id with what is said of an invented one."""
    writer, colleague = system.acting("dock-1"), system.acting("dock-2")
    shown, held = writer.write(OPEN), writer.write(SECRET, private=True)
    control(kept(colleague, OPEN), "what one may see is found")
    control(colleague.get(shown) is not None, "what one may see is got by its id")
    invented = held[:-1] + ("0" if held[-1] != "0" else "1")

    def said(told: Callable[[str], object], memory_id: str) -> str:
        try:
            return str(told(memory_id)).replace(memory_id, "ID")
        except Refused as no:
            return str(no).replace(memory_id, "ID")

    for told in (colleague.get, colleague.history, lambda name: refused(colleague.retract, name, "wrong")):
        try:
            hidden, absent = said(told, held), said(told, invented)
        except NotOffered:
            continue
        expect(hidden == absent, f"hidden: {hidden!r}, absent: {absent!r}")
    return "both answer in the same words"


@probe(
    "scope_enforced",
    name="unknown_id_refused",
    asks="Is changing or withdrawing an id that does not exist refused, and nothing made of it?",
)
def unknown_id_refused(system: System) -> str:
    """Change and withdraw what is there, and what is not."""
    agent = system.acting("dock-1")
    own = agent.write(OPEN)
    agent.revise(own, "bay two is closed")
    control("bay two is closed" in texts(agent.recall("bay two is closed")), "what is there can be changed")
    for act, why in {
        "changing": refused(agent.revise, "fact-0911", "bay nine is closed"),
        "withdrawing": refused(agent.retract, "fact-0911", "wrong"),
    }.items():
        expect(why, f"{act} an id that does not exist is answered as if it did")
    expect("bay nine is closed" not in texts(agent.recall("bay nine is closed")), "it was made")
    return "told that there is none"
