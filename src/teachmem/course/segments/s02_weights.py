"""Exercise 2.3: weights for a task; its laws, and the wrong ideas about it."""

from __future__ import annotations

from teachmem.course.material import Exercise, Misconception, on_stage, show
from teachmem.course.stage import Stage
from teachmem.recall.score import Weights
from teachmem.record import Memory

ASKED = "gripper slipped at station four"
ALIKE = "padlock of NL-0012"


def _first(stage: Stage, question: str, weights: Weights) -> Memory:
    return stage.handles["tech"].episodic.recall(question, k=1, weights=weights)[0].memory


@on_stage
def the_exact_match_comes_first(weights: Weights, stage: Stage) -> str | None:
    """Asked about the gripper, the agent speaks of the gripper."""
    found = _first(stage, ASKED, weights)
    if found.content.startswith("Gripper slipped at station four"):
        return None
    return f"asked {ASKED!r}, your weights put {show(found.content, 70)} first"


@on_stage
def of_like_matches_the_news_comes_first(weights: Weights, stage: Stage) -> str | None:
    """Asked about the padlock, which many events speak of, the agent tells today's news."""
    found = _first(stage, ALIKE, weights)
    if found.happened_at.date() == stage.clock.now().date() and "padlock" in found.content:
        return None
    return f"asked {ALIKE!r}, your weights put {show(found.content, 70)} first; it is from {found.happened_at:%A}"


def _relevance_alone(weights: Weights) -> bool:
    return weights.relevance > weights.importance and weights.recency == 0


def _usual(weights: Weights) -> bool:
    return weights == Weights()


def _newest(weights: Weights) -> bool:
    return weights.recency > weights.relevance and weights.importance <= weights.recency


def _loudest(weights: Weights) -> bool:
    return weights.importance >= max(weights.recency, weights.relevance)


EXERCISE = Exercise(
    id="2.3",
    title="Weights for the shift-lead",
    concept="weights",
    expected="Weights(recency=..., importance=..., relevance=...)",
    fits=lambda answer: type(answer) is Weights,
    laws=(the_exact_match_comes_first, of_like_matches_the_news_comes_first),
    yes="the exact match wins, and among matches that are alike the news does",
    misconceptions=(
        Misconception(
            "the usual weights are neutral",
            "They are one policy among many: with them the newest loud event wins.",
            _usual,
        ),
        Misconception(
            "relevance is all",
            "Many events can match equally well, and then the agent tells old stories.",
            _relevance_alone,
        ),
        Misconception(
            "the newest knows best",
            "The newest event is about lunch. Recency breaks ties; it does not answer.",
            _newest,
        ),
        Misconception(
            "the loudest knows best",
            "Importance was set by whoever logged the event, and that one did not know your question.",
            _loudest,
        ),
    ),
    hints=(
        "Which part is large for the Friday event, and which for the lunch menu?",
        "Which part tells two events apart that match equally well?",
        "What does the explorer show when relevance has more weight than the other two together?",
    ),
)
