"""teachmem: how an AI agent's memory works, and how it is kept honest.

>>> import teachmem
>>> mem = teachmem.open_memory()
>>> tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
>>> tech.episodic.log("observation", "gate four is open").verdict
<Verdict.ACCEPTED: 'accepted'>
>>> mem.close()
"""

from teachmem.clock import LessonClock, WallClock
from teachmem.errors import InvalidInput, MemoryRefused, NotFound, StoreError, TeachmemError
from teachmem.ids import CountedIds, RandomIds
from teachmem.ledger.chain import AuditReport, AuditStatus
from teachmem.principal import Principal
from teachmem.recall.score import Weights
from teachmem.record import Draft, Hit, Memory, Receipt, Recollection, Step, WhyNot
from teachmem.store import Agent, MemoryStore, Person, open_memory
from teachmem.tiers.working import Context
from teachmem.vocabulary import Clearance, Outcome, Role, Source, Status, Tier, Verdict, Visibility

__version__ = "0.1.0"

__all__ = [
    "Agent",
    "AuditReport",
    "AuditStatus",
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
    "NotFound",
    "Outcome",
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
    "Verdict",
    "Visibility",
    "WallClock",
    "Weights",
    "WhyNot",
    "open_memory",
]
