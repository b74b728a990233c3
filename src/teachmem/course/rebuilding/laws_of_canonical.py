"""What any `ledger.canonical` must obey: one value, one spelling, and nothing that two readers may read apart."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from teachmem.course.rebuilding.law import Contract, ask, examples, refusal, show, yours
from teachmem.vocabulary import MAX_DEPTH, MAX_INTEGER

keys = st.text("abzAZ019_", min_size=1, max_size=3)
texts = st.text(st.sampled_from('a"\\/é€\n\t\x01\x7f😀'), max_size=3)
numbers = st.sampled_from([0, 1, -1]) | st.integers(-MAX_INTEGER, MAX_INTEGER)
plain = st.one_of(texts, numbers, st.booleans(), st.none())
values = st.recursive(
    plain, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3)
)
bodies = st.dictionaries(keys, values, max_size=3)
WAYS: dict[str, dict[str, Any]] = {
    "with a space after each colon": {"separators": (",", ": ")},
    "with a line end": {},
    "with its keys in reverse": {},
    "with its letters escaped": {"ensure_ascii": True},
    "with its first key twice": {},
}


@examples(body=bodies)
def one_value_has_one_spelling(module: Any, body: dict[str, Any]) -> str | None:
    """A body is encoded as RFC 8785 says: keys sorted, no spaces, one way to write each string and number."""
    due = _written(body)
    got = ask(module, "encode", body)
    if got != due:
        return f"{yours('encode', body)} gave {show(got)}, {show(due)} was due"
    backwards = dict(reversed(body.items()))
    if ask(module, "encode", backwards) != due:
        return f"{yours('encode', backwards)} gave other bytes than the same keys in another order"
    return None


@examples(body=bodies)
def what_was_written_is_read_back(module: Any, body: dict[str, Any]) -> str | None:
    """The bytes of a body are decoded to that body, `True` as `True` and 1 as 1."""
    got = ask(module, "decode", _written(body))
    if type(got) is not dict or _written(got) != _written(body):
        return f"{yours('decode', _written(body))} gave {show(got)}, {show(body)} was due"
    return None


@examples(body=bodies, way=st.sampled_from(list(WAYS)))
def another_spelling_is_none(module: Any, body: dict[str, Any], way: str) -> str | None:
    """The same value in any other spelling is not decoded: `None` is the answer."""
    data = _respelled(body, way)
    if data == _written(body):
        return None
    got = ask(module, "decode", data)
    if got is not None:
        return f"{yours('decode', data)} gave {show(got)}; the body is written {way}, so None was due"
    return None


@examples(
    data=st.one_of(
        st.binary(max_size=4).filter(lambda data: data != b"{}"),
        st.sampled_from(
            [b'{"a":1.0}', b'{"a":1e3}', b'{"a":-0}', b"[1]", b"1", b"null", b'{"a":NaN}', b'{"a"']
        ),
        st.sampled_from([b'{"a":9007199254740993}', '{"é":1}'.encode(), b'{"a":"\\ud800"}', b'{"a":"\xff"}']),
    )
)
def what_is_no_body_is_none(module: Any, data: bytes) -> str | None:
    """Bytes that are no body (a list, a fraction, half a body, no UTF-8) are answered with `None`, not raised."""
    got = ask(module, "decode", data)
    if got is not None:
        return f"{yours('decode', data)} gave {show(got)}; that is no body, so None was due"
    return None


@examples(
    path=st.lists(keys, min_size=1, max_size=2),
    bad=st.sampled_from(
        [
            0.5,
            1.0,
            b"a",
            MAX_INTEGER + 1,
            -MAX_INTEGER - 1,
            "a\x00",
            "\ud800",
            {1},
            {"é": 1},
            {1: 1},
            {"a\x00": 1},
        ]
    ),
    listed=st.booleans(),
)
def what_cannot_enter_is_refused_by_its_place(
    module: Any, path: list[str], bad: object, listed: bool
) -> str | None:
    """A fraction, bytes, a large integer, U+0000, a key beyond ASCII: `InvalidInput` names where it stands."""
    place = ".".join(path)
    body: Any = ["a", bad] if listed else bad
    for key in reversed(path):
        body = {key: body}
    refused = refusal(module, "encode", body)
    if refused is None:
        return f"{yours('encode', body)} let {show(bad)} enter; it is to be refused"
    where = f"{place}[1]" if listed else place
    if not refused.startswith(where):
        return f"{yours('encode', body)} said {show(refused)}, and not that it is at {where}"
    return None


@examples(depth=st.integers(1, MAX_DEPTH + 3), lists=st.booleans())
def a_body_is_not_nested_without_end(module: Any, depth: int, lists: bool) -> str | None:
    """A body may be nested 20 deep and no deeper, for who writes it and for who reads it."""
    value: Any = 1
    for _ in range(depth):
        value = [value] if lists else {"a": value}
    body, may = {"a": value}, depth < MAX_DEPTH
    if (refusal(module, "encode", body) is None) != may:
        return f"your encode {'refused' if may else 'took'} a body nested {depth} deep; {MAX_DEPTH - 1} is the most"
    if (ask(module, "decode", _written(body)) is not None) != may:
        return f"your decode {'refused' if may else 'took'} a body nested {depth} deep; {MAX_DEPTH - 1} is the most"
    return None


def _written(body: Any, **how: Any) -> bytes:
    """Write a body as RFC 8785 does, for what a body may hold: the oracle, from the standard library."""
    usual: dict[str, Any] = {"separators": (",", ":"), "ensure_ascii": False, "sort_keys": True}
    return json.dumps(body, **(usual | how)).encode("utf-8", "surrogatepass")


def _respelled(body: dict[str, Any], way: str) -> bytes:
    if way == "with its keys in reverse":
        return _written(dict(sorted(body.items(), reverse=True)), sort_keys=False)
    data = _written(body, **WAYS[way])
    if way == "with its first key twice" and body:
        first = min(body)
        return b"{" + _written({first: body[first]})[1:-1] + b"," + data[1:]
    return data + (b"\n" if way == "with a line end" else b"")


CONTRACT = Contract(
    "ledger.canonical",
    ("encode", "decode"),
    (
        one_value_has_one_spelling,
        what_was_written_is_read_back,
        another_spelling_is_none,
        what_is_no_body_is_none,
        what_cannot_enter_is_refused_by_its_place,
        a_body_is_not_nested_without_end,
    ),
)
