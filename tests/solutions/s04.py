"""Solutions of segment 04."""

from solutions.entry import Entry

IMPORTS = """\
from dataclasses import replace

from teachmem.flow import logbook
from teachmem.flow.state import State
"""

HEAD = """\
name: diagnose-a-robot
title: Find out what is wrong with a robot
"""
TRIGGER = "trigger: a robot is failing, drifting, slipping, overheating, loses vacuum or has stopped\n"
BODY = """\
Find out what is wrong with {robot}. What was seen: {symptom}

1. Recall what happened to {robot} in the last shifts, with the id of each event.
2. If vacuum is low, look at each cup for a cut before anything else.
3. Name at most three causes, each with the ids that speak for it and against it."""


def skill(head=HEAD, trigger=TRIGGER, arguments="robot, symptom", body=BODY):
    text = f"---\n{head}{trigger}arguments: {arguments}\n---\n{body}\n"
    return f'skill = """\\\n{text}"""\n'


SOLUTIONS = {
    "4.1": Entry(
        cell="exercise-4-1",
        answer="recall_episodes",
        needs=("build-state",),
        given=IMPORTS,
        model="""\
def recall_episodes(state, means):
    found = means.tiers.episodic.recall(state.question, 1000, **means.times)
    events = [hit.memory for hit in found if not logbook.is_answer(hit.memory)]
    return replace(state, events=tuple(events[:8]))
""",
        accepted=(
            """\
def recall_episodes(state, means):
    chosen = []
    for hit in means.tiers.episodic.recall(state.question, 200, at=means.at, known_at=means.known_at):
        if hit.memory.kind != "agent_response" and len(chosen) < 8:
            chosen.append(hit.memory)
    return replace(state, events=tuple(chosen))
""",
            """\
from teachmem.flow import nodes


def recall_episodes(state, means):
    after = nodes.recall_episodes(state, means)
    return replace(after, events=after.events[:8])
""",
        ),
        wrong={
            "a node changes what it is given": """\
def recall_episodes(state, means):
    found = means.tiers.episodic.recall(state.question, 1000, **means.times)
    state.events = [hit.memory for hit in found if not logbook.is_answer(hit.memory)][:8]
    return state
""",
            "a node gives its own part": """\
def recall_episodes(state, means):
    found = means.tiers.episodic.recall(state.question, 1000, **means.times)
    return [hit.memory for hit in found if not logbook.is_answer(hit.memory)][:8]
""",
            "a new state starts empty": """\
from teachmem.flow.state import State


def recall_episodes(state, means):
    found = means.tiers.episodic.recall(state.question, 1000, **means.times)
    events = [hit.memory for hit in found if not logbook.is_answer(hit.memory)]
    return State(state.question, events=tuple(events[:8]))
""",
            "an answer is an event like any other": """\
def recall_episodes(state, means):
    found = means.tiers.episodic.recall(state.question, 8, **means.times)
    return replace(state, events=tuple(hit.memory for hit in found))
""",
            "first cut, then filter": """\
def recall_episodes(state, means):
    found = means.tiers.episodic.recall(state.question, 8, **means.times)
    return replace(state, events=tuple(hit.memory for hit in found if not logbook.is_answer(hit.memory)))
""",
            "a question is about now": """\
def recall_episodes(state, means):
    found = means.tiers.episodic.recall(state.question, 1000)
    events = [hit.memory for hit in found if not logbook.is_answer(hit.memory)]
    return replace(state, events=tuple(events[:8]))
""",
        },
    ),
    "4.2": Entry(
        cell="exercise-4-2",
        answer="skill",
        model=skill(),
        accepted=(
            skill(
                trigger="trigger: vacuum is low or lost, or a robot is overheating, drifting, slipping, "
                "or has stopped\n",
                arguments="symptom, robot",
                body="Look at {robot}: {symptom}. Begin with the vacuum pump, then the cups.",
            ),
        ),
        wrong={
            "a new version has a new name": skill(head=HEAD.replace("a-robot", "a-robot-2")),
            "a skill is written for its first case": skill(body=BODY + "\n4. Change cup two of NL-0002."),
            "a good body is found by itself": skill(
                trigger="trigger: a robot is failing, drifting, slipping, overheating or has stopped\n",
                body=BODY.replace("vacuum is low", "a cup does not hold"),
            ),
            "the new case replaces the old ones": skill(trigger="trigger: a cup loses vacuum\n"),
            "the longer the trigger, the better": skill(
                trigger="trigger: a robot is failing, drifting, slipping, overheating, loses vacuum; compare "
                "robots, compare two, write a report, write a maintenance report\n",
                body=BODY + "\n4. Compare it with another robot and write a maintenance report.",
            ),
        },
    ),
    "4.3": Entry(
        cell="exercise-4-3",
        answer="find_tool",
        model="""\
async def find_tool(client, need):
    rows = (await client.call_tool("search_tools", {"query": need, "limit": 1})).data
    if not rows:
        return None
    name = rows[0]["name"]
    return name, (await client.call_tool("describe_tool", {"name": name})).data["arguments"]
""",
        accepted=(
            """\
async def find_tool(client, need):
    found = await client.call_tool("search_tools", {"query": need})
    for row in found.structured_content["result"]:
        told = await client.call_tool("describe_tool", {"name": row["name"]})
        return row["name"], told.structured_content["arguments"]
""",
        ),
        wrong={
            "the names are known beforehand": """\
async def find_tool(client, need):
    name = {"belt speed": "belt_speed_set", "open a door": "door_open"}.get(need)
    if name is None:
        return None
    return name, (await client.call_tool("describe_tool", {"name": name})).data["arguments"]
""",
            "a line is enough": """\
async def find_tool(client, need):
    rows = (await client.call_tool("search_tools", {"query": need, "limit": 1})).data
    return (rows[0]["name"], rows[0]["does"]) if rows else None
""",
            "load all, then choose": """\
async def find_tool(client, need):
    rows = (await client.call_tool("search_tools", {"query": need})).data
    told = [(await client.call_tool("describe_tool", {"name": row["name"]})).data for row in rows]
    return (told[0]["name"], told[0]["arguments"]) if told else None
""",
            "something always fits": """\
async def find_tool(client, need):
    rows = (await client.call_tool("search_tools", {"query": need, "limit": 1})).data
    if not rows:
        rows = (await client.call_tool("search_tools", {"query": "", "limit": 1})).data
    name = rows[0]["name"]
    return name, (await client.call_tool("describe_tool", {"name": name})).data["arguments"]
""",
        },
    ),
    "4.4": Entry(
        cell="exercise-4-4",
        answer="ask_memory",
        model="""\
async def ask_memory(client, question):
    said = (await client.call_tool("ask", {"question": question})).data
    if said["answered"]:
        return said["answer"], said["cited"]
    return None, said["nearest"]
""",
        accepted=(
            """\
async def ask_memory(client, question):
    said = (await client.call_tool("ask", {"question": question})).structured_content
    text = said["answer"] if said["cited"] else None
    return text, tuple(said.get("nearest", said["cited"]))
""",
        ),
        wrong={
            "the best hit is the answer": """\
async def ask_memory(client, question):
    hits = (await client.call_tool("semantic_search", {"query": question, "k": 1})).data["hits"]
    return hits[0]["content"], [hits[0]["id"]]
""",
            "sources are decoration": """\
async def ask_memory(client, question):
    said = (await client.call_tool("ask", {"question": question})).data
    return said["answer"] if said["answered"] else None
""",
            "a polite no is an answer": """\
async def ask_memory(client, question):
    said = (await client.call_tool("ask", {"question": question})).data
    return said["answer"], said["cited"]
""",
            "ask again until it answers": """\
async def ask_memory(client, question):
    for _ in range(3):
        said = (await client.call_tool("ask", {"question": question})).data
        if said["answered"]:
            return said["answer"], said["cited"]
    return None, said["nearest"]
""",
        },
    ),
}
