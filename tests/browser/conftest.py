"""What a test in a real browser stands on: Chromium, no way out of this machine, pictures of failures."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything in this folder wants a browser."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Say where the pictures are, but only when something went wrong."""
    report = yield
    if report.failed and "pictures" in getattr(item, "funcargs", {}):
        report.sections.append(("pictures", str(item.funcargs["pictures"])))
    return report


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Start Chromium. Scope is the module: as long as Playwright runs, no other test can use asyncio."""
    executable = next((found for name in NAMES if (found := shutil.which(name))), None)
    if executable is None:
        said = f"no Chromium found (looked for {', '.join(NAMES)}); install one, for example with apt"
        if "browser" in os.environ.get("TEACHMEM_REQUIRE", ""):
            pytest.fail(f"TEACHMEM_REQUIRE asks for a browser: {said}")
        pytest.skip(said)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=executable, args=FLAGS)
        yield started
        started.close()


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder for screenshots."""
    return tmp_path_factory.mktemp("pictures")
