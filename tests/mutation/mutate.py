#!/usr/bin/env python3
"""Plants faults in the model, one at a time, and says which test finds each.

  mutate.py check                    every fault still fits the sources (no build; a second)
  mutate.py run -o DIR [options]     plants them, builds what could notice, runs it, writes DIR/table.csv

Options of run: --only GLOB... (names), --faults FILE... (instead of all of faults/), -j N, --again (also those in the
table), --missed (again those that no test or only golden runs have found), --no-golden (leave those runs out), --all (go
on with all tests after the first that has found it).

It works on a copy of the sources in DIR, with a build folder of its own: the checkout stays as it is. Files with
faults are compiled alone, all others sixteen at a time; faults are planted file by file. A fault is

  fault NAME: what is wrong with it
  in GLOB of files, seen from the root (default src/**)
  tests ROOM[:gtest filter], ... golden[:configurations]
  <<<<
  text as it is
  ====
  text as it becomes
  >>>>

The text must be found exactly once in all files of the glob, whatever its line breaks and blanks. `tests` names what is
meant to find it, in the order in which it is tried; without that line it is the room's own tests. The golden runs
are always last.

Faults called blind-... were written from src/ and the papers alone, by somebody who had not seen the tests.
"""
import argparse
import csv
import fnmatch
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass, field

ROOT = pathlib.Path(__file__).resolve().parents[2]
FAULTS = pathlib.Path(__file__).resolve().parent / "faults"
TEST_SECONDS = 1800  # a fault may make a test wait for ever: that is found too
TEST_CPU_SECONDS = 400
TEST_BYTES = 8 << 30
COLUMNS = ["fault", "room", "found_by", "first_failure", "commit", "what"]


@dataclass
class Fault:
    name: str
    what: str
    place: str = "src/**"
    tests: list = field(default_factory=list)
    was: str = ""
    becomes: str = ""
    file: pathlib.Path | None = None
    span: tuple = (0, 0)

    @property
    def room(self):
        return self.file.parts[1] if self.file.parts[0] == "src" else "plan"

    def planned_tests(self, golden):
        tests = [t for t in self.tests or [self.room] if not t.startswith("golden")]
        return tests + ([t for t in self.tests if t.startswith("golden")] or ["golden"] if golden else [])


class Mistake(Exception):
    pass


def read_faults(path):
    faults, part = [], None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        where = f"{path.name}:{number}"
        if part is None and (not line.strip() or line.startswith("#")):
            continue
        if line == "<<<<" and faults and part is None:
            part = "was"
        elif line == "====" and part == "was":
            part = "becomes"
        elif line == ">>>>" and part == "becomes":
            part = None
        elif part:
            setattr(faults[-1], part, getattr(faults[-1], part) + line + "\n")
        elif match := re.fullmatch(r"fault ([\w-]+): (.+)", line):
            faults.append(Fault(match[1], match[2]))
        elif match := re.fullmatch(r"(in|tests) (.+)", line):
            if match[1] == "in":
                faults[-1].place = match[2]
            else:
                faults[-1].tests = [t.strip() for t in match[2].split(",")]
        else:
            raise Mistake(f"{where}: neither fault, in, tests nor a text: {line}")
    if part:
        raise Mistake(f"{path.name}: the last text does not end")
    return faults


def pattern(text):
    """The text with any blanks between its tokens, and some between two words."""
    tokens = re.findall(r"\w+|[^\w\s]", text)
    parts = []
    for before, token in zip([""] + tokens, tokens):
        words = re.match(r"\w", before) and re.match(r"\w", token)
        parts.append((r"\s+" if words else r"\s*") + re.escape(token))
    return re.compile("".join(parts))


def locate(fault, sources):
    found = []
    expression = pattern(fault.was)
    for file, text in sources.items():
        if fnmatch.fnmatch(str(file), fault.place.replace("**", "*")):
            found += [(file, match.span()) for match in expression.finditer(text)]
    if len(found) != 1:
        places = ", ".join(str(file) for file, _ in found[:4])
        raise Mistake(f"{fault.name}: its text is in {fault.place} {len(found)} times, not once {places}")
    fault.file, fault.span = found[0]
    if fault.was.split() == fault.becomes.split():
        raise Mistake(f"{fault.name}: changes nothing")


