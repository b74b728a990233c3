"""Three twins, one source of numbers: each read back and compared; safe, closed, described, repeatable."""

import re
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from show_world import HOSTILE, cells, dock, lesson_store, one_of_each, parsed, text_rows, words_in

from teachmem import InvalidInput, show
from teachmem.ledger.chain import Finding
from teachmem.ledger.report import AuditReport, AuditStatus
from teachmem.record import Hit, Memory, Recollection
from teachmem.show import sheet, style, words
from teachmem.vocabulary import Source, Status

EVERY = one_of_each()
every = pytest.mark.parametrize("thing", EVERY.values(), ids=EVERY.keys())
QUESTION = "gripper slipped at station four"


# What holds for every view


@every
def test_the_html_is_well_formed_and_runs_nothing(thing):
    tree = parsed(show.html(thing))
    tags = {element.tag for element in tree.iter()}
    assert not tags & {"script", "img", "iframe", "object", "embed", "link", "form", "base", "meta"}
    attributes = {name for element in tree.iter() for name in element.attrib}
    assert not {name for name in attributes if name.startswith("on")}
    assert not attributes & {"href", "src", "srcset", "xlink:href"}


@every
def test_nothing_is_fetched(thing):
    html = show.html(thing)
    assert "://" not in html
    assert "url(" not in html
    assert "@import" not in html


@every
def test_a_browser_reads_the_same_elements_as_xml(thing):
    """HTML has rules of its own for tags that are left open; none is."""
    found = []

    class Tags(HTMLParser):
        def handle_starttag(self, tag, attrs):
            found.append(tag)

        handle_startendtag = handle_starttag

    reader = Tags()
    reader.feed(show.html(thing))
    reader.close()
    assert sorted(found) == sorted(element.tag.lower() for element in parsed(show.html(thing)).iter())


@every
def test_every_picture_has_words(thing):
    tree = parsed(show.html(thing))
    pictures = [element for element in tree.iter() if element.get("role") == "img"]
    drawn = [
        element
        for element in tree.iter()
        if element.tag == "svg" or {"tm-bar", "tm-trail"} & set((element.get("class") or "").split())
    ]
    assert all(element in pictures for element in drawn)
    assert all(element.get("aria-label", "").strip() for element in pictures)
    assert tree.get("aria-label")


@every
def test_a_view_carries_every_rule_that_its_elements_match(thing):
    tree = parsed(show.html(thing))
    (carried,) = [element.text for element in tree.iter("style")]
    classes = {name for element in tree.iter() for name in (element.get("class") or "").split()}
    for selectors, body in re.findall(r"([^{}]+)(\{[^{}]*\})", sheet.CSS):
        for selector in selectors.split(","):
            if (wanted := set(re.findall(r"\.(tm-[a-z]+)", selector))) and wanted <= classes:
                assert f"{selectors.strip()}{body}" in carried
    assert len(carried) < len(sheet.CSS)


@every
def test_it_is_the_same_every_time(thing):
    assert show.html(thing) == show.html(thing)
    assert show.text(thing) == show.text(thing)


@every
def test_no_unseen_character_gets_out(thing):
    for twin in (show.html(thing), show.text(thing)):
        assert not re.search(
            "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", twin
        )
        twin.encode("utf-8")


@every
def test_the_title_stands_in_both_twins(thing):
    title = show.view_of(thing).title
    assert show.text(thing).split("\n")[0] == words.visible(title)
    assert " ".join(words.visible(title).split()) in words_in(parsed(show.html(thing)))


@every
def test_the_table_has_every_row(thing):
    seen = show.view_of(thing)
    frame = show.table(thing)
    assert list(frame.columns) == list(seen.table.columns)
    assert len(frame) == len(seen.table.rows)


# Numbers, read back from each twin


