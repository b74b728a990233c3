"""What runs in the environments of other systems; nothing here is imported by teachmem."""
