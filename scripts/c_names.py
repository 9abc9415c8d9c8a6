#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes codegen/onednn/c_names.h: the names that the headers of C and POSIX, as Debian's C library has
them, declare outside of any namespace, and the headers' own. Needs clang++."""

import json
import pathlib
import re
import subprocess
import textwrap

WRITTEN = pathlib.Path(__file__).parents[1] / "codegen/onednn/c_names.h"
HEADERS = """
    aio arpa/inet assert complex cpio ctype dirent dlfcn errno fcntl fenv float fmtmsg fnmatch ftw glob
    grp iconv inttypes iso646 langinfo libgen limits locale malloc math memory monetary mqueue net/if
    netdb netinet/in nl_types poll pthread pwd regex sched search semaphore setjmp signal spawn
    stdalign stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string strings sys/ipc
    sys/mman sys/msg sys/resource sys/select sys/sem sys/shm sys/socket sys/stat sys/statvfs sys/time
    sys/times sys/types sys/uio sys/un sys/utsname sys/wait syslog tar termios tgmath threads time
    uchar ulimit unistd utime utmpx wchar wctype wordexp""".split()
ONLY_IN_C = {"stdatomic", "stdnoreturn", "threads"}
# Those of another element type or lock are these with something at the end, which IsOfC knows.
ENDS = ("f", "l", "f32", "f32x", "f64", "f64x", "_l", "_r", "64", "_unlocked")
BY_RULE = re.compile(r"_.*|pthread_.*|posix_.*|.*[A-Z:].*")

HEAD = """// SPDX-License-Identifier: Apache-2.0
// Written by scripts/c_names.py.
#ifndef DRAGOMAN_CODEGEN_ONEDNN_C_NAMES_H_
#define DRAGOMAN_CODEGEN_ONEDNN_C_NAMES_H_

#include <string_view>

namespace dragoman::onednn {

// Names of headers of C and POSIX, and of what they declare outside of any namespace, but for those
// of a form that program_name.cc knows. Sorted.
// clang-format off
inline constexpr std::string_view kCNames[] = {
"""
TAIL = """
};
// clang-format on

}  // namespace dragoman::onednn

#endif  // DRAGOMAN_CODEGEN_ONEDNN_C_NAMES_H_
"""


def declared(node):
    """The names that a translation unit declares outside of any namespace."""
    for child in node.get("inner", []):
        if child["kind"] == "LinkageSpecDecl":
            yield from declared(child)
        elif child["kind"].endswith("Decl") and "name" in child:
            yield child["name"]


def c_names():
    text = "".join(f"#include <{name}.h>\n" for name in HEADERS if name not in ONLY_IN_C)
    tree = subprocess.run(["clang++", "-std=c++17", "-fsyntax-only", "-Xclang", "-ast-dump=json",
                           "-x", "c++", "-"], input=text, capture_output=True, text=True, check=True)
    names = {name for name in declared(json.loads(tree.stdout)) if not BY_RULE.fullmatch(name)}
    names |= {name for name in HEADERS if "/" not in name}
    return names - {name + end for name in names for end in ENDS}


def main():
    rows = " ".join(f'"{name}",' for name in sorted(c_names()))
    lines = textwrap.wrap(rows, 100, initial_indent="    ", subsequent_indent="    ")
    WRITTEN.write_text(HEAD + "\n".join(lines) + TAIL)


if __name__ == "__main__":
    main()
