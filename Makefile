# teachmem: `make lab` opens the course, `make test` checks everything.
#
# Needs make and Python 3.11, 3.12 or 3.13 with venv and pip. Three things can be said on the command line:
#   PYTHON=python3.12   builds .venv with that Python
#   WHEELS=folder       installs from a folder that `make wheelhouse` filled, without network
#   MINUTES=10          how long `make torture` may take

PYTHON ?=
WHEELS ?=
MINUTES ?= 10
BIN = .venv/bin

# Without compiled modules every import stays slow.
unexport PYTHONDONTWRITEBYTECODE
unexport PYTHONPATH

.DEFAULT_GOAL := help
.PHONY: help setup lab test postgres torture lint types format notebooks decks wheelhouse clean

help:
	@echo "make lab         set up, then open the course in JupyterLab (your copies are in work/)"
	@echo "make test        set up, then check everything: lint, types, tests, every notebook"
	@echo "make torture     the fault campaign: kills, full disks, power cuts, jumping clocks ... (MINUTES=10)"
	@echo "make setup       build .venv from requirements.lock; does nothing when nothing changed"
	@echo "make postgres    the tests of the store, all of them, on a PostgreSQL server of their own"
	@echo "make lint        ruff over code and notebooks"
	@echo "make types       mypy --strict over the package"
	@echo "make format      let ruff put code and notebooks in form"
	@echo "make notebooks   execute every notebook in place and put it in its normal form"
	@echo "make decks       build the slides from the notebooks"
	@echo "make wheelhouse  fill ./wheels (or WHEELS=folder) for a room without network"
	@echo "make clean       remove caches and built files; .venv, wheels and work stay"
	@echo "Options: PYTHON=python3.12, WHEELS=folder, MINUTES=10"

setup:
	@python=$$(sh scripts/find_python.sh "$(PYTHON)" "$(WHEELS)") && "$$python" scripts/set_up.py --wheels "$(WHEELS)"

lab: setup
	$(BIN)/teachmem lab

test: lint types
	$(BIN)/python -m pytest -n 2 --dist loadfile --nbval --nbval-current-env tests src/teachmem notebooks
	$(BIN)/python -m pytest -q -n 2 --dist loadfile --store postgres tests

postgres: setup
	$(BIN)/python -m pytest -q -n 2 --dist loadfile --store postgres --whole tests

torture: setup
	$(BIN)/python tests/torture/run.py --minutes $(MINUTES) --keep docs/torture.md

lint: setup
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: setup
	$(BIN)/mypy

format: setup
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

notebooks: setup
	$(BIN)/python scripts/notebooks.py

decks: setup
	$(BIN)/python scripts/decks.py

wheelhouse:
	@python=$$(sh scripts/find_python.sh "$(PYTHON)" "") && "$$python" scripts/set_up.py
	$(BIN)/python scripts/set_up.py --fill "$(or $(WHEELS),wheels)"

clean:
	rm -rf dist build slides/built bench-results .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage
	find src tests scripts notebooks -name __pycache__ -type d -prune -exec rm -rf {} +
	find notebooks -name .ipynb_checkpoints -type d -prune -exec rm -rf {} +
