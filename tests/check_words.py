#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that messages, comments and pages say things as English does, and by their present names.

Usage: check_words.py [ROOT]

Looks at all text files that Git tracks. Prints a line for each finding, FILE:LINE: error: what, and exits
1 if there is any; 77, "skipped", where git does not know the files.
"""

import pathlib
import re
import sys

from check_licences import tracked_files

# Files that quote old names, and those of others.
EXCEPT = re.compile(r"^(CHANGELOG\.md|LICENSE|tests/check_words|tests/golden/(relax|relay|torch)/|proto/|"
                    r"core/rewrite/pipeline\.cc|tests/e2e/passes_test\.py|docs/compatibility\.md)")
SUFFIXES = {".cc", ".h", ".py", ".md", ".txt", ".sh", ".cmake", ".js"}

# What stands after "is no" in plain English: comparisons, and a few fixed phrases.
_KEPT = (r"longer|more|less|such|other|one|better|worse|use|matter|need|way|slower|faster|larger|smaller|"
         r"wider|higher|lower|different|difference|harm|gain|loss|doubt|time|point|place|reason|good|part|"
         r"JSON|relation|change|sign|trace|word|answer|effect")
RULES = [
    (re.compile(rf"(?<![Tt]here )\b(?:is|are|was|were) no (?!(?:{_KEPT})\b)[A-Za-z]"),
     'say "is not a …", or "are not …"'),
    (re.compile(r"\b(?:count-turns|merge-common|eliminate-dead|roll-chains|unify-spellings)\b"),
     "passes are called infer-trip-counts, cse, dce, reroll-loops, canonicalize"),
    (re.compile(r"\bone behind the other\b|\bbefore (?:and|or) behind\b|\bbehind (?:the last|all others)\b"),
     'say "after"'),
    (re.compile(r"\bone an? (?:line|layer|row|byte|step|channel|axis|direction|element)\b"), 'say "one per …"'),
    (re.compile(r"\b(?:the run|run time) tells?\b"), 'say "known at run time only"'),
]


def check_text(text):
    """Yields (line, what) for each place that breaks a rule."""
    for number, line in enumerate(text.split("\n"), start=1):
        for pattern, advice in RULES:
            match = pattern.search(line)
            if match:
                yield number, f"'{match.group()}': {advice}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    findings = 0
    for name in tracked_files(root):
        path = root / name
        if path.suffix not in SUFFIXES or path.is_symlink() or EXCEPT.match(name):
            continue
        for number, what in check_text(path.read_text(encoding="utf-8", errors="replace")):
            print(f"{name}:{number}: error: {what}")
            findings += 1
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
