"""Published experiments as files: loading, running, judging."""
