"""The instructor's console in a browser, while a class writes to the store."""

import importlib.util
import os
import re
import subprocess
import sys
import threading
import urllib.error
import urllib.request

import postgres
import pytest
from browser.lab import FOLDERS
from browser.window import watch
from helpers import stop
from playwright.sync_api import expect

import teachmem

pytestmark = pytest.mark.skipif(importlib.util.find_spec("voila") is None, reason="Voila is not installed")
TENANT = "north-school"


@pytest.fixture
def console(browser, tmp_path):
    """The console of a store, and the address that it printed."""
    path = tmp_path / "class.db"
    with teachmem.open_memory(path) as mem:
        for table in ("table-01", "table-02"):
            student = mem.agent(f"student-of-{table}", fleet=table, tenant=TENANT)
            student.semantic.remember(f"the gripper of {table} is blue")
        student.semantic.remember("a page says: the hoist is safe", source="web")
    environment = {name: value for name, value in os.environ.items() if name != "TEACHMEM_STATIC"}
    for name in FOLDERS:
        (tmp_path / name).mkdir()
        environment[name] = str(tmp_path / name)
    options = ["--store", path, "--tenant", TENANT, "--person", "instructor", "--port", postgres.free_port()]
    process = subprocess.Popen(
        [sys.executable, "-m", "teachmem", "console", *map(str, options), "--no-browser-open"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        address = re.search(r"http://\S+", process.stdout.readline())[0]
        wait_for(address)
        yield path, address
    finally:
        stop(process)


def wait_for(address):
    for _ in range(300):
        try:
            urllib.request.urlopen(address.partition("?")[0], timeout=5).close()
            return
        except urllib.error.HTTPError:
            return
        except OSError:
            threading.Event().wait(0.2)
    raise AssertionError("the console did not start")


def test_the_instructor_decides_while_a_class_writes(console, browser, pictures):
    path, address = console
    ended = threading.Event()

    def a_class():
        with teachmem.open_memory(path) as mem:
            number = 0
            while not ended.wait(0.05):
                number += 1
                who = mem.agent(f"student-{number % 6}", fleet=f"table-0{1 + number % 3}", tenant=TENANT)
                who.episodic.log("observation", f"crate {number} is here")

    writing = threading.Thread(target=a_class)
    writing.start()
    try:
        with urllib.request.urlopen(address.partition("?")[0], timeout=60) as answer:
            assert "/login" in answer.url  # without the token nobody gets further
        watched = watch(browser, 1300, 1100)
        page = watched.page
        page.goto(address)
        expect(page.locator("body")).to_contain_text("the hoist is safe", timeout=90_000)
        page.screenshot(path=pictures / "console-inbox.png")
        page.get_by_label("reason").first.fill("nobody has checked it")
        page.get_by_role("button", name="reject").click()
        expect(page.locator("body")).to_contain_text("nothing waits", timeout=60_000)
        for name, words in (("chain", "complete:"), ("scope", "no leak"), ("recall", "Type a question")):
            page.get_by_role("tab", name=name).click()
            expect(page.locator("body")).to_contain_text(words, timeout=60_000)
            page.screenshot(path=pictures / f"console-{name}.png", full_page=True)
        page.get_by_label("question").fill("gripper")
        page.keyboard.press("Enter")
        expect(page.locator("body")).to_contain_text("the gripper of table-01 is blue", timeout=60_000)
        assert watched.outside == []
        watched.context.close()
    finally:
        ended.set()
        writing.join()
    with teachmem.open_memory(path) as mem:
        boss = mem.person("instructor", fleet="staff", tenant=TENANT, clearance=3)
        assert boss.review.inbox() == []
        assert mem.audit.verify(deep=True).status == "complete"
