"""Every sentence that the lesson engine says, in one place, so that it can be translated as a whole.

A sentence is a template with named gaps. It names the exercise or prediction first, so that a line
makes sense wherever it stands, and it is the same on every machine.

>>> NOT_TRIED.format(id="1.1")
'1.1: not tried yet'

Left out: the sentences of a lesson (its questions, hints and cards); they stand in `segments/`.
"""

from __future__ import annotations

SURE_WORDS = ("guess", "fairly", "sure")
SURE_PHRASES = {"guess": "as a guess", "fairly": "fairly sure", "sure": "sure", "": "not saying how sure"}

# Checks
NOT_TRIED = "{id}: not tried yet"
YES = "{id}: yes - {why}"
NOT_YET = "{id}: not yet - {why}"
PRINTED = "  It printed something, which a check does not show. Call it yourself to see that."
MISCONCEPTION = "  This has a name, {name}: {card}"
EXPECTED = "expected {expected}, got {got}"
TOO_LONG = "it ran for more than {seconds} seconds and was stopped; look for a loop that never ends"
COPY_TOO_LONG = "copying your answer took more than {seconds} seconds; hand over a smaller or plainer object"
ENDED = "it ended the process that checks it (exit code {code}); an answer returns, it does not leave Python"
CRASHED = "it brought down the process that checks it; look for endless recursion or unsafe calls"
LEFT_PYTHON = "it tried to leave Python ({error}); return a value instead"
NO_MEMORY = "it wanted more memory than a check may have; look for a list that grows without end"
RAISED = "{call} raised {error}"
RAISED_ALONE = "checking it raised {error}"
NO_NUMBER = "{call} gave {value}, which is no number"
NOT_FINITE = "{call} gave {value}, which is not finite"
NO_LIST = "{call} gave {value}, which is no list"
YOUR_FUNCTION = "your function"
CANNOT_SHOW = "an object of class {name} that cannot be shown"
UNSENDABLE = "it cannot be handed to the checker ({reason}); hand over a value or a function of its arguments"
TOO_LARGE = "it is larger than {megabytes} MB; hand over a smaller object"
OWN_COPYING = "its class {name} decides itself how it is copied"
OTHER_STORE = "it holds a memory store that is not the one of this lesson, perhaps of one opened before"
UNPACKED = "it cannot be rebuilt by the checker ({reason}); define it in the notebook"
NO_CHECKER = (
    "{id}: could not be checked, because the checking process did not start; run this cell again, "
    "and restart the kernel if it says so twice"
)

# Predictions
CHOICE = "  {key}) {text}"
NOT_ANSWERED = "{id}: not answered yet. Put {wanted} in place of the dots and run this cell again."
WANTED_FREE = "your answer"
NO_CHOICE = "{id}: {given} is no choice here. Put {wanted} in its place and run this cell again."
NOT_FREE = "{id}: {given} cannot be kept. Answer with a number or a text and run this cell again."
NOT_SURE_WORD = '{id}: sure is one of "guess", "fairly", "sure" (or 1, 2, 3), not {given}. Nothing was kept.'
KEPT = "{id}: kept: {answer}, {sure}. The next cell tells."
KEPT_UNSURE = (
    '{id}: kept: {answer}. Add sure="guess", "fairly" or "sure", and the end of the segment counts it.'
)
LATE = "{id}: {answer} is noted. It comes after the answer was shown, so {first} stays the one that counts."
REVEAL_UNANSWERED = "{id}: no prediction to compare. Answer it above, then run this cell again."
REVEAL_RIGHT = "{id}: right ({answer}, {sure}). {because}"
REVEAL_WRONG = "{id}: you said {answer}, {sure}; it is otherwise. {because}"
REVIEW_NONE = "Segment {number}: no prediction answered yet, so there is nothing to compare."
REVIEW_TOTAL = "Segment {number}: {answered} of {all} predictions answered, {right} right."
REVIEW_LEVEL = "  {sure}: {right} of {answered} right"
REVIEW_SURE_WRONG = "  Sure and wrong: {which}. Read these again first."
REVIEW_GUESS_RIGHT = "  Guessed and right: {which}. You know more here than you think."
REVIEW_NO_SURE_WRONG = "  Nowhere sure and wrong."

# Hints
HINT = "{id}, hint {level} of {levels}: {hint}"
HINT_LEVEL = "{id}: hints are numbered 1 to {levels}, not {given}"

# Ids that do not exist
NO_EXERCISE = "There is no exercise {given} in segment {number}. It has {known}."
NO_PREDICTION = "There is no prediction {given} in segment {number}. It has {known}."
NO_HINTS = "There is no exercise {given} in segment {number} to give hints for. It has {known}."
NO_LESSON = "there is no segment {given}; there is {known}"

# Progress
PROGRESS_LINE = (
    "segment {number}  {title}: {done} of {exercises} exercises, {answered} of {predictions} predictions"
)
PROGRESS_KEPT = "Your record is the file {file}."
PROGRESS_TRIED = "; tried and open: {which}"
PROGRESS_DAMAGED = (
    "Your record of progress had {count} damaged {lines}. The damaged file is kept as {name}; "
    "every line that could be read still counts."
)
PROGRESS_NEWER = "Your record of progress was written by a newer teachmem. It is left as it is."
PROGRESS_UNWRITABLE = "Your progress cannot be kept in {folder} ({reason}). The lesson works without it."
RESET_ASKS = (
    "This deletes the record of {events} events in {folder}. To do it, write "
    "course.reset_progress(confirm=True)."
)
RESET_FAILED = "The record of progress in {folder} cannot be deleted ({reason}). Close what uses it."
RESET_DONE = "The record of progress is empty."

# The class
ROSTER_EMPTY = "{folder} holds no record of progress (*.jsonl). Collect the students' files in it."
ROSTER_HEAD = "Students: {students}"
ROSTER_EXERCISE = "{id}  done {done}, stuck {stuck}, not tried {untried}{cards}"
ROSTER_CARDS = "; seen: {cards}"
ROSTER_PREDICTION = "{id}  right {right}, wrong {wrong}, of these sure {sure_wrong}"
ROSTER_DAMAGED = "{name}: {count} damaged {lines} left out"
ROSTER_UNREADABLE = "{name}: cannot be read ({reason})"

ROSTER_NEWER = "written by a newer teachmem"

# The story
NO_HANDLE = "no {given} here; the handles of this segment are {known}"
LOST_GROUND = "note {note} acts on {target}, which was not loaded; load that one too"
LOST_FACT = "fact {fact} revises {target}, which was not loaded; load that one too"

# Data and files
NO_DATA = "cannot be found; reinstall teachmem, or work in a checkout that has the folder data/"
NO_ROSTER_FOLDER = "{folder} is not a folder"


def listed(names: object) -> str:
    """Return names as a sentence has them: `a`, `a and b`, `a, b and c`."""
    texts = [str(name) for name in names]  # type: ignore[attr-defined]
    if not texts:
        return "none"
    return texts[0] if len(texts) == 1 else ", ".join(texts[:-1]) + " and " + texts[-1]


def one_of(names: object) -> str:
    """Return names to choose from: `a, b or c`."""
    return listed(names).replace(" and ", " or ")


def lines(count: int) -> str:
    """Return the word for one line or many."""
    return "line" if count == 1 else "lines"
