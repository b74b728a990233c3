"""Faults between a question and its answer: a bare prompt, a crowded one, an answer nobody checked."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from teachmem.errors import InvalidInput
from teachmem.flow import intent, logbook, reply, untrusted
from teachmem.flow.context import Assembled
from teachmem.marks.foil import Patch, register
from teachmem.recall import label
from teachmem.record import Memory


@register(
    "unlabelled_prompt",
    seen="A yard carrier was loaded with twice what it carries: a number from a web page had been believed.",
    mechanism="A prompt is put together from bare texts, so a rule of the catalogue, hearsay and a web page "
    "stand side by side and nobody can tell which is which.",
)
def _unlabelled_prompt(patch: Patch) -> None:
    def bare(memory: Memory) -> str:
        return memory.content

    def text(self: Assembled) -> str:
        return "\n".join(line.text for line in self.lines)

    patch(label, "full", bare)
    patch(untrusted.Quarantined, "line", property(lambda waiting: waiting.draft.content))
    patch(Assembled, "__str__", text)


@register(
    "intent_by_substring",
    seen="A question about plastic parts was answered with what happened last.",
    mechanism="What a question is after is found by parts of words, so 'plastic' asks for the last and "
    "'whole' asks who.",
)
def _intent_by_substring(patch: Patch) -> None:
    def inside(words: list[str], weights: Mapping[str, float]) -> list[tuple[str, str]]:
        said = " ".join(words)
        return [(key, key) for key in weights if key in said]

    patch(intent, "_spoken", inside)


@register(
    "answers_fill_the_slots",
    seen="Asked a sixth time, the agent quoted its own five answers and no event at all.",
    mechanism="An answer is logged as one more event each time, and is recalled like any other, so copies "
    "of one question take the places of what happened.",
)
def _answers_fill_the_slots(patch: Patch) -> None:
    def never(event: Memory) -> bool:
        return False

    patch(logbook, "is_answer", never)


@register(
    "citation_unchecked",
    seen="An answer cited fact-0911. There is no fact-0911.",
    mechanism="A sentence with an id in brackets is let stand, whether or not the id stood in the context.",
)
def _citation_unchecked(patch: Patch) -> None:
    def nothing_wrong(ids: Sequence[str], trusted: Collection[str], untrusted: Collection[str]) -> str:
        return ""

    patch(reply, "_why_struck", nothing_wrong)


@register(
    "all_tools_at_once",
    seen="Before the first question was asked, the descriptions of tools had filled a third of the context.",
    mechanism="The server lists every tool it has at the start, with the whole schema of each.",
)
def _all_tools_at_once(patch: Patch) -> None:
    try:
        from teachmem.server import guard
    except ImportError as missing:
        raise InvalidInput("foil", "all_tools_at_once needs the server; install teachmem[full]") from missing

    async def everything(self: Any, context: Any, call_next: Any) -> Sequence[Any]:
        return [each for each in await call_next(context) if self._has(each.name)]

    patch(guard.Guard, "on_list_tools", everything)
