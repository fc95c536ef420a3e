"""What the caller got wrong: one line, exit code 2."""


class UsageError(Exception):
    """The command cannot be done as asked. The message is one line that says what to do."""
