"""The adapters: each says in the words of `marks/system.py` what one memory does in its own."""
