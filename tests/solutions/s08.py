"""Solutions of segment 08."""

from solutions.entry import Entry

WHOLE = """\
import hashlib
import json
import sqlite3
from contextlib import closing


def whole(path, held):
    with closing(sqlite3.connect(path)) as file:
        tenants = {{name for (name,) in {tenants}}}
        if {gone}:
            return False
        return all(follows(file, tenant, held) for tenant in sorted(tenants))


def follows(file, tenant, held):
    last, hashes = hashlib.sha256(b"teachmem/audit/1/genesis").digest(), []
    select = "SELECT body, prev_hash, hash FROM audit WHERE tenant = ? ORDER BY seq"
    for body, previous, own in file.execute(select, (tenant,)):
        if previous != last:
            return False
        if hashlib.sha256(b"teachmem/audit/1\\n" + previous + body.encode()).digest() != own:
            return False
{told}        last = own
        hashes.append(own.hex())
    head = file.execute("SELECT seq, hash FROM audit_heads WHERE tenant = ?", (tenant,)).fetchone()
    if head != (len(hashes), last):
        return False
{held}    return True
"""
ALL = 'file.execute("SELECT tenant FROM audit UNION SELECT tenant FROM audit_heads")'
GONE = "not {whose for whose, _, _ in held} <= tenants"
TOLD = """\
        told = json.loads(body)
        if (told["tenant"], told["seq"]) != (tenant, len(hashes) + 1):
            return False
"""
HELD = """\
    for whose, number, digest in held:
        if whose == tenant and hashes[number - 1 : number] != [digest]:
            return False
"""

SOLUTIONS = {
    "8.1": Entry(
        cell="exercise-8-1",
        answer="verify",
        model="""\
import hashlib


def verify(entries, head):
    last = hashlib.sha256(b"teachmem/audit/1/genesis").digest()
    for number, (body, previous, own) in enumerate(entries, 1):
        computed = hashlib.sha256(b"teachmem/audit/1\\n" + previous + body).digest()
        if previous != last or computed != own:
            return number
        last = own
    return None if tuple(head) == (len(entries), last) else len(entries) + 1
""",
        accepted=(
            """\
from teachmem.ledger import chain


def verify(entries, head):
    last, number = chain.GENESIS, 0
    for body, previous, own in entries:
        number += 1
        if chain.link(last, body) != own:
            return number
        last = own
    if head[0] != number or head[1] != last:
        return number + 1
""",
        ),
        wrong={
            "a stored hash can be trusted": """\
from teachmem.ledger import chain


def verify(entries, head):
    last = chain.GENESIS
    for number, (body, previous, own) in enumerate(entries, 1):
        if previous != last:
            return number
        last = own
    return None if tuple(head) == (len(entries), last) else len(entries) + 1
""",
            "an entry is proved by its own hash": """\
from teachmem.ledger import chain


def verify(entries, head):
    for number, (body, previous, own) in enumerate(entries, 1):
        if chain.link(previous, body) != own:
            return number
    return None if head[0] == len(entries) else len(entries) + 1
""",
            "the first entry has nothing to be checked against": """\
from teachmem.ledger import chain


def verify(entries, head):
    last = entries[0][1] if entries else chain.GENESIS
    for number, (body, previous, own) in enumerate(entries, 1):
        if chain.link(last, body) != own:
            return number
        last = own
    return None if tuple(head) == (len(entries), last) else len(entries) + 1
""",
            "a log ends where its last entry is": """\
from teachmem.ledger import chain


def verify(entries, head):
    last = chain.GENESIS
    for number, (body, previous, own) in enumerate(entries, 1):
        if chain.link(last, body) != own:
            return number
        last = own
""",
            "a log is known by its length": """\
from teachmem.ledger import chain


def verify(entries, head):
    last = chain.GENESIS
    for number, (body, previous, own) in enumerate(entries, 1):
        if chain.link(last, body) != own:
            return number
        last = own
    return None if head[0] == len(entries) else len(entries) + 1
""",
        },
    ),
    "8.2": Entry(
        cell="exercise-8-2",
        answer="sight",
        model="""\
sight = {
    "edit_a_body": "chain",
    "rewrite_from_here": "checkpoint",
    "cut_the_end_and_the_rows": "checkpoint",
    "edit_a_content": "rows",
    "forge_a_row": "rows",
    "edit_a_vector": "nothing",
}
""",
        accepted=(
            """\
from teachmem.marks.attacks import attacks

sight = {}
for name, attack in attacks().items():
    looks = {"chain": attack.alone, "checkpoint": attack.held, "rows": attack.deep}
    sight[name] = next((look for look, said in looks.items() if said == "broken"), "nothing")
""",
        ),
        wrong={
            "a chain proves history": """\
sight = {"edit_a_body": "chain", "rewrite_from_here": "chain", "cut_the_end_and_the_rows": "chain"}
sight |= {"edit_a_content": "rows", "forge_a_row": "rows", "edit_a_vector": "nothing"}
""",
            "the chain holds the memories": """\
sight = {"edit_a_body": "chain", "rewrite_from_here": "checkpoint", "edit_a_content": "chain"}
sight |= {"cut_the_end_and_the_rows": "checkpoint", "forge_a_row": "rows", "edit_a_vector": "nothing"}
""",
            "a checkpoint sees everything": """\
sight = {"edit_a_body": "chain", "rewrite_from_here": "checkpoint", "edit_a_content": "checkpoint"}
sight |= {"cut_the_end_and_the_rows": "checkpoint", "forge_a_row": "checkpoint", "edit_a_vector": "nothing"}
""",
            "whatever was changed can be seen": """\
sight = {"edit_a_body": "chain", "rewrite_from_here": "checkpoint", "edit_a_content": "rows"}
sight |= {"cut_the_end_and_the_rows": "checkpoint", "forge_a_row": "rows", "edit_a_vector": "rows"}
""",
        },
    ),
    "8.3": Entry(
        cell="exercise-8-3",
        answer="whole",
        model=WHOLE.format(tenants=ALL, gone=GONE, told=TOLD, held=HELD),
        accepted=(
            """\
from teachmem import standalone_verifier


def whole(path, held):
    class Log(standalone_verifier.Verifier):
        def run(self):
            tenants = {name for (name,) in self.store.execute("SELECT tenant FROM audit_heads")}
            tenants |= {one["tenant"] for one in self.held}
            return [self.chain(tenant) for tenant in tenants]

    import sqlite3

    store = sqlite3.connect(path)
    store.execute("CREATE TEMP TABLE memories (tenant)")
    points = [{"tenant": tenant, "seq": seq, "head": digest} for tenant, seq, digest in held]
    log = Log(store, points, deep=False)
    log.run()
    store.close()
    return not log.findings
""",
        ),
        wrong={
            "what you hold is the end of the log": WHOLE.format(
                tenants=ALL,
                gone=GONE,
                told=TOLD,
                held="""\
    for whose, number, digest in held:
        if whose == tenant and (number, digest) != (len(hashes), last.hex()):
            return False
""",
            ),
            "one chain is the whole store": WHOLE.format(
                tenants=ALL + ".fetchmany(1)", gone="False", told=TOLD, held=HELD
            ),
            "the head in the file is a checkpoint": WHOLE.format(
                tenants=ALL, gone="False", told=TOLD, held=""
            ),
            "the columns say what was hashed": WHOLE.format(tenants=ALL, gone=GONE, told="", held=HELD),
            "a chain that is gone is not broken": WHOLE.format(
                tenants=ALL, gone="False", told=TOLD, held=HELD
            ),
        },
    ),
}
