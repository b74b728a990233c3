"""Floor 8, the course: lessons that ask first, check what a student made, and keep the record.

>>> from teachmem import course
>>> lesson = course.open_lesson("01")
>>> lesson.tech
<agent dock-1 of northlight/dock, clearance 1>
>>> lesson.close()
"""

from teachmem.course.classroom import roster
from teachmem.course.grading import grade
from teachmem.course.handing import code, hand_in
from teachmem.course.lesson import Lesson, open_lesson
from teachmem.course.rebuilding.contracts import show_contract as contract
from teachmem.course.rebuilding.run import rebuild
from teachmem.course.rebuilding.wall import wall
from teachmem.course.standing import progress, reset_progress

__all__ = [
    "Lesson",
    "code",
    "contract",
    "grade",
    "hand_in",
    "open_lesson",
    "progress",
    "rebuild",
    "reset_progress",
    "roster",
    "wall",
]
