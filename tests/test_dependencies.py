"""Known vulnerabilities are asked for where there is a network; what can be checked without one, here."""

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def read(path):
    found = yaml.safe_load(path.read_text(encoding="utf-8"))
    return {
        ("on" if key is True else key): value for key, value in found.items()
    }  # YAML 1.1 reads on as true


def steps(workflow):
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


def test_every_locked_package_is_audited_on_each_change_and_each_week():
    audit = read(ROOT / ".github" / "workflows" / "audit.yml")
    assert {"push", "pull_request", "schedule"} <= set(audit["on"])
    run = [step["run"] for step in steps(audit) if step.get("run", "").startswith("pip-audit")]
    assert len(run) == 1
    assert {"--requirement", "requirements.lock", "--require-hashes"} <= set(run[0].split())
    assert not {"--ignore-vuln", "--dry-run", "--skip-editable"} & set(run[0].split())
    assert not any(step.get("continue-on-error") for step in steps(audit))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_can_read_and_no_more_and_runs_no_words_of_strangers(path):
    workflow = read(path)
    assert workflow["permissions"] == {"contents": "read"}
    assert "pull_request_target" not in workflow["on"]
    assert not any("permissions" in job for job in workflow["jobs"].values())
    for step in steps(workflow):
        assert "github.event" not in step.get("run", ""), "a title or a branch name is a stranger's words"


def test_what_is_installed_fits_together():
    done = subprocess.run(
        [sys.executable, "-m", "uv", "pip", "check", "--python", sys.executable, "--offline"],
        capture_output=True,
        text=True,
        timeout=120,
    )
    if "No module named uv" in done.stderr:
        pytest.skip("uv is not installed here; `make setup` brings it")
    assert done.returncode == 0, done.stdout + done.stderr
