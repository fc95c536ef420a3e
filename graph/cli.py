"""`diagnose`: a question, or one of a few commands about the runs and their surroundings.

Exit codes: 0 for SUCCESS and FALLBACK, 1 FAILED, 2 usage or configuration, 130 cancelled.
"""

import sys
import warnings
from collections.abc import Callable
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from graph.settings import Settings, SettingsError

if TYPE_CHECKING:
    from graph.command.terminal import Terminal

_OPTIONS_WITH_VALUE = frozenset({"--session", "--alert", "--data-dir", "--data", "--older-than"})


class QuestionGroup(TyperGroup):
    """A group whose first word, when it names no command, begins the question."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Puts the command first: the named one, or `ask`."""
        return super().parse_args(ctx, with_command_first(args, frozenset(self.commands)))


def with_command_first(args: list[str], commands: frozenset[str]) -> list[str]:
    """The arguments of a command wherever it stands; behind `--` every word is the question's."""
    if not args or args[0] == "--help":
        return args
    position = _first_word(args)
    if position is not None and args[position] in commands:
        return [args[position], *args[:position], *args[position + 1 :]]
    return ["ask", *args]


def _first_word(args: list[str]) -> int | None:
    takes_value = False
    for position, word in enumerate(args):
        if word == "--":
            return None
        if not takes_value and not word.startswith("-"):
            return position
        takes_value = not takes_value and word in _OPTIONS_WITH_VALUE
    return None


app = typer.Typer(
    cls=QuestionGroup,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help='Diagnose an incident: diagnose "why did switching the company fail at 10:05 UTC?"',
)

AsJson = Annotated[bool, typer.Option("--json", help="JSON on stdout, nothing else.")]
NoColor = Annotated[bool, typer.Option("--no-color", help="No colours; NO_COLOR does the same.")]
DataDir = Annotated[
    Path | None,
    typer.Option(help="Where sessions, runs, traces and records lie (the user's data folder)."),
]


@app.command()
def ask(
    question: Annotated[list[str] | None, typer.Argument(help="The question, in words.")] = None,
    session: Annotated[
        str | None, typer.Option(help="The session to ask in; a new one when left out.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Take up the session's unfinished run instead.")
    ] = False,
    alert: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|-",
            help="A webhook payload of Alertmanager or Grafana: what to ask about, and since when.",
        ),
    ] = None,
    as_json: AsJson = False,
    no_color: NoColor = False,
    data_dir: DataDir = None,
) -> None:
    """Ask a question (the word `ask` may be left out)."""

    def command(terminal: "Terminal") -> int:
        from graph.command.ask import ask, read_asked
        from graph.command.interrupt import run_interruptible

        settings = _settings(data_dir)
        chosen = settings.prompts.language
        asked = read_asked(
            question or [],
            session,
            resume=resume,
            as_json=as_json,
            alert=alert,
            language=None if chosen == "auto" else chosen,
        )
        return run_interruptible(ask(settings, asked, terminal))

    _finish(command, no_color)


@app.command()
def trace(
    run_id: str, as_json: AsJson = False, no_color: NoColor = False, data_dir: DataDir = None
) -> None:
    """Show how a run went: every event, and why each round went on or stopped."""

    def command(terminal: "Terminal") -> int:
        from graph.command.interrupt import run_interruptible
        from graph.command.trace import show_trace

        return run_interruptible(show_trace(_settings(data_dir), run_id, terminal, as_json=as_json))

    _finish(command, no_color)


@app.command()
def doctor(no_color: NoColor = False, data_dir: DataDir = None) -> None:
    """Say which model, stores and sources are configured, and whether each answers."""

    def command(terminal: "Terminal") -> int:
        from graph.command.doctor import examine
        from graph.command.interrupt import run_interruptible

        return run_interruptible(examine(_settings(data_dir), terminal))

    _finish(command, no_color)


@app.command()
def prune(
    older_than: Annotated[str, typer.Option(help="Days or hours since the last change: 30d, 12h.")],
    no_color: NoColor = False,
    data_dir: DataDir = None,
) -> None:
    """Remove old sessions with their runs and traces, and old records."""

    def command(terminal: "Terminal") -> int:
        from graph.command.interrupt import run_interruptible
        from graph.command.prune import prune

        return run_interruptible(prune(_settings(data_dir), older_than, terminal))

    _finish(command, no_color)


@app.command()
def evaluate(
    cases: Annotated[Path, typer.Argument(help="JSON Lines, one case a line.")],
    data: Annotated[Path, typer.Option(help="The folder that holds logs, knowledge and db.")],
    as_json: AsJson = False,
    no_color: NoColor = False,
) -> None:
    """Diagnose every case of a file over a data folder, and score what came out."""

    def command(terminal: "Terminal") -> int:
        from graph.evaluation.command import run_evaluation

        return run_evaluation(cases, data, as_json_text=as_json)

    _finish(command, no_color)


def _settings(data_dir: Path | None) -> Settings:
    return Settings(data_dir=data_dir) if data_dir is not None else Settings()


def _finish(command: Callable[["Terminal"], int], no_color: bool) -> NoReturn:
    """Runs it; what went wrong becomes one line and an exit code, never an exception's text."""
    from graph.command.interrupt import leave
    from graph.command.terminal import open_terminal
    from graph.command.usage import UsageError
    from graph.compiled import OtherSchema
    from graph.free_loop import threads_are_left
    from graph.stores.faults import SessionBusy, SessionStoreUnavailable

    terminal = open_terminal(no_color=no_color)
    try:
        code = command(terminal)
    except (SettingsError, UsageError, SessionBusy, SessionStoreUnavailable, OtherSchema) as wrong:
        terminal.say(f"error: {wrong}", "red")
        code = 2
    except Exception as fault:  # noqa: BLE001 - the process ends here; a fault's text may hold anything
        terminal.say(
            f"error: internal fault {type(fault).__name__}; the session keeps its run", "red"
        )
        code = 1
    if threads_are_left():
        leave(code)  # inside a foreign library they may bring down an interpreter that ends
    raise typer.Exit(code)


def main() -> None:
    """The `diagnose` program. A character that a stream cannot show is written as its escape;
    warnings of libraries, some of which repeat what they stumbled over, only if asked for (-W)."""
    if not sys.warnoptions:
        warnings.simplefilter("ignore")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    app()
