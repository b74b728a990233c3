"""Modules as students write them: right in another way, and wrong in a way that a law must tell.

Each is the package's source with some places changed. `told` is a pattern of the counter-example.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Wrong:
    """A wrong module: what it gets wrong, the law that says so, a pattern of what it says."""

    called: str
    law: str
    told: str
    changes: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Right:
    """A right module, written in another way."""

    called: str
    changes: tuple[tuple[str, str], ...]


def wrong(called: str, law: str, told: str, *changes: tuple[str, str]) -> Wrong:
    return Wrong(called, law, told, changes)


def right(called: str, *changes: tuple[str, str]) -> Right:
    return Right(called, changes)


WRONG: dict[str, list[Wrong]] = {
    "ledger.canonical": [
        wrong(
            "keys as they come",
            "one_value_has_one_spelling",
            r"your encode\(\{.*\}\) gave other bytes than the same keys in another order|gave b",
            ("orjson.OPT_SORT_KEYS | orjson.OPT_STRICT_INTEGER", "orjson.OPT_STRICT_INTEGER"),
        ),
        wrong(
            "one is true",
            "what_was_written_is_read_back",
            r"your decode\(b'\{\"0\":1\}'\) gave \{'0': True\}",
            (
                "return body if same == data",
                "return {k: v == 1 or v for k, v in body.items()} if same == data",
            ),
        ),
        wrong(
            "any spelling will do",
            "another_spelling_is_none",
            r"your decode\(b'.*'\) gave \{.*\}; the body is written with .*, so None was due",
            ("return body if same == data else None", "return body"),
        ),
        wrong(
            "a list is a body",
            "what_is_no_body_is_none",
            r"your decode\(b'.*'\) (gave|raised)",
            ("if type(body) is not dict:", "if body is None:"),
            ("except (ValueError, TypeError, InvalidInput):", "except (ValueError, InvalidInput):"),
        ),
        wrong(
            "a fraction enters",
            "what_cannot_enter_is_refused_by_its_place",
            r"your encode\(\{.*\}\) let 0\.5 enter",
            ("isinstance(value, bool):", "isinstance(value, bool | float):"),
        ),
        wrong(
            "the place is not told",
            "what_cannot_enter_is_refused_by_its_place",
            r"said 'body: .*', and not that it is at ",
            ('name = place or "body"', 'name = "body"'),
        ),
        wrong(
            "no bottom",
            "a_body_is_not_nested_without_end",
            r"your encode took a body nested 20 deep; 19 is the most",
            ("depth > MAX_DEPTH:", "depth > MAX_DEPTH * 2:"),
        ),
    ],
    "ledger.chain": [
        wrong(
            "the body alone",
            "a_hash_covers_the_one_before_and_every_byte",
            r"your link\(b'.*', b'\{\}'\) gave [0-9a-f]{12}\.\.\., [0-9a-f]{12}\.\.\. was due",
            ("DOMAIN + previous + body", "DOMAIN + body"),
        ),
        wrong(
            "a genesis of zeros",
            "a_chain_begins_at_a_fixed_place",
            r"your GENESIS is 000000000000\.\.\.",
            ('hashlib.sha256(b"teachmem/audit/1/genesis").digest()', "bytes(32)"),
        ),
        wrong(
            "always after genesis",
            "entries_are_linked_and_numbered_without_a_gap",
            r"after \[\('north', 'write', 'x'\), \('north', 'write', 'x'\)\], entry 2 of north has the hash",
            ("link(before.hash, data)", "link(GENESIS, data)"),
        ),
        wrong(
            "a tenant by heart",
            "entries_are_linked_and_numbered_without_a_gap",
            r"after \[\('south', 'write', 'x'\)\], the entries of north are numbered \[1\]",
            ('"tenant": before.tenant', '"tenant": "north"'),
        ),
        wrong(
            "from the one that was seen on",
            "a_cache_is_told_what_came_after",
            r"after \[\('north', 'write', 'x'\)\], your passed_since\(tx, 'north', 1\) told",
            (
                'audit.c.seq > bindparam("seen"))\n    .order_by',
                'audit.c.seq >= bindparam("seen"))\n    .order_by',
            ),
        ),
        wrong(
            "touched again and again",
            "a_cache_is_told_what_came_after",
            r"said \['x', 'x'\] were touched",
            (
                'touched = dict.fromkeys(item["id"] for _, _, body in rows for item in json.loads(body)["touched"])',
                'touched = [item["id"] for _, _, body in rows for item in json.loads(body)["touched"]]',
            ),
        ),
        wrong(
            "text for bytes",
            "what_is_no_bytes_is_none_at_all",
            r"your raw\('ab'\) gave 'ab', b'' was due",
            (
                'return bytes(stored) if isinstance(stored, bytes | memoryview) else b""',
                'return stored or b""',
            ),
        ),
    ],
    "rules.scope": [
        wrong(
            "a name is a prefix",
            "the_table_is_kept",
            r"may read what .* wrote with visibility 'team' by your may_read",
            ("return fleet == reader.fleet or", "return fleet.startswith(reader.fleet) or"),
        ),
        wrong(
            "an unknown word is for the team",
            "the_table_is_kept",
            r"may read what arm of north/dock wrote with visibility '' by your may_read",
            ("if visibility == Visibility.TEAM:", "if visibility != Visibility.AGENT:"),
        ),
        wrong(
            "like for equals",
            "the_database_says_the_same",
            r"by your clause",
            (
                'own_fleet = of.c.fleet == bindparam("reader_fleet")',
                'own_fleet = of.c.fleet.like(bindparam("reader_fleet"))',
            ),
        ),
        wrong(
            "the tenant is forgotten",
            "the_database_says_the_same",
            r"^arm of nor.*/dock \(an agent of clearance 0\) reads what arm of .*/dock wrote with visibility 'org'",
            (
                'and_(in_tenant, of.c.visibility == bindparam("org", str(Visibility.ORG))),',
                'and_(now, of.c.visibility == bindparam("org", str(Visibility.ORG))),',
            ),
        ),
        wrong(
            "old versions are read",
            "an_old_version_is_read_only_where_it_is_asked_for",
            r"reads an old version of an own memory by your clause\(current=True\)",
            ("of.c.superseded_at.is_(None) if current else true()", "true()"),
        ),
        wrong(
            "clearance 1 crosses fleets",
            "how_far_a_reader_sees",
            r"your reach gave 'every fleet' for arm of north/dock \(an agent of clearance 1\); 'own fleet' was due",
            ("reader.clearance >= Clearance.CROSS_FLEET", "reader.clearance >= 1"),
        ),
    ],
    "rules.trust": [
        wrong(
            "all but the deleted",
            "only_the_live_are_read",
            r"your clause\(\) reads a memory whose status is '(cancelled|outdated|conflicted|archived)'",
            (
                "return memories.c.status.in_([literal_column(f\"'{status}'\") for status in LIVE])",
                "return memories.c.status != literal_column(\"'deleted'\")",
            ),
        ),
        wrong(
            "pending is not live",
            "only_the_live_are_read",
            r"does not read a memory whose status is 'pending'",
            ("for status in LIVE]", "for status in LIVE if status != 'pending']"),
        ),
        wrong(
            "missing means active",
            "what_has_no_known_status_is_not_read",
            r"your clause\(\) reads a memory whose status is None",
            (
                "return memories.c.status.in_([literal_column(f\"'{status}'\") for status in LIVE])",
                "return memories.c.status.is_(None) | memories.c.status.in_([literal_column(f\"'{status}'\") for status in LIVE])",
            ),
        ),
        wrong(
            "bound values",
            "the_statuses_are_written_out",
            r"your clause\(\) binds \{",
            ("literal_column(f\"'{status}'\")", "str(status)"),
        ),
    ],
    "rules.validity": [
        wrong(
            "the end is in",
            "intervals_are_half_open",
            r"your holds\(0, None, 0, None\) gave True, False was due",
            ("valid_to is None or valid_to > at)", "valid_to is None or valid_to >= at)"),
        ),
        wrong(
            "the start is out",
            "the_database_says_the_same",
            r"for at = 0 your valid_clause\(\) does not read a memory with \{.*'valid_from': 0",
            ("memories.c.valid_from <= at", "memories.c.valid_from < at"),
        ),
        wrong(
            "an expired memory has merely lapsed",
            "what_has_lapsed_is_read_by_name_and_what_expired_never",
            r"for at = 0 your valid_clause\(lapsed=True\) reads a memory with \{'expires_at': 0",
            (
                "or_(memories.c.expires_at.is_(None), memories.c.expires_at > at),",
                "true() if lapsed else or_(memories.c.expires_at.is_(None), memories.c.expires_at > at),",
            ),
        ),
        wrong(
            "what was replaced is still known",
            "the_ledger_is_asked_for_what_it_held_then",
            r"for known_at = 0 your known_clause\(True\) reads a memory with \{.*'superseded_at': 0",
            ("memories.c.superseded_at > known_at", "memories.c.superseded_at >= known_at"),
        ),
        wrong(
            "every version is current",
            "now_is_the_current_version_and_no_clock",
            r"your known_clause\(False\) reads a memory with \{.*'superseded_at': 0",
            ("return memories.c.superseded_at.is_(None)\n", "return true()\n"),
        ),
        wrong(
            "over is after the end",
            "what_is_over_has_lapsed",
            r"of a memory that ends at 0, your is_over\(memory, 0\) gave False, True was due",
            ("to_micros(memory.valid_to) <= at", "to_micros(memory.valid_to) < at"),
        ),
    ],
    "recall.fuse": [
        wrong(
            "the worst of the list is 0",
            "the_lowest_is_0_and_the_best_is_1",
            r"your stretched\(\{'a': .*\}, .*\) gave",
            (
                "    best = max(scores",
                "    lowest = min(scores.values(), default=lowest)\n    best = max(scores",
            ),
        ),
        wrong(
            "scores as they are",
            "only_the_shape_of_a_list_counts",
            r"words \{.*\} gave \{.*\}, and 2 times as much \{",
            ("in stretched(scores).items()", "in scores.items()"),
        ),
        wrong(
            "only what every list has",
            "each_list_gives_its_weighted_part",
            r"your fuse\(\{'vectors': .*\}, \{.*\}\) gave",
            ("    return parts\n", "    return {k: v for k, v in parts.items() if all(v.values())}\n"),
        ),
        wrong(
            "ranks from 0",
            "ranks_add_one_over_k_plus_rank",
            r"your reciprocal_ranks\(\[\['a'\]\], 60\) gave \{'a': 0\.01667\}|gave",
            ("enumerate(ranking, 1)", "enumerate(ranking)"),
        ),
        wrong(
            "nothing found has a place",
            "ranks_go_from_1_and_ties_by_name",
            r"your ranks\(\{'a': 0\.0\}\) gave \{'a': 1\}, \{\} was due",
            (" if value > 0", ""),
        ),
    ],
    "recall.score": [
        wrong(
            "a time constant for a half-life",
            "every_half_life_halves",
            r"your recency\(1\.0, 1\.0\) gave 0\.3679, 0\.5 was due",
            (
                "0.5 ** (max(age_hours, 0.0) / half_life_hours)",
                "math.exp(-max(age_hours, 0.0) / half_life_hours)",
            ),
        ),
        wrong(
            "a straight line",
            "every_half_life_halves",
            r"your recency\(1\.0, 2\.0\) gave 0\.75, 0\.7071 was due",
            (
                "0.5 ** (max(age_hours, 0.0) / half_life_hours)",
                "max(0.0, 1 - max(age_hours, 0.0) / half_life_hours / 2)",
            ),
        ),
        wrong(
            "the future beats now",
            "the_future_counts_as_now",
            r"your recency\(-1\.0, 1\.0\) gave 2\.0",
            ("max(age_hours, 0.0)", "age_hours"),
        ),
        wrong(
            "relevance is not weighted",
            "the_score_is_the_sum_of_weighted_parts",
            r"your parts\(0\.0, 0\.0, 0\.01, Weights",
            ('"relevance": weights.relevance * relevance', '"relevance": 0.3 * relevance'),
        ),
        wrong(
            "the score is the strongest part",
            "the_score_is_the_sum_of_weighted_parts",
            r"your total\(\{",
            ("return sum(found.values())", "return max(found.values())"),
        ),
        wrong(
            "a negative weight is taken",
            "a_weight_is_a_number_from_0_to_1",
            r"your Weights\(recency=-1\.0\) took it",
            ("not 0 <= value <= 1", "not value <= 1"),
        ),
        wrong(
            "a half-life of 0 is taken",
            "a_half_life_is_finite_and_above_0",
            r"your check_half_life\(0\.0\) took it",
            ("not 0 < hours <=", "not 0 <= hours <="),
        ),
        wrong(
            "unknown words count",
            "relevance_is_the_share_of_what_was_asked",
            r"of the events \[\['arm'\]\], your relevance\(\['arm', 'bay'\], \['arm'\], corpus\) gave",
            ("dict.fromkeys(question) if corpus.holding(term)]", "dict.fromkeys(question)]"),
        ),
        wrong(
            "what has lapsed counts in full",
            "what_has_lapsed_counts_half",
            r"your discounted\(\{.*\}\) gave \{'lapsed': 0\.0,",
            ("LAPSED = 0.5", "LAPSED = 1.0"),
        ),
    ],
}

RIGHT: dict[str, list[Right]] = {
    "ledger.canonical": [
        right(
            "by the standard library, and by writing it again",
            (
                "return quick if _is_plain(quick) else rfc8785.dumps(dict(body))",
                'return __import__("json").dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()',
            ),
            ("if _is_plain(data) else encode(body)", "if False else encode(body)"),
        )
    ],
    "ledger.chain": [
        right(
            "piece by piece, and touched by a list",
            (
                "return hashlib.sha256(DOMAIN + previous + body).digest()",
                "made = hashlib.sha256(DOMAIN)\n    made.update(previous)\n    made.update(body)\n    return made.digest()",
            ),
        )
    ],
    "rules.scope": [
        right(
            "three questions one after the other",
            (
                "    if far is Reach.TENANT or visibility == Visibility.ORG:\n        return True\n",
                "    if visibility == Visibility.ORG or reader.widened:\n        return True\n",
            ),
            (
                "return visibility == Visibility.AGENT and (fleet, agent) == (reader.fleet, reader.name)",
                "return visibility == Visibility.AGENT and fleet == reader.fleet and agent == reader.name",
            ),
        )
    ],
    "rules.trust": [
        right(
            "one comparison a status",
            (
                "return memories.c.status.in_([literal_column(f\"'{status}'\") for status in LIVE])",
                "from sqlalchemy import or_\n    return or_(*(memories.c.status == literal_column(f\"'{status}'\") for status in LIVE))",
            ),
        )
    ],
    "rules.validity": [
        right(
            "not before, not from the end on",
            ("(valid_from is None or valid_from <= at)", "not (valid_from is not None and at < valid_from)"),
            ("(valid_to is None or valid_to > at)", "not (valid_to is not None and at >= valid_to)"),
        )
    ],
    "recall.fuse": [
        right(
            "name by name",
            (
                "    for which, scores in lists.items():\n        for name, value in stretched(scores).items():\n            parts.setdefault(name, dict.fromkeys(lists, 0.0))[which] = weights[which] * value\n",
                "    even = {which: stretched(scores) for which, scores in lists.items()}\n    for name in {name for scores in lists.values() for name in scores}:\n        parts[name] = {which: weights[which] * even[which].get(name, 0.0) for which in lists}\n",
            ),
        )
    ],
    "recall.score": [
        right(
            "a loop and an exponential",
            (
                "0.5 ** (max(age_hours, 0.0) / half_life_hours)",
                "1.0 if age_hours <= 0 else math.exp(-math.log(2) * age_hours / half_life_hours)",
            ),
            ("return sum(found.values())", "return math.fsum(found.values())"),
        )
    ],
}
