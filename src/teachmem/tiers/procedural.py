"""Procedural memory: how something is done, as skills that a person has let in.

A skill has a name, a title, a trigger that says when it is for, arguments, and a body with a place for
each argument. It is kept as one memory of kind `skill`: the body is its content, the name its subject,
the rest its detail; a changed skill is the memory's next version, and the old one stays readable.

>>> skill = parse('''---
... name: greet
... title: Greet a robot
... trigger: a robot wakes up
... arguments: robot
... ---
... Say hello to {robot}.''')
>>> fill(skill["body"], skill["arguments"], {"robot": "NL-0003"})
'Say hello to NL-0003.'

Left out: writing skills from experience (`flow/distil.py`). There is no door here for an agent: what
tells others what to do is let in by a person, from a file or out of the inbox.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from teachmem.clock import Moment, from_micros
from teachmem.errors import InvalidInput
from teachmem.principal import Principal
from teachmem.recall import score, text
from teachmem.record import Draft, Hit, Memory, Receipt, Recollection
from teachmem.rules import admissible, amend, shape
from teachmem.tiers.kit import Kit, check_count
from teachmem.vocabulary import Tier, Visibility

TRIGGER, BODY = 0.7, 0.3  # what a skill is for says more than how it is done
FIELDS = ("name", "title", "trigger", "arguments")
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_PLACE = re.compile(r"\{([a-z_]+)\}")


@dataclass(frozen=True, slots=True)
class Skill:
    """One skill as it is believed now. `version` counts its revisions, from 1."""

    name: str
    title: str
    trigger: str
    arguments: tuple[str, ...]
    memory: Memory

    @property
    def version(self) -> int:
        """Which version of the skill this is."""
        return self.memory.version

    @classmethod
    def of(cls, memory: Memory) -> Skill:
        """Return the skill that a memory of kind `skill` holds."""
        said = memory.detail
        arguments = tuple(str(name) for name in said.get("arguments", ()))
        title, trigger = str(said.get("title", memory.subject)), str(said.get("trigger", ""))
        return cls(memory.subject, title, trigger, arguments, memory)


@dataclass(frozen=True, slots=True)
class Used:
    """A skill filled in for one use: `text` is what to follow, `receipt` that of the use's event."""

    skill: Skill
    text: str
    receipt: Receipt

    def __str__(self) -> str:
        return self.text


class ProceduralMemory:
    """The skills, as one principal may choose and use them."""

    def __init__(self, who: Principal, kit: Kit) -> None:
        self._who = who
        self._kit = kit

    def list(
        self, *, at: Moment | None = None, known_at: Moment | None = None, widen: str | None = None
    ) -> list[Skill]:
        """Return every skill that you may use, by name; of two of one name, the newest record."""
        found = {skill.name: skill for skill in reversed(self._skills("list", at, known_at, widen)[0])}
        return [found[name] for name in sorted(found)]

    def get(
        self,
        name: str,
        *,
        at: Moment | None = None,
        known_at: Moment | None = None,
        widen: str | None = None,
    ) -> Skill:
        """Return one skill by its name. Raises `InvalidInput` where there is none that you may use."""
        shape.check_name("name", name, empty=False)
        for skill in self.list(at=at, known_at=known_at, widen=widen):
            if skill.name == name:
                return skill
        raise InvalidInput("name", f"there is no skill {name!r} that you may use; list() names them")

    def choose(
        self,
        task: str,
        k: int = 3,
        *,
        at: Moment | None = None,
        known_at: Moment | None = None,
        widen: str | None = None,
    ) -> Recollection:
        """Return the k skills whose trigger and body fit a task best, each with its two parts.

        A skill that shares no word with the task is not chosen.
        """
        k = check_count("k", k)
        asked = text.terms(task)
        skills, moment = self._skills("choose", at, known_at, widen)
        triggers = [text.terms(f"{skill.title} {skill.trigger}") for skill in skills]
        bodies = [text.terms(skill.memory.content) for skill in skills]
        of_triggers, of_bodies = score.Corpus.of(triggers), score.Corpus.of(bodies)
        hits = []
        for skill, trigger, body in zip(skills, triggers, bodies, strict=True):
            parts = {
                "trigger": TRIGGER * score.relevance(asked, trigger, of_triggers),
                "body": BODY * score.relevance(asked, body, of_bodies),
            }
            if score.total(parts):
                hits.append(Hit(skill.memory, score.total(parts), parts))
        hits.sort(key=lambda hit: (-hit.score, hit.memory.subject, hit.memory.memory_id))
        note = "" if hits else "no skill is for that"
        settings = MappingProxyType({"k": k, "weights": {"trigger": TRIGGER, "body": BODY}})
        return Recollection(task, tuple(hits[:k]), from_micros(moment), note, settings)

    def use(self, name: str, session: str = "s1", /, **arguments: str) -> Used:
        """Fill a skill in and log that it was used, so that uses can be counted."""
        skill = self.get(name)
        filled = fill(skill.memory.content, skill.arguments, arguments)
        given = ", ".join(f"{place} {value}" for place, value in arguments.items())
        said = f"used the skill {name}, version {skill.version}" + (f", with {given}" if given else "")
        draft = Draft(
            tier=Tier.EPISODIC,
            kind="tool_call",
            content=said,
            session=session,
            subject=name,
            evidence=(skill.memory.memory_id,),
            visibility=skill.memory.visibility if skill.memory.visibility != Visibility.ORG else "team",
        )
        return Used(skill, filled, self._kit.gate.write(self._who, draft))

    def uses(
        self,
        name: str,
        *,
        at: Moment | None = None,
        known_at: Moment | None = None,
        widen: str | None = None,
    ) -> int:
        """Return how often a skill was used, as far as you may read the events."""
        with self._kit.asking(self._who, "procedural.uses", at, known_at, widen) as (tx, who, moment, known):
            rows = admissible.newest(
                tx, who, moment, known, tier=Tier.EPISODIC, kind="tool_call", subject=name
            )
        return len(rows)

    def _skills(
        self, read: str, at: Moment | None, known_at: Moment | None, widen: str | None
    ) -> tuple[Sequence[Skill], int]:
        asked = self._kit.asking(self._who, f"procedural.{read}", at, known_at, widen)
        with asked as (tx, who, moment, known):
            rows = admissible.newest(tx, who, moment, known, tier=Tier.PROCEDURAL)
        return [Skill.of(row) for row in rows], moment


