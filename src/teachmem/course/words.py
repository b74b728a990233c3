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
KEPT_LATE = "{id}: kept: {answer}. Its output was shown before, so it counts for nothing."
LATE = "{id}: {answer} is noted. It comes after the answer was shown, so {first} stays the one that counts."
REVEAL_UNANSWERED = "{id}: no prediction to compare. Answer it above, then run this cell again."
REVEAL_RIGHT = "{id}: right ({answer}, {sure}). {because}"
REVEAL_WRONG = "{id}: you said {answer}, {sure}; it is otherwise. {because}"
REVEAL_LATE = "  You answered when it had been shown, so this counts for nothing. Make the next one first."
REVIEW_NONE = "Segment {number}: no prediction answered yet, so there is nothing to compare."
REVIEW_TOTAL = "Segment {number}: {answered} of {all} predictions answered, {right} right."
REVIEW_LEVEL = "  {sure}: {right} of {answered} right"
REVIEW_SURE_WRONG = "  Sure and wrong: {which}. Read these again first."
REVIEW_GUESS_RIGHT = "  Guessed and right: {which}. You know more here than you think."
REVIEW_NO_SURE_WRONG = "  Nowhere sure and wrong."
REVIEW_LATE = "  Answered when it had been shown, and left out: {which}."

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
    "This deletes the record of {events} events in {folder}, and a code of it that your instructor holds "
    "will fit nothing any more. To do it, write "
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

# Handing in, and what an instructor is told of it
CODE_NONE = "No journal is kept here, so there is no code. On your own machine this line is one."
HAND_IN_NAME = "must be the name that your instructor knows you by"
HAND_IN_UNNAMED = "Not handed in yet. Put your name in place of the dots and run this cell again."
HANDED_IN = "Handed in as {name}: {entries} entries, in {file}."
HANDED_CODE = "Send the file, and read this code aloud or send it another way: {code}"
HAND_IN_NONE = "No journal is kept here, so nothing is handed in. On your own machine this is where it is."
HAND_IN_FAILED = "cannot be written in {folder} ({reason}); name another folder"
HAND_IN_CARD = "the card {file} cannot be read ({reason}); give its path as seen from {here}"
HAND_IN_NO_CARD = "{file} is no card; teachmem marks --json FILE writes one"

GRADE_NO_CODE = "{given} is no code; one looks like 7K3M9Q2W 42 N7YH-JSAJ-TE81-5M66-1"
GRADE_NO_LIST = "{file} cannot be read ({reason})"
GRADE_LIST_HEAD = "{file} is no list of codes: its first line names the columns {columns}"
GRADE_LIST_ROW = "line {number} of {file} cannot be read ({reason})"
GRADE_NOWHERE = "{folder} is not there; name the folder of the journals, or one of them"
GRADE_LARGE = "larger than {megabytes} MB"
GRADE_NO_FILE = "no ordinary file"
GRADE_EMPTY = "no line of it is that of a journal"
GRADE_PROVEN = "proven up to entry {proven} of {entries}, by the code of {date}{before}"
GRADE_CONSISTENT = "consistent, not proven: {entries} entries, and no code of any{before}"
GRADE_UNCHAINED = "unchained: {older} lines of an older teachmem, which prove nothing"
GRADE_BROKEN = "broken: {count} found in {entries} entries{before}"
GRADE_STRAY = "{lines} {which} of the file: no entry, as a kill in the middle of writing leaves one"
GRADE_CLOCK = "the student's clock went back {count} {times}"
GRADE_NAMES = "several names were said: {names}"
GRADE_CARD = "the card beside it, as it was handed in"
GRADE_CARD_LOST = "a card was handed in with it, and {name} is not beside it"
GRADE_CARD_OTHER = "{name} beside it is not the card that was handed in"
GRADE_EARLIER = "an earlier state of {other}"
GRADE_FORK = "up to here it is the same as {other} ({name}), and then both go on, each in its own way"
GRADE_TWO_NAMES = "up to here it is the same as {other}, where another name was said ({name})"
GRADE_SHARED = "{count} of its entries stand in {other} too"
GRADE_SAME_LINES = "its unchained lines are all the same as those of {other} ({name})"
GRADE_SAME_MOMENTS = "{count} of its events are of the same microsecond as in {other}"
GRADE_OTHER_NAME = "the code of {date} is that of {name}, and this journal says {said}"
GRADE_CUT = "the code of {date} holds entry {seq}, and the journal ends at entry {last}"
GRADE_REWRITTEN = "is not the entry that the code of {date} was made of: it was written anew"
GRADE_BEGUN_ANEW = "the code of {date} is of another journal of {name}, {student}, which is not here"
GRADE_FUTURE = "entry {seq} says {at}, and its code is of {date}"
GRADE_MISSING = "Of {name} there is a code of {date}, and no journal {student}."

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
