"""The database itself refuses to change or to empty the audit log: a guard rail against accidents.

It is no proof. Whoever holds the file, or owns the tables, can take a trigger away; that somebody did
something then shows in the chain.

>>> len(GUARDS["sqlite"]), len(GUARDS["postgresql"])
(2, 4)

Left out: whether the log is whole (`ledger/verify.py`).
"""

from __future__ import annotations

from sqlalchemy import Connection

_NO = "the audit log is append-only"
GUARDS = {
    "sqlite": [
        f"CREATE TRIGGER audit_no_{verb.lower()} BEFORE {verb} ON audit "
        f"BEGIN SELECT RAISE(ABORT, '{_NO}'); END"
        for verb in ("UPDATE", "DELETE")
    ],
    "postgresql": [
        "CREATE FUNCTION audit_is_append_only() RETURNS trigger LANGUAGE plpgsql "
        f"AS $$ BEGIN RAISE EXCEPTION '{_NO}'; END $$",
        *(
            f"CREATE TRIGGER audit_no_{verb.lower()} BEFORE {verb} ON audit "
            "FOR EACH STATEMENT EXECUTE FUNCTION audit_is_append_only()"
            for verb in ("UPDATE", "DELETE", "TRUNCATE")
        ),
    ],
}


def guard(connection: Connection) -> None:
    """Put up the rail, in the transaction that made the tables."""
    for statement in GUARDS[connection.dialect.name]:
        connection.exec_driver_sql(statement)