@pytest.mark.parametrize("k", [1, 5, 7])
def test_the_numbers_of_a_recollection_are_the_same_three_times(k):
    found = dock().episodic.recall(QUESTION, k=k)
    names = ["score", "recency", "importance", "relevance"]
    true = [[f"{value:.3f}" for value in (hit.score, *hit.parts.values())] for hit in found]
    frame = show.table(found)
    assert [[f"{value:.3f}" for value in row] for row in frame[names].to_numpy()] == true
    assert [row[2:6] for row in text_rows(show.text(found), ["rank", "memory", *names])[:k]] == true
    drawn = [row for row in cells(parsed(show.html(found))) if len(row) == 7]
    assert [row[3:] for row in drawn] == true
    assert [row[1] for row in drawn] == list(frame["memory"]) == [hit.memory.memory_id for hit in found]


def test_the_parts_of_a_bar_are_as_long_as_their_numbers_say():
    found = dock().episodic.recall(QUESTION, k=7)
    bars = [element for element in parsed(show.html(found)).iter() if element.get("class") == "tm-bar"]
    for bar, hit in zip(bars, found, strict=True):
        drawn = {
            piece.get("class").removeprefix("tm-"): float(piece.get("style")[6:-1]) / 100 for piece in bar
        }
        assert drawn == pytest.approx(
            {name: part for name, part in hit.parts.items() if part > 1e-4}, abs=1e-4
        )
        assert all(f"{name} {part:.3f}" in bar.get("aria-label") for name, part in hit.parts.items())


def test_more_than_seven_hits_are_grouped_in_text_and_picture_and_whole_in_the_table():
    found = dock().episodic.recall(QUESTION, k=12)
    rest = f"and 5 more, scores {found[7].score:.3f} to {found[11].score:.3f}"
    assert rest in show.text(found).split("\n")
    assert rest in words_in(parsed(show.html(found)))
    assert show.html(found).count('class="tm-bar"') == 7
    assert len(show.table(found)) == 12
    assert show.html(found, most=12).count('class="tm-bar"') == 12


def test_a_part_that_takes_away_is_named_and_does_not_lengthen_the_bar():
    hit = dock().episodic.recall(QUESTION, k=1)[0]
    parts = {"relevance": 0.5, "lapsed": -0.25}
    by_hand = Recollection("q", (Hit(hit.memory, 0.25, parts),), hit.memory.happened_at)
    (bar,) = [element for element in parsed(show.html(by_hand)).iter() if element.get("class") == "tm-bar"]
    assert [piece.get("class") for piece in bar] == ["tm-relevance"]
    assert "lapsed -0.250" in bar.get("aria-label")
    assert "-0.250" in show.text(by_hand)


@pytest.mark.parametrize("budget", [0, 60, 400, 3000])
def test_the_numbers_of_a_context_are_the_same_three_times(budget):
    context = dock().working.context("restart the arm", budget, "dock-0315-a")
    true = [(line.memory.memory_id, line.tokens, "in") for line in context.lines]
    true += [(left.memory.memory_id, left.tokens, "left out") for left in context.skipped]
    frame = show.table(context)
    assert list(zip(frame["memory"], frame["tokens"], frame["outcome"], strict=True)) == true
    seen = show.view_of(context)
    shown = [true[place] for place in seen.shown]
    in_text = text_rows(show.text(context), ["note", "memory", "tokens"])[: len(shown)]
    assert [(row[1], int(row[2]), row[3]) for row in in_text] == shown
    drawn = cells(parsed(show.html(context)))
    assert [(row[1], int(row[2]), row[4].split(":")[0]) for row in drawn] == shown
    assert sum(tokens for _, tokens, outcome in true if outcome == "in") == context.used
    for twin in (show.text(context), words_in(parsed(show.html(context)))):
        assert f"{context.used} of {budget} tokens used" in twin


def test_the_blocks_of_a_budget_are_as_long_as_their_tokens():
    context = dock().working.context("restart the arm", 400, "dock-0315-a")
    bar = next(element for element in parsed(show.html(context)).iter() if element.get("class") == "tm-bar")
    widths = [float(piece.get("style")[6:-1]) for piece in bar]
    assert sum(widths) == pytest.approx(100, abs=0.1)
    tokens = [*(line.tokens for line in context.lines), 400 - context.used]
    assert widths == pytest.approx([100 * each / 400 for each in tokens], abs=0.01)


