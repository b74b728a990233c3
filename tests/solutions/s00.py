"""Solutions of segment 00."""

from solutions.entry import Entry

SOLUTIONS = {
    "0.1": Entry(
        cell="exercise-0-1",
        answer="total",
        model="""\
def total(parts):
    return sum(parts.values())
""",
        accepted=(
            """\
def total(parts):
    score = 0
    for name in parts:
        score += parts[name]
    return score
""",
        ),
        wrong={
            "the strongest part decides": """\
def total(parts):
    return max(parts.values(), default=0)
""",
            "a score is an average": """\
def total(parts):
    return sum(parts.values()) / len(parts)
""",
            "only three parts exist": """\
def total(parts):
    return parts["recency"] + parts["importance"] + parts["relevance"]
""",
        },
    ),
}
