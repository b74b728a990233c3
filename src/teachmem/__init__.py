"""teachmem: how an AI agent's memory works, and how it is kept honest.

>>> import teachmem
>>> mem = teachmem.open_memory()
>>> tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
>>> tech.episodic.log("observation", "gate four is open").verdict
<Verdict.ACCEPTED: 'accepted'>
>>> mem.close()
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from teachmem.clock import LessonClock, WallClock
    from teachmem.errors import (
        InvalidInput,
        MemoryRefused,
        ModelUnavailable,
        NotFound,
        Overtaken,
        StoreError,
        TeachmemError,
    )
    from teachmem.ids import CountedIds, RandomIds
    from teachmem.ledger.checkpoint import Checkpoint
    from teachmem.ledger.keeper import Checkpoints
    from teachmem.ledger.report import AuditReport, AuditStatus
    from teachmem.principal import Principal
    from teachmem.recall.score import Weights
    from teachmem.record import Draft, Hit, Memory, Receipt, Recollection, Step, WhyNot
    from teachmem.rules.certificate import Certificate
    from teachmem.rules.inbox import Candidate
    from teachmem.rules.tombstone import Tombstone
    from teachmem.store import Agent, MemoryStore, Person, open_memory
    from teachmem.tiers.working import Context
    from teachmem.vocabulary import Clearance, Outcome, Role, Source, Status, Tier, Verdict, Visibility

__version__ = "0.1.0"

__all__ = [
    "Agent",
    "AuditReport",
    "AuditStatus",
    "Certificate",
    "Candidate",
    "Checkpoint",
    "Checkpoints",
    "Clearance",
    "Context",
    "CountedIds",
    "Draft",
    "Hit",
    "InvalidInput",
    "LessonClock",
    "Memory",
    "MemoryRefused",
    "MemoryStore",
    "ModelUnavailable",
    "NotFound",
    "Outcome",
    "Overtaken",
    "Person",
    "Principal",
    "RandomIds",
    "Receipt",
    "Recollection",
    "Role",
    "Source",
    "Status",
    "Step",
    "StoreError",
    "TeachmemError",
    "Tier",
    "Tombstone",
    "Verdict",
    "Visibility",
    "WallClock",
    "Weights",
    "WhyNot",
    "open_memory",
]

# Each name is fetched from its module when it is first asked for, so that `import teachmem` is quick
# and `teachmem doctor` can say what is missing even where numpy or SQLAlchemy is.
_HOME = {
    "teachmem.clock": ("LessonClock", "WallClock"),
    "teachmem.errors": (
        "InvalidInput",
        "MemoryRefused",
        "ModelUnavailable",
        "NotFound",
        "Overtaken",
        "StoreError",
        "TeachmemError",
    ),
    "teachmem.ids": ("CountedIds", "RandomIds"),
    "teachmem.ledger.checkpoint": ("Checkpoint",),
    "teachmem.ledger.keeper": ("Checkpoints",),
    "teachmem.ledger.report": ("AuditReport", "AuditStatus"),
    "teachmem.principal": ("Principal",),
    "teachmem.recall.score": ("Weights",),
    "teachmem.record": ("Draft", "Hit", "Memory", "Receipt", "Recollection", "Step", "WhyNot"),
    "teachmem.rules.certificate": ("Certificate",),
    "teachmem.rules.inbox": ("Candidate",),
    "teachmem.rules.tombstone": ("Tombstone",),
    "teachmem.store": ("Agent", "MemoryStore", "Person", "open_memory"),
    "teachmem.tiers.working": ("Context",),
    "teachmem.vocabulary": (
        "Clearance",
        "Outcome",
        "Role",
        "Source",
        "Status",
        "Tier",
        "Verdict",
        "Visibility",
    ),
}


def __getattr__(name: str) -> Any:
    for module, names in _HOME.items():
        if name in names:
            found = globals()[name] = getattr(import_module(module), name)
            return found
    raise AttributeError(f"module 'teachmem' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