def load(who: Principal, kit: Kit, files: Iterable[str], visibility: str = Visibility.TEAM) -> list[Receipt]:
    """Write each text in the form of `parse` as a skill; one that is known becomes its next version.

    A list with a text in bad shape is refused before anything is written.
    """
    if isinstance(files, str) or not isinstance(files, Iterable):
        raise InvalidInput("skills", "must be a list of texts, each with a head and a body")
    receipts = []
    for skill in [parse(each) for each in files]:
        detail = {name: skill[name] for name in FIELDS if name != "name"}
        with kit.reading(who, None, None) as (tx, moment, _):
            known = admissible.newest(tx, who, moment, tier=Tier.PROCEDURAL, subject=skill["name"])
        own = [row for row in known if row.visibility == visibility]
        if own:
            changes = {"content": skill["body"]}
            receipt = amend.revise(kit.gate, who, Tier.PROCEDURAL, own[0].memory_id, changes, detail=detail)
        else:
            draft = Draft(
                tier=Tier.PROCEDURAL,
                kind="skill",
                content=skill["body"],
                subject=skill["name"],
                visibility=visibility,
                detail=detail,
            )
            receipt = kit.gate.write(who, draft)
        receipts.append(receipt)
    return receipts


def parse(said: str) -> dict[str, Any]:
    """Return what a skill's text says: a head of `name: value` lines between two lines `---`, and a body.

    Raises `InvalidInput` for a head that lacks a field, and for a body whose places are not the arguments.
    """
    shape.check_text("skill", said)
    head, found, body = said.removeprefix("---\n").partition("\n---\n")
    if not said.startswith("---\n") or not found:
        raise InvalidInput("skill", "needs a head between two lines of three dashes, then the body")
    given = dict(line.split(":", 1) for line in head.splitlines() if ":" in line)
    skill: dict[str, Any] = {name: given.get(name, "").strip() for name in FIELDS}
    for name in ("name", "title", "trigger"):
        shape.check_name(f"skill.{name}", skill[name], empty=False)
    if not _NAME.fullmatch(skill["name"]):
        raise InvalidInput("skill.name", f"{skill['name']!r} is not small letters and digits with dashes")
    skill["arguments"] = [name.strip() for name in skill["arguments"].split(",") if name.strip()]
    skill["body"] = body.strip()
    shape.check_text("skill.body", skill["body"])
    places = set(_PLACE.findall(skill["body"]))
    if places != set(skill["arguments"]):
        wrong = ", ".join(sorted(places ^ set(skill["arguments"])))
        raise InvalidInput("skill.arguments", f"head and body disagree about: {wrong}")
    return skill


def fill(body: str, arguments: Sequence[str], given: Mapping[str, str]) -> str:
    """Return the body with what is given in its places. A value is put in as it is, once.

    Raises `InvalidInput` for an argument that is missing or that the skill does not have.
    """
    for name in arguments:
        shape.check_name(name, given.get(name, ""), empty=False)
    if unknown := sorted(set(given) - set(arguments)):
        known = ", ".join(arguments) or "no argument"
        raise InvalidInput(unknown[0], f"is no argument of this skill, which takes {known}")
    return _PLACE.sub(lambda place: given.get(place[1], place[0]), body)
