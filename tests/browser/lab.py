"""JupyterLab on loopback, in fresh folders, and the few gestures that a student makes in it."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from browser.window import Watched
from playwright.sync_api import Locator, Page, expect

TOKEN = "lesson"
START_SECONDS = 60
RUN_MS = 120_000
FOLDERS = (
    "JUPYTER_CONFIG_DIR JUPYTER_DATA_DIR JUPYTER_RUNTIME_DIR IPYTHONDIR JUPYTERLAB_SETTINGS_DIR "
    "JUPYTERLAB_WORKSPACES_DIR TEACHMEM_HOME HOME"
).split()
SETTINGS = {
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    "notebook-extension/tracker": {"windowingMode": "none"},  # every cell is on the page
}


@dataclass(frozen=True)
class Server:
    """Where JupyterLab answers."""

    port: int

    def url(self, name: str) -> str:
        """Return where a notebook opens, in a workspace of its own, so that no other tab is in the way."""
        return f"http://127.0.0.1:{self.port}/lab/workspaces/{name[:2]}/tree/{name}?token={TOKEN}"

    def stop_kernels(self) -> None:
        """End every kernel; the next notebook finds the machine as the first one did."""
        for session in json.loads(self._ask("GET", "sessions")):
            self._ask("DELETE", f"sessions/{session['id']}")

    def _ask(self, method: str, what: str) -> bytes:
        url = f"http://127.0.0.1:{self.port}/api/{what}?token={TOKEN}"
        with urllib.request.urlopen(urllib.request.Request(url, method=method), timeout=20) as answer:
            return answer.read()


@contextmanager
def serving(root: Path, home: Path) -> Iterator[Server]:
    """Serve the notebooks in `root`; everything that the server keeps goes into `home`."""
    environment = {name: value for name, value in os.environ.items() if name != "TEACHMEM_STATIC"}
    for name in FOLDERS:
        (home / name).mkdir(parents=True)
        environment[name] = str(home / name)
    for name, values in SETTINGS.items():
        file = home / "JUPYTERLAB_SETTINGS_DIR" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(values), encoding="utf-8")
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    flags = f"""--no-browser --allow-root --ip=127.0.0.1 --port={port} --ServerApp.port_retries=0
        --IdentityProvider.token={TOKEN} --LabApp.news_url=None --LabApp.extension_manager=readonly""".split()
    log = home / "server.log"
    with log.open("w", encoding="utf-8") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", *flags, f"--ServerApp.root_dir={root}"],
            env=environment,
            cwd=root,
            stdout=out,
            stderr=subprocess.STDOUT,
        )
    try:
        _await(port, process, log)
        yield Server(port)
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(5)


def _await(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(START_SECONDS * 5):
        if process.poll() is not None:
            break
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/api/status?token={TOKEN}", timeout=2).close()
            return
        except (urllib.error.URLError, TimeoutError, ConnectionError):
            time.sleep(0.2)
    raise AssertionError(f"JupyterLab did not start:\n{log.read_text(encoding='utf-8')[-2000:]}")


@dataclass(frozen=True)
class OpenNotebook:
    """A notebook on the page, its cells found by their ids."""

    window: Watched
    ids: tuple[str, ...]

    @property
    def page(self) -> Page:
        return self.window.page

    @classmethod
    def open(cls, window: Watched, url: str, ids: tuple[str, ...]) -> "OpenNotebook":
        page = window.page
        page.goto(url)
        page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=60_000)
        page.locator(".jp-StatusBar-TextItem", has_text="| Idle").first.wait_for(timeout=60_000)
        return cls(window, ids)

    def cell(self, name: str) -> Locator:
        return self.page.locator(".jp-Notebook .jp-Cell").nth(self.ids.index(name))

    def run_all(self) -> None:
        """Run every cell of a notebook that has not run; done when each has its number."""
        self.page.click('.lm-MenuBar-item:has-text("Run")')
        self.page.click('.lm-Menu-item[data-command="runmenu:run-all"]')
        self.page.wait_for_function(
            r"""() => [...document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')]
                .every(prompt => /^\[\d+\]:$/.test(prompt.textContent.trim()))""",
            timeout=RUN_MS,
        )

    def await_done(self) -> None:
        """Wait until no cell runs or waits to run."""
        self.page.wait_for_function(
            """() => ![...document.querySelectorAll('.jp-Notebook .jp-InputPrompt')]
                .some(prompt => prompt.textContent.includes('*'))""",
            timeout=RUN_MS,
        )

    def write_and_run(self, name: str, source: str) -> None:
        """Put `source` in the place of a cell's and run it."""
        editor = self.cell(name).locator(".cm-content")
        editor.scroll_into_view_if_needed()
        editor.click()
        self.page.keyboard.press("Control+A")
        self.page.keyboard.insert_text(source)
        self.run(name)

    def run(self, name: str) -> None:
        cell = self.cell(name)
        before = cell.locator(".jp-InputPrompt").inner_text()
        cell.locator(".cm-content").click()
        self.page.keyboard.press("Control+Enter")
        expect(cell.locator(".jp-InputPrompt")).not_to_have_text(before, timeout=RUN_MS)
        self.await_done()

    def shown(self, name: str) -> str:
        """Return what a cell shows below its code."""
        return self.cell(name).locator(".jp-Cell-outputWrapper").inner_text()
