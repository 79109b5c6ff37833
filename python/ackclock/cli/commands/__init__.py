"""The commands with their options, a module for each. The module of the same name beside this folder does the work."""