def test_what_the_model_reads_is_shown_whole():
    context = dock().working.context("restart the arm", 400, "dock-0315-a")
    assert str(context) in show.text(context)
    (pre,) = parsed(show.html(context)).iter("pre")
    assert pre.text == str(context)


def test_the_counts_of_stats_are_the_same_three_times():
    counts = dock().working.stats()
    frame = show.table(counts)
    true = [(what, name, n) for what in ("predicates", "sessions") for name, n in counts[what].items()]
    groups = frame[frame["what"] != "total"]
    assert list(groups.itertuples(index=False, name=None)) == true
    assert dict(zip(frame["name"][:2], frame["number"][:2], strict=True)) == {
        "notes": counts["notes"],
        "tokens": counts["tokens"],
    }
    shown = [true[place - 2] for place in show.view_of(counts).shown]
    assert [(row[0], int(row[1])) for row in cells(parsed(show.html(counts)))] == [row[1:] for row in shown]
    in_text = text_rows(show.text(counts), ["what", "name", "number"])[: len(shown)]
    assert [tuple(row) for row in in_text] == [(what, name, str(n)) for what, name, n in shown]


def test_stats_without_numbers_say_what_is_wrong():
    with pytest.raises(InvalidInput, match=r"kinds\.x: must be a number"):
        show.text({"kinds": {"x": "many"}})


def test_a_receipt_shows_every_check_with_glyph_and_word():
    receipt = EVERY["receipt"]
    chips = [
        element
        for element in parsed(show.html(receipt)).iter()
        if element.get("class", "").startswith("tm-step")
    ]
    drawn = [words_in(chip) for chip in chips]
    assert drawn == [f"{style.OUTCOMES[step.outcome]} {step.check} {step.outcome}" for step in receipt.steps]
    assert show.text(receipt).startswith("✓ accepted event-0013, audit entry 25\n")
    refused = show.text(EVERY["refused"])
    assert refused.startswith("✕ refused\n")
    assert "reserved kind  ✕ refused  only the system writes" in refused
    assert 'class="tm-step tm-stop"' in show.html(EVERY["refused"])
    assert 'class="tm-step tm-stop"' not in show.html(receipt)


def test_a_why_not_names_the_closed_gates():
    why = dock().episodic.recall(QUESTION, k=1).why_not("event-0001")
    assert show.text(why).startswith("event-0001 was left out by rank\n")
    assert list(show.table(why)["outcome"]) == ["✓ open"] * 4 + ["✕ closed"]
    assert why.gates[-1].reason in words_in(parsed(show.html(why)))


# Single views


def test_a_chain_is_drawn_in_at_most_nine_blocks_with_each_break():
    report = AuditReport(AuditStatus.BROKEN, 507, "ab" * 32, (Finding("northlight", 318, "hash"),))
    said = words_in(parsed(show.html(report)))
    assert "✕ 318 broken here" in said
    assert "315 more not drawn" in said
    assert "188 more not drawn" in said
    blocks = [
        element
        for element in parsed(show.html(report)).iter()
        if element.get("class", "").startswith("tm-step")
    ]
    assert len(blocks) <= 9
    assert show.text(report).split("\n")[-1].split() == ["northlight", "318", "hash"]


@pytest.mark.parametrize(
    ("entries", "drawn"), [(0, []), (1, ["1"]), (7, list("1234567")), (8, ["1", "2", "8"])]
)
def test_a_short_chain_is_drawn_whole(entries, drawn):
    report = AuditReport(AuditStatus.COMPLETE, entries, "ab" * 32)
    steps = [
        element
        for element in parsed(show.html(report)).iter()
        if element.get("class", "").startswith("tm-step")
    ]
    assert [step.text.strip() for step in steps if step.text.strip().isdigit()] == drawn


