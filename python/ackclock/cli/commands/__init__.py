"""The commands and their options, one module for each command. The modules of ``ackclock.cli`` implement them."""
