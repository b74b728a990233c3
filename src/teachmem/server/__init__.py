"""The same memory, served over MCP: tools, resources and prompts for whoever the credential names."""
