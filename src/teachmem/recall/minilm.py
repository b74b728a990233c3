"""MiniLM: an embedder that reads a text's words together, where Chroma's copy of it already lies.

Chroma keeps the model (all-MiniLM-L6-v2, as ONNX) in a cache of its own once somebody has used its default
embedding. It is taken from there and from nowhere else: **nothing is ever downloaded**. A small transformer
makes a vector for each token, out of the token and its neighbours; a text's vector is their average.

>>> MiniLmEmbedder(Path("nowhere")).missing()
['nowhere/model.onnx', 'nowhere/tokenizer.json']

Left out: making or fetching the model. Texts are read up to 256 tokens, as the model was trained.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from teachmem.errors import TeachmemError

CACHE = Path(".cache", "chroma", "onnx_models", "all-MiniLM-L6-v2", "onnx")  # in the home folder
FILES = ("model.onnx", "tokenizer.json")
PACKAGES = ("onnxruntime", "tokenizers")
LONGEST = 256  # tokens
BATCH = 32  # texts; they are padded to the longest of the batch


class MiniLmEmbedder:
    """The transformer all-MiniLM-L6-v2, 384 numbers a text, from Chroma's cache or another `folder`."""

    name = "minilm-384"
    dimensions = 384

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = Path.home() / CACHE if folder is None else Path(folder)

    def missing(self) -> list[str]:
        """Return what it lacks: files of the model, and packages that run it."""
        files = [self._folder / name for name in FILES]
        return [
            *(path.as_posix() for path in files if not path.is_file()),
            *(f"the package {name}" for name in PACKAGES if importlib.util.find_spec(name) is None),
        ]

    @cached_property
    def _model(self) -> tuple[Any, Any]:
        if missing := self.missing():
            raise TeachmemError(
                f"MiniLM is not on this machine: {', '.join(missing)} cannot be found, and nothing is ever "
                "downloaded; copy them from a machine whose Chroma has used its default embedding, "
                "or use the word vectors"
            )
        import onnxruntime
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        try:
            tokenizer = Tokenizer.from_file(str(self._folder / "tokenizer.json"))
            session = onnxruntime.InferenceSession(
                str(self._folder / "model.onnx"), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # both raise types of their own, and bare ones
            raise TeachmemError(f"the files of MiniLM in {self._folder} are damaged: {error}") from error
        tokenizer.enable_truncation(max_length=LONGEST)
        tokenizer.enable_padding()
        return tokenizer, session

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit vector a text, as rows of shape (texts, 384). It takes some milliseconds a text."""
        found = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for start in range(0, len(texts), BATCH):
            found[start : start + BATCH] = self._averages(texts[start : start + BATCH])
        lengths = np.linalg.norm(found, axis=1, keepdims=True)
        found /= np.where(lengths > 0, lengths, 1)
        return found

    def _averages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        tokenizer, session = self._model
        read = [text.encode("utf-8", "replace").decode() for text in texts]  # halves of surrogate pairs
        encoded = tokenizer.encode_batch(read)
        ids = np.array([one.ids for one in encoded], dtype=np.int64)
        mask = np.array([one.attention_mask for one in encoded], dtype=np.int64)
        (vectors,) = session.run(
            ["last_hidden_state"],
            {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)},
        )
        counted = mask[:, :, np.newaxis]
        found = (vectors * counted).sum(axis=1) / np.maximum(counted.sum(axis=1), 1)
        return np.asarray(found, dtype=np.float32)
