"""Whatever people and agents write, a view shows it and none of it becomes HTML: every view and explorer.

A world is made in which every field that somebody may fill holds an attack; everything that can be shown of
it is read back as a browser reads it. No element, attribute, style or comment may come from the data.
"""

import ast
import atexit
from functools import cache
from html.parser import HTMLParser
from types import SimpleNamespace

import ipywidgets
import pytest
from helpers import opened
from hypothesis import given
from hypothesis import strategies as st
from show_world import parsed
from test_architecture import FILES

from teachmem import MemoryRefused, show
from teachmem.ledger.chain import Finding
from teachmem.ledger.report import AuditReport, AuditStatus
from teachmem.marks.attacks import attacks
from teachmem.show import (
    display,
    explore_board,
    explore_chain,
    explore_fusion,
    explore_inbox,
    explore_time,
    live,
    live_board,
    live_chain,
    live_console,
    live_facts,
    live_inbox,
    live_scope,
    live_scorecard,
    live_trace,
    markup,
    readers,
    scorecard,
    side_by_side,
    time_grid,
)
from teachmem.show.wall import LAWFUL, YOURS, Brick, Wall

MARK = "zqx"  # stands in every attack, and in nothing of ours
ATTACKS = (
    f"<script>{MARK}()</script><img src={MARK} onerror={MARK}()>",
    f'" onfocus="{MARK}()" style="x:url({MARK})" \' onload=\'{MARK}()\' autofocus `{MARK}`',
    f"</style></title></textarea></pre></svg><svg onload={MARK}()><a href=javascript:{MARK}>",
    f"<!-- {MARK} --> ]]> <![CDATA[{MARK}]]> &lt;{MARK}&gt; &#60;{MARK}> <?{MARK}?> <{MARK} {MARK}={MARK}>",
    f"}} *{{background:url({MARK})}} @import {MARK}; /* {MARK} */ \\<{MARK}> <\u200bscript>{MARK}</script>",
    f"[{MARK}](javascript:{MARK}) ![{MARK}]({MARK}) $\\href{{javascript:{MARK}}}{{{MARK}}}$ <{MARK}@x>",
)
SAID = {"aria-label", "title", "alt"}  # attributes that hold words
HARMLESS = "an ordinary sentence of several words, as long as an attack usually is"


