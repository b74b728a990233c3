"""Embedders: a text becomes a vector, so that texts with a like meaning lie close together.

`WordEmbedder` is the default: every token has a learned vector, and a text is their average, made
one unit long. It comes whole with the `wordllama` package and asks no network. `HashingEmbedder`
needs numpy alone; it hashes runs of letters, so it knows spelling and no meaning, and says so. A third,
slower one is in `recall/minilm.py`.

>>> embedder = HashingEmbedder()
>>> vectors = embedder.embed(["gripper", "grippers", "canteen"])
>>> vectors.shape, bool(vectors[0] @ vectors[1] > vectors[0] @ vectors[2])
((3, 256), True)

Left out: word order. An average does not know who bit whom.
"""

from __future__ import annotations

import hashlib
import importlib.util
import logging
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from teachmem.errors import InvalidInput, TeachmemError
from teachmem.ports import Embedder
from teachmem.recall import minilm, text

UNIT = 1e-3  # how far a vector's squared length may be from 1

Vectors = NDArray[np.float32]


def unit(vectors: Vectors) -> Vectors:
    """Return the rows one unit long; a row of zeros (a text without a token) stays zeros.

    >>> unit(np.array([[3.0, 4.0], [0.0, 0.0]], dtype=np.float32)).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    found = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return np.asarray(found, dtype=np.float32)


class WordEmbedder:
    """Averages of the static token vectors of `wordllama`, 256 numbers each. Loaded at first use."""

    name = "wordllama-256"
    dimensions = 256

    @staticmethod
    def is_installed() -> bool:
        """Say whether the package with the vectors is there."""
        return importlib.util.find_spec("wordllama") is not None

    @cached_property
    def _model(self) -> Any:
        root, aside = logging.getLogger(), logging.NullHandler()
        root.addHandler(aside)  # the package sets up logging for the whole process, unless somebody has
        try:
            import wordllama
        except ImportError as error:
            raise TeachmemError("no word vectors found; install the package `wordllama`") from error
        finally:
            root.removeHandler(aside)
        folder = Path(str(wordllama.__file__)).parent
        return wordllama.WordLlama.load(cache_dir=folder, disable_download=True)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector a text, as rows of shape (texts, 256)."""
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        found = np.asarray(
            self._model.embed([_encodable(item) for item in texts], norm=False), dtype=np.float32
        )
        return unit(np.nan_to_num(found))

    def token_vectors(self, content: str) -> tuple[list[str], Vectors]:
        """Return the tokens of a text and the vector of each: what `embed` averages."""
        encoding = self._model.tokenizer.encode(_encodable(content), add_special_tokens=False)
        return list(encoding.tokens), np.asarray(self._model.embedding[encoding.ids], dtype=np.float32)


class HashingEmbedder:
    """A lexical stand-in: runs of 3 to 5 characters, hashed into 256 places. It knows no meaning."""

    name = "hashing-256 (lexical)"
    dimensions = 256

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector a text, as rows of shape (texts, 256)."""
        found = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, content in enumerate(texts):
            for gram in _grams(content):
                place = int.from_bytes(hashlib.blake2b(gram.encode(), digest_size=8).digest(), "big")
                found[row, place % self.dimensions] += 1 if place >> 63 else -1
        return unit(found)


def _grams(content: str) -> list[str]:
    words = text.fold(_encodable(content)).split()
    return [
        f" {word} "[start : start + size]
        for word in words
        for size in (3, 4, 5)
        for start in range(max(1, len(word) + 3 - size))
    ]


def _encodable(content: str) -> str:
    """Return `content` without halves of surrogate pairs, which a question may hold and no encoder takes."""
    return content.encode("utf-8", "replace").decode("utf-8")


def default() -> Embedder:
    """Return the word embedder where it is installed, else the lexical stand-in."""
    return WordEmbedder() if WordEmbedder.is_installed() else HashingEmbedder()


def named(name: str | None) -> Embedder:
    """Return the embedder of this name, the default if it is None.

    >>> named("hashing-256 (lexical)").name
    'hashing-256 (lexical)'
    """
    if name is None:
        return default()
    for one in (WordEmbedder, HashingEmbedder, minilm.MiniLmEmbedder):
        if name in (one.name, one.name.partition("-")[0]):
            return one()
    raise InvalidInput("embedder", f"{name!r} is none of wordllama, minilm, hashing")


def checked(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    """Return what `embedder` makes of `texts`; refuse another length and what is not finite."""
    vectors = np.asarray(embedder.embed(texts), dtype=np.float32)
    wanted = (len(texts), embedder.dimensions)
    if vectors.shape != wanted:
        raise TeachmemError(
            f"the embedder {embedder.name!r} gave vectors of shape {vectors.shape}, not {wanted}; mend it, "
            "or open the store with another"
        )
    if not np.isfinite(vectors).all():
        raise TeachmemError(f"the embedder {embedder.name!r} gave numbers that are not finite; mend it")
    return vectors


def to_bytes(vector: Vectors) -> bytes:
    """Return a vector as the table keeps it: little-endian 32-bit floats."""
    return vector.astype("<f4").tobytes()


def from_bytes(kept: object, dimensions: int) -> Vectors | None:
    """Return a vector from the table, or None where no unit vector of this length is: it is made anew then.

    So a byte that changed on the disk does not go into a ranking; no digest covers vectors.

    >>> from_bytes(to_bytes(np.array([0.6, -0.8], dtype=np.float32)), dimensions=2).round(1).tolist()
    [0.6..., -0.8...]
    >>> from_bytes(to_bytes(np.array([0.6, -0.9], dtype=np.float32)), dimensions=2) is None
    True
    """
    if not isinstance(kept, bytes) or len(kept) != 4 * dimensions:
        return None
    found = np.frombuffer(kept, dtype="<f4").astype(np.float32)
    with np.errstate(all="ignore"):
        return found if abs(float(found @ found) - 1.0) < UNIT else None  # false for NaN, too
