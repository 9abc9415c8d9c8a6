#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks Relax modules (TVMScript) without TVM, with Python's ast alone.

usage: relax_lint.py [--release 0.17|0.19|0.21|0.25|0.26] MODULE.py...

Reported, one line each: text that does not parse; a call of R. that relax_signatures.tsv lacks,
with an unknown keyword, too many or too few arguments; a name that is used before it is defined, or
after the dataflow block that kept it to itself; a name bound twice; a call of a function that the
module lacks, or with another number of arguments; an effect in a dataflow block or in a function
that is pure; an operator on a value whose sizes TVM does not deduce (relax_deduce.py). Exit code 1 if
anything was reported.
"""
import ast
import os
import sys

from relax_deduce import Deducer

HERE = os.path.dirname(os.path.abspath(__file__))
GIVEN = {"R", "T", "I", "Module", "float", "True", "False", "None"}
TYPES = {"Tensor", "Tuple", "Shape"}
EFFECTS = {"assert_op", "print"}


RELEASES = ["0.17", "0.19", "0.21", "0.25", "0.26", "latest"]


def load_table(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as rows:
        return dict(row.rstrip("\n").split("\t") for row in rows if not row.startswith("#"))


SIGNATURES = {name: [p for p in parameters.split(", ") if p]
              for name, parameters in load_table("relax_signatures.tsv").items()}
SINCE = load_table("relax_releases.tsv")


def dotted(node):
    """'nn.conv2d' for R.nn.conv2d; None for what is not an attribute of R."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if isinstance(node, ast.Name) and node.id == "R":
        return ".".join(reversed(parts))
    return None


def is_pure(function):
    """By its decorator, @R.function(pure=False)."""
    flags = {k.arg: k.value.value for d in function.decorator_list if isinstance(d, ast.Call)
             for k in d.keywords}
    return flags.get("pure", True)


