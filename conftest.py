"""What every test stands on, wherever it lies: alike kernels, no network, repeatable examples."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import postgres
import pytest
import watch
from hypothesis import HealthCheck, settings

from notebooks import ENVIRONMENT, prepare_kernels

# The console's notebook opens a live store, which `teachmem console` names; tests/browser looks at it.
collect_ignore = ["src/teachmem/show/console.ipynb"]

os.environ.update(ENVIRONMENT)  # reaches every process that a test starts
watch.start()  # no change without an audit entry, in any test

# "ci" draws the same examples every time; HYPOTHESIS_PROFILE=long looks for new ones.
settings.register_profile("ci", derandomize=True, deadline=None, print_blob=True)
settings.register_profile(
    "long", deadline=None, print_blob=True, max_examples=2000, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


def pytest_addoption(parser: pytest.Parser) -> None:
    """Offer the stores of the tests on a server, too."""
    parser.addoption("--store", choices=["file", "postgres"], default="file", help="where stores lie")
    parser.addoption("--whole", action="store_true", help="on a server, every test of the store")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out the files that say nothing about the chosen place."""
    return postgres.says_nothing(config, collection_path) or None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what the chosen place cannot run."""
    postgres.choose(config, items)


@pytest.fixture(autouse=True)
def _rooms_are_given_back() -> Iterator[None]:
    yield
    if postgres.rooms is not None:
        postgres.rooms.after_test()


def pytest_configure(config: pytest.Config) -> None:
    """Prepare nbval's kernels once, in the process that starts the workers; they inherit it."""
    postgres.configure(config)
    if config.getoption("nbval", default=False) and not hasattr(config, "workerinput"):
        home = tempfile.TemporaryDirectory(prefix="teachmem-kernels-")
        config.add_cleanup(home.cleanup)
        prepare_kernels(Path(home.name))
