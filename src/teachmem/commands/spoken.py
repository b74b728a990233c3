"""The code that a student reads aloud: what the doctor found, in six signs.

Each check has one of three states (well, warning, fault), so the checks in their order are the digits
of a number to base 3. It is written with 17 signs that sound unlike, in groups of three; the last
sign is a checksum that finds any one misheard sign and any two that were swapped. All zeros: all well.

>>> encode([0] * 12)
'000-000'
>>> encode([0, 2, 0, 1] + [0] * 8)
'000-1YY'
>>> decode("0001yy", 12)[:4]
[0, 2, 0, 1]

Left out: what the checks are (`doctor.py`). New ones may be added at the end only, up to twelve.
"""

from __future__ import annotations

from collections.abc import Sequence

from teachmem import errors

SIGNS = "0123456789FHKMRWY"  # none that sounds like another over a room: no B D P T, no A J, no I O
CHECKS = 12  # 3 ** 12 < 17 ** 5
_BASE = len(SIGNS)  # a prime, which is what makes the checksum find a swap


def encode(states: Sequence[int]) -> str:
    """Write the states of up to twelve checks as six signs."""
    number = sum(state * 3**place for place, state in enumerate(states))
    values = [number // _BASE**power % _BASE for power in (4, 3, 2, 1, 0)]
    written = "".join(SIGNS[value] for value in [*values, _checksum(values)])
    return f"{written[:3]}-{written[3:]}"


def decode(code: str, checks: int) -> list[int]:
    """Read the states back. Raises `TeachmemError` for a code that was misheard."""
    signs = code.upper().replace("-", "").replace(" ", "")
    if len(signs) != 6 or any(sign not in SIGNS for sign in signs):
        raise errors.TeachmemError(f"{code!r} is no code of the doctor; it has six signs out of {SIGNS}")
    values = [SIGNS.index(sign) for sign in signs]
    number = 0
    for value in values[:-1]:
        number = number * _BASE + value
    if values[-1] != _checksum(values[:-1]) or number >= 3**checks:
        raise errors.TeachmemError(f"{code!r} was misheard: its last sign does not fit; ask for it again")
    return [number // 3**place % 3 for place in range(checks)]


def _checksum(values: Sequence[int]) -> int:
    return sum(weight * value for weight, value in enumerate(values, start=1)) % _BASE
