"""What README shows runs, and prints what README says."""

import doctest
import re
from pathlib import Path

README = Path(__file__).resolve().parents[1] / "README.md"


def blocks() -> list[str]:
    return re.findall(
        r"^```python\n(.*?)^```", README.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
    )


def test_readme_shows_python():
    assert blocks()
    assert all(">>>" in block for block in blocks())


def test_every_block_runs_in_order_and_prints_what_it_shows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    parser, runner, names = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=doctest.ELLIPSIS), {}
    for number, block in enumerate(blocks(), start=1):
        example = parser.get_doctest(block, names, f"README, block {number}", str(README), 0)
        runner.run(example, clear_globs=False)
        names = example.globs
    assert runner.summarize(verbose=False).failed == 0
