"""The words that memories may use, as data: code, tests, notebooks and glossary read these tables.

Each vocabulary is a `StrEnum`, so a member is also the plain string that the database holds.

>>> Status.ACTIVE == "active", Status.ACTIVE in LIVE, Status.OUTDATED in LIVE
(True, True, False)
>>> sorted(KINDS[Tier.WORKING])
['note']

Left out: what the words do. That is said beside the rule that obeys them, in `rules/`.
"""

from __future__ import annotations

from enum import IntEnum, StrEnum


class Tier(StrEnum):
    """The four memories of CoALA (Sumers et al. 2023, arXiv:2309.02427)."""

    WORKING = "working"
    EPISODIC = "episodic"
    SEMANTIC = "semantic"
    PROCEDURAL = "procedural"


class Status(StrEnum):
    """May this memory be used? The first three are live; a read returns no other."""

    ACTIVE = "active"
    PENDING = "pending"
    CONFIRMED = "confirmed"
    CANCELLED = "cancelled"
    OUTDATED = "outdated"
    CONFLICTED = "conflicted"
    ARCHIVED = "archived"
    DELETED = "deleted"


LIVE = (Status.ACTIVE, Status.PENDING, Status.CONFIRMED)
WITHHELD = tuple(status for status in Status if status not in LIVE)


class Visibility(StrEnum):
    """Who may read: the writer alone, the writer's fleet (the default), or the whole tenant."""

    AGENT = "agent"
    TEAM = "team"
    ORG = "org"


class Role(StrEnum):
    """What a principal is. `system` is teachmem itself, acting by a written rule."""

    AGENT = "agent"
    PERSON = "person"
    SYSTEM = "system"


class Clearance(IntEnum):
    """How far a principal may reach."""

    RESTRICTED = 0  # reads only
    STANDARD = 1
    CROSS_FLEET = 2  # reads every fleet's team rows in the tenant
    STEWARD = 3


class Source(StrEnum):
    """Where a text came from, strongest evidence first."""

    PERSON = "person"
    CATALOGUE = "catalogue"
    AGENT = "agent"
    TOOL = "tool"
    WEB = "web"
    INFERRED = "inferred"


UNTRUSTED = (Source.TOOL, Source.WEB)


class Verdict(StrEnum):
    """What became of a write."""

    ACCEPTED = "accepted"
    DUPLICATE = "duplicate"
    STAGED = "staged"
    REFUSED = "refused"


class Outcome(StrEnum):
    """What one check of the gate said."""

    PASSED = "passed"
    NOTED = "noted"  # passed, and something was set or done that the writer should know
    DUPLICATE = "duplicate"
    STAGED = "staged"
    REFUSED = "refused"


SCRATCHPAD_PREDICATES = (
    "observed",
    "inferred",
    "relevant_to",
    "summarized_as",
    "contradicts",
    "supersedes",
    "depends_on",
)
ACTING_PREDICATES = ("contradicts", "supersedes", "depends_on")  # their object names another note

GRAPH_PREDICATES = (
    "depends_on",
    "contains",
    "has_status",
    "manufactured_by",
    "compatible_with",
    "related_to",
    "has_category",
    "belongs_to_model",
    "has_tag",
    "located_in",
    "maintained_by",
    "manager",
    "replaced_by",
    "operates_at",
)
SINGLE_VALUED = (
    "has_status",
    "manufactured_by",
    "has_category",
    "belongs_to_model",
    "located_in",
    "maintained_by",
    "manager",
    "replaced_by",
    "operates_at",
)
PREDICATES = {
    Tier.WORKING: SCRATCHPAD_PREDICATES,
    Tier.EPISODIC: (),
    Tier.SEMANTIC: GRAPH_PREDICATES,
    Tier.PROCEDURAL: (),
}

KINDS = {
    Tier.WORKING: ("note",),
    Tier.EPISODIC: (
        "user_turn",
        "agent_response",
        "tool_call",
        "observation",
        "consolidation",
        "review",
        "outcome",
    ),
    Tier.SEMANTIC: (
        "fact",
        "decision",
        "preference",
        "task",
        "semantic",
        "intention",
        "plan",
        "commitment",
        "action",
        "cancellation",
        "episode",
        "rule",
        "insight",
        "document",
    ),
    Tier.PROCEDURAL: ("skill",),
}
SYSTEM_KINDS = {
    Tier.WORKING: (),
    Tier.EPISODIC: ("consolidation", "review", "outcome"),
    Tier.SEMANTIC: ("rule", "insight"),
    Tier.PROCEDURAL: (),
}
CATALOGUE_KINDS = ("document",)  # written from the source `catalogue` only
SUGGESTIBLE_KINDS = tuple(  # what a classifier or a model is offered, and may answer
    kind for kind in KINDS[Tier.SEMANTIC] if kind not in (*SYSTEM_KINDS[Tier.SEMANTIC], *CATALOGUE_KINDS)
)

