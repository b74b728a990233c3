"""Floor 4, the tiers: the four memories of CoALA, each a view of the one table."""
