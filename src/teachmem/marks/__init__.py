"""Floor 8, the marks: what a memory must hold, and small switchable faults that make it fail."""