class Reader(HTMLParser):
    """Reads HTML as a browser does and notes what stands anywhere but in text."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.strange, self.text, self.open, self.shapes = [], "", [], set()

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.shapes |= {tag, *(f"{tag} {name}" for name, _ in attrs)}
        self.strange += [
            f"{tag} {name}={value!r}" for name, value in attrs if name not in SAID and MARK in value
        ]

    def handle_endtag(self, tag):
        while self.open and self.open.pop() != tag:
            pass

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_data(self, data):
        if "style" in self.open and (MARK in data or "<" in data or "url(" in data or "@import" in data):
            self.strange.append(f"a rule {data[:60]!r}")
        if "style" not in self.open:
            self.text += data

    def handle_comment(self, data):
        self.strange.append(f"<!--{data}-->")

    def handle_decl(self, decl):
        self.strange.append(f"<!{decl}>")

    unknown_decl = handle_decl
    handle_pi = handle_decl


def read(source):
    reader = Reader()
    reader.feed(source)
    reader.close()
    return reader


def fits(text, most=190):
    """Return an attack that fits into a name."""
    return text[:most]


SKILL = """---
name: greet
title: {title}
trigger: {trigger}
arguments: robot
---
Say hello to {{robot}}. {body}"""


@cache
def world(attack):
    """Return one of everything that is shown, each field filled with `attack`, by a name."""
    mem = opened()
    atexit.register(mem.close)
    name, words = fits(attack), attack

    def handle(kind, who, clearance=1):
        return getattr(mem, kind)(f"{who} {name}"[:200], fleet=name, tenant=name, clearance=clearance)

    tech, lead, steward = handle("agent", "tech"), handle("person", "lead"), handle("person", "steward", 3)
    other = mem.agent(f"other {name}"[:200], fleet=f"2 {name}"[:200], tenant=name)
    ids = []
    for number in range(4):
        ids.append(
            tech.semantic.remember(f"fact {number} {words}", source="web" if number == 3 else None).memory
        )
        tech.episodic.log("observation", f"event {number} {words}", f"{number} {name}"[:200])
        tech.working.write(
            name, "observed", f"{number} {name}"[:200], words, rewrites={"shortened": f"short {words}"}
        )
    ids = [each.memory_id for each in ids if each is not None]
    first = tech.graph.link(name, "contains", f"part {name}"[:200]).memory.memory_id
    tech.graph.link(f"part {name}"[:200], "related_to", f"far {name}"[:200])
    mem.clock.advance(days=3)
    tech.semantic.revise(ids[0], content=f"revised {words}", valid_from="2026-02-20")
    lead.semantic.reject(ids[1], f"because {words}")
    with pytest.raises(MemoryRefused) as refused:
        tech.episodic.log(words, "of a kind that there is not")
    steward.load_skills(
        [SKILL.format(title=name.replace("\n", " "), trigger=words, body=words.replace("{", "("))]
    )
    held = mem.audit.checkpoint(tech.principal.tenant)
    inbox = explore_inbox.gather(lead)
    kept = explore_inbox.copied(mem)
    answer = tech.ask(f"what of {words}?")
    fused = explore_fusion.gather(tech, words)
    tail = tuple(Finding(name, seq, words) for seq in (3, 4))
    edges = tech.graph.edges()
    shown = {
        "receipt": tech.episodic.log("user_turn", words),
        "refused": refused.value,
        "recollection": tech.episodic.recall(words, k=3),
        "why not": tech.episodic.recall(words, k=1).why_not(ids[0]),
        "fused": tech.semantic.search(words, k=9),
        "context": tech.working.context(words, budget=4000),
        "small context": tech.working.context(words, budget=40),
        "memories": tech.episodic.recent(9),
        "memory": tech.working.read(limit=1)[0],
        "edges": edges,
        "stats": tech.semantic.stats(),
        "own stats": {name: 3, f"2 {name}": {name: 4, words: 2}, "text": words},
        "tiers": tech,
        "report": mem.audit.verify(),
        "broken": AuditReport(AuditStatus.BROKEN, 24, "ab" * 32, tail),
        "rewrite": show.Rewrite(f"a {words} b", f"a {words[5:]} c", name),
        "graph": show.Neighbourhood(tuple(edges), name, words),
        "board": explore_board.gather(tech, "person", "archived"),
        "inbox": inbox,
        "decided": explore_inbox.tried(kept, lead, tech, inbox.items[0], "reject", 31),
        "answer": answer,
        "attacked": explore_chain.attacked(mem, held),
        "wall": Wall((Brick(f"recall.{name}", YOURS, name, name, words), Brick("rules.gate", LAWFUL))),
    }
    views = {what: show.view_of(thing) for what, thing in shown.items()}
    views["lists"] = side_by_side.lists(fused, 5, explore_fusion.FUSED)
    views["times"] = time_grid.grid(explore_time.gather(tech, [ids[0], first]))
    views["readers"] = readers.matrix(readers.gather([tech, lead, other], ids), 0)
    for run in answer.trace:
        views[f"node {run.name}"] = show.view_of(answer, node=run.name)
    marks = [
        SimpleNamespace(probe=name, mark=name, answer=said, evidence=words, asks=words)
        for said in scorecard.SAID
    ]
    card = SimpleNamespace(system=name, version=name, way=words, findings=marks)
    other_card = SimpleNamespace(system=f"2 {name}", version="", way=words, findings=marks[1:])
    views["card"] = scorecard.one(card)
    views["cards"] = scorecard.by_marks([card, other_card])
    views["cards of one mark"] = scorecard.beside([card, other_card], name)
    views["foils"] = scorecard.foils({name: marks})
    widgets = {
        "console": lambda: console(mem, steward, words),
        "scorecard": lambda: live_scorecard.build(ipywidgets, [card, other_card], {"foil": lambda: card}),
        "score_explorer": lambda: live.build_score_explorer(tech, words, 3),
        "budget_packer": lambda: live.build_budget_packer(tech, words),
        "fusion_explorer": lambda: live_facts.build_fusion_explorer(ipywidgets, tech, words),
        "graph_explorer": lambda: live_facts.build_graph_explorer(ipywidgets, tech, name),
        "chain_viewer": lambda: live_chain.build(ipywidgets, mem, held, attacks()),
        "lifecycle_board": lambda: live_board.build(ipywidgets, tech),
        "review_inbox": lambda: live_inbox.build(ipywidgets, mem, lead, tech),
        "time_machine": lambda: live_scope.build_time_machine(ipywidgets, tech, [ids[0]]),
        "scope_matrix": lambda: live_scope.build_scope_matrix(ipywidgets, [tech, other], ids, {}),
        "pipeline_trace": lambda: live_trace.build(ipywidgets, answer),
    }
    return views, {what: build() for what, build in widgets.items()}, shown


def console(mem, steward, words):
    """Return the console after its question was asked."""
    tabs = live_console.build(ipywidgets, mem, steward)
    (question,) = [each for each in inside(tabs) if getattr(each, "description", "") == "question"]
    question.value = words
    return tabs


def inside(box):
    """Yield every widget in a box, however deep it lies."""
    for each in box.children:
        yield each
        if hasattr(each, "children"):
            yield from inside(each)


def sources(attack):
    """Yield the HTML of everything that is shown of a world, by its name."""
    views, widgets, _ = world(attack)
    for what, seen in views.items():
        yield what, str(seen.html())
    for what, box in widgets.items():
        for place, each in enumerate(inside(box)):
            if isinstance(each, ipywidgets.HTML):
                yield f"{what} {place}", each.value


@cache
def ours():
    """Return which elements we make, and with which attributes, when nobody attacks."""
    return frozenset().union(*(read(source).shapes for _, source in sources(HARMLESS)))


worlds = pytest.mark.parametrize("attack", ATTACKS, ids=range(len(ATTACKS)))
WITHOUT_WORDS = {
    "stats",
    "report",
    "board",
    "attacked",
    "receipt",
    "why not",
}  # counts, states, reasons of ours


@worlds
def test_nothing_that_somebody_wrote_becomes_an_element_an_attribute_or_a_rule(attack):
    for what, source in sources(attack):
        found = read(source)
        assert not found.strange, (what, found.strange[:3])
        assert found.shapes <= ours(), (what, found.shapes - ours())
        parsed(f"<all>{source}</all>")  # well-formed, several views in one widget too


def test_the_attacks_are_shown_for_an_attack_that_is_not_proves_nothing():
    loud = {what for attack in ATTACKS for what, source in sources(attack) if MARK in read(source).text}
    views = {what for what in world(ATTACKS[0])[0] if not what.startswith("node ")}
    assert views - loud <= WITHOUT_WORDS


def test_what_we_make_runs_and_fetches_nothing():
    made = {shape.split()[-1] for shape in ours()}
    assert not made & set(
        "script iframe object embed link meta base form img input a href src srcset".split()
    )
    assert not [shape for shape in made if shape.startswith("on") or ":" in shape]


@worlds
def test_the_words_on_controls_are_text(attack):
    for what, box in world(attack)[1].items():
        for each in inside(box):
            assert not isinstance(each, ipywidgets.HTMLMath), what
            assert not getattr(each, "description_allow_html", False), what


def test_every_view_and_widget_there_is_was_looked_at():
    """A new kind of view, or a new widget, has to be put into this world."""
    _, widgets, shown = world(ATTACKS[0])
    assert all(any(isinstance(thing, kind) for thing in shown.values()) for kind in display._VIEWS)
    offered = {
        name.removeprefix("build_")
        for name, thing in vars(live).items()
        if getattr(thing, "__module__", "") == live.__name__ and callable(thing) and name[0] != "_"
    }
    assert offered - {"enabled"} == set(widgets)


# ---- the one place where HTML is made


fragments = st.lists(
    st.one_of(
        st.sampled_from(ATTACKS), st.sampled_from("<>&\"'/`=;{}()\\- \n\x00\x0c\u2028\ud800"), st.text()
    ),
    max_size=6,
).map("".join)


@given(said=fragments, value=fragments)
def test_text_and_attributes_are_read_back_as_they_were(said, value):
    source = str(markup.page(said, markup.el("p", {"class": "tm-faint", "title": value}, said)))
    found = read(source)
    assert not [each for each in found.strange if not each.startswith("<p class")]
    tree = parsed(source)
    shown = markup.words.visible(said)
    assert tree.find("p").text in (shown, shown or None)
    assert found.text == shown


def test_only_markup_says_what_is_html_already():
    """`Markup` is trusted; anywhere else only fixed words may be made one."""
    for module, path in FILES.items():
        if module == "show.markup":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and "Markup" in (
                getattr(node.func, "id", ""),
                getattr(node.func, "attr", ""),
            ):
                fixed = len(node.args) == 1 and isinstance(node.args[0], ast.Constant)
                assert fixed, f"{module}:{node.lineno} calls something HTML that may be somebody's words"
            if isinstance(node, ast.keyword):
                assert node.arg != "description_allow_html", module
