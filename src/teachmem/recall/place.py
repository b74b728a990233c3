"""Where Chroma keeps an index: a folder of its own, or a server that answers in time.

A folder is ours if it holds the mark that we put into an empty one. No other folder is written to,
and none is ever deleted: a mistyped path must not cost anybody their files.

>>> is_path("vectors"), is_path(""), is_url("http://127.0.0.1:8000"), is_url("http://")
(True, False, True, False)

Left out: what is kept there.
"""

from __future__ import annotations

import glob
import hashlib
import http.client
import shutil
import sqlite3
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from teachmem import private
from teachmem.errors import IndexUnavailable

MARK = "teachmem-index.txt"
PING_SECONDS = 2
LOCK_SECONDS = 2
ASKED_FIRST = ("heartbeat", "auth/identity", "tenants/default_tenant")
PASSING = ("locked", "busy", "permission", "readonly", "read-only", "full", "too many open files")


def is_url(given: str) -> bool:
    """Say whether a URL names a host, and a port that there is."""
    try:
        url = urlsplit(given)
        return bool(url.hostname) and url.port != 0
    except ValueError:
        return False


def is_path(given: str) -> bool:
    """Say whether this could be a folder's path."""
    return bool(given.strip()) and "://" not in given and "\x00" not in given


def collection_name(tenant: str, partition: str, store: str = "") -> str:
    """Return a name that Chroma takes for any tenant and partition.

    >>> collection_name("northlight", "semantic/team/dock")
    'teachmem-6aad28c5fdbb7201510ff31d15c08e229bd2995a'
    """
    whole = "\x00".join((store, tenant, partition) if store else (tenant, partition))
    return "teachmem-" + hashlib.sha256(whole.encode()).hexdigest()[:40]


def passes_by_itself(error: Exception) -> bool:
    """Say whether a failure tells of a crowded or closed folder, and not of a damaged one."""
    return isinstance(error, PermissionError) or any(word in str(error).lower() for word in PASSING)


def check(folder: Path) -> bool:
    """Refuse a folder that holds somebody else's files, and what is none; say whether it is ours already."""
    if folder.exists() and not folder.is_dir():
        raise IndexUnavailable(f"{folder} is a file; a vector index needs a folder of its own")
    names = {item.name for item in folder.iterdir()} if folder.exists() else set()
    if names and MARK not in names:
        raise IndexUnavailable(
            f"{folder} holds files that are no vector index of teachmem; give a new folder"
        )
    return bool(names)


def claim(folder: Path) -> None:
    """Make `folder` ours and private, or refuse one that holds somebody else's files."""
    if not check(folder):
        private.make_folder(folder)
        private.close_folder(folder)
        text = "A vector index of teachmem. It may be deleted: it is built again from its store.\n"
        (folder / MARK).write_text(text, encoding="utf-8", newline="\n")


def wait_for_lock(folder: Path) -> None:
    """Raise if another process keeps the folder locked for seconds: Chroma would wait for it for good.

    Raises too where its database has lost pages, which Chroma would answer from as far as they go.
    To be called only while no client of this process has the folder open, whose locks this would end.
    """
    kept = folder / "chroma.sqlite3"
    if kept.exists():
        line = sqlite3.connect(kept, timeout=LOCK_SECONDS, isolation_level=None)
        try:
            line.execute("BEGIN IMMEDIATE")
            (found,) = line.execute("PRAGMA quick_check(1)").fetchone()
            line.execute("ROLLBACK")
            if found != "ok":
                raise sqlite3.DatabaseError(f"{kept.name} is damaged: {found}")
        finally:
            line.close()


def beside(file: Path) -> Path:
    """Return the folder where a store in `file` keeps its index unless told otherwise."""
    return file.with_name(file.name + ".chroma")


def delete(folder: Path) -> None:
    """Delete a folder of ours. It is renamed first, so that a crash leaves no half of one in its place."""
    if (folder / MARK).exists():
        folder.rename(_free(folder.with_name(f"{folder.name}.old")))
    sweep(folder)


def sweep(folder: Path) -> list[Path]:
    """Delete what is left of folders that were deleted at this place; return what would not go."""
    left = f"{glob.escape(folder.name)}.old-*"
    for each in folder.parent.glob(left):
        shutil.rmtree(each, ignore_errors=True)
    return sorted(folder.parent.glob(left))


def shared(path: str) -> Any:
    """Return what Chroma shares among the clients of a folder in this process, None if there is none."""
    if "chromadb" not in sys.modules:
        return None
    from chromadb.api.shared_system_client import SharedSystemClient

    return SharedSystemClient._identifier_to_system.get(path)


def forget_shared(path: str) -> None:
    """Make Chroma open a folder really anew; it would hand out again what it holds, failures included."""
    if "chromadb" not in sys.modules:
        return
    from chromadb.api.shared_system_client import SharedSystemClient

    SharedSystemClient._identifier_to_system.pop(path, None)
    SharedSystemClient._identifier_to_refcount.pop(path, None)


def _free(path: Path) -> Path:
    number = 1
    while (found := path.with_name(f"{path.name}-{number}")).exists():
        number += 1
    return found


def ping(host: str, port: int, is_safe: bool) -> None:
    """Ask a server what Chroma's client will ask it first, and raise within seconds if it does not answer.

    The client itself would wait for good.
    """
    make = http.client.HTTPSConnection if is_safe else http.client.HTTPConnection
    for asked in ASKED_FIRST:
        line = make(host, port, timeout=PING_SECONDS)
        try:
            line.request("GET", f"/api/v2/{asked}")
            answer = line.getresponse().read(10_000)
        finally:
            line.close()
        if asked == "heartbeat" and b"heartbeat" not in answer:
            raise ConnectionError("something else than a Chroma server answers there")
