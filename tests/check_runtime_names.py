#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that sources of the runtime can be compiled as one unit, as generated programs do it: names
in anonymous namespaces are unique in the runtime, and what has a source of its name opens nested
namespaces in one line, which codegen adds the program's namespace to.

Usage: check_runtime_names.py [ROOT]

Prints one line a finding, FILE: error: what, and exits 1 if there is any.
"""

import collections
import pathlib
import re
import sys

# Units of their own, whose headers define macros, and what only takes the place of oneDNN's header.
APART = ("runtime/images/", "runtime/plain/")
COMMENT = re.compile(r"//[^\n]*|^ *#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
MACRO = re.compile(r"\b(?:DRAGOMAN_RT_[A-Z0-9_]+|__attribute__)\b(?: ?\((?:[^()]|\([^()]*\))*\))? ?")
TEMPLATE = re.compile(r"^template <[^\n]*>\s(?=\S)", re.MULTILINE)
OWN = re.compile(r"^namespace \{\n(.*?)^\}  // namespace$", re.MULTILINE | re.DOTALL)
NESTED = re.compile(r"^namespace (?!dragoman::|dnnl)\w+ \{", re.MULTILINE)
# What stands at the beginning of a line declares something in a namespace.
DECLARATIONS = [re.compile(pattern, re.MULTILINE) for pattern in (
    r"^(?:struct|class|union|enum class|enum) +(?:alignas\(\w+\) +)?(\w+)(?= *(?:final)? *[:{])",
    r"^using +(\w+) *=",
    r"^(?:inline |static )?(?:constexpr|const) [^(){};=\n]*?\b(\w+)(?:\[[^\n]*?\])*(?= *[={])",
    r"^(?:inline |static )?(?:constexpr|const) [^(){}\n]*, (\w+)(?= = )",
    r"^(?!using|namespace|return|template|struct|class|enum|union|friend|extern|static_assert)"
    r"\w[\w:<>,*& ]*?[ *&](\w+)(?=\()")]


def names(text):
    """What the text of a file, or of a namespace, declares."""
    text = TEMPLATE.sub("", MACRO.sub("", COMMENT.sub("", text)))
    return {name for pattern in DECLARATIONS for name in pattern.findall(text)}


def has_source(path, texts):
    return path.startswith("runtime/fast/") or path.rpartition(".")[0] + ".cc" in texts


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1])
    own, texts, all_files = {}, {}, collections.defaultdict(set)
    for file in sorted((root / "runtime").rglob("*.*")):
        path = file.relative_to(root).as_posix()
        if file.suffix not in (".h", ".cc") or path.startswith(APART):
            continue
        text = texts[path] = file.read_text(encoding="utf-8")
        for name in names(text):
            all_files[name].add(path)
        if file.suffix == ".cc":
            own[path] = {name for part in OWN.findall(text) for name in names(part)}
    findings = [f"{path}: error: {name} is declared in {other} as well"
                for path in own for name in sorted(own[path])
                for other in sorted(all_files[name] - {path})]
    findings += [f"{path}: error: a nested namespace is opened apart"
                 for path in texts if has_source(path, texts) and NESTED.search(texts[path])]
    for finding in findings:
        print(finding, file=sys.stderr)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
