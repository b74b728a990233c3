"""Probes of negative evaluation: silence where nothing answers, and the right thing first otherwise."""

from __future__ import annotations

from teachmem.marks.probe import control, expect, kept, probe, texts
from teachmem.marks.system import System

LOUD = "soup on the menu in the canteen"


@probe(
    "negative_eval",
    name="says_that_nothing_answers",
    asks="Is a question that nothing answers answered by nothing?",
)
def says_that_nothing_answers(system: System) -> str:
    """Ask for what is known, and for what is not."""
    agent = system.acting("dock-1")
    agent.write("The yard carrier carries 150 kg.")
    agent.write("Gate four sticks when it is cold.")
    control("150" in agent.ask("how much does the yard carrier carry?"), "what is known is answered")
    for question in ("who invented the telescope?", "what is the boiling point of mercury?"):
        answer = agent.ask(question)
        expect(
            "carrier" not in answer and "Gate" not in answer, f"{question!r} is answered by {answer[:80]!r}"
        )
    return "two questions about nothing that is known got no memory for an answer"


@probe(
    "negative_eval",
    name="exact_number_first",
    asks="Does a question for a part number get that part and not its neighbour?",
)
def exact_number_first(system: System) -> str:
    """Ask for each of a row of part numbers that differ in one digit."""
    agent = system.acting("dock-1")
    numbers = [f"HX-22{digits}" for digits in ("07", "70", "77", "17", "71", "27", "72")]
    for place, number in enumerate(numbers):
        agent.write(f"Pad {number} is kept in drawer {place + 1}, beside the pads of other sizes.")
    control(len(agent.recall("pads", k=7)) == len(numbers), "all of them are found")
    for number in numbers:
        first = agent.recall(f"where is pad {number}?")[0].text
        expect(number in first, f"asked for {number}, first comes {first!r}")
    return f"each of {len(numbers)} part numbers came first"


@probe(
    "negative_eval",
    name="asked_before_new",
    asks="Does an event that was asked about come before one that is only newer?",
)
def asked_before_new(system: System) -> str:
    """Log what is asked about, wait a day, log something else."""
    agent = system.acting("dock-1")
    agent.log("gripper slipped at station four")
    system.advance(30)
    agent.log(LOUD)
    found = texts(agent.events("why did the gripper slip?"))
    control("gripper slipped at station four" in found, "the event is recalled")
    expect(found[0] != LOUD, f"asked about the gripper, first comes {found[0]!r}")
    return "thirty hours old and to the point came first"


@probe(
    "negative_eval",
    name="newer_of_two_alike",
    asks="Of two events that say the same, does the newer one come first?",
)
def newer_of_two_alike(system: System) -> str:
    """Log twice, two weeks apart."""
    agent = system.acting("dock-1")
    agent.log("gripper slipped at station nine")
    system.advance(300)
    agent.log("gripper slipped at station four")
    system.advance(1)
    found = texts(agent.events("gripper slipped"))
    control(len(found) == 2, "both are recalled")
    expect(found[0] == "gripper slipped at station four", f"first comes {found[0]!r}")
    return "the newer one came first"


@probe("negative_eval", name="old_but_to_the_point", asks="Is a matching memory still found after 242 days?")
def old_but_to_the_point(system: System) -> str:
    """Let eight months pass, and fill the memory with other things."""
    agent, question = system.acting("dock-1"), "where is the spare fuse of crane two?"
    fact, event = "the spare fuse of crane two lies in the red box", "looked for the spare fuse of crane two"
    agent.write(fact)
    agent.log(event)
    control(fact in texts(agent.recall(question)), "the fact is found when it is new")
    control(event in agent.context(question), "so is the event")
    system.advance(242 * 24)
    for number in range(12):
        agent.write(f"gate {number} was washed")
        agent.log(f"gate {number} was washed again")
    found = texts(agent.recall(question))[:1]
    expect(found == [fact], f"after 242 days first comes {found!r}")
    expect(event in agent.context(question), "after 242 days the event is crowded out of the context")
    return "the fact came first after 242 days, and the event is in the context"


@probe(
    "negative_eval",
    name="any_script",
    asks="Is an event found by its own words in Japanese, Russian and Arabic?",
)
def any_script(system: System) -> str:
    """Log in three scripts, then much in English, and ask for each."""
    agent = system.acting("dock-1")
    logged = {
        "把持部が箱を落とした": "把持部が箱",
        "зажим уронил ящик": "зажим ящик",
        "سقط الصندوق": "الصندوق",
    }
    for text in logged:
        agent.log(text)
    system.advance(2)
    for number in range(6):
        system.advance(0.02)  # no two at one moment: which comes first would be chance
        agent.log(f"pallet {number} arrived")
    control("pallet 3 arrived" in texts(agent.events("pallet 3")), "English is found")
    for text, query in logged.items():
        found = texts(agent.events(query, k=3))
        expect(text in found, f"{query!r} gives {found!r}")
    return f"{len(logged)} scripts were found by their own words"


