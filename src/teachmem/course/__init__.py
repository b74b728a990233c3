"""Floor 8, the course: lessons that ask first, check what a student made, and keep the record.

>>> from teachmem import course
>>> lesson = course.open_lesson("01")
>>> lesson.tech
<agent dock-1 of northlight/dock, clearance 1>
>>> lesson.close()
"""

from teachmem.course.classroom import roster
from teachmem.course.lesson import Lesson, open_lesson
from teachmem.course.standing import progress, reset_progress

__all__ = ["Lesson", "open_lesson", "progress", "reset_progress", "roster"]
