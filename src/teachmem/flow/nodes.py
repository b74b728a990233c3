"""The nine nodes, each a plain function from state to state; none changes what it was given.

Left out: their order and the trace (`flow/pipeline.py`), and the parts that they use: intents, contexts,
replies and tiers have modules of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from teachmem.errors import MemoryRefused, NotFound
from teachmem.flow import context as contexts
from teachmem.flow import due, intent, logbook, reply
from teachmem.flow.state import Means, State
from teachmem.recall import hybrid, text
from teachmem.record import Hit, Memory

FACTS, EVENTS, NOTES, EDGES = 12, 8, 8, 12  # that a node hands on at most
WEIGHTS = contexts.WEIGHTS
DEEPER = 2  # so many times as many events where the question is about what happened


def parse_intent(state: State, means: Means) -> State:
    """Say what the question is after, with the words that speak for it."""
    return replace(state, intents=intent.intents(state.question))


def query_graph(state: State, means: Means) -> State:
    """Find the things of the graph that the question names, and the triples around them."""
    edges = means.graph.edges(**means.times)
    named = set(intent.numbers(state.question))
    said = f" {' '.join(text.fold(state.question).split())} "
    names = {name for edge in edges for name in (edge.subject, edge.object)}
    found = [name for name in names if name in named or _is_said(name, said)]
    found.sort(key=lambda name: (-len(name), name))
    around = {
        edge.memory.memory_id: edge for name in found for edge in edges if name in (edge.subject, edge.object)
    }
    return replace(state, entities=tuple(found), edges=tuple(around.values())[:EDGES])


def _is_said(name: str, said: str) -> bool:
    """Say whether a name stands in the question in whole words."""
    place = said.find(folded := text.fold(name))
    ends = said[place - 1 : place] + said[place + len(folded) : place + len(folded) + 1]
    return bool(folded) and place > 0 and not any(end.isalnum() for end in ends)


def inject_scratchpad(state: State, means: Means) -> State:
    """Take the best notes for the question."""
    packed = means.tiers.working.context(state.question, means.budget, **means.times)
    return replace(state, notes=tuple(line.memory for line in packed.lines)[:NOTES])


def recall_episodes(state: State, means: Means) -> State:
    """Recall the events that speak of the question; deeper where it asks what happened.

    Answers that were logged before are left out: they say again what their evidence says, and six copies
    of one question would fill the places of six events.
    """
    after = {found.name for found in state.intents}
    most = EVENTS * (DEEPER if after & {"history", "diagnostic"} else 1)
    found = means.tiers.episodic.recall(
        state.question, 2 * most, weights=WEIGHTS, relevance="hybrid", **means.times
    )
    hits = [hit for hit in found if _is_about(hit) and not _is_book_keeping(hit.memory)][:most]
    return replace(state, events=tuple(hit.memory for hit in hits), cosines=_cosines(state, hits))


def _is_about(hit: Hit) -> bool:
    """Say whether a hit shares a word with the question or is near it: ranking alone keeps the nearest."""
    return hit.raw["words"] > 0 or hit.raw["meaning"] >= hybrid.ABOUT


def _cosines(state: State, hits: Iterable[Hit]) -> Mapping[str, float]:
    return {**state.cosines, **{hit.memory.memory_id: hit.raw["meaning"] for hit in hits}}


def _is_book_keeping(event: Memory) -> bool:
    return event.kind in due.BOOK_KEEPING or logbook.is_answer(event)


def retrieve(state: State, means: Means) -> State:
    """Search the facts, and the catalogue where the question names a robot or a part."""
    found = means.tiers.semantic.search(state.question, FACTS, **means.times)
    hits = [hit for hit in found if _is_about(hit)]
    facts = [hit.memory for hit in hits]
    for edge in state.edges:  # a triple is a fact too
        if edge.memory not in facts and len(facts) < FACTS:
            facts.append(edge.memory)
    if any(found.name in ("lookup", "compare") for found in state.intents):
        documents = means.tiers.semantic.search_documents(state.question, 3, **means.times)
        facts += [hit.memory for hit in documents if hit.raw["words"] > 0]
    return replace(state, facts=tuple(facts), cosines=_cosines(state, hits)).remark(found.note)


def compress_context(state: State, means: Means) -> State:
    """Pack it all into the budget, as labelled lines: keystones first, untrusted text last."""
    sections = {"fact": state.facts, "note": state.notes, "event": state.events}
    packed = contexts.packed(
        means.kit, means.who, sections, state.question, means.budget, means.at, means.known_at
    )
    return replace(state, context=packed)


def reason(state: State, means: Means) -> State:
    """Draw the answer from the context: with a model if there is one, else in its own sentences."""
    assert state.context is not None
    memories = [line.memory for line in state.context.lines if line.memory is not None]
    if means.model is not None:
        trusted = {memory.memory_id for memory in memories}
        waiting = {line.id for line in state.context.section("untrusted")}
        try:
            drawn = reply.asked_of(means.model, state.question, str(state.context), trusted, waiting)
            return replace(state, reply=drawn)
        except Exception as error:  # a plugged-in model may fail in any way
            state = state.remark(f"the model gave no answer ({type(error).__name__}); these are quotes")
    return replace(state, reply=reply.extracted(state.question, memories, state.cosines))


def respond(state: State, means: Means) -> State:
    """Put the answer into words, each sentence with the ids that it rests on."""
    said = str(state.reply)
    if state.reply.sentences and any(found.name == "count" for found in state.intents):
        said += f"\n(memory holds {len(state.facts)} facts and {len(state.events)} events that speak of this)"
    return replace(state, text=said)


def log_episode(state: State, means: Means) -> State:
    """Log question and answer, no wider than the narrowest evidence; a repeated answer is logged once."""
    if means.known_at is not None or means.at is not None:
        return state.remark("not logged: the question was about another time")
    try:
        receipt = logbook.log(
            means.kit, means.who, state.question, state.text, state.reply.cited, means.session
        )
    except MemoryRefused as refusal:
        return state.remark(f"not logged: {refusal.receipt.steps[-1].reason}")
    except NotFound as gone:
        return state.remark(f"not logged: {gone.memory_id}, which it rests on, is gone by now")
    return replace(state, logged=receipt)