@probe(
    "negative_eval",
    name="events_before_own_answers",
    asks="Asked the same again and again, are events still recalled, and not the answers?",
)
def events_before_own_answers(system: System) -> str:
    """Ask nine times, and look at what is recalled."""
    agent, question = system.acting("dock-1"), "how many tours did the yard carrier make?"
    agent.write("The yard carrier makes ten tours.")
    for number in range(6):
        agent.log(f"the yard carrier made tour {number}")
    for _ in range(8):
        system.advance(0.1)
        control("ten" in agent.ask(question), "the question is answered")
    context = agent.context(question)
    tours = sum(f"made tour {number}" in context for number in range(6))
    expect(tours >= 5, f"{tours} of 6 events are left in the context after the question was asked 8 times")
    return f"{tours} of 6 events are in the context after 8 answers"


@probe(
    "negative_eval",
    name="long_row_at_the_head",
    asks="Are short notes in the context where a newer one is longer than the budget?",
)
def long_row_at_the_head(system: System) -> str:
    """Write a short note and then one that does not fit."""
    agent, warning = system.acting("dock-1"), "do NOT restart the arm"
    agent.note(warning)
    control(warning in agent.context("arm", budget=200), "the short one is in the context when it is alone")
    system.advance(0.1)
    agent.note("the arm moved " * 500)
    context = agent.context("arm", budget=200)
    expect(warning in context, f"the context is {len(context)} characters long and lacks it")
    return "the short note stayed in the context"


@probe(
    "negative_eval",
    name="odd_questions",
    asks="Is a question with quotes, colons, operators or one letter answered and no error?",
)
def odd_questions(system: System) -> str:
    """Ask in ways that are syntax to some search engines."""
    agent = system.acting("dock-1")
    agent.write("gate four is open")
    control(kept(agent, "gate four is open"), "a plain question is answered")
    agent.write('status: done, retry OR multi-agent, says "a"b"')
    odd = ["status: done", 'a"b', "retry OR", "multi-agent", "NEAR(", "*", "'", "-done", "(", "a AND", "%"]
    for query in odd:
        try:
            agent.recall(query)
        except Exception as error:
            expect(False, f"{query!r} gives {type(error).__name__}: {error}")
    return f"{len(odd)} odd questions were answered"


@probe(
    "negative_eval",
    name="citations_exist",
    asks="Is a sentence of a model struck out that cites a memory which does not exist?",
)
def citations_exist(system: System) -> str:
    """Let a model cite one memory that is there and one that is not."""
    agent = system.acting("dock-1")
    held = agent.write("The yard carrier carries 150 kg.")
    said = f"It carries 150 kg [{held}]. The limit was raised to 300 kg [fact-0911]."
    answer = agent.ask("how much does the yard carrier carry?", model_says=said)
    control("150 kg" in answer, "the founded sentence stands")
    expect("300 kg" not in answer, f"the invented one stands: {answer!r}")
    return "the founded sentence stands, the invented one is struck out"


@probe(
    "negative_eval",
    name="whole_words",
    asks="Is a question about a counter not taken for one that asks for a count?",
)
def whole_words(system: System) -> str:
    """Ask with a word that holds another."""
    agent = system.acting("dock-1")
    agent.write("The counter stands in bay two.")
    control("counter" in agent.ask("is there anything that stands in bay two?"), "the question is answered")
    answer = agent.ask("which counter stands in bay two?")
    expect("bay two" in answer, f"it is answered {answer!r}")
    expect(len(answer.splitlines()) == 1, f"it is answered by a count: {answer!r}")
    return "it was answered by the fact, and nothing was counted"


@probe(
    "negative_eval",
    name="few_words_first",
    asks="Is a model handed less than 2,000 words of tools before its first question?",
)
def few_words_first(system: System) -> str:
    """Count what the system says of itself."""
    agent = system.acting("dock-1")
    agent.write("gate four is open")
    control(kept(agent, "gate four is open"), "it works")
    words = len(system.first_words().split())
    control(words > 20, "it says something of itself")
    expect(words < 2000, f"{words:,} words before the first question")
    return f"{words} words before the first question"