class Lint:
    def __init__(self, path, release="latest"):
        self.path = path
        self.release = release
        self.findings = []
        self.functions = {}
        self.may_have_effects = False  # where the walk is

    def report(self, node, what):
        self.findings.append(f"{self.path}:{getattr(node, 'lineno', 0)}: {what}")

    def lacks(self, name):
        """Whether the release has no such operator or parameter."""
        return RELEASES.index(SINCE.get(name, "0.17")) > RELEASES.index(self.release)

    def check_own_call(self, call):
        """cls.name(…)"""
        name = call.func.attr
        function = self.functions.get(name)
        if function is None:
            self.report(call, f"the module has no function {name}")
            return
        if len(call.args) != len(function.args.args):
            self.report(call, f"{name} takes {len(function.args.args)} arguments")
        if not is_pure(function) and not self.may_have_effects:
            self.report(call, f"{name} has effects")

    def check_call(self, call):
        name = dotted(call.func)
        if isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) == "cls":
            self.check_own_call(call)
        if name is None or name in TYPES:
            return
        if name in EFFECTS and not self.may_have_effects:
            self.report(call, f"R.{name} is an effect")
        if name not in SIGNATURES:
            self.report(call, f"unknown operator R.{name}")
            return
        if self.lacks(name):
            self.report(call, f"TVM {self.release} has no R.{name}")
        other = "sinfo_args" if self.release in ("0.26", "latest") else "ty_args"
        if any(k.arg == other for k in call.keywords):
            self.report(call, f"TVM {self.release} has another keyword for types")
        parameters = SIGNATURES[name]
        if parameters and parameters[0].startswith("*"):
            return
        names = [p.rstrip("=") for p in parameters]
        if len(call.args) > len(names):
            self.report(call, f"R.{name} takes {len(names)} arguments, given {len(call.args)}")
        given = set(names[: len(call.args)])
        for keyword in call.keywords:
            if keyword.arg not in names:
                self.report(call, f"R.{name} has no parameter {keyword.arg}")
            elif self.lacks(f"{name}.{keyword.arg}"):
                self.report(call, f"in TVM {self.release} R.{name} has no {keyword.arg}")
            elif keyword.arg in given:
                self.report(call, f"R.{name} is given {keyword.arg} twice")
            given.add(keyword.arg)
        for parameter in parameters:
            if not parameter.endswith("=") and parameter not in given:
                self.report(call, f"R.{name} lacks {parameter}")

    def check_expression(self, node, defined):
        for part in ast.walk(node):
            if isinstance(part, ast.Call):
                self.check_call(part)
            elif isinstance(part, ast.Name) and part.id not in defined and part.id not in GIVEN:
                self.report(part, f"{part.id} is not defined here")
            elif isinstance(part, (ast.BinOp, ast.Compare)) and not self.is_size(part):
                self.report(part, "arithmetic on tensors")

    @staticmethod
    def is_size(node):
        """Sizes are made of names, integers, T.min and T.max."""
        return not any(
            isinstance(part, ast.Call) and dotted(part.func) is not None for part in ast.walk(node))

    def define(self, target, defined, local):
        if not isinstance(target, ast.Name):
            self.report(target, "a binding of something else than a name")
            return
        if target.id in defined:
            self.report(target, f"{target.id} is bound twice")
        defined.add(target.id)
        local.append(target.id)

    def check_if(self, node, defined):
        self.check_expression(node.test, defined)
        last = []
        for body in (node.body, node.orelse):
            inner = set(defined)
            last.append(self.check_block(body, inner)[-1:])
        if not last[0] or last[0] != last[1]:
            self.report(node, "branches end in different names")
        defined.update(last[0])
        return last[0]

    def check_dataflow(self, node, defined):
        inner = set(defined)
        outside, self.may_have_effects = self.may_have_effects, False
        self.check_block(node.body[:-1], inner, in_dataflow=True)
        self.may_have_effects = outside
        call = getattr(node.body[-1], "value", None)
        if not isinstance(call, ast.Call) or dotted(call.func) != "output":
            self.report(node, "a dataflow block that does not end in R.output")
            return
        for argument in call.args:
            self.check_expression(argument, inner)
            defined.add(argument.id)

    def check_block(self, statements, defined, in_dataflow=False):
        """The names that the block binds, in order."""
        local = []
        for node in statements:
            if isinstance(node, ast.Assign) and len(node.targets) == 1:
                self.check_expression(node.value, defined)
                self.define(node.targets[0], defined, local)
            elif isinstance(node, ast.AnnAssign):
                self.check_expression(node.annotation, defined)
                self.check_expression(node.value, defined)
                self.define(node.target, defined, local)
            elif isinstance(node, ast.If) and not in_dataflow:
                local += self.check_if(node, defined)
            elif isinstance(node, ast.With) and not in_dataflow:
                self.check_dataflow(node, defined)
            elif isinstance(node, (ast.Return, ast.Expr)) and not in_dataflow:
                self.check_expression(node.value, defined)
            else:
                self.report(node, f"no statement of Relax: {type(node).__name__}")
        return local

    def check_function(self, function):
        defined = set()
        self.may_have_effects = not is_pure(function)
        for argument in function.args.args:
            self.define(ast.Name(id=argument.arg), defined, [])
            self.check_expression(argument.annotation, set())
        if function.returns is not None:
            self.check_expression(function.returns, set())
        self.check_block(function.body, defined)
        if not isinstance(function.body[-1], ast.Return):
            self.report(function, "a function that does not end in return")

    def run(self, text):
        try:
            tree = ast.parse(text, self.path)
        except SyntaxError as error:
            self.report(error, f"does not parse: {error.msg}")
            return self.findings
        functions = [f for f in ast.walk(tree) if isinstance(f, ast.FunctionDef)]
        if not functions:
            self.report(tree, "no function")
        self.functions = {function.name: function for function in functions}
        for function in functions:
            self.check_function(function)
        if not self.findings:  # of what is well-formed
            deducer = Deducer(self.functions, self.report)
            for function in functions:
                deducer.run(function)
        return self.findings


def lint(path, release="latest"):
    """Findings in a file, one line each."""
    with open(path, encoding="utf-8") as file:
        return Lint(path, release).run(file.read())


def main():
    arguments = sys.argv[1:]
    release = "latest"
    if arguments[:1] == ["--release"]:
        release, arguments = arguments[1], arguments[2:]
    findings = [line for path in arguments for line in lint(path, release)]
    print("\n".join(findings), end="\n" if findings else "")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
