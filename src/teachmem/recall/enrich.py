"""What a fact seems to be about: title, tags, kind, dates and triple, suggested beside the text.

A suggestion is kept in `detail.enriched`, which names who made it and lists the fields that were
*inferred*; what the writer says is kept as said. The text is never touched, and no suggestion acts: the
kind of a fact is what its writer gave, and the graph holds no triple that nobody claimed.

>>> found = Rules().suggest("The hoist depends on the dryer, from 3 March 2026 on.", OFFERED)
>>> found["title"], found["tags"], found["dates"]
('The hoist depends on the dryer', ['hoist', 'depends', 'dryer', 'march'], ['2026-03-03'])
>>> Rules().suggest("We decided to keep NL-0007 off.", OFFERED)["kind"]
'decision'

Another enricher may be plugged in. What it returns is checked field by field, and if it fails, these rules
do its work and the receipt says so: a write is never lost and never waits for a person because of it.

Left out: understanding. The cue words are English; a text in another script gets a title and tags.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from teachmem.errors import InvalidInput
from teachmem.ports import Enricher
from teachmem.principal import name_fault
from teachmem.recall import text as words
from teachmem.record import Draft, Step
from teachmem.vocabulary import GRAPH_PREDICATES, SUGGESTIBLE_KINDS, Outcome, Tier

OFFERED = SUGGESTIBLE_KINDS  # a classifier is never offered a kind that only the system may write
FIELDS = ("title", "tags", "kind", "dates", "triple")
LONGEST_TITLE = 60  # characters
MOST_TAGS = 5
READ = 2_000  # characters of a text that are looked at

_CLAUSE = re.compile(r"\s*(.+?)(?=[.,;:!?](?:\s|$)|\n|$)", re.DOTALL)
_TAG = re.compile(r"[^\W_][\w-]{2,}[^\W_]")
_CUES = {
    "cancellation": "cancelled|called off|declined|no longer planned|will not be",
    "decision": "decided|decision|agreed that|approved|do not|may not|no more than|released for",
    "preference": "prefers?|preferred|would (?:rather|sooner)|next time i would",
    "commitment": "promised?|promises|committed to|guarantees?|(?:on order|ordered) as",
    "task": "todo|to do|ha(?:s|ve) to be|needs? to be|asks for",
    "intention": "intends?|wants? to|aims? to|means? to",
    "plan": "plans?|planned|scheduled|will be|shall|next week",
    "action": "(?:was|were) (?:put|replaced|repaired|installed|calibrated|swapped|tightened)",
}
_KIND = re.compile("|".join(rf"(?P<{kind}>\b(?:{cues})\b)" for kind, cues in _CUES.items()), re.IGNORECASE)
_MONTHS = "january february march april may june july august september october november december".split()
_MONTH = "|".join(_MONTHS)
_DATE = re.compile(
    rf"\b(?P<iso>\d{{4}}-\d\d-\d\d)\b|\b(?P<day>\d{{1,2}}) (?P<month>{_MONTH})(?: (?P<year>\d{{4}}))?\b",
    re.IGNORECASE,
)
_PLACE = r"(?:the |a |an )?(\S+(?: \S+){0,2}?)"
_SAYS = {
    "depends_on": "depends on",
    "located_in": "(?:is|stands) (?:located )?in",
    "maintained_by": "is maintained by",
    "manufactured_by": "is (?:made|manufactured) by",
    "compatible_with": "is compatible with|fits",
    "replaced_by": "is replaced by",
    "manager": "is (?:run|managed) by",
    "contains": "contains",
}
_TRIPLES = {
    predicate: re.compile(rf"{_PLACE} (?:{said}) {_PLACE}", re.IGNORECASE)
    for predicate, said in _SAYS.items()
}
_DENIES = re.compile(r"\b(?:not|no|never|nor|if|unless|may|might|was|were)\b|n't|\?", re.IGNORECASE)


class Rules:
    """The local classifier: a few stated rules, the same everywhere, some 30 microseconds a text."""

    name = "rules"

    def suggest(self, content: str, kinds: Sequence[str]) -> dict[str, Any]:
        """Return what the rules find in `content`; a field that they have nothing to say about is absent."""
        said = content[:READ]
        clause = _CLAUSE.match(said)
        first = clause[1].strip() if clause else ""
        found: dict[str, Any] = {"title": _title(first), "tags": _tags(said), "dates": _dates(said)}
        if (cue := _KIND.search(said)) and cue.lastgroup in kinds:
            found["kind"] = cue.lastgroup
        if triple := _triple(first):
            found["triple"] = triple
        return {name: value for name, value in found.items() if value}


def _title(first: str) -> str:
    if len(first) <= LONGEST_TITLE:
        return first
    return first[: LONGEST_TITLE + 1].rsplit(" ", 1)[0][:LONGEST_TITLE].rstrip()


def _tags(said: str) -> list[str]:
    """Return what has a number in it first (robots, parts, bays), then other words, in order."""
    found = dict.fromkeys(word.lower() for word in _TAG.findall(said))
    told = [word for word in found if word not in words.STOP_WORDS]
    told = [word for word in told if not word.isdecimal()]
    told.sort(key=lambda word: not any(char.isdigit() for char in word))
    return told[:MOST_TAGS]


def _dates(said: str) -> list[str]:
    """Return the dates as ISO 8601; one without a year as --MM-DD."""
    found = []
    for match in _DATE.finditer(said):
        try:
            if match["iso"]:
                found.append(date.fromisoformat(match["iso"]).isoformat())
            else:
                month = _MONTHS.index(match["month"].lower()) + 1
                told = date(int(match["year"] or 2000), month, int(match["day"])).isoformat()
                found.append(told if match["year"] else f"-{told[4:]}")
        except ValueError:  # 31 February
            continue
    return list(dict.fromkeys(found))


def _triple(first: str) -> list[str] | None:
    if len(first) > LONGEST_TITLE or _DENIES.search(first):
        return None
    for predicate, pattern in _TRIPLES.items():
        if match := pattern.fullmatch(first):
            return [match[1], predicate, match[2]]
    return None


class Enrichment:
    """What the gate does before it takes its lock: a draft with suggestions, a step if something failed."""

    def __init__(self, enricher: Enricher | None = None) -> None:
        self._rules = Rules()
        self._enricher = enricher or self._rules

    def __call__(self, draft: Draft) -> tuple[Draft, Step | None]:
        """Return the draft with `detail.enriched`, for facts; whatever goes wrong, a draft comes back."""
        said = draft.detail.get("enriched", {})
        if draft.tier != Tier.SEMANTIC or draft.kind not in OFFERED or "by" in said:
            return draft, None
        by, step = self._enricher, None
        try:
            found = checked(by.suggest(draft.content, OFFERED))
        except Exception as error:  # a plugged-in enricher may fail in any way; the write goes on
            step = Step(
                "enrich", Outcome.NOTED, f"{by.name} failed ({type(error).__name__}); by rules instead"
            )
            by, found = self._rules, checked(self._rules.suggest(draft.content, OFFERED))
        fit = {name: value for name, value in fitting(found, draft).items() if name not in said}
        if not fit and not said:
            return draft, step
        enriched = {"by": by.name, "inferred": sorted(fit), **fit, **said}
        return replace(draft, detail={**draft.detail, "enriched": enriched}), step


def fitting(found: Mapping[str, Any], draft: Draft) -> dict[str, Any]:
    """Return the suggestions that the writer has not answered: a given kind or triple needs none."""
    answered = {"kind"} if draft.kind != "fact" or found.get("kind") == "fact" else set()
    answered |= {"triple"} if draft.predicate else set()
    return {name: value for name, value in found.items() if name in FIELDS and name not in answered}


def said(given: object) -> dict[str, Any]:
    """Return what a writer says of a text in place of suggestions; refuse what could be none."""
    if not isinstance(given, Mapping) or set(given) - set(FIELDS) or checked(given) != dict(given):
        raise InvalidInput("enriched", f"must map {', '.join(FIELDS)} to what they are, not {given!r}")
    return dict(given)


def checked(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return the suggestions of the right shape; a kind that was not offered becomes `fact`."""
    kept: dict[str, Any] = {}
    if _is_name(title := found.get("title")):
        kept["title"] = title
    for name in ("tags", "dates"):
        values = found.get(name)
        if isinstance(values, list | tuple) and (good := [value for value in values if _is_name(value)]):
            kept[name] = good[:MOST_TAGS]
    if "kind" in found:
        kept["kind"] = found["kind"] if found["kind"] in OFFERED else "fact"
    triple = found.get("triple")
    if isinstance(triple, list | tuple) and len(triple) == 3 and triple[1] in GRAPH_PREDICATES:
        kept.update({"triple": list(triple)} if all(map(_is_name, triple)) else {})
    return kept


def _is_name(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip()) and name_fault(value) is None
