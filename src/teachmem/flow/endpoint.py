"""A language model behind an OpenAI-compatible endpoint: on this machine, in the house, or rented.

    model = Endpoint("http://127.0.0.1:11434/v1", "a-model")      # a local server needs no key
    tech.consolidate(model)

The key comes from the environment variable `TEACHMEM_MODEL_KEY` and from nowhere else. It is sent in
one header, over https or to this machine only, never to where a redirect points, and stands in no
error and no log. The whole call has one deadline, however slowly the answer drips.

Left out: streaming, retries, tools. A run that got no answer changes nothing and may be repeated.
Source: the chat completions format, POST {base}/chat/completions.
"""

from __future__ import annotations

import json
import os
from typing import Any
from urllib import error, parse, request

from teachmem.errors import InvalidInput, ModelUnavailable
from teachmem.flow import deadline

KEY = "TEACHMEM_MODEL_KEY"
HERE = ("127.0.0.1", "::1", "localhost")
MOST_BYTES = 1_000_000  # of an answer


class _NoRedirect(request.HTTPRedirectHandler):
    """A redirect is an error: it would carry the key and the memories to somebody else."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Endpoint:
    """The model `model` at `base_url`; `timeout` is in seconds for a whole call."""

    def __init__(self, base_url: str, model: str, *, timeout: float = 30.0) -> None:
        address = parse.urlsplit(base_url)
        if address.scheme not in ("http", "https") or not address.hostname:
            raise InvalidInput("base_url", f"must be an http or https address, not {base_url!r}")
        if address.username or address.password:
            raise InvalidInput("base_url", f"must hold no credentials; the key comes from {KEY}")
        if not 0 < timeout <= 3600:
            raise InvalidInput("timeout", f"must be more than 0 and at most 3600 seconds, not {timeout!r}")
        self.name = model
        self._url = base_url.rstrip("/") + "/chat/completions"
        self._timeout = timeout
        self._at_home = address.hostname in HERE
        self._keeps_secrets = address.scheme == "https" or self._at_home

    def __repr__(self) -> str:
        return f"<model {self.name} at {self._url}>"

    def complete(self, instructions: str, text: str, *, most_tokens: int = 1024) -> str:
        """Return the model's answer; raise `ModelUnavailable` if none comes in time."""
        messages = [{"role": "system", "content": instructions}, {"role": "user", "content": text}]
        asked = {"model": self.name, "messages": messages, "max_tokens": most_tokens, "temperature": 0}
        headers = {"Content-Type": "application/json"}
        if key := os.environ.get(KEY, ""):
            if not self._keeps_secrets:
                raise ModelUnavailable(f"{self.name}: a key is sent over https only; {self._url} is not")
            headers["Authorization"] = f"Bearer {key}"
        posted = request.Request(self._url, json.dumps(asked).encode(), headers, method="POST")
        return self._text(self._answer(posted))

    def _answer(self, posted: request.Request) -> bytes:
        try:
            found = deadline.within(self._timeout, lambda: self._fetched(posted))
        except ModelUnavailable as late:
            found = str(late)
        if isinstance(found, str):
            raise ModelUnavailable(f"{self.name}: {found}")
        return found

    def _fetched(self, posted: request.Request) -> bytes | str:
        """Return the body, or a sentence of our own about why there is none."""
        handlers: list[Any] = [_NoRedirect] + ([request.ProxyHandler({})] if self._at_home else [])
        try:
            with request.build_opener(*handlers).open(posted, timeout=self._timeout) as answer:
                body: bytes = answer.read(MOST_BYTES + 1)
        except error.HTTPError as refused:
            refused.close()
            return f"the endpoint answered with status {refused.code}"
        except Exception as failed:  # whatever a peer may do to a connection
            return f"the endpoint cannot be reached ({type(failed).__name__})"
        return body if len(body) <= MOST_BYTES else f"the answer is longer than {MOST_BYTES:,} bytes"

    def _text(self, body: bytes) -> str:
        try:
            text = json.loads(body)["choices"][0]["message"]["content"]
        except (ValueError, LookupError, TypeError, RecursionError):
            text = None
        if not isinstance(text, str):
            raise ModelUnavailable(f"{self.name}: the answer is not in the chat completions format")
        return text