def test_the_actions_of_entries_are_written_on_their_blocks():
    entries = [{"seq": 1, "action": "episodic.log"}, {"seq": 2, "action": "working.write"}]
    report = AuditReport(AuditStatus.COMPLETE, 2, "ab" * 32)
    assert "1 episodic.log 2 working.write" in words_in(parsed(show.html(report, entries=entries)))
    assert "entry 2: working.write" in show.text(report, entries=entries)


def changed(**fields: object) -> Memory:
    row = EVERY["memory"]
    return Memory(**{name: getattr(row, name) for name in Memory.__slots__} | fields)


@pytest.mark.parametrize("status", Status)
def test_a_status_is_an_edge_and_always_a_word(status):
    html = show.html(changed(status=status))
    chip = next(element for element in parsed(html).iter() if "tm-chip" in element.get("class", ""))
    assert chip.text == status
    assert ("tm-fill" in chip.get("class")) == (status in ("active", "pending", "confirmed"))


@pytest.mark.parametrize("source", Source)
def test_untrusted_text_says_so_in_every_twin(source):
    memory = changed(source=source)
    untrusted = source in ("tool", "web")
    for thing in (memory, [memory]):
        assert ("untrusted" in show.text(thing)) == untrusted
        assert ('class="tm-untrusted"' in show.html(thing)) == untrusted
        assert show.table(thing).to_string().count("untrusted") == untrusted


def test_times_are_said_as_people_say_them_beside_the_exact_value():
    assert "Mon 2 Mar 09:00 (2026-03-02T09:00:00Z)" in show.text(EVERY["memory"])
    found = lesson_store().agent("dock-1", fleet="dock", tenant="northlight").episodic.recent(1)
    assert "1 minute ago, Sun 15 Mar 11:59" in show.text(found, now=lesson_store().clock.now())


def test_the_kit_counts_what_this_reader_may_read():
    tech = dock()
    frame = show.table(tech).set_index("part")
    assert frame["count"]["working"] == tech.working.stats()["notes"]
    assert frame["count"]["episodic"] == tech.episodic.stats()["events"]
    assert list(frame["shape"][:4]) == ["square", "circle", "hexagon", "triangle"]
    svg = next(parsed(show.html(tech)).iter("svg"))
    assert svg.find("title").text == svg.get("aria-label")
    assert f"{tech.episodic.stats()['events']} events" in words_in(svg)
    stranger = lesson_store().agent("guest", fleet="none", tenant="elsewhere")
    assert list(show.table(stranger)["count"][:2]) == [0, 0]
    audit = lesson_store().audit.verify("northlight")
    assert f"{audit.entries} entries, complete" in show.html(tech, audit=audit)


@pytest.mark.parametrize(("entries", "blocks", "gaps"), [(0, 0, 0), (1, 1, 0), (6, 6, 0), (7, 6, 1)])
def test_the_chain_has_a_block_an_entry_and_shows_where_some_are_left_out(entries, blocks, gaps):
    audit = replace(lesson_store().audit.verify("northlight"), entries=entries)
    drawn = show.html(dock(), audit=audit)
    assert drawn.count('y="325" width="40"') == blocks
    assert drawn.count("stroke-dasharray") == gaps


# Rewrites

SENTENCES = st.lists(st.sampled_from(["do", "NOT", "restart", "the", "arm", "é", "<b>"]), max_size=12).map(
    " ".join
)


@given(SENTENCES, SENTENCES)
def test_the_marks_give_both_texts_back(original, rewritten):
    """Oracle: the left side, marks aside, reads as the original, and the right side as the rewrite."""
    html = parsed(show.html(show.Rewrite(original, rewritten)))
    before, after = (words_in(column.find("bdi")) for column in html.find(".//div[@class='tm-pair']"))
    assert before == original
    assert after == rewritten
    text = show.text(show.Rewrite(original, rewritten))
    lines = dict(
        line.split(":", 1) for line in text.split("\n") if line.startswith(("original:", "rewrite:"))
    )
    assert lines["original"].replace("[-", "").replace("-]", "").split() == original.split()
    assert lines["rewrite"].replace("{+", "").replace("+}", "").split() == rewritten.split()


