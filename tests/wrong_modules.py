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
    "rules.tombstone": [
        wrong(
            "letter by letter",
            "a_value_has_one_print",
            r"your value_print tells 'The door code is 4411' from 'THE DOOR CODE IS 4411', which is the same value in capitals",
            ('_print(key, "value", [normal_form(text)])', '_print(key, "value", [text])'),
        ),
        wrong(
            "numbers do not matter",
            "a_value_has_one_print",
            r"your value_print does not tell 'The door code is 4411' from 'The door code is 4412'",
            (
                '_print(key, "value", [normal_form(text)])',
                '_print(key, "value", [re.sub(r"[0-9]", "0", normal_form(text))])',
            ),
        ),
        wrong(
            "one key for all",
            "a_print_is_nothing_without_its_key",
            r"your prints of 'The door code is 4411' under two keys",
            (
                "hmac.digest(bytes.fromhex(key), said.encode(), hashlib.sha256).hex()",
                "hashlib.sha256(said.encode()).hexdigest()",
            ),
        ),
        wrong(
            "a claim is one text",
            "a_claim_has_one_print",
            r"your triple_print does not tell .* from ",
            (
                '_print(key, "triple", [normal_form(subject), predicate, normal_form(value)])',
                '_print(key, "triple", [normal_form(f"{subject} {predicate} {value}")])',
            ),
        ),
        wrong(
            "a note claims something",
            "a_claim_is_of_the_world",
            r"your claim_of\('working', 'arm 7', 'located_in', 'bay two'\) gave",
            ("if tier == Tier.SEMANTIC and predicate else ()", "if predicate else ()"),
        ),
        wrong(
            "at its end it still stands",
            "it_stands_until_its_end_or_until_it_is_lifted",
            r"at 0, a tombstone until 0, lifted at None, is 'standing'; 'lapsed' was due",
            ('kept["until"] <= now', 'kept["until"] < now'),
        ),
        wrong(
            "a tombstone forgets by itself",
            "it_stands_until_its_end_or_until_it_is_lifted",
            r"at .*, a tombstone until None, lifted at None, is 'lapsed'; 'standing' was due",
            (
                'lapsed = kept["until"] is not None and kept["until"] <= now',
                'lapsed = (kept["until"] or 0) <= now',
            ),
        ),
        wrong(
            "a share of the larger",
            "overlap_is_a_share_of_the_smaller",
            r"your overlap\(\['a'\], \['a', 'b'\]\) gave 0\.5, 1\.0 was due|gave 0\.5",
            ("least = min(", "least = max("),
        ),
        wrong(
            "who sees it lifts it",
            "who_sees_it_and_who_lifts_it",
            r"your may_lift says True of a person of dock, clearance 0, and one for (all|dock and line)",
            ("return who.is_steward or one.fleets == (who.fleet,)", "return may_see(who, one)"),
        ),
        wrong(
            "for every fleet",
            "a_rejected_value_is_found_in_the_store",
            r"after 'The door code is 4411' was rejected for dock, your exact in line stops",
            ("(wide or not one.fleets or fleet in one.fleets)", "True"),
        ),
        wrong(
            "lapsed and standing alike",
            "a_rejected_value_is_found_in_the_store",
            r"your exact in dock stops .* at the end of its moratorium",
            ('one.state == "standing" and (wide', "(wide"),
        ),
    ],
    "rules.gate": [
        wrong(
            "only the last refusal ends it",
            "the_first_no_ends_it",
            r"of checks that say \['refused', 'passed'\], your gate asked number \[1, 2\]; \[1\] was due",
            (
                "if steps[-1].outcome is Outcome.REFUSED:",
                "if steps[-1].outcome is Outcome.REFUSED and check is self.checks[-1]:",
            ),
        ),
        wrong(
            "what is staged is believed",
            "the_first_no_ends_it",
            r"of checks that say \['staged'\], your gate gave 'accepted', 'staged' was due",
            ("return self.stage(act, case, steps) if case.staged else self.admit(", "return self.admit("),
        ),
        wrong(
            "the last word counts",
            "the_first_no_ends_it",
            r"of checks that say \['staged', 'passed'\], your gate gave",
            (
                "case.staged = case.staged or steps[-1].reason",
                "case.staged = steps[-1].reason\n            else:\n                case.staged = ''",
            ),
        ),
        wrong(
            "trimmed",
            "what_is_accepted_is_kept_word_for_word",
            r"' two  spaces\\n' was written through your gate, \['two  spaces'\] is read",
            ('"content": draft.content,', '"content": draft.content.strip(),'),
            ("rows.content_digest(draft.content, salt)", "rows.content_digest(draft.content.strip(), salt)"),
        ),
        wrong(
            "a retry is a new request",
            "a_retry_writes_nothing",
            r"the same request again gave|another text under the id of a request was accepted",
            (
                "            replay.keep(act, request_id, payload, receipt)\n            return receipt\n\n    def within",
                "            return receipt\n\n    def within",
            ),
        ),
        wrong(
            "an agent writes for all",
            "shape_and_clearance_come_first",
            r"a text 'arm 1 drifts' for the org by agent of clearance 1, request None, was accepted by your gate; 'staged' was due",
            (
                'return next((step.reason for step in steps if step.outcome is Outcome.STAGED), "")',
                'return ""',
            ),
        ),
        wrong(
            "no look at the clearance",
            "shape_and_clearance_come_first",
            r"a text 'arm 1 drifts' for the team by agent of clearance 0, request None, was accepted by your gate; 'refused' was due",
            (
                "(Outcome.STAGED if found[0] else Outcome.REFUSED), found[1]",
                "(Outcome.STAGED if found[0] else Outcome.PASSED), found[1]",
            ),
        ),
        wrong(
            "withdraw what one may",
            "withdrawing_is_all_or_nothing",
            r"dock-1 withdraws notes of \['dock-2'\]: your gate gave 'accepted'",
            (
                '                    raise MemoryRefused(Receipt(Verdict.REFUSED, steps=tuple(steps)))\n            steps.append(Step("authority"',
                '                    found = [one for one in found if one is not memory]\n            steps.append(Step("authority"',
            ),
        ),
        wrong(
            "any id will do",
            "a_requests_id_is_a_name",
            r"your request_fault\(''\) gave None",
            ('shape.check_name("request_id", request_id, empty=False)', "pass"),
        ),
    ],
    "recall.lexical": [
        wrong(
            "what was taken out still counts",
            "what_is_held_now_is_counted",
            r"after \[\('e1', 'arm'\), \('e1', (None|'')\)\], your holding\('arm'\) is 1, 0 was due",
            ("        self._holding.subtract(self._terms_of[row])\n", ""),
        ),
        wrong(
            "lengths are never taken back",
            "what_is_held_now_is_counted",
            r"your mean_length is",
            ('        self.total_length -= int(self._room["length"][row])\n', ""),
        ),
        wrong(
            "no saturation",
            "a_score_is_bm25",
            r"after \[\('e1', 'arm arm'\)\], your scores give e1",
            ("counts * (K1 + 1) / (counts + norm)", "counts"),
        ),
        wrong(
            "put in twice",
            "what_is_held_now_is_counted",
            r"after \[\('e1', ''\), \('e1', ''\)\], your postings hold 2 events",
            (
                "        self.remove(entry.memory_id)\n        row = len(self.ids)",
                "        row = len(self.ids)",
            ),
        ),
        wrong(
            "taken out and alive",
            "the_past_leaves_nothing",
            r"after \[\('e1', ''\), \('e1', .*\)\], .* of your rows are alive, .* was due",
            ('        self._room["alive"][row] = 0\n', ""),
        ),
        wrong(
            "only what is added is a change",
            "every_change_is_counted",
            r"at step 2 of \[\('e1', ''\), \('e1', None\)\], your `changes` did not change",
            (
                '        self.total_length -= int(self._room["length"][row])\n        self.changes += 1\n',
                '        self.total_length -= int(self._room["length"][row])\n',
            ),
        ),
        wrong(
            "the later end counts",
            "times_are_numbers",
            r"of an event at 0 with \{.*\}, your columns say",
            ('"end": min(ends),', '"end": max(ends),'),
        ),
        wrong(
            "every session is the first",
            "sessions_and_kinds_are_told_apart",
            r"of the events \[\('s', 'k'\), \('t', 'k'\)\]",
            (
                "self._sessions.setdefault(entry.session, len(self._sessions))",
                "self._sessions.setdefault(entry.session, 0)",
            ),
            (
                "return self._sessions.get(session, -1)",
                "return list(self._sessions).index(session) if session in self._sessions else -1",
            ),
        ),
        wrong(
            "room is kept for good",
            "room_is_given_back",
            r"600 events were put in and all but 0 taken out; your postings have 600 rows",
            ("            self._compact()\n", "            pass\n"),
        ),
        wrong(
            "rows move and postings do not",
            "room_is_given_back",
            r"600 events were put in and all but \d+ taken out; e\d+ is not in its row any more|raised",
            ("(smaller := posting.moved(new_row)) is not None", "(smaller := posting) is not None"),
            (
                'kept = np.flatnonzero(self.column("alive"))',
                'kept = np.flatnonzero(self.column("alive"))[::-1]',
            ),
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
    "flow.consolidate": [
        wrong(
            "nothing is marked as read",
            "each_memory_is_read_once",
            r"1 notes and 2 runs: your module called the model 2 times",
            ("                act.promote(memory.memory_id, self.run)\n", "                pass\n"),
        ),
        wrong(
            "the model is asked about nothing",
            "each_memory_is_read_once",
            r"0 notes and \d runs: your outcomes were",
            ("    if not batch.memories:\n        return report\n", ""),
        ),
        wrong(
            "a useless answer is an answer",
            "a_useless_answer_changes_nothing",
            r"the model answered with a fact without evidence; your module wrote \{",
            (
                "        if claims and not any(end in WELL_FOUNDED or end in proposed for end in ends):",
                "        if False:",
            ),
        ),
        wrong(
            "a crash of theirs is ours",
            "a_useless_answer_changes_nothing",
            r"raised ZeroDivisionError: a bug of theirs",
            (
                "    except Exception as error:  # a plugged-in",
                "    except ModelUnavailable as error:  # a plugged-in",
            ),
        ),
        wrong(
            "evidence is not looked at",
            "a_claim_rests_on_what_was_shown",
            r"of claims on \[.*\], ",
            ("            if memory_id not in held:\n", "            if False:\n"),
            (
                "evidence = [held[memory_id] for memory_id in claim.evidence]",
                "evidence = [held[memory_id] for memory_id in claim.evidence if memory_id in held]",
            ),
            ('        if not claim.evidence:\n            return "without_evidence"\n', ""),
        ),
        wrong(
            "surer than the model",
            "a_proposal_waits_and_claims_no_more_than_it_rests_on",
            r"a claim of confidence .* became a memory of confidence 1\.0",
            (
                "draft = proposal.draft_of(claim, evidence, self.run)",
                "draft = replace(proposal.draft_of(claim, evidence, self.run), confidence=1.0)",
            ),
        ),
        wrong(
            "no limit",
            "a_run_proposes_no_more_than_it_was_asked_for",
            r"with limit=1 and four claims, 4 wait for a person",
            ("close(batch, claims[:limit], rejected)", "close(batch, claims, rejected)"),
        ),
        wrong(
            "rejected is forgotten",
            "a_rejected_value_is_not_brought_up",
            r"where everything with 'lunch' is rejected, your module proposed",
            ("if rejected(self.tx, self.who, draft, self.now):", "if False:"),
        ),
        wrong(
            "nobody looks again",
            "of_two_runs_over_one_batch_one_counts",
            r"two runs read the same 1 notes; the quick one was 'proposed', the slow one '|raised",
            ("if other := due.run_that_read(self.tx, self.who, memory.memory_id):", "if other := None:"),
        ),
    ],
    "flow.context": [
        wrong(
            "stop at what does not fit",
            "what_fits_is_taken_in_turns",
            r"your context (holds \[.*\]; \[.*\] was due|says that .* were skipped)",
            (
                "    chosen = pack.pack([row.text for row in rows], budget,",
                "    fitting = 0\n    while fitting < len(rows) and sum(kit.count_tokens(row.text + '\\n') for row in rows[: fitting + 1]) <= budget:\n        fitting += 1\n    rows = rows[:fitting]\n    chosen = pack.pack([row.text for row in rows], budget,",
            ),
        ),
        wrong(
            "all facts before the first note",
            "what_fits_is_taken_in_turns",
            r"your context holds \[.*\]; \[.*\] was due",
            ("chain.from_iterable(zip_longest(*others))", "chain.from_iterable(others)"),
        ),
        wrong(
            "the warning is free",
            "the_budget_is_kept",
            r"with a budget of \d+, your context of \d+ lines (costs|says that it used)",
            ('        used += cost + kit.count_tokens(untrusted.WARNING + "\\n")', "        used += cost"),
        ),
        wrong(
            "the newest keystone first",
            "it_stands_in_order",
            r"your context stands as \[\('fact-0002', 'keystone'\), \('fact-0001', 'keystone'\)",
            ("keystones=True)[::-1]", "keystones=True)"),
        ),
        wrong(
            "a keystone stands there twice",
            "it_stands_in_order",
            r"your context stands as \[\('fact-0001', 'keystone'\), \('fact-0001', 'fact'\)",
            (" if memory.memory_id not in taken]", "]"),
        ),
        wrong(
            "no warning",
            "it_stands_in_order",
            r"a page waits in quarantine, and your text is",
            ("trusted + ([untrusted.WARNING, *waiting] if waiting else [])", "trusted + waiting"),
        ),
        wrong(
            "a text may go on on the next line",
            "a_line_is_one_memory_word_for_word",
            r"the note '.*' became",
            ("label.full(memory), memory)", 'label.full(memory).replace("\\\\n", "\\n"), memory)'),
        ),
        wrong(
            "whatever search finds",
            "a_question_brings_what_is_about_it",
            r"asked 'what is wrong with the hoist\?' with 1500 tokens, your context holds \['fact-0001', 'fact-0002', 'fact-0003'\]",
            ('if hit.raw["words"] > 0 or hit.raw["meaning"] >= hybrid.ABOUT', ""),
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
            ("if is_quick else encode(body)", "if False else encode(body)"),
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
    "rules.tombstone": [
        right(
            "another key function, and sets",
            (
                "return hmac.digest(bytes.fromhex(key), said.encode(), hashlib.sha256).hex()",
                "return hmac.new(bytes.fromhex(key), said.encode(), 'sha256').hexdigest()",
            ),
            (
                "return who.is_steward or not one.fleets or who.fleet in one.fleets",
                "return bool(who.is_steward or {who.fleet, ''} & {*one.fleets, *([] if one.fleets else [''])})",
            ),
        )
    ],
    "rules.gate": [
        right(
            "a loop of its own",
            (
                "for check in (check for check in self.checks if check not in but):",
                "for check in self.checks:\n            if check in but:\n                continue",
            ),
            (
                'return next((step.reason for step in steps if step.outcome is Outcome.STAGED), "")',
                "return ([step.reason for step in steps if step.outcome is Outcome.STAGED] + [''])[0]",
            ),
        )
    ],
    "recall.lexical": [
        right(
            "room for one more, each time",
            (
                "if len(self.ids) > 256 and self.events * 2 < len(self.ids):",
                "if self.events * 3 < len(self.ids):",
            ),
            (
                "counts = Counter(text.terms(entry.content))",
                "counts = Counter()\n        for term in text.terms(entry.content):\n            counts[term] += 1",
            ),
        )
    ],
    "flow.consolidate": [
        right(
            "claim by claim",
            (
                "ends = [self._judged(claim, held, rejected) for claim in claims]",
                "ends = []\n        for claim in claims:\n            ends.append(self._judged(claim, held, rejected))",
            ),
        )
    ],
    "flow.context": [
        right(
            "turn by turn",
            (
                "    rows += [row for row in chain.from_iterable(zip_longest(*others)) if row]\n",
                "    for turn in range(max((len(one) for one in others), default=0)):\n        rows += [one[turn] for one in others if turn < len(one)]\n",
            ),
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
