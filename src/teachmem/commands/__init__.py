"""Floor 9, the commands: one module each, light to import; what is heavy is imported when it is called."""
