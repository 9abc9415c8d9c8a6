#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that every #include obeys the order of the layers, and that core/ names no source dialect.

Usage: check_layers.py [ROOT]

Prints one line a finding, FILE:LINE: error: what, and exits 1 if there is any.
"""

import pathlib
import re
import sys

# Folder -> the folders whose headers it may include, besides its own. The longest prefix counts.
_OPS = ["core/support", "core/ir", "core/ops", "runtime/params"]
# What rewrites see: all of core but what builds graphs from programs of other formats.
_REWRITE = _OPS + ["core/compare", "core/analysis", "core/interpreter", "runtime/kernels"]
_IMPORTERS = _OPS + ["core/analysis", "core/compare", "core/lowering", "proto"]
LAYERS = {
    "core/support": [],
    "core/ir": ["core/support"],
    "core/ops": ["core/support", "core/ir", "runtime/params"],
    "core/compare": _OPS + ["runtime/program/closeness.h"],
    "core/analysis": _OPS,
    "core/interpreter": _OPS + ["core/compare", "core/analysis", "runtime/kernels"],
    "core/lowering": _OPS + ["core/analysis", "core/compare", "core/interpreter"],
    "core/rewrite": _REWRITE,
    "core/layout": ["core/support"],
    "core/resize": _REWRITE + ["core/rewrite"],
    "core/edit": _REWRITE + ["core/rewrite"],
    "proto": ["core/support", "core/ir"],
    "tvm": ["core/support"],
    "importers": _IMPORTERS,
    # TVM's two forms share how it stores arrays, and with their writers what its operators are called.
    "importers/relax": _IMPORTERS + ["importers/tvm", "tvm"],
    "importers/relay": _IMPORTERS + ["importers/tvm", "tvm"],
    "exporters": ["core", "runtime/params", "proto"],
    # Python is printed of the calls of ATen that programs of torch.export have.
    "exporters/torch": ["core", "runtime/params", "proto", "exporters/pt2"],
    "codegen": ["core", "runtime", "tvm"],
    "page": _OPS + ["core/compare", "core/layout"],
    "driver": ["core", "importers", "exporters", "codegen", "page", "runtime"],
    "cli": ["core", "driver", "codegen", "page", "runtime/params", "runtime/fast"],
    "runtime/params": [],
    "runtime/plain": [],
    "runtime/images": ["runtime/params"],
    "runtime/kernels": ["runtime/params", "runtime/images"],
    "runtime/program": ["runtime/params", "runtime/kernels"],
    "runtime/fast": ["runtime"],
    # An importer like any other, for tests.
    "tests/support/toy": _OPS + ["core/analysis", "core/lowering"],
    # What others include of the library.
    "dragoman": ["core", "driver", "codegen"],
    # The Python module stands on that library.
    "python": ["core", "dragoman", "driver"],
    "tests": ["core", "importers", "exporters", "codegen", "page", "driver", "runtime", "proto"],
}
ROOTS = sorted({layer.split("/")[0] for layer in LAYERS})

PROTOBUF_USERS = [
    "proto", "importers/onnx", "importers/native", "importers/json",
    "importers/tensorflow/container", "importers/tensorflow/graph", "exporters/onnx",
    "exporters/native", "exporters/json", "exporters/tensorflow", "tests"]
ONEDNN_USERS = ["runtime/fast", "tests/unit/runtime"]
OPTION_PARSER_USERS = ["cli/command_line.cc"]

# What core/ must not say outside of comments: formats that are read, and dialects of their operators.
# (Those of onnx are the common dialect's.)
SOURCE_DIALECTS = [
    "aten", "prim", "relax", "relay", "tensorflow", "tf", "torch", "torchscript", "torchvision",
    "tvm"]

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.MULTILINE)
_RAW_STRING = re.compile(r'R"([^()\\\s]{0,16})\(.*?\)\1"', re.DOTALL)


_COMMENT = re.compile(r"//[^\n]*")
_DIALECT = re.compile(r"(?<![a-zA-Z0-9])(%s)(?![a-zA-Z0-9])" % "|".join(SOURCE_DIALECTS),
                      re.IGNORECASE)


def is_under(path, folders):
    return any(path == folder or path.startswith(folder + "/") for folder in folders)


def layer_of(path):
    return max((layer for layer in LAYERS if is_under(path, [layer])), key=len, default=None)


def own_folders(path, layer):
    """What a file always sees: its layer; of the formats, only its own (importers/onnx)."""
    if layer in ("importers", "exporters"):
        return ["/".join(path.split("/")[:2])] if path.count("/") > 1 else [layer]
    return [layer]


def quoted_problem(path, layer, target):
    if target.split("/")[0] not in ROOTS:
        return f'"{target}" is not written from the root of the project'
    if target.startswith("proto/") and not is_under(path, PROTOBUF_USERS):
        return f'"{target}": protobuf messages are for {", ".join(PROTOBUF_USERS)} only'
    if not is_under(target, own_folders(path, layer) + LAYERS[layer]):
        return f'{layer} may not include "{target}"'
    return None


def angled_problem(path, target, uses_messages):
    if re.match(r"(oneapi/)?dnnl", target) and not is_under(path, ONEDNN_USERS):
        return f"<{target}>: oneDNN is for {ONEDNN_USERS[0]} only"
    if target.startswith("CLI/") and path not in OPTION_PARSER_USERS:
        return f"<{target}>: the option parser is for {OPTION_PARSER_USERS[0]} only"
    if target.startswith("google/protobuf/"):
        if not is_under(path, PROTOBUF_USERS):
            return f'<{target}>: protobuf is for {", ".join(PROTOBUF_USERS)} only'
        if not uses_messages and not is_under(path, ["proto"]):
            return f'<{target}> in a file that includes no "proto/..." message'
    return None


def named_dialects(text):
    """Yields (line, what) for each source dialect that the code of a file of core/ names."""
    for number, line in enumerate(_INCLUDE.sub("", text).split("\n"), 1):
        for match in _DIALECT.finditer(_COMMENT.sub("", line)):
            yield number, f"core/ knows no source dialect such as {match.group()}"


def check_text(path, text):
    """Yields (line, what) for each #include of the file, and each name, that breaks a rule."""
    layer = layer_of(path)
    if layer is None:
        yield 1, "the file lies in no known layer"
        return
    if is_under(path, ["core"]):
        yield from named_dialects(text)
    text = _RAW_STRING.sub(lambda match: "\n" * match.group().count("\n"), text)
    includes = list(_INCLUDE.finditer(text))
    uses_messages = any(match.group(2).startswith("proto/") for match in includes)
    for match in includes:
        quote, target = match.groups()
        if quote == '"':
            problem = quoted_problem(path, layer, target)
        else:
            problem = angled_problem(path, target, uses_messages)
        if problem:
            yield text.count("\n", 0, match.start(2)) + 1, problem


def source_files(root):
    for folder in ROOTS:
        for file in sorted((root / folder).rglob("*")):
            if file.suffix in (".h", ".cc"):
                yield file


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1])
    findings = 0
    for file in source_files(root):
        path = file.relative_to(root).as_posix()
        for line, what in check_text(path, file.read_text(encoding="utf-8")):
            print(f"{path}:{line}: error: {what}", file=sys.stderr)
            findings += 1
    if findings:
        print(f"{findings} findings break the order of the layers", file=sys.stderr)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
