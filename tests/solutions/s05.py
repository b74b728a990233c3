"""Solutions of segment 05."""

from solutions.entry import Entry

DUE_HEAD = """\
LIVE = {"active", "pending", "confirmed"}
REPORTS = {"consolidation", "review"}


def due_for_consolidation(memories, read, agent):
"""

SOLUTIONS = {
    "5.1": Entry(
        cell="exercise-5-1",
        answer="due_for_consolidation",
        model=DUE_HEAD
        + """\
    due = [
        memory
        for memory in memories
        if memory.agent == agent
        and memory.status in LIVE
        and memory.kind not in REPORTS
        and (agent, memory.memory_id) not in read
    ]
    return [memory.memory_id for memory in sorted(due, key=lambda memory: memory.seq)]
""",
        accepted=(
            """\
from teachmem.flow.due import BOOK_KEEPING
from teachmem.vocabulary import LIVE


def due_for_consolidation(memories, read, agent):
    done = {memory_id for reader, memory_id in read if reader == agent}
    ids = []
    for memory in sorted(memories, key=lambda memory: (memory.seq, memory.memory_id)):
        if memory.agent != agent or memory.memory_id in done:
            continue
        if memory.status in LIVE and memory.kind not in BOOK_KEEPING:
            ids.append(memory.memory_id)
    return tuple(ids)
""",
        ),
        wrong={
            "recent means unread": DUE_HEAD
            + """\
    from datetime import timedelta

    newest = max((memory.recorded_at for memory in memories), default=None)
    return [
        memory.memory_id
        for memory in sorted(memories, key=lambda memory: memory.seq)
        if memory.agent == agent
        and memory.status in LIVE
        and memory.kind not in REPORTS
        and (agent, memory.memory_id) not in read
        and memory.recorded_at >= newest - timedelta(hours=1)
    ]
""",
            "a second run does no harm": DUE_HEAD
            + """\
    return [
        memory.memory_id
        for memory in sorted(memories, key=lambda memory: memory.seq)
        if memory.agent == agent and memory.status in LIVE and memory.kind not in REPORTS
    ]
""",
            "the mark is one number": DUE_HEAD
            + """\
    mine = [
        memory
        for memory in sorted(memories, key=lambda memory: memory.seq)
        if memory.agent == agent and memory.status in LIVE and memory.kind not in REPORTS
    ]
    last = max((memory.seq for memory in mine if (agent, memory.memory_id) in read), default=-1)
    return [memory.memory_id for memory in mine if memory.seq > last]
""",
            "one run reads for all": DUE_HEAD
            + """\
    done = {memory_id for _, memory_id in read}
    return [
        memory.memory_id
        for memory in sorted(memories, key=lambda memory: memory.seq)
        if memory.agent == agent
        and memory.status in LIVE
        and memory.kind not in REPORTS
        and memory.memory_id not in done
    ]
""",
            "what was withdrawn can still be summed up": DUE_HEAD
            + """\
    return [
        memory.memory_id
        for memory in sorted(memories, key=lambda memory: memory.seq)
        if memory.agent == agent
        and memory.kind not in REPORTS
        and (agent, memory.memory_id) not in read
    ]
""",
            "everything in the log is news": DUE_HEAD
            + """\
    return [
        memory.memory_id
        for memory in sorted(memories, key=lambda memory: memory.seq)
        if memory.agent == agent and memory.status in LIVE and (agent, memory.memory_id) not in read
    ]
""",
        },
    ),
    "5.2": Entry(
        cell="exercise-5-2",
        answer="may_move",
        model="""\
LIVE = {"active", "pending", "confirmed"}


def may_move(role, before, after):
    if before == "deleted":
        return role == "person" and after == "active"
    if role == "person":
        return True
    if role == "system":
        return after in {"outdated", "conflicted"} or (after == "archived" and before != "confirmed")
    if after == "confirmed" or before == "confirmed":
        return False
    return before in {"active", "pending", "archived"} or after not in LIVE
""",
        accepted=(
            """\
from teachmem.vocabulary import TRANSITIONS, Role, Status


def may_move(role, before, after):
    return Role(role) in TRANSITIONS[Status(before)].get(Status(after), ())
""",
            """\
WITHHELD = ("cancelled", "outdated", "conflicted", "archived", "deleted")
AGENT = {
    "active": {"pending", *WITHHELD},
    "pending": {"active", *WITHHELD},
    "archived": {"active", "pending"},
}
SYSTEM = {
    "active": {"outdated", "conflicted", "archived"},
    "pending": {"outdated", "conflicted", "archived"},
    "confirmed": {"outdated", "conflicted"},
    "outdated": {"archived"},
    "conflicted": {"archived", "outdated"},
}


def may_move(role, before, after):
    if role == "person":
        return before != "deleted" or after == "active"
    table = AGENT if role == "agent" else SYSTEM
    return after in table.get(before, ())
""",
        ),
        wrong={
            "a status is just a field": """\
def may_move(role, before, after):
    return before != after
""",
            "whoever wrote it may confirm it": """\
LIVE = {"active", "pending", "confirmed"}


def may_move(role, before, after):
    if before == "deleted":
        return role == "person" and after == "active"
    if role == "person":
        return True
    if role == "system":
        return after in {"outdated", "conflicted"} or (after == "archived" and before != "confirmed")
    return before in {"active", "pending", "archived"}
""",
            "the system is above the rules": """\
def may_move(role, before, after):
    if before == "deleted":
        return role != "agent" and after == "active"
    if role in ("person", "system"):
        return True
    if after == "confirmed" or before == "confirmed":
        return False
    return before in {"active", "pending", "archived"}
""",
            "withdrawn is gone": """\
LIVE = {"active", "pending", "confirmed"}


def may_move(role, before, after):
    if before not in LIVE and before != "archived":
        return False
    if role == "person":
        return True
    if role == "system":
        return after in {"outdated", "conflicted"} or (after == "archived" and before != "confirmed")
    return before != "confirmed" and after != "confirmed"
""",
        },
    ),
    "5.3": Entry(
        cell="exercise-5-3",
        answer="field_for",
        model="""\
field_for = {
    "a": "status",
    "b": "is_inferred",
    "c": "confidence",
    "d": "status",
    "e": "is_inferred",
    "f": "confidence",
}
""",
        accepted=(
            """\
field_for = {case: "status" for case in "ad"} | {case: "is_inferred" for case in "be"}
field_for |= dict.fromkeys("cf", "confidence")
""",
        ),
        wrong={
            "a low number is a withdrawal": """\
field_for = dict(a="status", b="is_inferred", c="confidence", d="confidence", e="is_inferred", f="confidence")
""",
            "certain is as good as said": """\
field_for = dict(a="status", b="is_inferred", c="confidence", d="status", e="confidence", f="confidence")
""",
            "doubtful is withdrawn": """\
field_for = dict(a="status", b="is_inferred", c="status", d="status", e="is_inferred", f="confidence")
""",
            "confirmed is a high number": """\
field_for = dict(a="confidence", b="is_inferred", c="confidence", d="status", e="is_inferred", f="confidence")
""",
        },
    ),
}
