"""What every test stands on, wherever it lies: alike kernels, no network, repeatable examples."""

import os
import tempfile
from pathlib import Path

import pytest
import watch
from hypothesis import HealthCheck, settings

from notebooks import ENVIRONMENT, prepare_kernels

os.environ.update(ENVIRONMENT)  # reaches every process that a test starts
watch.start()  # no change without an audit entry, in any test

# "ci" draws the same examples every time; HYPOTHESIS_PROFILE=long looks for new ones.
settings.register_profile("ci", derandomize=True, deadline=None, print_blob=True)
settings.register_profile(
    "long", deadline=None, print_blob=True, max_examples=2000, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


def pytest_configure(config: pytest.Config) -> None:
    """Prepare nbval's kernels once, in the process that starts the workers; they inherit it."""
    if config.getoption("nbval", default=False) and not hasattr(config, "workerinput"):
        home = tempfile.TemporaryDirectory(prefix="teachmem-kernels-")
        config.add_cleanup(home.cleanup)
        prepare_kernels(Path(home.name))
