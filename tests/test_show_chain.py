"""The chain viewer: its verdicts are those of the store's own verification, and the store stays as it is."""

import pytest
from helpers import everything
from show_world import logged, parsed, words_in

from teachmem import InvalidInput, show
from teachmem.marks.attacks import attacks
from teachmem.show import explore_chain, live_chain
from teachmem.show.explore_chain import attacked


@pytest.fixture(scope="module")
def world():
    return logged()


HERE = {name: attack for name, attack in attacks().items() if not attack.restores}


@pytest.mark.parametrize("attack", HERE.values(), ids=HERE)
def test_the_three_verdicts_are_those_that_the_attack_must_get(world, attack):
    mem, held, _ = world
    before = everything(mem)
    entries = held.seq
    seq = list(attack.places(entries - 1))[-1]  # the last entry is the checkpoint's own, which wrote no row
    found = attacked(mem, held, attack, seq)
    assert [str(report.status) for report in found.reports] == [attack.alone, attack.held, attack.deep]
    assert everything(mem) == before
    assert attacked(mem, held, attack, seq) == found  # replayed


def test_without_an_attack_everything_is_complete(world):
    mem, held, _ = world
    found = attacked(mem, held)
    assert {str(report.status) for report in found.reports} == {"complete"}
    assert found.actions == ("working.write",) * 5 + ("checkpoint",)
    text = show.text(found)
    assert text.splitlines()[0] == "The store is as it was."
    assert [line.split("  ")[0] for line in text.splitlines()[2:5]] == list(explore_chain.WAYS)


def test_the_first_bad_block_is_marked_in_shape_and_word_as_well_as_colour(world):
    mem, held, every = world
    html = show.html(attacked(mem, held, every["edit_a_body"], 3))
    assert html.count('class="tm-step tm-broken"') == 3
    assert html.count("✕ 3") == 3
    assert html.count("broken here") == 3
    assert html.count("broken at 3") == 3  # said in words for who cannot see it


def test_what_only_a_checkpoint_shows_is_drawn_whole_and_torn(world):
    mem, held, every = world
    found = attacked(mem, held, every["cut_the_end_and_the_rows"], 4)
    told = list(show.table(found).itertuples(index=False))
    assert [row[1] for row in told] == ["complete", "broken", "complete"]
    assert told[1][2] == held.seq
    assert told[1][3] == "a checkpoint holds this entry, and the log does not"


@pytest.mark.parametrize("seq", [0, 7, None])
def test_an_entry_that_is_not_there_cannot_be_attacked(world, seq):
    mem, held, every = world
    with pytest.raises(InvalidInput, match="1 to 6"):
        attacked(mem, held, every["edit_a_body"], seq)


def test_a_backup_that_is_not_there_is_not_restored(world):
    """A copy of now in the place of a backup would be complete by every look, and teach that none sees it."""
    mem, held, every = world
    with pytest.raises(InvalidInput, match="older copy of the store"):
        attacked(mem, held, every["restore_a_backup"], 2)


class Board:
    def __init__(self, box):
        self.said, self.choice, self.place, self.picture, self.text = box.children


@pytest.fixture
def board(world):
    import ipywidgets

    return Board(live_chain.build(ipywidgets, *world))


def test_the_viewer_begins_whole_and_says_who_holds_what(board):
    assert "somebody else holds the checkpoint of entry 6" in words_in(parsed(board.said.value))
    assert "The store is as it was." in board.text.value
    assert board.choice.options[0] == "nothing"
    assert list(board.choice.options[1:]) == [name.replace("_", " ") for name in HERE]
    assert (board.place.min, board.place.max) == (1, 6)


def test_choosing_an_attack_and_an_entry_changes_picture_and_text(board):
    whole = board.picture.value
    board.choice.value = "edit a body"
    board.place.value = 2
    assert "✕ 2" in board.picture.value
    assert "At entry 2 of 6." in board.text.value
    board.place.value = 4
    assert "✕ 4" in board.picture.value
    board.choice.value = "nothing"
    assert board.picture.value == whole


def test_where_an_attack_cannot_be_made_it_is_said(board):
    board.choice.value = "swap"
    board.place.value = 6
    assert "swap can be done at entry 1 to 5, not at 6" in words_in(parsed(board.picture.value))
    board.place.value = 5
    assert "Two neighbours change places." in board.text.value


def test_an_entry_that_wrote_no_memory_has_none_to_be_attacked(board):
    board.choice.value = "edit a content"
    board.place.value = 6
    assert "entry 6 wrote nothing that this could change" in words_in(parsed(board.picture.value))


def test_every_control_has_a_label(board):
    assert (board.choice.description, board.place.description) == ("attack", "at entry")
    assert parsed(board.picture.value) is not None


def test_an_empty_log_has_no_viewer(world):
    import ipywidgets
    from helpers import opened

    with opened() as mem, pytest.raises(InvalidInput, match="nothing to attack"):
        live_chain.build(ipywidgets, mem, world[1], attacks())
