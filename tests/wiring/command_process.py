"""`diagnose` as a process of its own, on the shipped parts or on the stepwise ones."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
STEPWISE = Path(__file__).parent / "diagnose_stepwise.py"
PATIENCE_SECONDS = 120


@dataclass
class Command:
    """Starts the program over one data folder, with an environment that holds nothing else."""

    folder: Path
    started: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def environment(self, **more: str) -> dict[str, str]:
        """No provider, no NO_COLOR, no locale of the machine's."""
        kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        own = {"PYTHONPATH": str(ROOT), "XDG_DATA_HOME": str(self.folder), "LANG": "C.UTF-8"}
        return {**kept, **own, "PLACES_FILE": str(self.folder / "places"), **more}

    def start(self, *words: str, stepwise: bool = False, **more: str) -> subprocess.Popen[bytes]:
        """A running process whose Ctrl-C works even where the tests run in the background."""
        program = [str(STEPWISE)] if stepwise else ["-c", "import graph.cli; graph.cli.main()"]
        process = subprocess.Popen(
            [sys.executable, *program, *words],
            env=self.environment(**more),
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
        self.started.append(process)
        return process

    def end(self) -> None:
        """Nothing that was started outlives its test."""
        for process in self.started:
            if process.poll() is None:
                process.kill()
                process.communicate()

    def run(self, *words: str, stepwise: bool = False, **more: str) -> tuple[int, str, str]:
        """Exit code, stdout, stderr."""
        process = self.start(*words, stepwise=stepwise, **more)
        out, err = process.communicate(timeout=PATIENCE_SECONDS)
        return process.returncode, out.decode(), err.decode()

    def places(self) -> list[str]:
        """Where the stepwise runs came, in order."""
        file = self.folder / "places"
        return file.read_text(encoding="utf-8").splitlines() if file.exists() else []

    def wait_for(self, place: str, process: subprocess.Popen[bytes]) -> None:
        """Until the run is held there."""
        give_up = time.monotonic() + PATIENCE_SECONDS
        while place not in self.places():
            assert process.poll() is None, process.communicate()[1].decode()
            assert time.monotonic() < give_up, f"never came to {place}"
            time.sleep(0.02)
