"""Solutions of segment 07."""

from solutions.entry import Entry

SOLUTIONS = {
    "7.1": Entry(
        cell="exercise-7-1",
        answer="as_of",
        model="""\
def as_of(versions, at, known_at):
    for row in versions:
        begun = row.valid_from is None or row.valid_from <= at
        holds = begun and (row.valid_to is None or at < row.valid_to)
        known = row.recorded_at <= known_at and (row.superseded_at is None or known_at < row.superseded_at)
        if holds and known:
            return row
    return None
""",
        accepted=(
            """\
import math


def inside(moment, start, end):
    return (-math.inf if start is None else start) <= moment < (math.inf if end is None else end)


def as_of(versions, at, known_at):
    known = [row for row in versions if inside(known_at, row.recorded_at, row.superseded_at)]
    return next((row for row in known if inside(at, row.valid_from, row.valid_to)), None)
""",
        ),
        wrong={
            "one time is enough": """\
def as_of(versions, at, known_at):
    for row in versions:
        if row.superseded_at is None and (row.valid_to is None or at < row.valid_to):
            if row.valid_from is None or row.valid_from <= at:
                return row
    return None
""",
            "the end belongs to the interval": """\
def as_of(versions, at, known_at):
    for row in versions:
        begun = row.valid_from is None or row.valid_from <= at
        holds = begun and (row.valid_to is None or at <= row.valid_to)
        known = row.recorded_at <= known_at and (row.superseded_at is None or known_at < row.superseded_at)
        if holds and known:
            return row
    return None
""",
            "a thing is known when it is true": """\
def as_of(versions, at, known_at):
    for row in versions:
        begun = row.valid_from is None or row.valid_from <= at
        holds = begun and (row.valid_to is None or at < row.valid_to)
        written = row.recorded_at if row.valid_from is None else row.valid_from
        known = written <= known_at and (row.superseded_at is None or known_at < row.superseded_at)
        if holds and known:
            return row
    return None
""",
            "rows stand in order": """\
def as_of(versions, at, known_at):
    known = [row for row in versions if row.recorded_at <= known_at][-1:]
    for row in known:
        if (row.valid_from is None or row.valid_from <= at) and (row.valid_to is None or at < row.valid_to):
            return row
    return None
""",
        },
    ),
    "7.2": Entry(
        cell="exercise-7-2",
        answer="correct",
        needs=("build-versions",),
        given="from teachmem.course.segments.s07_as_of import Version\n",
        model="""\
def correct(versions, text, valid_from, valid_to, now):
    closed = [row if row.superseded_at else row._replace(superseded_at=now) for row in versions]
    return [*closed, Version(text, valid_from, valid_to, now, None)]
""",
        accepted=(
            """\
def correct(versions, text, valid_from, valid_to, now):
    found = []
    for row in versions:
        if row.superseded_at is None:
            row = Version(row.text, row.valid_from, row.valid_to, row.recorded_at, now)
        found.append(row)
    found.append(Version(text, valid_from, valid_to, now, None))
    return found
""",
        ),
        wrong={
            "a correction replaces": """\
def correct(versions, text, valid_from, valid_to, now):
    return [*versions[:-1], versions[-1]._replace(text=text, valid_from=valid_from, valid_to=valid_to)]
""",
            "a correction holds from now": """\
def correct(versions, text, valid_from, valid_to, now):
    closed = [row if row.superseded_at else row._replace(superseded_at=now) for row in versions]
    return [*closed, Version(text, now, valid_to, now, None)]
""",
            "two versions stand": """\
def correct(versions, text, valid_from, valid_to, now):
    return [*versions, Version(text, valid_from, valid_to, now, None)]
""",
        },
    ),
    "7.3": Entry(
        cell="exercise-7-3",
        answer="may_read",
        model="""\
def may_read(reader, row):
    if row.tenant != reader.tenant:
        return False
    if row.visibility == "org":
        return True
    if row.visibility == "team":
        return row.fleet == reader.fleet or reader.clearance >= 2
    return row.visibility == "agent" and (row.fleet, row.agent) == (reader.fleet, reader.name)
""",
        accepted=(
            """\
def may_read(reader, row):
    ways = {
        "org": True,
        "team": reader.clearance > 1 or row.fleet == reader.fleet,
        "agent": row.fleet == reader.fleet and row.agent == reader.name,
    }
    return row.tenant == reader.tenant and ways.get(row.visibility, False)
""",
        ),
        wrong={
            "names match by their beginning": """\
def may_read(reader, row):
    if row.tenant != reader.tenant:
        return False
    if row.visibility == "org":
        return True
    if row.visibility == "team":
        return row.fleet.startswith(reader.fleet) or reader.clearance >= 2
    return row.visibility == "agent" and row.fleet == reader.fleet and row.agent.startswith(reader.name)
""",
            "the fleet is enough": """\
def may_read(reader, row):
    return row.tenant == reader.tenant and (
        row.visibility == "org"
        or row.fleet == reader.fleet
        or (reader.clearance >= 2 and row.visibility == "team")
    )
""",
            "clearance opens everything": """\
def may_read(reader, row):
    if row.tenant != reader.tenant:
        return False
    if row.visibility == "org" or reader.clearance >= 2:
        return True
    if row.visibility == "team":
        return row.fleet == reader.fleet
    return row.visibility == "agent" and (row.fleet, row.agent) == (reader.fleet, reader.name)
""",
            "org means everybody": """\
def may_read(reader, row):
    if row.visibility == "org":
        return True
    if row.tenant != reader.tenant:
        return False
    if row.visibility == "team":
        return row.fleet == reader.fleet or reader.clearance >= 2
    return row.visibility == "agent" and (row.fleet, row.agent) == (reader.fleet, reader.name)
""",
        },
    ),
    "7.4": Entry(
        cell="exercise-7-4",
        answer="leaking_paths",
        model="""\
def leaking_paths(shown, allowed):
    return {
        path
        for path, of in shown.items()
        if any(seen - allowed[reader] for reader, seen in of.items())
    }
""",
        accepted=(
            """\
def leaking_paths(shown, allowed):
    found = []
    for path, of in shown.items():
        for reader, seen in of.items():
            if not seen <= allowed[reader] and path not in found:
                found.append(path)
    return found
""",
        ),
        wrong={
            "the total is right": """\
def leaking_paths(shown, allowed):
    most = sum(len(seen) for seen in allowed.values())
    return {path for path, of in shown.items() if sum(len(seen) for seen in of.values()) > most}
""",
            "every difference is a leak": """\
def leaking_paths(shown, allowed):
    return {path for path, of in shown.items() if any(seen != allowed[who] for who, seen in of.items())}
""",
            "one leak is all there is": """\
def leaking_paths(shown, allowed):
    for path, of in shown.items():
        if any(seen - allowed[reader] for reader, seen in of.items()):
            return {path}
    return set()
""",
        },
    ),
}