# Which sources each role may claim. A steward may claim `catalogue` too.
CLAIMABLE = {
    Role.AGENT: (Source.AGENT, Source.TOOL, Source.WEB),
    Role.PERSON: (Source.PERSON, Source.TOOL, Source.WEB),
    Role.SYSTEM: (Source.INFERRED, Source.CATALOGUE),
}
OWN_SOURCE = {Role.AGENT: Source.AGENT, Role.PERSON: Source.PERSON, Role.SYSTEM: Source.INFERRED}

# Who may move a memory from a status to another; what is not here nobody may. Whose memory it is, is
# another question (`rules/authority.py`). Only a person confirms, or brings back what was withdrawn.
_AGENT, _PERSON, _SYSTEM = Role.AGENT, Role.PERSON, Role.SYSTEM
_ANY = (_AGENT, _PERSON, _SYSTEM)
_UNCONFIRMED = {
    Status.CONFIRMED: (_PERSON,),
    Status.CANCELLED: (_AGENT, _PERSON),
    Status.OUTDATED: _ANY,
    Status.CONFLICTED: _ANY,
    Status.ARCHIVED: _ANY,
    Status.DELETED: (_AGENT, _PERSON),
}
TRANSITIONS: dict[Status, dict[Status, tuple[Role, ...]]] = {
    Status.ACTIVE: {Status.PENDING: (_AGENT, _PERSON), **_UNCONFIRMED},
    Status.PENDING: {Status.ACTIVE: (_AGENT, _PERSON), **_UNCONFIRMED},
    Status.CONFIRMED: {
        Status.ACTIVE: (_PERSON,),
        Status.PENDING: (_PERSON,),
        Status.CANCELLED: (_PERSON,),
        Status.OUTDATED: (_PERSON, _SYSTEM),
        Status.CONFLICTED: (_PERSON, _SYSTEM),
        Status.ARCHIVED: (_PERSON,),
        Status.DELETED: (_PERSON,),
    },
    Status.CANCELLED: {
        Status.ACTIVE: (_PERSON,),
        Status.CONFIRMED: (_PERSON,),
        Status.DELETED: (_PERSON,),
    },
    Status.OUTDATED: {
        Status.ACTIVE: (_PERSON,),
        Status.CONFIRMED: (_PERSON,),
        Status.ARCHIVED: (_PERSON, _SYSTEM),
        Status.DELETED: (_PERSON,),
    },
    Status.CONFLICTED: {
        Status.ACTIVE: (_PERSON,),
        Status.CONFIRMED: (_PERSON,),
        Status.CANCELLED: (_AGENT, _PERSON),
        Status.OUTDATED: (_PERSON, _SYSTEM),
        Status.ARCHIVED: (_PERSON, _SYSTEM),
        Status.DELETED: (_AGENT, _PERSON),
    },
    Status.ARCHIVED: {
        Status.ACTIVE: (_AGENT, _PERSON),
        Status.PENDING: (_AGENT, _PERSON),
        Status.CONFIRMED: (_PERSON,),
        Status.CANCELLED: (_AGENT, _PERSON),
        Status.OUTDATED: (_PERSON, _SYSTEM),
        Status.DELETED: (_AGENT, _PERSON),
    },
    Status.DELETED: {Status.ACTIVE: (_PERSON,)},
}

# After how many days without a change a memory of a kind is archived; a kind that is not here stays.
STALE_AFTER_DAYS = {
    "note": 14,
    "user_turn": 90,
    "agent_response": 90,
    "tool_call": 30,
    "observation": 180,
    "task": 90,
    "plan": 90,
    "intention": 60,
    "action": 180,
    "cancellation": 180,
}

# How one memory may rest on another. What is derived is never more trusted than what it rests on, and is
# flagged when that falls; other relations only link.
RESTS_ON = ("evidence", "depends_on")

MAX_CONTENT = 100_000  # characters
MAX_NAME = 200  # characters
MAX_DEPTH = 20  # of nested lists and objects in `detail` and `qualifiers`
MAX_INTEGER = 2**53 - 1  # what every JSON reader carries exactly (RFC 8259, section 6)
