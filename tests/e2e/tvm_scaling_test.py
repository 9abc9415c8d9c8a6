#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The time to read, copy, lower and write long modules of Relay and Relax grows with their length.

Usage: tvm_scaling_test.py

Measures the processor time of `dragoman inspect` for texts of 2,000 and of 8,000 lines, and of a
copy for 16,000 and 64,000: chains of statements, of functions, and functions of many parameters.
Time that grew with the square of the length would take 16 times as long; twice the lines take up
to 2.4 times as long, for they outgrow the caches. What took longer than the limit is measured
again.
"""

import math
import resource
import tempfile
import unittest
from pathlib import Path

from commands import call, DRAGOMAN

INSPECTED, COPIED = (2000, 8000), (16000, 64000)
TRIES, LIMIT = 3, 2.5 ** 2
RELAY = "Tensor[(2, 3), float32]"
RELAX = 'R.Tensor((2, 3), dtype="float32")'


def relay(definitions, parameters, statements, result):
    body = "".join(f"  {statement};\n" for statement in statements)
    functions = "".join(f"def {definition}\n\n" for definition in definitions)
    named = ", ".join(f"%{name}: {RELAY}" for name in parameters)
    return f'#[version = "0.0.5"]\n{functions}def @main({named}) -> {RELAY} {{\n{body}  {result}\n}}\n'


def relay_statements(lines):
    chain = [f"%{i} = {'tanh' if i % 2 else 'negative'}(%{i - 1})" for i in range(1, lines)]
    return relay([], ["x"], ["%0 = tanh(%x)", *chain], f"%{lines - 1}")


def relay_lets(lines):
    chain = [f"let %v{i} = add(%v{i - 1}, %x)" for i in range(1, lines)]
    return relay([], ["x"], ["let %v0 = tanh(%x)", *chain], f"%v{lines - 1}")


def relay_functions(lines):
    count = lines // 4
    definitions = [f"@f{i}(%a: {RELAY}) -> {RELAY} {{\n  tanh(%a)\n}}" for i in range(count)]
    calls = [f"%{i} = @f{i}(%{i - 1})" for i in range(1, count)]
    return relay(definitions, ["x"], ["%0 = @f0(%x)", *calls], f"%{count - 1}")


def relay_parameters(lines):
    sums = [f"%{i} = add(%{i - 1}, %p{i})" for i in range(1, lines)]
    return relay([], [f"p{i}" for i in range(lines)], ["%0 = tanh(%p0)", *sums], f"%{lines - 1}")


def relax(definitions, parameters, statements, result):
    lines = ["@I.ir_module", "class Module:", *definitions, "    @R.function",
             f"    def main({', '.join(f'{name}: {RELAX}' for name in parameters)}) -> {RELAX}:",
             *(f"        {statement}" for statement in statements), f"        return {result}"]
    return "\n".join(lines) + "\n"


def relax_statements(lines):
    chain = [f"v{i}: {RELAX} = R.tanh(v{i - 1})" for i in range(1, lines)]
    return relax([], ["v0"], chain, f"v{lines - 1}")


def relax_functions(lines):
    count = lines // 6
    definitions = []
    for i in range(count):
        definitions += ["    @R.function(private=True)", f"    def f{i}(a: {RELAX}) -> {RELAX}:",
                        "        b = R.tanh(a)", "        return b", ""]
    calls = [f"v{i + 1} = cls.f{i}(v{i})" for i in range(count)]
    return relax(definitions, ["v0"], ["cls = Module", *calls], f"v{count}")


def relax_parameters(lines):
    sums = [f"v{i} = R.add(v{i - 1}, p{i})" for i in range(1, lines)]
    names = [f"p{i}" for i in range(lines)]
    return relax([], names, ["v0 = R.tanh(p0)", *sums], f"v{lines - 1}")


FORMS = {".relay": [relay_statements, relay_lets, relay_functions, relay_parameters],
         ".py": [relax_statements, relax_functions, relax_parameters]}


def processor_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = call(command)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == 0, done.stderr
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class Scaling(unittest.TestCase):
    def test_time_grows_with_the_lines(self):
        for suffix, forms in FORMS.items():
            for form in forms:
                with self.subTest(form.__name__), tempfile.TemporaryDirectory() as scratch:
                    self.grows(form, Path(scratch), suffix)

    def grows(self, form, folder, suffix):
        copy = ["convert", "-q", "-o", folder / f"copy{suffix}"]
        for lengths, what in ((INSPECTED, ["inspect"]), (COPIED, copy)):
            texts = [folder / f"{length}{suffix}" for length in lengths]
            for text, length in zip(texts, lengths):
                text.write_text(form(length))
            least = [math.inf, math.inf]
            for _ in range(TRIES):
                times = [processor_seconds([DRAGOMAN, *what, text]) for text in texts]
                least = [min(pair) for pair in zip(least, times)]
                few, many = least
                if many < LIMIT * few:
                    break
            print(f"{form.__name__}, {what[0]}: {few:.3f} s, {many:.3f} s", flush=True)
            self.assertLess(many, LIMIT * few)


if __name__ == "__main__":
    unittest.main()
