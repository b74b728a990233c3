"""Floor 5, flow: what is made of memories. A model's word is a proposal here, never a fact."""