@given(SENTENCES, SENTENCES)
def test_lost_and_added_words_are_counted_and_named(original, rewritten):
    frame = show.table(show.Rewrite(original, rewritten))
    lost = sum(len(found.split()) for found in frame["words"][frame["change"] == "lost"])
    added = sum(len(found.split()) for found in frame["words"][frame["change"] == "added"])
    assert len(original.split()) - lost == len(rewritten.split()) - added
    title = show.text(show.Rewrite(original, rewritten)).split("\n")[0]
    assert title.startswith(f"{words.count(lost, 'word')} lost, {words.count(added, 'word')} added")
    html = parsed(show.html(show.Rewrite(original, rewritten)))
    struck = [element.text for element in html.iter("del")]
    assert struck == [*frame["words"][frame["change"] == "lost"]] * 2  # in the text, and named below


def test_the_lost_warning_is_struck_and_named():
    note = next(memory for memory in dock().working.read(limit=100) if "shortened" in memory.rewrites)
    seen = show.Rewrite(note.content, note.rewrites["shortened"])
    (lost,) = show.table(seen)["words"]
    assert lost.endswith("do NOT restart the arm")
    assert words_in(parsed(show.html(seen))).count(lost) == 2


def test_a_rewrite_of_something_else_is_refused():
    with pytest.raises(InvalidInput, match="original: must be a string, not NoneType"):
        show.rewrite(None, "text")


# Showing


@pytest.mark.parametrize("thing", [7, None, "text", b"bytes", object(), {1: 2}])
def test_an_unknown_object_is_refused_by_naming_what_is_known(thing):
    with pytest.raises(InvalidInput) as refused:
        show.show(thing)
    assert f"something of type {type(thing).__name__}" in str(refused.value)
    for known in ("Receipt", "Recollection", "WhyNot", "Context", "Memory", "AuditReport", "stats"):
        assert known in str(refused.value)


@pytest.mark.parametrize("most", [0, -1, 2.5, True])
def test_a_number_of_rows_that_is_none_is_refused(most):
    with pytest.raises(InvalidInput, match=r"^most: must be a whole number of 1 or more"):
        show.show(EVERY["many"], most=most)


def test_a_list_of_something_else_is_refused():
    with pytest.raises(InvalidInput, match="holds something of type int"):
        show.text([EVERY["memory"], 3])


def test_outside_a_notebook_the_text_is_printed(capsys):
    show.show(EVERY["report"])
    show.rewrite("a b", "a")
    expected = [show.text(EVERY["report"]), show.text(show.Rewrite("a b", "a"))]
    assert capsys.readouterr().out == "\n".join(expected) + "\n"


IN_A_NOTEBOOK = """
from traitlets.config import Config
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
import teachmem
from teachmem import show
quiet = Config()
quiet.HistoryManager.enabled = False
shell = InteractiveShell.instance(config=quiet)
with teachmem.open_memory() as mem, capture_output() as seen:
    report = mem.audit.verify()
    show.show(report)
(output,) = seen.outputs
assert output.data == {"text/html": show.html(report), "text/plain": show.text(report)}, output.data
assert seen.stdout == seen.stderr == "", seen.stdout
with capture_output() as drawn:
    with show.plot.figure("two points") as (figure, axes):
        axes.plot([1, 2])
(picture,) = drawn.outputs
assert picture.data["text/plain"] == "two points"
assert picture.data["image/png"][:4] == bytes([137]) + b"PNG"
assert picture.metadata["image/png"]["alt"] == "two points"
"""


def test_in_a_notebook_both_twins_are_one_display(tmp_path):
    command = [sys.executable, "-c", IN_A_NOTEBOOK]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr


def test_hostile_text_is_shown_as_it_is():
    html = show.html(EVERY["list"], most=2)
    assert "<script" not in html
    shown = words_in(parsed(html))
    assert '<script>alert(\\"x\\")' in shown
    assert list(show.table(EVERY["list"])["content"])[1].endswith(HOSTILE)
