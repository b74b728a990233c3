"""Floor 2, the rules: what may be believed, by whom, and when; each one a clause or a check."""
