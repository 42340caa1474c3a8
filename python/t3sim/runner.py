"""Runs of t3sim from Python. The program is $T3SIM, or t3sim in the PATH, or build/t3sim of the sources."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import weakref

from .results import Run, read_sweep


class Failed(RuntimeError):
    """t3sim said no. The message is its own; `status` its exit status."""

    def __init__(self, message, status):
        super().__init__(message)
        self.status = status


def program():
    built = pathlib.Path(__file__).resolve().parents[2] / "build" / "t3sim"
    found = os.environ.get("T3SIM") or shutil.which("t3sim") or (str(built) if built.exists() else None)
    if not found:
        raise FileNotFoundError("no t3sim: set $T3SIM to the program")
    return found


def _call(arguments, text=None):
    done = subprocess.run([program(), *arguments], input=text, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failed(done.stderr.strip().removeprefix("t3sim: "), done.returncode)
    return done.stdout


def _arguments(values, options):
    """A dict is a configuration, which goes to standard input (JSON is YAML); a text is a file's name."""
    arguments = []
    if isinstance(values, dict) and values:
        arguments.append("-")
    elif values:
        arguments.append(str(values))
    for name, value in options.items():
        arguments += [f"--{name}", str(value)]
    return arguments, json.dumps(values) if isinstance(values, dict) and values else None


def run(values=None, output=None, jobs=None, **options):
    """run({"workload": {...}}, machine="h100"), run(model="llama3-70b", layer="mlp-down", tp=8, machine="h100").

    The result is kept in `output`, or for as long as the Run that is returned lives."""
    arguments, text = _arguments(values, options)
    folder = None if output else tempfile.mkdtemp(prefix="t3sim-")
    directory = output or os.path.join(folder, "run")
    _call(["run", *arguments, "-q", "-o", directory, *(["-j", str(jobs)] if jobs else [])], text)
    result = Run(directory)
    if folder:
        weakref.finalize(result, shutil.rmtree, folder, ignore_errors=True)
    return result


def config(values=None, **options):
    """The complete configuration that run() would run, as text; raises Failed where it is wrong."""
    arguments, text = _arguments(values, options)
    return _call(["config", *arguments], text)


def sweep(file, output, jobs=1, resume=False):
    """Runs a sweep file (or a sweep by name) and returns its results."""
    _call(["sweep", "run", str(file), "-o", str(output), "-j", str(jobs), "--quiet", *(["--resume"] if resume else [])])
    return read_sweep(output)
