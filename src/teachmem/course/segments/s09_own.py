"""Exercise 9.4: one module rebuilt; what its report must say, and the wrong ideas about fusion that it shows."""

from __future__ import annotations

from collections.abc import Callable

from teachmem.course.material import Exercise, Misconception
from teachmem.course.rebuilding.report import Rebuilt


def it_could_be_asked(report: Rebuilt) -> str | None:
    """What was handed in offers every name of the module."""
    if report.untried:
        return "nothing was handed in"
    return report.fault or None


def its_laws_hold(report: Rebuilt) -> str | None:
    """Every law of the module holds."""
    for law in report.laws:
        if law.seen:
            return f"of {report.module}: {law.holds} But {law.seen}"
    return None if report.laws else f"no law of {report.module} was asked"


def what_was_run_shows_the_same(report: Rebuilt) -> str | None:
    """No notebook and no mark that was run on it shows anything else."""
    for one in (*(report.notebooks or ()), *(report.marks or ())):
        if one.seen:
            return f"{one.name}: {one.seen}"
    return None


def _breaks(module: str, *laws: str) -> Callable[[Rebuilt], bool]:
    def shows(report: Rebuilt) -> bool:
        broken = next((law for law in report.laws if law.seen), None)
        if broken is None or " raised " in broken.seen:  # what breaks down shows no idea
            return False
        return report.module == module and broken.name in laws

    return shows


EXERCISE = Exercise(
    id="9.4",
    title="A module of your own",
    concept="law",
    expected="the report that course.rebuild returned",
    fits=lambda answer: isinstance(answer, Rebuilt),
    laws=(it_could_be_asked, its_laws_hold, what_was_run_shows_the_same),
    yes="your module keeps its laws, and whatever else was run on it shows the same",
    misconceptions=(
        Misconception(
            "the worst hit is no hit",
            "The lowest of what was found is not the lowest there is. What no match gets is 0, and stays it.",
            _breaks("recall.fuse", "the_lowest_is_0_and_the_best_is_1"),
        ),
        Misconception(
            "two lists count in one coin",
            "BM25 has no upper end, cosine has. Stretch both before you add, or the larger numbers decide.",
            _breaks("recall.fuse", "each_list_gives_its_weighted_part", "only_the_shape_of_a_list_counts"),
        ),
        Misconception(
            "the first has rank 0",
            "Ranks are counted from 1, in the paper and in the law. One off, and every sum is another.",
            _breaks("recall.fuse", "ranks_add_one_over_k_plus_rank"),
        ),
        Misconception(
            "what scored nothing has a place",
            "A list of hits ends where nothing was hit. A zero that is ranked is a hit that was made up.",
            _breaks("recall.fuse", "ranks_go_from_1_and_ties_by_name"),
        ),
    ),
    hints=(
        "Which names does `course.contract(...)` list, and what does each take and give?",
        "What do you get for the counter-example that the broken law shows, and what was due?",
        "Which of your functions, called alone on it in a cell, gives it?",
    ),
)
