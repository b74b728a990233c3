"""Floor 1, the ledger: the tables, the transactions, and the hash chain that records every change."""
