"""A window of the browser that cannot leave this machine, and remembers what it asked for."""

from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Route, WebSocket

LOCAL = ("127.0.0.1", "localhost", "::1")
#: JupyterLab scrolls inside the page.
PANELS = "[...document.querySelectorAll('.jp-WindowedPanel-outer')]"
TO_THE_TOP = f"{PANELS}.forEach(panel => panel.scrollTop = 0)"
WHOLE_HEIGHT = f"Math.max(0, ...{PANELS}.map(panel => panel.scrollHeight))"


@dataclass
class Watched:
    """A window of the browser, with all that it asked for and complained about."""

    context: BrowserContext
    page: Page
    outside: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def picture(self, path: Path) -> None:
        """Take a picture of a page that is much higher than the window."""
        size = self.page.viewport_size
        height = min(self.page.evaluate(WHOLE_HEIGHT) + 200, 15_000)
        self.page.set_viewport_size({"width": size["width"], "height": height})
        self.page.evaluate(TO_THE_TOP)
        self.page.wait_for_timeout(300)  # the page lays itself out anew
        self.page.screenshot(path=path)
        self.page.set_viewport_size(size)


def watch(browser: Browser, width: int, height: int) -> Watched:
    """Open a window that cannot leave this machine and that remembers every attempt."""
    context = browser.new_context(viewport={"width": width, "height": height})
    watched = Watched(context, context.new_page())

    def gate(route: Route) -> None:
        where = urlsplit(route.request.url)
        watched.asked.append(route.request.url)
        if where.scheme in ("http", "https") and where.hostname not in LOCAL:
            watched.outside.append(route.request.url)
            route.abort()
        else:
            route.continue_()

    context.route("**/*", gate)

    def socket(opened: WebSocket) -> None:
        if urlsplit(opened.url).hostname not in LOCAL:
            watched.outside.append(opened.url)

    def said(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            watched.complaints.append(message.text)

    watched.page.on("websocket", socket)
    watched.page.on("console", said)
    watched.page.on("pageerror", lambda error: watched.complaints.append(str(error)))
    return watched
