#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares source graphs of TorchScript archives with torch's own.

Usage: torchscript_graph_test.py [--verbose] [MODEL...]

Every method that torchscript_listing (beside DRAGOMAN_BINARY) prints must have the nodes, operands,
constants and blocks of libtorch's `inlined_graph` for the loaded file. Files that this torch does
not load are left out. Without models, compares those of ../shared/data/torch-cases/lang-1.13. Exits
77 without torch, the tool or the models.
"""

import difflib
import os
import pathlib
import subprocess
import sys

try:
    import torch
except ImportError:
    sys.exit(77)
try:
    import torchvision  # noqa: F401  (its operators)
except ImportError:
    pass

CASES = pathlib.Path("../shared/data/torch-cases/lang-1.13")
# What torch simplifies further before it inlines it (peepholes, equal results of branches), a
# schema that has changed since torch 1.13, and a listing of control characters.
DIFFERENT = {"cf_for_break_return", "lit_strings", "md_sparse_buffer", "op_any_isinstance",
             "rn_attention_decode"}


class Listing:
    def __init__(self):
        self.numbers = {}
        self.lines = []

    def define(self, values):
        for value in values:
            self.numbers[value.unique()] = len(self.numbers)
        return ", ".join(f"%{self.numbers[value.unique()]}" for value in values)

    def show(self, value):
        if value.unique() in self.numbers:
            return f"%{self.numbers[value.unique()]}"
        node = value.node()
        if node.kind() == "prim::Constant" and not node.attributeNames():
            return "None"
        try:
            return show_constant(value.toIValue())
        except RuntimeError:  # an enumerator, whose class Python does not know
            return "symbol"

    def block(self, block, depth):
        indent = "  " * depth
        for node in block.nodes():
            if node.kind() == "prim::Constant":
                continue
            operands = ", ".join(self.show(value) for value in node.inputs())
            results = self.define(list(node.outputs()))
            name = f" {node.s('name')}" if "name" in node.attributeNames() else ""
            schema = node.schema()
            kind = node.kind()
            if schema != "(no schema)":
                kind = schema[: schema.index("(")]
            equals = " = " if results else ""
            self.lines.append(f"{indent}{results}{equals}{kind}({operands}){name}")
            for body in list(node.blocks()) + subgraphs(node):
                self.lines.append(f"{indent} block({self.define(list(body.inputs()))})")
                self.block(body, depth + 1)
        outputs = ", ".join(self.show(value) for value in block.outputs())
        self.lines.append(f"{indent}-> ({outputs})")


def subgraphs(node):
    return [node.g(name) for name in node.attributeNames() if node.kindOf(name) == "g"]


def show_constant(value):
    if value is None:
        return "None"
    if isinstance(value, (bool, int)):
        return str(value)
    if isinstance(value, float):
        return f"float {value:.17g}"
    if isinstance(value, complex):
        return f"complex {value.real:.17g} {value.imag:.17g}"
    if isinstance(value, str):
        return f"'{value}'"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(show_constant(item) for item in value) + "]"
    if isinstance(value, torch.device):
        return f"'{value}'"
    if isinstance(value, torch.Tensor):
        return "tensor"
    return "symbol"


def torch_listing(module, method):
    graph = module._c._get_method(method).inlined_graph
    listing = Listing()
    head = f"method {method}({listing.define(list(graph.inputs()))})"
    listing.lines.append(head)
    listing.block(graph, 1)
    return listing.lines


def our_listings(tool, paths):
    """Path -> method -> lines, or the text of an error."""
    text = subprocess.run([tool] + paths, check=True, capture_output=True, text=True).stdout
    files = {}
    for line in text.splitlines():
        if line.startswith("file "):
            current = files.setdefault(line[5:], {})
        elif line.startswith("error "):
            current["error"] = [line]
        elif line.startswith("method "):
            lines = current.setdefault(line[7 : line.index("(")], [line])
        elif "error" not in current:
            lines.append(line)
    return files


def check(path, methods, verbose):
    """The findings of one file; None: torch does not load it."""
    try:
        module = torch.jit.load(path, map_location="cpu")
    except Exception:
        return None
    if "error" in methods:
        return methods["error"]
    findings = []
    for method, ours in methods.items():
        theirs = torch_listing(module, method)
        if ours == theirs:
            continue
        findings.append(f"{path}: method {method} differs")
        if verbose:
            lines = difflib.unified_diff(theirs, ours, "torch", "dragoman", lineterm="", n=1)
            findings += list(lines)[:40]
    return findings


def main(arguments):
    tool = pathlib.Path(os.environ["DRAGOMAN_BINARY"]).parent / "tests" / "torchscript_listing"
    verbose = "--verbose" in arguments
    paths = [argument for argument in arguments if argument != "--verbose"]
    if not paths:
        paths = [str(path) for path in sorted(CASES.glob("*/model.pt"))
                 if path.parent.name not in DIFFERENT]
    if not tool.exists() or not paths:
        return 77
    failed = loaded = 0
    for path, methods in our_listings(str(tool), paths).items():
        findings = check(path, methods, verbose)
        if findings is None:
            continue
        loaded += 1
        failed += bool(findings)
        for finding in findings:
            print(finding)
    print(f"{loaded} of {len(paths)} files compared, {failed} differ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
