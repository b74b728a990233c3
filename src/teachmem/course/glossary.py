"""The words of the course, each defined once: this table is the source of `docs/glossary.md`.

A term says what it means in a sentence or two, which terms stand near it, where it comes from, which
public names of the package carry it, and in which segment it is introduced. The linter asks that
segment to link it; links are written `[half-life](../docs/glossary.md#half-life)`.

>>> TERMS["half-life"].segment, TERMS["half-life"].anchor
('02', 'half-life')
>>> TERMS["packing"].link
'[packing](../docs/glossary.md#packing)'

Left out: words that later segments bring; they are added here with their segment.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

COALA = "Sumers et al. 2023, arXiv:2309.02427"
PARK = "Park et al. 2023, arXiv:2304.03442"
BRUCH = "Bruch, Gai and Ingber 2023, arXiv:2210.11934"
BM25 = "Robertson and Zaragoza 2009, The Probabilistic Relevance Framework"


@dataclass(frozen=True, slots=True)
class Term:
    """One word of the course. `also` are other forms under which the text uses it."""

    term: str
    definition: str
    see: tuple[str, ...] = ()
    source: str = ""
    segment: str = ""
    names: tuple[str, ...] = ()
    also: tuple[str, ...] = ()

    @property
    def anchor(self) -> str:
        """The part of a link after `#`."""
        return re.sub(r"[^a-z0-9]+", "-", self.term.lower()).strip("-")

    @property
    def link(self) -> str:
        """How a notebook links it."""
        return f"[{self.term}](../docs/glossary.md#{self.anchor})"

    def occurs_in(self, text: str) -> bool:
        """Say whether `text` uses the term, in one of its forms, with or without a final s."""
        forms = "|".join(re.escape(form.lower()) for form in (self.term, *self.also))
        return re.search(rf"(?<![\w-])(?:{forms})(?:s|es|d|ed)?(?![\w-])", text.lower()) is not None


_ALL = (
    Term(
        "admissible clause",
        "The one condition that every read passes: the reader may see the memory, its trust status is live, "
        "and it holds at the time that is asked about.",
        see=("scope", "trust status", "valid time", "known time"),
        segment="07",
        also=("admissible",),
    ),
    Term(
        "agent memory",
        "What a language-model agent keeps between one call of its model and the next, and the rules by "
        "which it is written and read.",
        see=("CoALA", "tier"),
        source=COALA,
        segment="00",
        names=("MemoryStore", "open_memory"),
        also=("agent's memory",),
    ),
    Term(
        "audit entry",
        "One line of the audit log: who did what to which memory and when, with digests in place of texts. "
        "It is written in the same transaction as the change.",
        see=("hash chain",),
    ),
    Term(
        "BM25",
        "A formula for how well a text answers a question: rare words count more, repeated words count less "
        "each time, and long texts are held to a higher bar.",
        see=("inverse document frequency", "relevance"),
        source=BM25,
        segment="02",
    ),
    Term(
        "budget",
        "The number of tokens that a context may take.",
        see=("token", "packing"),
        segment="01",
        also=("token budget",),
    ),
    Term(
        "citation",
        "The id of a memory behind a sentence of an answer, so that the sentence can be looked up. One whose "
        "id was not in the context is struck out.",
        see=("evidence", "context"),
        segment="04",
        also=("cite", "cites", "citations"),
    ),
    Term(
        "clearance",
        "How far a principal may reach: 0 reads only, 1 is standard, 2 reads across fleets, 3 is a steward.",
        see=("principal",),
        names=("Clearance",),
    ),
    Term(
        "CoALA",
        "Cognitive Architectures for Language Agents, the paper that divides an agent's memory into working, "
        "episodic, semantic and procedural memory.",
        see=("tier",),
        source=COALA,
        segment="00",
    ),
    Term(
        "candidate",
        "What waits for a person to decide: a proposal, a change to another's memory, or text from a tool or "
        "the web. It is no memory, and no read of memories returns it.",
        see=("staged", "quarantine", "inbox"),
        segment="06",
        names=("Candidate",),
    ),
    Term(
        "confidence",
        "How sure a claim is, from 0 to 1, or not said. It makes a claim weaker or stronger than another, "
        "and withholds none.",
        see=("strength of evidence", "inferred", "trust status"),
        segment="05",
    ),
    Term(
        "conflict",
        "Two claims that cannot both hold: one subject, one predicate that has one value, two objects, and a "
        "common time, case and circle of readers. The evidence decides, and where it does not, a person.",
        see=("strength of evidence", "flag", "triple"),
        segment="05",
        also=("contradict", "contradiction"),
    ),
    Term(
        "consolidation",
        "The sleep cycle: what an agent noted and logged since the last run becomes a few proposed facts, "
        "each with its evidence. What a run has read is marked, so a second run proposes nothing twice.",
        see=("candidate", "evidence"),
        segment="05",
        also=("sleep cycle", "consolidated"),
    ),
    Term(
        "context",
        "The text that is handed to a language model: here, labelled lines that fit a budget, with a list of "
        "what was left out and why.",
        see=("packing", "verbatim"),
        segment="01",
        names=("Context",),
    ),
    Term(
        "cosine",
        "How alike the directions of two vectors are: 1 for the same, 0 for no likeness. Of vectors that are "
        "one unit long it is the sum of the products.",
        see=("embedding",),
        segment="03",
    ),
    Term(
        "derived memory",
        "One that was made from others, its evidence. It is never wider, nor more trusted, than the "
        "narrowest and weakest of them.",
        see=("evidence", "flag"),
        also=("derived",),
    ),
    Term(
        "duplicate",
        "A write that says what a live memory at the same address already says. Nothing is written; the "
        "receipt names the twin that stands.",
        see=("normal form", "receipt"),
        also=("twin",),
    ),
    Term(
        "embedding",
        "A text as a row of numbers, made so that texts with a like meaning lie close together. Here it is "
        "the average of learned token vectors, which know nothing of their order.",
        see=("cosine", "token"),
        segment="03",
        also=("word vector",),
    ),
    Term(
        "enrichment",
        "What a text seems to be about, suggested beside it on write: title, tags, kind, dates, triple. "
        "Every suggestion is marked as inferred, and none acts.",
        see=("fact", "verbatim"),
        also=("enriched",),
    ),
    Term(
        "episodic memory",
        "The log of what happened. Events are only added, and are recalled by recency, importance and "
        "relevance.",
        see=("event", "recall"),
        source=COALA,
        segment="00",
        also=("episodic",),
    ),
    Term(
        "erasure",
        "Taking the words of a memory away for good, in every version and in whatever quotes it, while the "
        "chain stays whole. The person who does it gets a certificate, which names what is out of reach.",
        see=("hash chain", "version"),
        names=("Certificate",),
        also=("certificate", "erase"),
    ),
    Term(
        "event",
        "One thing that happened, as an agent logged it: the moment, the kind, the words, the importance.",
        see=("episodic memory",),
        segment="00",
    ),
    Term(
        "evidence",
        "The memories that a claim rests on, named by their ids. What is derived is never wider in "
        "visibility, nor more trusted, than its evidence.",
        see=("fact", "scope"),
        segment="05",
    ),
    Term(
        "fact",
        "A statement that is held to be true, with who says so, how surely, and for which time.",
        see=("semantic memory",),
        segment="03",
    ),
    Term(
        "flag",
        "What is shown beside a live memory before it is used: what it rests on has fallen, or another "
        "memory says otherwise.",
        see=("derived memory", "conflict"),
        also=("flagged",),
    ),
    Term(
        "fleet",
        "The agents and people who share a task, such as `dock`. What one of them writes, the others may "
        "read, unless it is private.",
        see=("tenant", "visibility"),
        segment="07",
    ),
    Term(
        "foil",
        "A small fault that can be switched on, so that you see a mechanism fail before you see it hold.",
        segment="01",
    ),
    Term(
        "gate",
        "The one place where every write is checked, check by check, in one order. What does not pass is "
        "not written.",
        see=("receipt", "step"),
        segment="00",
        names=("Draft", "MemoryRefused", "InvalidInput"),
    ),
    Term(
        "genesis",
        "The fixed value that the first audit entry links to. Without it, nobody could tell that the first "
        "entries were cut off.",
        see=("hash chain",),
        segment="08",
    ),
    Term(
        "graph",
        "What the believed triples say, as things and the edges between them. It is a view of the facts and "
        "keeps nothing of its own.",
        see=("triple", "fact"),
        segment="03",
    ),
    Term(
        "half-life",
        "The time after which the recency of an event has fallen to half.",
        see=("recency",),
        segment="02",
    ),
    Term(
        "half-open interval",
        "A stretch of time that holds its start and not its end, so that two neighbours neither overlap nor "
        "leave a gap.",
        see=("valid time",),
        segment="07",
        also=("half-open",),
    ),
    Term(
        "hash chain",
        "A log in which each entry's hash covers its own bytes and the hash before it. Change one byte, and "
        "that entry's hash is wrong; mend it, and the next one no longer links to it.",
        see=("genesis", "head", "tamper-evident"),
        source="Haber and Stornetta 1991, How to time-stamp a digital document",
        segment="00",
        names=("AuditReport", "AuditStatus"),
        also=("audit chain", "chain"),
    ),
    Term(
        "head",
        "The number and hash of the last audit entry of a tenant.",
        see=("hash chain",),
        segment="08",
    ),
    Term(
        "high-water mark",
        "What a run has read, noted per agent and memory, so that no run reads it again. It is no moment: "
        "what came late, or was skipped, is still due.",
        see=("consolidation",),
        segment="05",
    ),
    Term(
        "homework journal",
        "The record of a student's work, one event a line, as a hash chain of their own. It says what was "
        "predicted before it was shown, what was tried, and when.",
        see=("hash chain", "short code"),
        segment="09",
    ),
    Term(
        "idempotent request",
        "A write that carries a request id, so that sending it again returns the first receipt and changes "
        "nothing.",
        see=("receipt",),
        also=("request id", "request_id", "idempotency"),
    ),
    Term(
        "importance",
        "How much an event matters whatever is asked, from 0 to 1. The writer gives it, or a stated rule "
        "sets it.",
        see=("recency", "relevance"),
        source=PARK,
        segment="02",
    ),
    Term(
        "inbox",
        "Where a person decides on what waits: each candidate with its evidence, what approval would change, "
        "and the rejected values that it is near; and the moratoria that have ended.",
        see=("candidate", "tombstone"),
        segment="06",
        also=("review inbox",),
    ),
    Term(
        "index",
        "A structure that finds memories fast. It is a cache: it follows the audit entries, may be thrown "
        "away, and never decides what is true.",
        segment="03",
        also=("cache", "indexes"),
    ),
    Term(
        "inferred",
        "Said of a claim that was concluded and that nobody said. However sure it is, it is weaker than what "
        "somebody of the same source said.",
        see=("confidence", "strength of evidence", "derived memory"),
        segment="05",
        also=("is_inferred", "inference"),
    ),
    Term(
        "insight",
        "What memories say together that none says alone, found by counting and written by the system: "
        "contradictions, repeated failures, divergence between agents, stale facts.",
        see=("evidence",),
    ),
    Term(
        "intent",
        "What a question is after, such as history or connection, with the words that speak for it. A "
        "question may have several.",
        see=("node",),
        segment="04",
    ),
    Term(
        "inverse document frequency",
        "How rare a term is among the texts that the reader may read. A term that every text holds cannot "
        "tell them apart and counts little.",
        see=("BM25",),
        source="Spärck Jones 1972, A statistical interpretation of term specificity",
        segment="02",
    ),
    Term(
        "keystone",
        "A memory that stands first in every context of its readers. Only a person makes one.",
        see=("context",),
    ),
    Term(
        "known time",
        "When the ledger held something. Asking with `known_at` shows what was believed then, even if it was "
        "corrected later.",
        see=("valid time",),
        segment="07",
        names=("LessonClock", "WallClock"),
        also=("known_at",),
    ),
    Term(
        "lapsed",
        "Said of what is over: a moratorium whose end has come and that keeps nothing out any more, or a "
        "memory whose valid time has ended. It stays as a record.",
        see=("moratorium", "valid time"),
        segment="06",
    ),
    Term(
        "law",
        "A sentence that must hold for every input, tried on many examples. One that breaks it is shown as "
        "the smallest counter-example found.",
        see=("foil", "rebuild mode"),
        also=("laws",),
    ),
    Term(
        "live",
        "Said of a memory that a read may return: its status is active, pending or confirmed. Every other "
        "status is withheld.",
        see=("trust status",),
        segment="05",
        also=("withheld",),
    ),
    Term(
        "MCP",
        "The Model Context Protocol: how a program of one maker is asked by an agent of another, through "
        "tools, resources and prompts.",
        see=("progressive loading",),
        source="Model Context Protocol, specification of 2025-11-25",
        segment="04",
    ),
    Term(
        "memory",
        "One thing that is remembered: a note, an event, a fact or a skill, with who wrote it, when, and "
        "from which source. It has an id and one or more versions.",
        see=("version", "tier"),
        names=("Memory", "CountedIds", "RandomIds", "NotFound"),
        also=("memories",),
    ),
    Term(
        "misconception",
        "A wrong idea that many people hold, with the counter-example that shows it to be wrong.",
    ),
    Term(
        "mark",
        "One of the twelve questions that a memory is asked, such as whether a value that was rejected stays "
        "out. Several probes ask it, and their answers are never added up.",
        see=("probe",),
        segment="09",
    ),
    Term(
        "moratorium",
        "A tombstone with an end. It is called by this name everywhere, so that nobody takes a rejection "
        "for a while for one that is for good.",
        see=("tombstone", "lapsed"),
        segment="06",
        also=("moratoria",),
    ),
    Term(
        "near-duplicate",
        "A text with the same numbers and negations as a rejected one and nearly the same words. It is put "
        "before a person, with the rejected one beside it.",
        see=("tombstone", "staged"),
        segment="06",
    ),
    Term(
        "node",
        "One step of a pipeline: a function from what is known so far to what is known next. It can be "
        "replaced by one of your own.",
        see=("pipeline", "trace"),
        segment="04",
    ),
    Term(
        "normal form",
        "One way of writing a text that stands for all its spellings, so that case, spaces and different "
        "codes for one letter make no second memory.",
        see=("duplicate",),
        segment="06",
    ),
    Term(
        "note",
        "A small claim on an agent's scratchpad: a subject, a predicate, an object, and the writer's own "
        "words.",
        see=("working memory",),
        segment="00",
    ),
    Term(
        "outcome",
        "How it went: success, failure or partial, linked to the memories that were used. Who acted reports "
        "it, and the system writes it, so that nobody takes back their failure.",
        see=("event",),
    ),
    Term(
        "packing",
        "Choosing lines for a context, best first. A line that does not fit is skipped, and the next one is "
        "tried.",
        see=("budget", "context"),
        segment="01",
        also=("pack", "packs"),
    ),
    Term(
        "paraphrase",
        "The same said in other words, so that a search for words finds nothing.",
        see=("embedding",),
        segment="03",
    ),
    Term(
        "pipeline",
        "The nine nodes that lead from a question to an answer, each handing its state to the next.",
        see=("node", "trace"),
        segment="04",
    ),
    Term(
        "positive control",
        "What shows, in the same case, that a call gives something where it should. Without it, silence "
        "would pass for an answer.",
        see=("probe",),
        segment="09",
    ),
    Term(
        "prediction",
        "What you say will happen before you run the cell that shows it. It is kept, so that you see where "
        "you were sure and wrong.",
        see=("misconception",),
        also=("predict",),
    ),
    Term(
        "principal",
        "Who reads or writes: an agent, a person, or the system itself, with tenant, fleet, name and "
        "clearance.",
        see=("clearance", "scope"),
        names=("Principal", "Agent", "Person", "Role"),
    ),
    Term(
        "probe",
        "One question that is put to a memory and can be answered wrong, with a control in the same case. It "
        "says holds, fails, not offered or could not run, and what was seen.",
        see=("positive control", "mark", "foil"),
        segment="09",
        also=("probed",),
    ),
    Term(
        "procedural memory",
        "How something is done: skills, each with a version.",
        see=("tier",),
        source=COALA,
        segment="04",
        also=("procedural",),
    ),
    Term(
        "progressive loading",
        "Listing few tools, and letting a client search the others and read the one that it needs. Every "
        "tool that is listed costs tokens with every question.",
        see=("MCP", "token"),
        segment="04",
    ),
    Term(
        "quarantine",
        "Where text from a tool or the web waits. It is not believed until a person makes a memory of it.",
        see=("source", "staged"),
        segment="05",
        also=("quarantined",),
    ),
    Term(
        "rebuild mode",
        "Your own module runs in the place of one of the kit's: its laws are asked, then the notebooks are "
        "run and compared, then the marks are put to it.",
        see=("law",),
    ),
    Term(
        "recall",
        "Asking episodic memory a question. Each event that comes back has a score and the parts that sum "
        "to it.",
        see=("recency", "importance", "relevance"),
        source=PARK,
        segment="00",
        names=("Recollection", "Hit", "WhyNot", "Weights"),
    ),
    Term(
        "recall@k",
        "Of all that answers a question, the share that stands among the first k found.",
        see=("recall",),
        segment="03",
    ),
    Term(
        "receipt",
        "The gate's answer to a write: the verdict, the memory that stands, the trail of steps, and the "
        "number of the audit entry.",
        see=("gate", "step"),
        segment="00",
        names=("Receipt", "Verdict"),
    ),
    Term(
        "recency",
        "How fresh an event is: 1 now, half of that after one half-life, a quarter after two.",
        see=("half-life",),
        source=PARK,
        segment="02",
    ),
    Term(
        "reciprocal rank fusion",
        "Making one list of several by rank alone: each list gives a memory 1 / (k + rank), often with "
        "k = 60. By how much a memory leads is thrown away.",
        see=("score fusion",),
        source="Cormack, Clarke and Buettcher 2009, Reciprocal rank fusion",
        segment="03",
        also=("RRF",),
    ),
    Term(
        "relevance",
        "How well an event answers the question, from 0 to 1; here the share of its BM25 score in what a "
        "full answer would get.",
        see=("BM25",),
        source=PARK,
        segment="02",
    ),
    Term(
        "rewrite",
        "A shorter or richer wording of a memory. It is kept beside the original and never shown in its "
        "place.",
        see=("verbatim",),
        segment="01",
    ),
    Term(
        "scope",
        "Who may read a memory: its tenant, fleet, author and visibility, compared with those of the reader.",
        see=("visibility", "principal"),
        segment="07",
    ),
    Term(
        "score fusion",
        "Making one list of several by their scores: each list is stretched to 0 to 1, weighed, and added. "
        "A clear winner in one list stays a clear winner.",
        see=("reciprocal rank fusion", "BM25", "cosine"),
        source=BRUCH,
        segment="03",
        also=("fused score",),
    ),
    Term(
        "semantic memory",
        "What is held to be true: facts, decisions, preferences, each with its evidence.",
        see=("fact",),
        source=COALA,
        segment="03",
        also=("semantic",),
    ),
    Term(
        "short code",
        "Whose homework journal, which entry, and 80 bits of its hash, to be read aloud. What somebody else "
        "has held it for cannot be cut or written anew unseen.",
        see=("homework journal", "checkpoint"),
    ),
    Term(
        "skill",
        "A procedural memory: what it is for, its arguments, and a text with a place for each. A person lets "
        "it in; a changed one is its next version.",
        see=("procedural memory", "version"),
        segment="04",
    ),
    Term(
        "source",
        "Where a text came from: a person, the catalogue, an agent, a tool, the web, or an inference. Text "
        "from a tool or the web is untrusted.",
        see=("quarantine",),
        segment="01",
        names=("Source",),
    ),
    Term(
        "staged",
        "Said of a write that a person must decide about. Nothing is believed until then.",
        see=("quarantine", "gate"),
    ),
    Term(
        "stem",
        "What is left of a word without its endings, so that `gripper` and `grippers` are found by one "
        "question.",
        see=("term",),
        source="Porter 1980, An algorithm for suffix stripping",
        segment="02",
        also=("stemmed", "stemming"),
    ),
    Term(
        "step",
        "One check of the gate in a receipt: its name, its outcome, and the reason in a sentence.",
        see=("gate", "receipt"),
        names=("Step", "Outcome"),
    ),
    Term(
        "stop word",
        "A word that carries no topic, such as `the`. It is left out when a text is looked up; `not` "
        "is kept.",
        see=("term",),
        segment="02",
    ),
    Term(
        "checkpoint",
        "A signed statement of where a chain stood, kept where the log's keeper cannot reach it. Cuts and "
        "rewrites of everything up to it can then be seen.",
        see=("head", "tamper-evident"),
        names=("Checkpoint", "Checkpoints"),
        segment="08",
    ),
    Term(
        "strength of evidence",
        "The order in which claims outweigh each other: by source, then said before inferred, then by "
        "confidence. Weak evidence never retires strong.",
        see=("conflict", "source"),
        segment="05",
        also=("stronger evidence",),
    ),
    Term(
        "tamper-evident",
        "Said of a log in which an edit cannot go unseen. A hash chain gives this against edits; against "
        "cuts and rewrites only as far back as the last checkpoint that someone else holds.",
        see=("hash chain",),
        segment="08",
    ),
    Term(
        "tenant",
        "The organisation that a memory belongs to. Nothing crosses from one tenant to another.",
        see=("fleet", "scope"),
        segment="07",
    ),
    Term(
        "term",
        "A word as it is looked up: lower case, stemmed, without stop words.",
        see=("stem", "stop word", "token"),
    ),
    Term(
        "tier",
        "One of the four memories of CoALA: working, episodic, semantic, procedural. All four are rows of "
        "one table.",
        see=("CoALA",),
        source=COALA,
        segment="00",
        names=("Tier",),
    ),
    Term(
        "token",
        "A piece of text as a language model counts it: a word, a part of one, or a sign.",
        see=("budget",),
        segment="01",
    ),
    Term(
        "tombstone",
        "A rejected value, kept so that it is refused at every door: in any spelling, from anybody, in the "
        "fleets that it was made for. A person makes it, and a person lifts it.",
        see=("moratorium", "normal form", "inbox"),
        segment="06",
        names=("Tombstone",),
    ),
    Term(
        "trace",
        "What went into each node of a pipeline, what came out, and how long it took.",
        see=("pipeline",),
        segment="04",
    ),
    Term(
        "transition",
        "A move of a memory from one trust status to another. One table says which are legal, and for whom.",
        see=("trust status",),
        segment="05",
    ),
    Term(
        "triple",
        "A claim cut into subject, predicate and object, such as NL-0003 contains a pad. The predicate comes "
        "from a fixed list.",
        see=("graph",),
        segment="03",
    ),
    Term(
        "trust status",
        "The answer to: may this memory be used? Eight values, of which three are live.",
        see=("live",),
        segment="05",
        names=("Status",),
        also=("status",),
    ),
    Term(
        "valid time",
        "When something is so in the world. Asking with `at` shows what held at that moment.",
        see=("known time", "half-open interval"),
        segment="07",
        also=("valid_from", "valid_to"),
    ),
    Term(
        "verbatim",
        "Word for word, as it was written. The content of a memory is always shown like this.",
        see=("rewrite",),
        segment="01",
    ),
    Term(
        "version",
        "One state of a memory, in one row. A change adds a version and closes the one before; nothing is "
        "overwritten.",
        see=("memory", "known time"),
    ),
    Term(
        "visibility",
        "Who besides the writer may read: nobody (`agent`), the fleet (`team`), or the whole tenant (`org`).",
        see=("scope",),
        segment="07",
        names=("Visibility",),
    ),
    Term(
        "working memory",
        "The scratchpad of notes that an agent keeps while it works, from which its context is packed.",
        see=("note", "context"),
        source=COALA,
        segment="00",
        also=("scratchpad",),
    ),
)

TERMS = {term.term: term for term in _ALL}
ANCHORS = {term.anchor: term for term in _ALL}

# Two names are about teachmem itself and stand for no idea of the course.
PLAIN_NAMES = ("TeachmemError", "StoreError", "ModelUnavailable", "Overtaken")


def introduced_in(segment: str) -> tuple[Term, ...]:
    """Return the terms that a segment brings, and so must link."""
    return tuple(term for term in _ALL if term.segment == segment)


def as_markdown() -> str:
    """Return the text of `docs/glossary.md`."""
    lines = [
        "# Glossary",
        "",
        "The words of the course, each defined once. This page is made from",
        "`src/teachmem/course/glossary.py` by `python -m teachmem.course.glossary`;",
        "change a definition there.",
        "",
    ]
    for term in sorted(_ALL, key=lambda term: term.term.lower()):
        # A heading of small letters alone is its own anchor; readers differ about capitals and signs.
        lines += [f'<a id="{term.anchor}"></a>', ""] if term.anchor != term.term.replace(" ", "-") else []
        lines += [f"## {term.term}", "", term.definition, ""]
        facts = []
        if term.segment:
            facts.append(f"Introduced in segment {term.segment}.")
        if term.names:
            facts.append("In code: " + ", ".join(f"`{name}`" for name in term.names) + ".")
        if term.see:
            facts.append("See " + ", ".join(f"[{name}](#{TERMS[name].anchor})" for name in term.see) + ".")
        if term.source:
            facts.append(f"Source: {term.source}.")
        lines += [" ".join(facts), ""] if facts else []
    return "\n".join(lines)


if __name__ == "__main__":
    print(as_markdown(), end="")
