"""The commands with their options, a module for each. The modules of ``ackclock.cli`` do the work."""
