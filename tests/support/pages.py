# SPDX-License-Identifier: Apache-2.0
"""Pages of the documentation as sessions: their files are written, their commands run, in order.

A command is an indented line "$ ..."; the indented lines below it are what it prints. A line that
ends with " …" stands for a longer one. Below a command of which nothing is shown it must succeed.
A fenced block below a line that ends with "`NAME`:" is the file NAME.

DRAGOMAN_ACCEPT=1 puts what is printed in place of what a page shows.
"""

import os
import pathlib
import re
import subprocess
import sys
import textwrap

from commands import DRAGOMAN

ROOT = pathlib.Path(__file__).resolve().parents[2]
ACCEPT = os.environ.get("DRAGOMAN_ACCEPT") == "1"
PART = re.compile(r"^    \$ (?P<command>[^\n]+)\n(?P<shown>(?:    (?!\$ )[^\n]*\n|\n(?=    (?!\$ )))*)"
                  r"|`(?P<name>[\w./-]+)`:\n\n```\w*\n(?P<text>.*?)^```$",
                  re.MULTILINE | re.DOTALL)
MEASURED = re.compile(r"[0-9.]+ [un]s\b|[0-9.]+ kB to [0-9.]+ kB|bytes +[0-9,]+ +[0-9,]+|median [0-9.]+|"
                      r"largest (error|difference) .*")
CUT = " …"  # where a page leaves out the rest of a line


def run(command, folder):
    """The exit code of a line of bash, and all that it prints."""
    program = pathlib.Path(DRAGOMAN).resolve()
    script = (f'dragoman() {{ "{program}" "$@"; }}; python3() {{ "{sys.executable}" "$@"; }}; '
              f'{command}')
    done = subprocess.run(["bash", "-c", script], cwd=folder, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, done.stdout


def matches(expected, found):
    """Whether lines are those that a page shows, measured numbers and ends of long lines apart."""
    found = list(found)
    for i, line in enumerate(expected[:len(found)]):
        if line.endswith(CUT):
            found[i] = found[i][:len(line) - len(CUT)] + CUT
    return [MEASURED.sub("", line) for line in expected] == [MEASURED.sub("", line) for line in found]


class Page:
    """One page, and the folder in which it is played."""

    def __init__(self, name, folder):
        self.path = ROOT / name
        self.folder = folder
        for link in ("docs", "tests"):
            (folder / link).symlink_to(ROOT / link)

    def play(self, case, stand_ins=None):
        """Runs the page; `case` is given what differs. `stand_ins` are commands to run in place of
        those of the page. Returns the number of commands."""
        text, shown_text, end, count = self.path.read_text(encoding="utf-8"), "", 0, 0
        for part in PART.finditer(text):
            if part["name"]:
                path = self.folder / part["name"]
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(part["text"], encoding="utf-8")
                continue
            count += 1
            command = (stand_ins or {}).get(part["command"], part["command"])
            with case.subTest(part["command"]):
                shown_text += text[end:part.start("shown")] + self.check(case, command, part["shown"])
            end = part.end("shown")
        if ACCEPT:
            self.path.write_text(shown_text + text[end:], encoding="utf-8")
        return count

    def check(self, case, command, shown):
        """What a page should show below a command: what it does, unless results are accepted."""
        code, printed = run(command, self.folder)
        if not shown.strip():
            case.assertEqual(code, 0, printed)
            return shown
        expected = [line.removeprefix("    ") for line in shown.splitlines()]
        found = printed.rstrip().splitlines()
        if ACCEPT and not matches(expected, found):
            return textwrap.indent("\n".join(found), "    ") + "\n"
        case.assertTrue(matches(expected, found), "\n".join(["printed", *found, "expected", *expected]))
        return shown
