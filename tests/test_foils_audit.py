"""The foil of the log: the chain calls a store complete though a write went past it; the rows do not."""

import watch
from helpers import opened

from teachmem.marks.foil import foil


def verdicts(mem):
    return str(mem.audit.verify().status), str(mem.audit.verify(deep=True).status)


def test_a_write_that_went_past_the_log_is_seen_by_the_rows_alone():
    with opened() as mem, watch.asleep():
        tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
        tech.episodic.log("observation", "gate four is open")
        assert verdicts(mem) == ("complete", "complete")  # the positive control
        with foil("never_logged", mem):
            tech.episodic.log("observation", "gate five is open")
            assert len(tech.episodic.recent()) == 2
            assert verdicts(mem) == ("complete", "broken")
        assert mem.audit.verify(deep=True).broken_at == 2
