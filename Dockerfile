# The MCP server of compose.yaml: the locked environment, and an ordinary user. Not built where it was made.
FROM python:3.11-slim
WORKDIR /srv/teachmem
COPY . .
RUN python -m venv .venv && .venv/bin/pip install --quiet uv \
    && .venv/bin/uv pip install --python .venv/bin/python --require-hashes --compile-bytecode -r requirements.lock \
    && .venv/bin/uv pip install --python .venv/bin/python --no-deps --no-build-isolation . \
    && useradd --create-home teach && mkdir /var/lib/teachmem && chown teach: /var/lib/teachmem
USER teach
ENV PATH=/srv/teachmem/.venv/bin:$PATH
CMD ["teachmem", "--help"]
