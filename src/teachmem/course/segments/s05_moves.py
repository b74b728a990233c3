"""Exercise 5.2: who may move a memory from which state to which; its laws, and the wrong ideas about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product

from teachmem.course.material import Exercise, Misconception, Wrong, call, is_function, show, shown
from teachmem.vocabulary import LIVE, WITHHELD, Role, Status

Move = Callable[[str, str, str], bool]
AGENT, PERSON, SYSTEM = (str(role) for role in Role)
STATES = tuple(str(status) for status in Status)
LIVING, AWAY = tuple(map(str, LIVE)), tuple(map(str, WITHHELD))
WITHDRAWN = tuple(status for status in AWAY if status != "archived")  # what only a person brings back


def _may(move: Move, role: str, before: str, after: str) -> bool:
    got = call(move, role, before, after)
    if hasattr(got, "dtype") and hasattr(got, "item"):
        got = got.item()
    if type(got) is not bool:
        raise Wrong(f"{shown(move, role, before, after)} gave {show(got)}, which is neither True nor False")
    return got


def _never(move: Move, moves: Iterable[tuple[str, str, str]], why: str) -> str | None:
    """Return the first of `moves` that the answer allows."""
    for role, before, after in moves:
        if before != after and _may(move, role, before, after):
            return f"{shown(move, role, before, after)} gave True; {why}"
    return None


def _always(move: Move, moves: Iterable[tuple[str, str, str]], why: str) -> str | None:
    """Return the first of `moves` that the answer forbids."""
    for role, before, after in moves:
        if not _may(move, role, before, after):
            return f"{shown(move, role, before, after)} gave False; {why}"
    return None


def only_a_person_confirms(move: Move) -> str | None:
    """Nobody vouches for themselves: confirmed has a person's word."""
    return _never(
        move, product((AGENT, SYSTEM), STATES, ["confirmed"]), "a memory is confirmed by a person alone"
    ) or _always(
        move, product([PERSON], ["active", "pending"], ["confirmed"]), "a person confirms what is live"
    )


def what_is_confirmed_stands(move: Move) -> str | None:
    """An agent leaves alone what a person has confirmed; the system may mark it outdated or conflicted."""
    others = [status for status in STATES if status not in ("outdated", "conflicted", "confirmed")]
    return (
        _never(move, product([AGENT], ["confirmed"], STATES), "a person's word is not an agent's to undo")
        or _never(move, product([SYSTEM], ["confirmed"], others), "no rule undoes a person's word")
        or _always(
            move,
            product([SYSTEM], ["confirmed"], ["outdated", "conflicted"]),
            "newer and stronger evidence supersedes by rule",
        )
    )


def only_a_person_brings_back(move: Move) -> str | None:
    """What was withdrawn does not come back by itself, and never gets stuck."""
    return _never(
        move, product((AGENT, SYSTEM), WITHDRAWN, LIVING), "what was withdrawn is brought back by a person"
    ) or _always(move, product([PERSON], AWAY, ["active"]), "a person can bring back every withheld memory")


def the_archive_is_a_shelf(move: Move) -> str | None:
    """What was only put away an agent may take out again, and the system does not."""
    return _always(
        move, [(AGENT, "archived", "active")], "an archived memory was put away, not withdrawn"
    ) or _never(move, product([SYSTEM], ["archived"], LIVING), "no rule brings a memory back to life")


def the_system_only_marks(move: Move) -> str | None:
    """By rule a memory becomes outdated, conflicted or archived, and nothing else."""
    ends = ("outdated", "conflicted", "archived")
    others = [status for status in STATES if status not in ends]
    return _never(move, product([SYSTEM], STATES, others), "the system marks; it does not decide") or _always(
        move, product([SYSTEM], ["active", "pending"], ends), "tidying and conflicts need this move"
    )


def an_agent_can_take_back(move: Move) -> str | None:
    """An agent may withdraw what it wrote, as long as nobody has confirmed it."""
    return _always(
        move, product([AGENT], ["active", "pending"], ["cancelled", "deleted"]), "it may take back its own"
    )


def deleted_leads_to_active_alone(move: Move) -> str | None:
    """There is one way out of deleted: a person restores it, and it is judged again as active."""
    others = [status for status in STATES if status not in ("active", "deleted")]
    return _never(
        move, product((AGENT, PERSON, SYSTEM), ["deleted"], others), "deleted is left by a restore only"
    )


def _anything_goes(move: Move) -> bool:
    return all(
        _may(move, *each) for each in product((AGENT, PERSON, SYSTEM), STATES, STATES) if each[1] != each[2]
    )


def _self_confirmed(move: Move) -> bool:
    return _may(move, AGENT, "active", "confirmed")


def _system_decides(move: Move) -> bool:
    return any(_may(move, SYSTEM, "active", after) for after in ("cancelled", "deleted", "confirmed")) or any(
        _may(move, SYSTEM, before, "active") for before in AWAY
    )


def _one_way(move: Move) -> bool:
    return not any(_may(move, PERSON, before, "active") for before in WITHDRAWN)


EXERCISE = Exercise(
    id="5.2",
    title="A table of legal moves",
    concept="transition",
    expected="a function of a role and two states",
    fits=is_function,
    laws=(
        only_a_person_confirms,
        what_is_confirmed_stands,
        only_a_person_brings_back,
        the_archive_is_a_shelf,
        the_system_only_marks,
        an_agent_can_take_back,
        deleted_leads_to_active_alone,
    ),
    yes="only people confirm and bring back, agents withdraw their own, rules only mark, and nothing is stuck",
    misconceptions=(
        Misconception(
            "a status is just a field",
            "Then a deleted memory becomes confirmed in one step, by anybody. A state machine is the list of moves that exist.",
            _anything_goes,
        ),
        Misconception(
            "whoever wrote it may confirm it",
            "An agent that approves itself has made two statuses into one. Confirmed is a second pair of eyes.",
            _self_confirmed,
        ),
        Misconception(
            "the system is above the rules",
            "What happens by rule happens to thousands at once, unseen. A rule may set aside; a person decides.",
            _system_decides,
        ),
        Misconception(
            "withdrawn is gone",
            "A withdrawal may be the mistake. Nothing is overwritten, so a person can always bring it back.",
            _one_way,
        ),
    ),
    hints=(
        "Which one state has a person's word, and who may give that?",
        "Which of the withheld states was somebody's decision, and which one is only a shelf?",
        "Which three states may a rule set, and is there a live one among them?",
    ),
)
