"""What the tests of `show` share: the lesson's data in a store, one of every view, and HTML read back."""

from __future__ import annotations

import atexit
import json
import re
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from helpers import opened

from teachmem import Agent, Checkpoint, MemoryRefused, MemoryStore, show
from teachmem.ledger.chain import Finding
from teachmem.ledger.report import AuditReport, AuditStatus
from teachmem.marks.attack import Attack
from teachmem.marks.attacks import attacks
from teachmem.show import explore_board

DATA = Path(__file__).resolve().parents[1] / "data"
HOSTILE = "<script>alert(\"x\")</script>\n</pre> & 'quoted' [-fake-] \u202eturned\u202c \u200bunseen \x07 end"


def rows_of(name: str) -> list[dict[str, Any]]:
    """Return the rows of one data file."""
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


@cache
def lesson_store() -> MemoryStore:
    """Return a store with the data's events and notes, its clock at noon of the last day. Read only."""
    mem = opened(start=datetime.fromisoformat("2026-03-02T06:00:00Z"))
    atexit.register(mem.close)
    ids: dict[str, str] = {}
    for row in sorted(rows_of("episodes.jsonl") + rows_of("notes.jsonl"), key=lambda row: row["at"]):
        mem.clock.set(datetime.fromisoformat(row["at"]))
        agent = mem.agent(row["agent"], fleet=row["fleet"], tenant=row["tenant"])
        if "kind" in row:
            agent.episodic.log(row["kind"], row["content"], row["session"], importance=row["importance"])
        else:
            rewrites = {name[8:]: row[name] for name in row if name.startswith("rewrite_")}
            told = (row["subject"], row["predicate"], ids.get(row["object"], row["object"]), row["content"])
            receipt = agent.working.write(*told, row["session"], rewrites=rewrites)
            ids[row["id"]] = receipt.memory.memory_id
    mem.clock.set(datetime.fromisoformat("2026-03-15T12:00:00Z"))
    return mem


def dock() -> Agent:
    """Return the handle of dock-1 on the lesson's store."""
    return lesson_store().agent("dock-1", fleet="dock", tenant="northlight")


@cache
def fact_store() -> MemoryStore:
    """Return a store with the facts of one tenant, each by its own writer. Read only."""
    mem = opened()
    atexit.register(mem.close)
    for row in rows_of("facts.jsonl"):
        if row["tenant"] == "northlight":
            agent = mem.agent(row["agent"], fleet=row["fleet"], tenant=row["tenant"])
            fields = ("content", "subject", "predicate", "object", "confidence", "visibility")
            agent.semantic.remember(**{name: row[name] for name in fields})
    return mem


def knowing() -> Agent:
    """Return the handle of dock-1 on the store of facts, with a view over every fleet."""
    return fact_store().agent("dock-1", fleet="dock", tenant="northlight", clearance=2)


def hostile_facts() -> Agent:
    """Return a handle on facts whose words and names are as hostile as the gate lets through."""
    mem = opened()
    atexit.register(mem.close)
    tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
    for number in range(9):
        tech.semantic.remember(f"{number} {HOSTILE}")
        tech.graph.link("<b>arm</b> & 'co'", "contains", f'part {number} "of" the 機械手臂の部品です')
    tech.graph.link("<b>arm</b> & 'co'", "related_to", "<b>arm</b> & 'co'")
    return tech


def one_of_each() -> dict[str, object]:
    """Return one of every object that can be shown, the contents hostile wherever a writer may choose."""
    mem = opened()
    atexit.register(mem.close)  # what is shown asks it again
    tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
    for number in range(12):
        tech.episodic.log("observation", f"{number} {HOSTILE}", importance=0.5)
        tech.working.write("arm", "observed", f"'{number}'", HOSTILE, rewrites={"shortened": "short"})
    receipt = tech.episodic.log("user_turn", "يرجى الانتظار, 請等一下")
    try:
        tech.episodic.log("outcome", HOSTILE)
    except MemoryRefused as error:
        refused = error
    found = tech.episodic.recall(HOSTILE, k=3)
    knows = hostile_facts()
    edges = knows.graph.edges()
    tail = tuple(Finding("northlight", seq, HOSTILE) for seq in (3, 4, 20))
    return {
        "receipt": receipt,
        "refused": refused,
        "recollection": found,
        "many": tech.episodic.recall("script", k=12),
        "none": tech.episodic.recall("nothing", session="empty"),
        "why not": found.why_not("event-0001"),
        "context": tech.working.context("script", budget=400),
        "empty context": tech.working.context(budget=0),
        "list": tech.episodic.recent(12),
        "empty list": [],
        "memory": tech.working.read(limit=1)[0],
        "report": mem.audit.verify(),
        "broken": AuditReport(AuditStatus.BROKEN, 24, "ab" * 32, tail),
        "partial": AuditReport(AuditStatus.PARTIAL, 3, "ab" * 32),
        "stats": tech.episodic.stats(),
        "rewrite": show.Rewrite(HOSTILE, f"{HOSTILE} and more <b>"),
        "same": show.Rewrite("same", "same"),
        "kit": tech,
        "fused": knows.semantic.search(HOSTILE, k=9),
        "nothing fused": tech.semantic.search("nothing is known"),
        "graph": show.Neighbourhood(tuple(edges), "<b>arm</b> & 'co'", "all of it"),
        "edges": edges[:2],
        "board": explore_board.gather(tech, "person", "archived"),
        "no graph": show.Neighbourhood((), "arm"),
    }


def parsed(html: str) -> ElementTree.Element:
    """Read a fragment back as XML: it fails unless every element is closed and every text escaped."""
    return ElementTree.fromstring(html)


def words_in(element: ElementTree.Element) -> str:
    """Return all text below an element, the stylesheet left out, white space made single."""
    found = []

    def walk(at: ElementTree.Element) -> None:
        if at.tag != "style":
            found.append(at.text or "")
            for child in at:
                walk(child)
                found.append(child.tail or "")

    walk(element)
    return " ".join(" ".join(found).split())


def cells(element: ElementTree.Element) -> list[list[str]]:
    """Return the text of every body row's cells."""
    return [[words_in(cell) for cell in row] for row in element.iterfind(".//tbody/tr")]


def text_rows(text: str, columns: Mapping[str, int] | list[str]) -> list[list[str]]:
    """Return the cells of the text twin's rows under a heading with these columns."""
    lines = text.split("\n")
    start = next(at for at, line in enumerate(lines) if line.split()[: len(columns)] == list(columns))
    return [re.split(r"\s{2,}", line.strip()) for line in lines[start + 1 :]]


def logged() -> tuple[MemoryStore, Checkpoint, dict[str, Attack]]:
    """Return a store with a log of six entries, the checkpoint of its last, and the attacks."""
    mem = opened()
    tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
    for number in range(1, 6):
        tech.working.write("arm-1", "observed", f"drift {number}", f"arm 1 drifts by {number} mm")
    return mem, mem.audit.checkpoint("northlight"), attacks()
