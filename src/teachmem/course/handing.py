"""Handing in: the code of one's journal, and a copy of it with a name and perhaps a card.

Both print, as a lesson does. The code is the short thing that somebody else holds; the copy may come
later, and must still go through the entry that the code was made of.

>>> code()
No journal is kept here, so there is no code. On your own machine this line is one.

Left out: sending anything anywhere.
"""

from __future__ import annotations

import errno
import hashlib
import os
from pathlib import Path
from types import EllipsisType

from teachmem import private
from teachmem.course import codes, handed, journal, words
from teachmem.errors import InvalidInput
from teachmem.marks import card as cards


def spoken() -> str | None:
    """Return the code of where the student's journal stands, None where none is kept."""
    try:
        head = journal.current().head()
    except OSError:
        return None
    return codes.code_of(*head) if head else None


def code() -> None:
    """Print the code of where your journal stands: for the board, or for your instructor's list."""
    print(spoken() or words.CODE_NONE)


def hand_in(
    name: str | EllipsisType, folder: str | os.PathLike[str] = ".", card: str | os.PathLike[str] | None = None
) -> None:
    """Say your name in your journal, and copy it into `folder`; with `card`, that file too.

    The journal keeps the digest of the card; `...` is a name not said yet. Raises `InvalidInput` for a
    name that is none, a folder that cannot be written and a file that is no card; then nothing is
    handed in.
    """
    if name is ...:
        print(words.HAND_IN_UNNAMED)
        return
    if type(name) is not str or not name.strip():
        raise InvalidInput("name", words.HAND_IN_NAME)
    shown: bytes | None = None
    try:
        shown = Path(card).read_bytes() if card is not None else None
    except OSError as error:
        raise InvalidInput(
            "card", words.HAND_IN_CARD.format(file=card, reason=error.strerror, here=Path.cwd())
        ) from error
    if shown is not None:
        try:
            cards.read(shown.decode())
        except (ValueError, InvalidInput) as error:
            raise InvalidInput("card", words.HAND_IN_NO_CARD.format(file=card)) from error
    diary = journal.current()
    if diary.file is None:
        print(words.HAND_IN_NONE)
        return
    place = Path(folder)
    try:
        private.make_folder(place)
        if not place.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        told = {} if shown is None else {"card": hashlib.sha256(shown).hexdigest()}
        diary.add("", "hand-in", "journal", name=name.strip(), **told)
        head = diary.head()
        if head is None:  # it could not be written after all; the lesson's next line says why
            print(words.HAND_IN_NONE)
            return
        student, last = head
        copy = place / f"journal-{student}.jsonl"
        data = diary.file.read_bytes()
        private.write(copy, data[: data.index(last.line) + len(last.line)] + b"\n")
        if shown is not None:
            private.write(place / handed.card_name(student), shown)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise InvalidInput("folder", words.HAND_IN_FAILED.format(folder=place, reason=reason)) from error
    print(words.HANDED_IN.format(name=name.strip(), entries=last.seq, file=copy.as_posix()))
    print(words.HANDED_CODE.format(code=codes.code_of(student, last)))
