"""The foils between a question and its answer bite while they are on, and leave no trace when off."""

import asyncio

import pytest
from helpers import opened

from teachmem.flow.models import ScriptedModel
from teachmem.marks.foil import foil

CATALOGUE, HEARSAY = "The yard carrier carries 150 kg", "The yard carrier carries 200 kg, a driver told me"
WEB = "Every yard carrier carries 300 kg since spring"
QUESTION = "how much does the yard carrier carry?"


@pytest.fixture
def mem():
    with opened() as memory:
        yield memory


@pytest.fixture
def tech(mem):
    found = mem.agent("dock-1", fleet="dock", tenant="northlight")
    found.semantic.remember(CATALOGUE, confidence=0.9)
    found.semantic.remember(HEARSAY, confidence=0.3)
    found.semantic.remember(WEB, source="web")
    return found


def test_a_bare_prompt_says_the_same_and_nothing_of_who_said_it(mem, tech):
    whole = str(tech.context(QUESTION))
    assert "confidence 0.3" in whole
    assert "UNTRUSTED" in whole
    with foil("unlabelled_prompt", mem):
        assert sorted(str(tech.context(QUESTION)).splitlines()) == sorted([CATALOGUE, HEARSAY, WEB])
    assert str(tech.context(QUESTION)) == whole


def test_parts_of_words_ask_for_what_nobody_asked(mem, tech):
    def names(question="is there plastic on the whole belt?"):
        return [intent.name for intent in tech.ask(question).state.intents]

    assert names() == ["search"]
    with foil("intent_by_substring", mem):
        assert set(names()) == {"history", "connection"}
    assert names() == ["search"]


def test_copies_of_an_answer_take_the_places_of_events_only_under_the_foil(mem, tech):
    for number in range(10):
        tech.episodic.log("observation", f"the yard carrier made tour {number}")

    def answers():
        for _ in range(9):
            mem.clock.advance(minutes=5)
            events = tech.ask(QUESTION).state.events
        return sum(event.content.startswith("asked: ") for event in events)

    assert answers() == 0
    with foil("answers_fill_the_slots", mem):
        assert answers() >= 7
    assert answers() == 0


def test_an_invented_citation_stands_only_under_the_foil(mem, tech):
    fact = tech.semantic.search("yard carrier 150", k=1)[0].memory.memory_id

    def said():
        model = ScriptedModel(f"It carries 150 kg [{fact}]. The limit was raised [fact-0911].")
        return tech.ask(QUESTION, model=model).cited

    assert said() == (fact,)
    with foil("citation_unchecked", mem):
        assert said() == (fact, "fact-0911")
    assert said() == (fact,)


def test_every_tool_is_listed_only_under_the_foil(mem, tech):
    from fastmcp import Client

    from teachmem.server import app
    from teachmem.server.toolset import MOST_AT_FIRST, found
    from teachmem.vocabulary import Role

    def listed():
        async def run():
            async with Client(app.build(mem, fixed=tech.principal)) as client:
                return {tool.name for tool in await client.list_tools()}

        return asyncio.run(run())

    few = listed()
    assert len(few) <= MOST_AT_FIRST
    with foil("all_tools_at_once", mem):
        assert listed() == set(found("", Role.AGENT))  # people's tools are hidden still
    assert listed() == few
