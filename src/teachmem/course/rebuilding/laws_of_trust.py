"""What any `rules.trust` must obey: the three live statuses are read, and nothing else ever is."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from teachmem.course.rebuilding.law import Contract, ask, examples, show
from teachmem.course.rebuilding.sql import chosen
from teachmem.vocabulary import Status

BELIEVED = ("active", "pending", "confirmed")


@examples(status=st.sampled_from([str(status) for status in Status]))
def only_the_live_are_read(module: Any, status: str) -> str | None:
    """Active, pending and confirmed are read; cancelled, outdated, conflicted, archived and deleted are not."""
    return _read(module, status, status in BELIEVED)


@examples(
    status=st.one_of(
        st.none(), st.sampled_from(["", "Active", "active ", "retired"]), st.text("act", max_size=3)
    )
)
def what_has_no_known_status_is_not_read(module: Any, status: str | None) -> str | None:
    """A status that is missing, unknown or misspelled is not live: no is the answer where nobody knows."""
    return _read(module, status, False)


@examples(most=1, nothing=st.none())
def the_statuses_are_written_out(module: Any, nothing: None) -> str | None:
    """The statuses stand in the clause, not in bound values: only then the database can use its index."""
    bound = ask(module, "clause").compile().params
    if bound:
        return f"your clause() binds {show(dict(bound))}"
    return None


def _read(module: Any, status: str | None, due: bool) -> str | None:
    found = bool(chosen(ask(module, "clause"), [{"status": status}]))
    if found != due:
        return (
            f"your clause() {'reads' if found else 'does not read'} a memory whose status is {show(status)}"
        )
    return None


CONTRACT = Contract(
    "rules.trust",
    ("clause",),
    (only_the_live_are_read, what_has_no_known_status_is_not_read, the_statuses_are_written_out),
)
