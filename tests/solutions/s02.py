"""Solutions of segment 02."""

from solutions.entry import Entry

SOLUTIONS = {
    "2.1": Entry(
        cell="exercise-2-1",
        answer="recency",
        model="""\
def recency(age_hours, half_life_hours=24):
    return 0.5 ** (max(age_hours, 0) / half_life_hours)
""",
        accepted=(
            """\
import math


def recency(age_hours, half_life_hours=24):
    if age_hours < 0:
        age_hours = 0
    return math.exp(-math.log(2) * age_hours / half_life_hours)
""",
            """\
import numpy as np


def recency(age_hours, half_life_hours=24):
    return np.exp2(-np.maximum(age_hours, 0.0) / half_life_hours)
""",
        ),
        wrong={
            "memory fades in a straight line": """\
def recency(age_hours, half_life_hours=24):
    return max(0, 1 - max(age_hours, 0) / (2 * half_life_hours))
""",
            "a half-life is a time constant": """\
import math


def recency(age_hours, half_life_hours=24):
    return math.exp(-max(age_hours, 0) / half_life_hours)
""",
            "older is more": """\
def recency(age_hours, half_life_hours=24):
    return 1 - 0.5 ** (max(age_hours, 0) / half_life_hours)
""",
            "the future is like the past": """\
def recency(age_hours, half_life_hours=24):
    return 0.5 ** (abs(age_hours) / half_life_hours)
""",
            "the future is more recent than now": """\
def recency(age_hours, half_life_hours=24):
    return 0.5 ** (age_hours / half_life_hours)
""",
        },
    ),
    "2.2": Entry(
        cell="exercise-2-2",
        answer="blend",
        model="""\
def blend(recency, importance, relevance, weights):
    return {
        "recency": weights["recency"] * recency,
        "importance": weights["importance"] * importance,
        "relevance": weights["relevance"] * relevance,
    }
""",
        accepted=(
            """\
def blend(recency, importance, relevance, weights):
    values = {"recency": recency, "importance": importance, "relevance": relevance}
    return {name: values[name] * weight for name, weight in weights.items()}
""",
        ),
        wrong={
            "a score needs no parts": """\
def blend(recency, importance, relevance, weights):
    return (
        weights["recency"] * recency + weights["importance"] * importance + weights["relevance"] * relevance
    )
""",
            "weights are for sorting only": """\
def blend(recency, importance, relevance, weights):
    return {"recency": recency, "importance": importance, "relevance": relevance}
""",
            "a score is a share": """\
def blend(recency, importance, relevance, weights):
    parts = {
        "recency": weights["recency"] * recency,
        "importance": weights["importance"] * importance,
        "relevance": weights["relevance"] * relevance,
    }
    total = sum(parts.values()) or 1
    return {name: part / total for name, part in parts.items()}
""",
        },
    ),
    "2.3": Entry(
        cell="exercise-2-3",
        answer="weights",
        given="from teachmem import Weights",
        model="weights = Weights(recency=0.2, importance=0.2, relevance=0.6)",
        accepted=("weights = Weights(0.1, 0, 0.9)",),
        wrong={
            "the usual weights are neutral": "weights = Weights()",
            "relevance is all": "weights = Weights(recency=0, importance=0, relevance=1)",
            "the newest knows best": "weights = Weights(recency=1, importance=0.2, relevance=0.1)",
            "the loudest knows best": "weights = Weights(recency=0, importance=1, relevance=0.1)",
        },
    ),
    "2.4": Entry(
        cell="exercise-2-4",
        answer="reason",
        model="""\
def reason(why_not):
    return why_not.withheld_by[0].name if why_not.withheld_by else None
""",
        accepted=(
            """\
def reason(why_not):
    for gate in why_not.gates:
        if not gate.passed:
            return gate.name
""",
        ),
        wrong={
            "the last gate decides": """\
def reason(why_not):
    return why_not.withheld_by[-1].name if why_not.withheld_by else None
""",
            "every gate is a reason": """\
def reason(why_not):
    return [gate.name for gate in why_not.withheld_by]
""",
            "an open gate is a reason": """\
def reason(why_not):
    return why_not.gates[0].name
""",
        },
    ),
}
