# SPDX-License-Identifier: Apache-2.0
"""`reduce`: what is left of models for which a command fails."""

import json
import pathlib
import shlex
import signal
import subprocess
import sys
import time
import unittest

import onnx

from command_case import CommandCase
from commands import DRAGOMAN, dragoman

MODELS = pathlib.Path(__file__).resolve().parent.parent / "models"

# A program that cannot take what a predicate over an ONNX graph finds.
PROGRAM = """
import sys, onnx
graph = onnx.load(sys.argv[1]).graph
made = {name: node for node in graph.node for name in node.output}
def reads(node, kind):
    return any(name in made and made[name].op_type == kind for name in node.input)
def has(kind, test=lambda node: True):
    return any(node.op_type == kind and test(node) for node in graph.node)
if PREDICATE:
    print("cannot take it")
    sys.exit(7)
"""

# By model: what the program cannot take, and the operators that are left.
FAULTS = {
    "bert": ("has('MatMul', lambda node: reads(node, 'Softmax'))", ["Softmax", "MatMul"]),
    "bert_dynamic": ("has('Erf')", ["Erf"]),
    "resnet": ("has('Gemm') and has('Conv')", ["Conv", "Gemm"]),
    "resnet_bn": ("has('BatchNormalization', lambda node: reads(node, 'Conv'))",
                  ["Conv", "BatchNormalization"]),
    "mobilenet": ("has('Conv', lambda node: any(a.name == 'group' and a.i > 1 "
                  "for a in node.attribute))", ["Conv"]),
}


class Reduce(CommandCase):
    def program(self, predicate):
        path = self.out / "program.py"
        path.write_text(PROGRAM.replace("PREDICATE", predicate))
        return f"{shlex.quote(sys.executable)} {shlex.quote(str(path))} {{}}"

    def test_faults_in_large_graphs(self):
        for model, (predicate, operators) in FAULTS.items():
            with self.subTest(model):
                small = self.out / f"{model}.onnx"
                self.done("reduce", MODELS / model / "model.onnx", "-o", small, "-q", "--match",
                          "cannot take it", "--test", self.program(predicate))
                graph = onnx.load(small).graph
                self.assertEqual([node.op_type for node in graph.node], operators)
                sizes = [d.dim_value for i in graph.input for d in i.type.tensor_type.shape.dim]
                self.assertLessEqual(max(sizes), 1)

    def test_what_is_left_still_loads(self):
        small = self.out / "small.onnx"
        test = self.program("has('Relu')")
        self.done("reduce", MODELS / "resnet" / "model.onnx", "-o", small, "--test", test)
        onnx.checker.check_model(onnx.load(small), full_check=True)

    def test_the_answer_as_json(self):
        small = self.out / "small.dgt"
        answer = json.loads(self.done("reduce", MODELS / "mlp" / "model.onnx", "-o", small,
                                      "--json", "--test", "! grep -q onnx.Relu {}"))
        self.assertEqual((answer["nodes_before"], answer["nodes"]), (3, 1))
        self.assertIn("onnx.Relu", small.read_text())

    def test_functions_that_nothing_calls_any_more(self):
        model, small = self.out / "model.dgt", self.out / "small.dgt"
        functions = "".join(f'function onnx:local.f{i}(%x) -> (%y)\n    opset "" 17 {{\n  %y = onnx.{op}(%x)\n}}\n'
                            for i, op in enumerate(("Exp", "Sin", "Neg")))
        model.write_text('dragoman 1 source onnx\nopset "" 17\nopset "local" 1\n'
                         "entry main(%x: f32[2]) -> (%y: f32[2]) {\n  %a = onnx:local.f0(%x)\n"
                         "  %b = onnx:local.f1(%a)\n  %y = onnx:local.f2(%b)\n}\n" + functions)
        self.done("reduce", model, "-o", small, "-q", "--test",
                  "! { grep -q 'onnx.Sin' {} && grep -q 'local.f1(' {}; }")
        left = small.read_text()
        self.assertEqual(left.count("function onnx:local.f"), 1, left)
        self.assertIn("function onnx:local.f1(", left)

    def test_a_command_that_succeeds_has_no_fault(self):
        small = self.out / "small.onnx"
        for options, answer in ((["--test", "true"], "there is no fault to keep"),
                                (["--test", "false", "--match", "X"], "does not print 'X'")):
            said = self.fails(2, "reduce", MODELS / "mlp" / "model.onnx", "-o", small, *options)
            self.assertIn(answer, said)
            self.assertFalse(small.exists())

    def test_a_call_that_hangs_is_ended(self):
        small = self.out / "small.onnx"
        self.done("reduce", MODELS / "mlp" / "model.onnx", "-o", small, "--timeout", 1, "-q",
                  "--test", "cmp -s {} " + shlex.quote(str(MODELS / "mlp" / "model.onnx")) +
                  " && sleep 60")
        self.assertEqual(dragoman("diff", small, MODELS / "mlp" / "model.onnx").returncode, 0)

    def test_what_ends_it_leaves_the_smallest_model_so_far(self):
        model, small, calls = MODELS / "mlp" / "model.onnx", self.out / "small.onnx", self.out / "calls"
        for after, ending in ((1, signal.SIGTERM), (4, signal.SIGTERM), (4, signal.SIGKILL)):
            with self.subTest(after=after, ending=ending):
                calls.write_text("")
                candidate = self.out / "candidate.onnx"
                fault = self.program("has('Relu')").replace("{}", str(candidate))
                # The call that follows says that it has come, and waits.
                test = (f"cp {{}} {candidate}; echo >>{calls}; "
                        f"if [ $(wc -l <{calls}) -gt {after} ]; then sleep 10; fi; {fault}")
                process = subprocess.Popen([DRAGOMAN, "reduce", model, "-o", small, "-q", "--test", test])
                while calls.read_text().count("\n") <= after:
                    time.sleep(0.01)
                process.send_signal(ending)
                self.assertEqual(process.wait(), -ending)
                graph = onnx.load(small).graph
                self.assertIn("Relu", [node.op_type for node in graph.node])
                self.assertEqual(len(graph.node) < len(onnx.load(model).graph.node), after > 1)


if __name__ == "__main__":
    unittest.main()