def load(paths, sources):
    faults, mistakes, names = [], [], set()
    for path in paths:
        for fault in read_faults(path):
            if fault.name in names:
                mistakes.append(f"{fault.name}: there are two of that name")
            names.add(fault.name)
            try:
                locate(fault, sources)
                faults.append(fault)
            except Mistake as mistake:
                mistakes.append(str(mistake))
    return faults, mistakes


def read_sources(root):
    files = [f for pattern in ("*.h", "*.cpp") for f in (root / "src").rglob(pattern)]
    files += (root / "collectives").glob("*.yaml")
    return {file.relative_to(root): file.read_text() for file in sorted(files)}


def limit_test():
    resource.setrlimit(resource.RLIMIT_CPU, (TEST_CPU_SECONDS, TEST_CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (TEST_BYTES, TEST_BYTES))


class Workshop:
    """A copy of the sources with a build folder, in which the files `alone` are compiled one by one."""

    def __init__(self, directory, jobs, alone):
        self.tree, self.build, self.jobs = directory / "tree", directory / "build", jobs
        self.sound = set()  # tests that pass without any fault
        self.tree.mkdir(parents=True, exist_ok=True)
        for name in ("CMakeLists.txt", "cmake", "src", "tests", "collectives", "configs", "docs", "programs", "python", "sweeps", "traces",
                     "validation"):
            self.copy(ROOT / name, self.tree / name)
        project = directory / "alone.cmake"
        files = " ".join(f'"${{CMAKE_SOURCE_DIR}}/{file}"' for file in sorted(alone))
        project.write_text(f"set_source_files_properties({files} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)\n")
        # No warnings: what is unused because of a fault is no reason not to build it.
        options = ["-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG -w", "-DCMAKE_UNITY_BUILD=ON",
                   "-DCMAKE_UNITY_BUILD_BATCH_SIZE=16", f"-DCMAKE_PROJECT_INCLUDE={project}",
                   "-DCMAKE_GTEST_DISCOVER_TESTS_DISCOVERY_MODE=PRE_TEST"]
        if shutil.which("ccache"):
            options.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
        if shutil.which("ld.lld"):
            options.append("-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld")
        subprocess.run(["cmake", "-S", self.tree, "-B", self.build, "-G", "Ninja", *options], check=True,
                       stdout=subprocess.DEVNULL)

    def copy(self, source, target):
        """Only what differs, so that little is built anew."""
        if source.is_dir():
            target.mkdir(exist_ok=True)
            wanted = {entry.name for entry in source.iterdir()}
            for entry in target.iterdir():
                if entry.name not in wanted:
                    shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
            for entry in source.iterdir():
                self.copy(entry, target / entry.name)
        elif not target.exists() or target.read_bytes() != source.read_bytes():
            shutil.copy(source, target)

    def make(self, target):
        done = subprocess.run(["ninja", "-C", self.build, f"-j{self.jobs}", target], capture_output=True, text=True)
        return done.returncode == 0, done.stdout

    def try_test(self, test):
        """What failed, or nothing. Raises Mistake where it does not build."""
        name, _, which = test.partition(":")
        target = "t3sim" if name == "golden" else f"t3_test_{name}"
        built, log = self.make(target)
        if not built:
            raise Mistake("does not build: " + next((l for l in log.splitlines() if "error:" in l), log[-200:]))
        command = [self.tree / "tests/golden/golden.sh", self.build / "t3sim", "check", "-j", str(self.jobs), "--only",
                   which or "*"] if name == "golden" else [
                       self.build / target, "--gtest_brief=1", "--gtest_fail_fast", f"--gtest_filter={which or '*'}"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=TEST_SECONDS, errors="replace",
                                  cwd=self.build, preexec_fn=limit_test)
        except subprocess.TimeoutExpired:
            return "no end"
        if done.returncode == 0:
            return None
        if done.returncode == -signal.SIGXCPU or done.returncode == -signal.SIGKILL:
            return "no end"
        lines = done.stdout.splitlines()
        marks = [l for l in lines if l.startswith(("[  FAILED  ]", "differs:"))]
        return marks[0].split("]")[-1].split(",")[0].strip().split(" (")[0] if marks else f"status {done.returncode}"

    def check_sound(self, test):
        if test in self.sound:
            return
        if failure := self.try_test(test):
            raise SystemExit(f"{test} fails without any fault: {failure}")
        self.sound.add(test)

    def plant(self, fault):
        path = self.tree / fault.file
        text = path.read_text()
        begin, end = fault.span
        lead = re.match(r"\s*", text[begin:end])[0]  # the match begins with the blanks before it
        path.write_text(text[:begin] + lead + fault.becomes.strip() + text[end:])
        return lambda: path.write_text(text)


def judge(shop, fault, tests, go_on):
    """Which of the tests find the fault, and what fails first in them."""
    for test in tests:
        shop.check_sound(test)
    found, first = [], ""
    restore = shop.plant(fault)
    try:
        for test in tests:
            failure = shop.try_test(test)
            if failure is None:
                continue
            found.append(test.split(":")[0])
            first = first or failure
            if not go_on:
                break
    except Mistake as mistake:
        found, first = ["-"], str(mistake)
    finally:
        restore()
    return {"fault": fault.name, "room": fault.room, "found_by": " ".join(found) or "nothing", "first_failure": first,
            "commit": commit(), "what": fault.what}


def commit():
    done = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty"], capture_output=True, text=True)
    return done.stdout.strip() or "unknown"


def wanted(arguments, fault, row):
    if not any(fnmatch.fnmatch(fault.name, name) for name in arguments.only):
        return False
    missed = row is not None and row["found_by"] in ("nothing", "-", "golden")
    return row is None or arguments.again or (arguments.missed and missed)


def run(arguments, faults):
    directory = pathlib.Path(arguments.output).resolve()
    directory.mkdir(parents=True, exist_ok=True)
    table = directory / "table.csv"
    rows = {}
    if table.exists():
        with table.open() as file:
            rows = {row["fault"]: row for row in csv.DictReader(file)}
    shop = Workshop(directory, arguments.jobs, {fault.file for fault in faults if fault.file.suffix == ".cpp"})
    for fault in sorted(faults, key=lambda fault: (fault.file, fault.span)):
        if not wanted(arguments, fault, rows.get(fault.name)):
            continue
        row = rows[fault.name] = judge(shop, fault, fault.planned_tests(not arguments.no_golden), arguments.all)
        print(f"{row['fault']}: {row['found_by']}: {row['first_failure']}", flush=True)
        with table.open("w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            writer.writerows(rows.values())
    missed = [row["fault"] for row in rows.values() if row["found_by"] in ("nothing", "-")]
    meant = sum(row["found_by"] not in ("nothing", "-", "golden") for row in rows.values())
    print(f"{len(rows)} faults: {meant} found by a test meant for them, "
          f"{sum(row['found_by'] == 'golden' for row in rows.values())} by golden runs only, {len(missed)} missed")
    return 1 if missed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["check", "run"])
    parser.add_argument("-o", "--output", default="out/mutation")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    parser.add_argument("--only", nargs="+", default=["*"])
    parser.add_argument("--faults", nargs="+", type=pathlib.Path)
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--missed", action="store_true")
    parser.add_argument("--no-golden", action="store_true")
    parser.add_argument("--all", action="store_true")
    arguments = parser.parse_args()
    faults, mistakes = load(arguments.faults or sorted(FAULTS.glob("*.faults")), read_sources(ROOT))
    for mistake in mistakes:
        print(mistake, file=sys.stderr)
    print(f"{len(faults)} faults fit the sources, {len(mistakes)} do not")
    if mistakes:
        return 1
    return run(arguments, faults) if arguments.what == "run" else 0


if __name__ == "__main__":
    sys.exit(main())
