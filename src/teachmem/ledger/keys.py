"""The key that signs checkpoints: Ed25519, in a file of its own, never beside the log that it vouches for.

Whoever can change the log and reach the key can sign a changed log. So the key lies in the user's
folder for settings, readable by its owner only, and a store refuses a key in its own folder.

>>> signer = Signer(bytes(32))
>>> signer.public[:16], is_signed(signer.public, b"statement", signer.sign(b"statement"))
('3b6a27bcceb6a42d', True)
>>> is_signed(signer.public, b"another", signer.sign(b"statement"))
False

Source: Josefsson and Liusvaara 2017, RFC 8032 (Ed25519).
Left out: a key in hardware, and taking a key back. Give the public half to somebody before you need it.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from teachmem import private
from teachmem.errors import StoreError

NAME = "checkpoint.key"
SEED_BYTES = 32


class Signer:
    """A private key, made from 32 secret bytes. `public` is its other half, in hex."""

    def __init__(self, seed: bytes) -> None:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        self._key = Ed25519PrivateKey.from_private_bytes(seed)
        self.public = self._key.public_key().public_bytes_raw().hex()

    def sign(self, statement: bytes) -> str:
        """Return the signature of `statement` in hex."""
        return self._key.sign(statement).hex()


def is_signed(public: str, statement: bytes, signature: str) -> bool:
    """Say whether the holder of the private half of `public` signed `statement`."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public)).verify(bytes.fromhex(signature), statement)
    except (InvalidSignature, ValueError):
        return False
    return True


def default_path() -> Path:
    """Return where the key lies unless another place is given: the user's folder for settings."""
    if chosen := os.environ.get("TEACHMEM_HOME"):
        return Path(chosen) / NAME
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming") / "teachmem" / NAME
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "teachmem" / NAME
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "teachmem" / NAME


def load(path: Path) -> Signer:
    """Return the key at `path`. Raises `StoreError` if it is none, or if others may read it."""
    try:
        if private.is_open_to_others(path):
            raise StoreError(
                f"the key {str(path)!r} can be read by others; run chmod 600 on it, or make another"
            )
        return Signer(bytes.fromhex(path.read_text(encoding="ascii").strip()))
    except (OSError, ValueError) as error:
        raise StoreError(f"{str(path)!r} cannot be read as a key: {error}") from error


def load_or_make(path: Path, seed: bytes) -> Signer:
    """Return the key at `path`, made of `seed` (32 secret bytes) if there is none yet."""
    try:
        private.make_folder(path.parent)
        handle = private.create(path)
    except FileExistsError:
        return load(path)
    except OSError as error:
        raise StoreError(f"the key {str(path)!r} cannot be made: {error.strerror}") from error
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(seed.hex() + "\n")
        file.flush()
        os.fsync(file.fileno())
    return Signer(seed)
