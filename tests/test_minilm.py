"""MiniLM from a cache: absent and damaged ones are said, and a tiny real model is run as the large one is."""

import socket

import numpy as np
import pytest
from helpers import run_python

import teachmem
from teachmem.errors import InvalidInput, TeachmemError
from teachmem.recall import embed, minilm
from teachmem.recall.minilm import MiniLmEmbedder

WORDS = ["[PAD]", "[UNK]", "hoist", "runs", "stands", "the", "canteen"]


def field(number, value):
    """Return one field of a protocol buffer: bytes, text or a whole number."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def varint(value):
    out = b""
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def tensor_info(name, kind, *dimensions):
    shape = b"".join(
        field(1, field(2, size) if isinstance(size, str) else field(1, size)) for size in dimensions
    )
    return field(1, name) + field(2, field(1, field(1, kind) + field(2, shape)))


def model(table):
    """Return an ONNX model with MiniLM's inputs and output, in which a token's vector is a row of `table`."""
    floats, integers = 1, 7
    kept = (
        field(1, len(table))
        + field(1, table.shape[1])
        + field(2, floats)
        + field(8, "table")
        + field(9, table.astype("<f4").tobytes())
    )
    node = (
        field(1, "table")
        + field(1, "input_ids")
        + field(2, "last_hidden_state")
        + field(3, "look")
        + field(4, "Gather")
    )
    inputs = ("input_ids", "attention_mask", "token_type_ids")
    graph = (
        field(1, node)
        + field(2, "tiny")
        + field(5, kept)
        + b"".join(field(11, tensor_info(name, integers, "batch", "length")) for name in inputs)
        + field(12, tensor_info("last_hidden_state", floats, "batch", "length", table.shape[1]))
    )
    return field(1, 8) + field(7, graph) + field(8, field(2, 13))


@pytest.fixture
def folder(tmp_path):
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    from tokenizers import Tokenizer, models, pre_tokenizers

    home = tmp_path / minilm.CACHE
    home.mkdir(parents=True)
    tokenizer = Tokenizer(models.WordLevel({word: n for n, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(home / "tokenizer.json"))
    table = np.random.default_rng(5).normal(size=(len(WORDS), 384)).astype(np.float32)
    (home / "model.onnx").write_bytes(model(table))
    return home, table


def test_a_text_is_the_average_of_its_token_vectors_whatever_stands_beside_it(folder):
    home, table = folder
    embedder = MiniLmEmbedder(home)
    texts = ["the hoist runs", "hoist", "", "\ud800 canteen", "the canteen " * 200]
    found = embed.checked(embedder, texts * 10)  # more than one batch, padded to unlike lengths
    assert found.dtype == np.float32
    means = [
        table[[5, 2, 3]].mean(axis=0),
        table[2],
        np.zeros(384),
        table[[1, 6]].mean(axis=0),
        table[[5, 6] * 128].mean(axis=0),  # cut at 256 tokens
    ]
    wanted = embed.unit(np.array(means, dtype=np.float32))
    for row in range(10):
        assert found[5 * row : 5 * row + 5] == pytest.approx(wanted, abs=1e-5)
    assert embedder.embed([]).shape == (0, 384)


def test_a_store_is_built_with_it_and_keeps_to_it(folder, tmp_path, monkeypatch):
    home, _ = folder
    monkeypatch.setattr(minilm.Path, "home", lambda: tmp_path)
    path = tmp_path / "store.db"
    assert home == tmp_path / minilm.CACHE
    with teachmem.open_memory(path, embedder=embed.named("minilm")) as mem:
        tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
        for said in ("the hoist runs", "the canteen stands"):
            tech.semantic.remember(said)
        hit = tech.semantic.search("canteen", k=1)[0]
        assert hit.memory.content == "the canteen stands"
    with pytest.raises(teachmem.TeachmemError, match=r"minilm-384.*--re-embed --embedder wordllama-256"):
        teachmem.open_memory(path, embedder=embed.WordEmbedder())


@pytest.mark.parametrize("name", ["tokenizer.json", "model.onnx"])
def test_a_damaged_file_is_said_and_nothing_is_written(folder, name):
    home, _ = folder
    (home / name).write_bytes(b"\x00\x01 no model")
    with teachmem.open_memory(embedder=MiniLmEmbedder(home)) as mem:
        with pytest.raises(TeachmemError, match="damaged"):
            mem.agent("dock-1", fleet="dock", tenant="northlight").semantic.remember("the hoist runs")
        assert mem.audit.verify().entries == 0


def test_an_absent_cache_is_said_by_its_files_and_nothing_is_fetched(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(socket.socket, "connect", lambda *there: asked.append(there))
    monkeypatch.setattr(minilm.Path, "home", lambda: tmp_path)
    with pytest.raises(TeachmemError) as told:
        embed.named("minilm").embed(["the hoist runs"])
    where = (tmp_path / minilm.CACHE).as_posix()
    for name in minilm.FILES:
        assert f"{where}/{name}" in str(told.value)
    assert not asked
    assert not any(tmp_path.rglob("*"))


def test_the_cache_is_where_chroma_keeps_it():
    pytest.importorskip("chromadb", reason="chromadb is not installed")
    code = (
        "from pathlib import Path\n"
        "from chromadb.utils.embedding_functions import ONNXMiniLM_L6_V2 as theirs\n"
        "from teachmem.recall import minilm\n"
        "assert theirs.DOWNLOAD_PATH / theirs.EXTRACTED_FOLDER_NAME == Path.home() / minilm.CACHE\n"
    )
    assert run_python(code) == ""


def test_an_embedder_is_known_by_its_name_or_refused():
    assert embed.named(None).name == embed.default().name
    for name in ("wordllama-256", "wordllama", "hashing", "minilm-384"):
        assert embed.named(name).name.startswith(name.partition("-")[0])
    with pytest.raises(InvalidInput, match="embedder"):
        embed.named("bert")
