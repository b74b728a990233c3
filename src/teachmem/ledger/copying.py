"""A copy of a whole store, from wherever it is, into a new file: row by row, in one snapshot.

A file copies itself (VACUUM INTO, `flow/backup.py`). A server cannot write files of ours, so its rows are
read and written here, the log's bytes and hashes as they are; what the database generates from them is
generated again. The copy is a store like any other, and needs no server to be verified.

>>> from pathlib import Path
>>> from tempfile import TemporaryDirectory
>>> with TemporaryDirectory() as folder, Database.open() as store:
...     into_file(store, Path(folder) / "copy.db")
...     with Database.open(str(Path(folder) / "copy.db")) as copy, copy.read() as tx:
...         print(tx.one(_read[schema.meta]))
('schema', '2')

Left out: what a server keeps beside the rows, and copying only what is new.
"""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import bindparam, delete, insert, select

from teachmem.ledger import schema
from teachmem.ledger.database import Database, Prepared

_COLUMNS = {
    table: [column for column in table.c if column.computed is None]
    for table in schema.metadata.sorted_tables
}
_read = {
    table: Prepared(select(*columns).order_by(*(table.c[n] for n in ("tenant", "seq") if n in table.c)))
    for table, columns in _COLUMNS.items()
}
_add = {
    table: Prepared(insert(table).values({column.name: bindparam(column.name) for column in columns}))
    for table, columns in _COLUMNS.items()
}
_no_meta = Prepared(delete(schema.meta))


def into_file(store: Database, path: Path) -> None:
    """Write every row of `store` into a new or empty file at `path`, whole or not at all."""
    with Database.open(str(path)) as copy, store.read() as tx, copy.alone() as raw:
        dialect = copy._engine.dialect
        raw.execute("BEGIN IMMEDIATE")
        raw.execute(_no_meta.on(dialect)[0])
        for table, adding in _add.items():
            raw.executemany(adding.on(dialect)[0], tx.each(_read[table]))  # the columns in the same order
        raw.execute("COMMIT")
