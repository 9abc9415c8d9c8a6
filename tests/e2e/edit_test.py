#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`edit`, `merge`, `extract` and `split`: what is written computes what it should, in ONNX Runtime too."""

import json
import pathlib
import re
import unittest

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from command_case import CommandCase
from commands import call
from onnxruntime_python import SCRIPT, peer_python

MODELS = pathlib.Path(__file__).resolve().parent.parent / "models"
POLICY = MODELS / "torchscript" / "lstm_policy" / "model.pt"


def image_model(path, opset=13):
    """A mean over the image of a convolution, and an output that is computed apart."""
    random = np.random.default_rng(0)
    weight = random.standard_normal((4, 3, 3, 3)).astype(np.float32)
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["c"], "/stem/conv", pads=[1, 1, 1, 1],
                         doc_string="a convolution"),
        helper.make_node("Relu", ["c"], ["r"], "/stem/relu"),
        helper.make_node("GlobalAveragePool", ["r"], ["p"], "/head/pool"),
        helper.make_node("Flatten", ["p"], ["logits"], "/head/flat"),
        helper.make_node("Mul", ["r", "factor"], ["m"], "/aux/mul"),
        helper.make_node("Neg", ["m"], ["aux"], "/aux/neg"),
    ]
    graph = helper.make_graph(
        nodes, "net",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 3, 8, 8]),
         helper.make_tensor_value_info("unread", TensorProto.FLOAT, [1])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 4]),
         helper.make_tensor_value_info("aux", TensorProto.FLOAT, ["batch", 4, 8, 8])],
        [numpy_helper.from_array(weight, "w"),
         numpy_helper.from_array(np.float32([2.0]), "factor")], doc_string="a graph",
        value_info=[helper.make_tensor_value_info("r", TensorProto.FLOAT, ["batch", 4, 8, 8])])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)],
                              doc_string="a model")
    model.ir_version = 7
    helper.set_model_props(model, {"author": "nobody"})
    onnx.save(model, path)
    return path


class Edit(CommandCase):
    def setUp(self):
        super().setUp()
        self.model = image_model(self.out / "model.onnx")
        self.x = np.random.default_rng(1).standard_normal((2, 3, 8, 8)).astype(np.float32)

    def edited(self, *options, model=None, to="out.onnx"):
        written = self.out / to
        self.done("edit", model or self.model, "-o", written, *options)
        if written.suffix == ".onnx":
            onnx.checker.check_model(onnx.load(written), full_check=True)
        return written

    def outputs(self, model, **feeds):
        """By the interpreter, after ONNX Runtime, where it is, has given the same."""
        np.savez(self.out / "in.npz", **feeds)
        self.done("run", model, "-q", "--inputs", self.out / "in.npz", "--output-dir",
                  self.out / "y")
        index = json.loads((self.out / "y" / "index.json").read_text(encoding="utf-8"))
        found = {o["name"]: np.load(self.out / "y" / o["file"]) for o in index["outputs"]}
        python = peer_python("onnx")
        if python is not None and pathlib.Path(model).suffix == ".onnx":
            done = call([python, SCRIPT, model, self.out / "in.npz", self.out / "out.npz"])
            self.assertEqual(done.returncode, 0, done.stderr)
            with np.load(self.out / "out.npz") as arrays:
                for name, array in found.items():
                    np.testing.assert_allclose(array, arrays[name], 1e-4, 1e-5, err_msg=name)
        return found

    def plain(self):
        return self.outputs(self.model, x=self.x, unread=np.float32([0]))

    def names(self, path):
        graph = onnx.load(path).graph
        return ([v.name for v in graph.input], [v.name for v in graph.output],
                [n.name for n in graph.node])

    def test_names(self):
        written = self.edited("--rename-input", "x=image", "--rename-output", "logits=scores",
                              "--rename-dim", "batch=n", "--rename-node", "/stem/(.*)=/backbone/$1")
        inputs, outputs, nodes = self.names(written)
        self.assertEqual(inputs, ["image", "unread"])
        self.assertEqual(outputs, ["scores", "aux"])
        self.assertEqual(nodes[:2], ["/backbone/conv", "/backbone/relu"])
        size = onnx.load(written).graph.output[0].type.tensor_type.shape.dim[0]
        self.assertEqual(size.dim_param, "n")
        found = self.outputs(written, image=self.x, unread=np.float32([0]))
        np.testing.assert_array_equal(found["scores"], self.plain()["logits"])

    def test_what_is_not_edited_stays(self):
        before = onnx.load(self.model)
        after = onnx.load(self.edited("--metadata", "license=MIT=X", "--remove-metadata", "author"))
        self.assertEqual([(p.key, p.value) for p in after.metadata_props], [("license", "MIT=X")])
        self.assertEqual(before.graph, after.graph)
        self.assertEqual(before.opset_import, after.opset_import)

    def test_order_and_presence(self):
        written = self.edited("--order-outputs", "aux,logits", "--order-inputs", "unread")
        self.assertEqual(self.names(written)[:2], (["unread", "x"], ["aux", "logits"]))
        written = self.edited("--drop-output", "aux", "--drop-input", "unread", "--expose", "r")
        inputs, outputs, nodes = self.names(written)
        self.assertEqual((inputs, outputs), (["x"], ["logits", "r"]))
        self.assertNotIn("/aux/mul", nodes)
        found = self.outputs(written, x=self.x)
        np.testing.assert_array_equal(found["logits"], self.plain()["logits"])

    def test_images_as_cameras_give_them(self):
        mean, std = [120.0, 110.0, 100.0], [60.0, 55.0, 50.0]
        written = self.edited(
            "--input-type", "x=uint8", "--input-layout", "x=nhwc", "--drop-input", "unread",
            "--input-mean", "x=120,110,100", "--input-std", "x=60,55,50", "--drop-output", "aux",
            "--argmax", "logits")
        image = np.random.default_rng(2).integers(0, 256, (2, 8, 8, 3)).astype(np.uint8)
        found = self.outputs(written, x=image)
        x = ((image - np.array(mean)) / np.array(std)).transpose(0, 3, 1, 2).astype(np.float32)
        scores = self.outputs(self.model, x=x, unread=np.float32([0]))["logits"]
        self.assertEqual(found["logits"].dtype, np.int64)
        np.testing.assert_array_equal(found["logits"], scores.argmax(-1))

    def test_scale_and_softmax(self):
        written = self.edited("--input-scale", "x=0.5", "--softmax", "logits=1", "--softmax",
                              "aux=1")
        found = self.outputs(written, x=self.x, unread=np.float32([0]))
        wanted = self.outputs(self.model, x=self.x / 2, unread=np.float32([0]))
        for name in ("logits", "aux"):
            exponents = np.exp(wanted[name] - wanted[name].max(1, keepdims=True))
            np.testing.assert_allclose(found[name], exponents / exponents.sum(1, keepdims=True),
                                       1e-4, 1e-5)

    def test_constants(self):
        np.save(self.out / "factor.npy", np.float32([3.0]))
        written = self.edited("--set-constant", f"factor={self.out / 'factor.npy'}")
        found = self.outputs(written, x=self.x, unread=np.float32([0]))
        np.testing.assert_allclose(found["aux"], self.plain()["aux"] * 1.5, 1e-5)
        np.save(self.out / "wrong.npy", np.float32([3.0, 4.0]))
        said = self.fails(2, "edit", self.model, "-o", self.out / "o.onnx", "--set-constant",
                          f"factor={self.out / 'wrong.npy'}")
        self.assertIn("f32[1]", said)
        self.assertIn("f32[2]", said)

    def test_what_is_stripped(self):
        graph = onnx.load(self.edited("--strip", "docs", "--strip", "names")).graph
        self.assertEqual(graph.doc_string, "")
        self.assertEqual([n.doc_string + n.name for n in graph.node], [""] * 6)
        self.assertEqual([v.name for v in graph.input], ["x", "unread"])
        self.assertNotIn("/stem", str(graph))

    def test_other_formats(self):
        text = self.edited("--rename-input", "x=image", to="out.dgt")
        self.assertIn("%image", text.read_text())
        again = self.edited("--rename-output", "logits=scores", model=text)
        self.assertEqual(self.names(again)[1], ["scores", "aux"])
        for suffix in (".py", ".relay", ".json", ".dgm"):
            with self.subTest(suffix):
                written = self.edited("--rename-input", "x=image", "--drop-input", "unread",
                                      to="out" + suffix)
                found = self.outputs(written, image=self.x)
                wanted = list(self.plain().values())
                for a, b in zip(found.values(), wanted):
                    np.testing.assert_allclose(a, b, 1e-4, 1e-5)
        written = self.edited("--rename-input", "x=observation", "--shape", "x=1,6", "--entry",
                              "forward", model=POLICY, to="policy.onnx")
        self.assertIn("observation", self.names(written)[0])

    def test_formats_keep_what_is_renamed_or_refuse(self):
        for suffix, kept in ((".onnx", "oni"), (".dgt", "oni"), (".pt2", "o"), (".py", "n"),
                             (".relay", "")):
            for what, options in (("o", ("--rename-output", "logits=scores")),
                                  ("n", ("--rename-dim", "batch=n")),
                                  ("i", ("--rename-node", "/stem/(.*)=/backbone/$1")),
                                  ("i", ("--rename-value", "r=pooled"))):
                with self.subTest(suffix=suffix, options=options):
                    to = self.out / f"kept{suffix}"
                    call = ("edit", self.model, "-o", to, *options)
                    if what in kept:
                        self.done(*call)
                        name = options[1].split("=")[1].removesuffix("/$1")
                        self.assertRegex(self.done("inspect", to, "-v"),
                                         rf"(?<!\w){name}(?!\w)")
                    else:
                        self.assertIn(f"{options[0]}: files of format", self.fails(4, *call))
        self.assertIn("--metadata: files of format relax do not keep metadata", self.fails(
            4, "edit", self.model, "-o", self.out / "m.py", "--metadata", "a=b"))

    def test_names_become_identifiers_where_the_format_has_no_others(self):
        for to, options, kept in (("e.pt2", ("--rename-output", "logits=a b/c"), "a_b_c"),
                                  ("e.py", ("--rename-dim", "batch=class"), "class_")):
            self.done("edit", self.model, "-o", self.out / to, *options)
            self.assertRegex(self.done("inspect", self.out / to, "-v"), rf"(?<!\w){kept}(?!\w)")

    def test_which_graph_is_stated_for_each_model(self):
        graphs = MODELS / "tensorflow" / "vocabulary"
        for command in (("split", graphs, "--at", "x"), ("merge", graphs, graphs),
                        ("extract", graphs, "--scope", "x"), ("generalize", graphs, graphs)):
            option = "--tags-b" if command[0] == "merge" else "--tags"
            with self.subTest(command):
                self.assertIn("tags of its graphs", self.fails(2, *command, "-o", self.out / "o.onnx", option,
                                                      "nothing"))

    def test_names_of_tensorflow_with_their_port(self):
        graph = MODELS / "tensorflow" / "counter.pb"
        lines = self.done("inspect", graph).splitlines()
        output = next(re.split("[ :]+", line)[2] for line in lines if line.startswith("  output"))
        self.done("edit", graph, "-o", self.out / "o.onnx", "--rename-output", f"{output}:0=y")
        self.assertEqual(self.names(self.out / "o.onnx")[1][0], "y")
        self.done("inspect", graph, "--node", f"{output}:0")

    def test_names_with_commas_in_lists(self):
        model = self.edited("--rename-input", "x=x,1", "--rename-output", "aux=a,b",
                            "--rename-value", "r=relu,0", "--rename-input", "unread=b",
                            to="commas.onnx")
        self.assertEqual([o.name for o in onnx.load(self.edited(
            "--order-outputs", "a,b,logits", "--order-inputs", "b,x,1", model=model)).graph.output],
                         ["a,b", "logits"])
        cut = self.out / "cut.onnx"
        self.done("convert", model, "-o", cut, "--cut-inputs", "relu,0", "--cut-outputs",
                  "logits,a,b")
        graph = onnx.load(cut).graph
        self.assertEqual([v.name for v in graph.input], ["relu,0"])
        self.assertEqual([v.name for v in graph.output], ["logits", "a,b"])
        message = self.fails(2, "convert", model, "-o", cut, "--cut-outputs", "a,logits")
        self.assertIn("'a'", message)

    def test_names_that_end_in_commas_or_stand_in_brackets(self):
        model = self.edited("--rename-input", "x=[x]", "--rename-output", "aux=aux,,",
                            "--rename-output", "logits=,", "--rename-value", "r=[r]",
                            to="named.onnx")
        self.assertEqual(self.names(self.edited("--order-outputs", "aux,,,,", "--order-inputs",
                                                "[x]", model=model))[:2],
                         (["[x]", "unread"], ["aux,,", ","]))
        written = self.edited("--expose", "[r]", "--rename-output", "[r]=relu", model=model)
        self.assertIn("relu", self.names(written)[1])
        cut = self.out / "cut.onnx"
        self.done("convert", model, "-o", cut, "--cut-outputs", "aux,,")
        self.assertEqual([v.name for v in onnx.load(cut).graph.output], ["aux,,"])

    def test_options_in_front_of_the_model(self):
        for options in (("--expose", "r"), ("--order-outputs", "aux,logits")):
            with self.subTest(options):
                self.done("edit", *options, self.model, "-o", self.out / "o.onnx")

    def test_edits_that_cannot_be_made(self):
        out = ("edit", self.model, "-o", self.out / "o.onnx")
        for options, why in (
                (("--rename-input", "y=image"), "no input is called 'y'; inputs are 'unread', 'x'"),
                (("--rename-input", "x=aux"), "another value is called 'aux'"),
                (("--rename-input", "(=y"), "no regular expression"),
                (("--rename-input", "x"), "is not NAME=VALUE"),
                (("--drop-input", "x"), "is read by node '/stem/conv' (onnx.Conv)"),
                (("--drop-output", "r"), "no output is called 'r'"),
                (("--drop-output", "aux", "--drop-output", "logits"), "the only output"),
                (("--expose", "logits"), "an output already"),
                (("--expose", "w"), "not a result of a node"),
                (("--order-inputs", "x,x"), "named twice"),
                (("--input-mean", "x=1,2"), "has 3 channels, but 2 numbers"),
                (("--input-layout", "x=hwc"), "nhwc"),
                (("--input-std", "x=0"), "a divisor is 0"),
                (("--argmax", "logits=2"), "has no axis 2"),
                (("--remove-metadata", "title"), "no metadata 'title'"),
                (("--set-constant", "v=a.npy"), "no constant is called 'v'")):
            with self.subTest(options):
                self.assertIn(why, self.fails(2, *out, *options))
                self.assertFalse((self.out / "o.onnx").exists())

    def test_old_operator_sets_get_no_nodes(self):
        old = image_model(self.out / "old.onnx", 6)
        self.fails(4, "edit", old, "-o", self.out / "o.onnx", "--argmax", "logits")

    def test_parts(self):
        head = self.out / "head.onnx"
        self.done("extract", self.model, "-o", head, "--inputs", "r", "--outputs", "logits")
        r = self.outputs(self.edited("--expose", "r"), x=self.x, unread=np.float32([0]))["r"]
        np.testing.assert_allclose(self.outputs(head, r=r)["logits"], self.plain()["logits"], 1e-5)
        stem = self.out / "stem.onnx"
        self.done("extract", self.model, "-o", stem, "--scope", "/stem")
        self.assertEqual(self.names(stem)[:2], (["x"], ["r"]))
        self.fails(2, "extract", self.model, "-o", stem, "--scope", "/nowhere")
        self.fails(2, "extract", self.model, "-o", stem)

    def test_a_model_in_parts_and_merged_again(self):
        said = self.done("split", self.model, "-o", self.out / "part.onnx", "--at", "r")
        self.assertEqual(said.splitlines(), [f"{self.out}/part_1.onnx: x -> r",
                                             f"{self.out}/part_2.onnx: r -> logits, aux"])
        said = self.done("split", self.model, "-o", self.out / "part.onnx", "--at", "r", "--json")
        self.assertEqual(json.loads(said)[1],
                         {"output": f"{self.out}/part_2.onnx", "format": "onnx", "inputs": ["r"],
                          "outputs": ["logits", "aux"]})
        merged = self.out / "merged.onnx"
        said = self.done("merge", self.out / "part_1.onnx", self.out / "part_2.onnx", "-o", merged,
                         "--json")
        self.assertEqual(json.loads(said), {"output": str(merged), "format": "onnx"})
        self.assertEqual(self.names(merged)[:2], (["x"], ["logits", "aux"]))
        onnx.checker.check_model(onnx.load(merged), full_check=True)
        found = self.outputs(merged, x=self.x)
        for name, array in self.plain().items():
            np.testing.assert_allclose(found[name], array, 1e-5, 1e-6)
        self.fails(2, "split", self.model, "-o", self.out / "part.onnx", "--at", "nothing")

    def test_parts_of_models_merge(self):
        merged = self.out / "merged.onnx"
        self.done("merge", self.model, self.model, "-o", merged, "--cut-outputs-a", "r",
                  "--cut-inputs-b", "r")
        self.assertEqual(self.names(merged)[:2], (["x"], ["logits", "aux"]))
        found = self.outputs(merged, x=self.x)
        for name, array in self.plain().items():
            np.testing.assert_allclose(found[name], array, 1e-5, 1e-6)
        self.fails(2, "merge", self.model, self.model, "-o", merged, "--cut-outputs-a", "nothing")

    def test_models_of_equal_names_merge(self):
        twice = self.out / "twice.onnx"
        first = self.edited("--drop-output", "logits", "--drop-input", "unread", to="a.onnx")
        second = self.out / "b.onnx"
        onnx.save(helper.make_model(helper.make_graph(
            [helper.make_node("Relu", ["x"], ["r"], "/stem/relu"),
             helper.make_node("Add", ["r", "x"], ["y"])], "b",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", "c", 8, 8])],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", "c", 8, 8])]),
            opset_imports=[helper.make_opsetid("", 13)]), second)
        said = self.fails(2, "merge", first, second, "-o", twice)
        self.assertIn("--connect", said)
        self.done("merge", first, second, "-o", twice, "--connect", "aux=x")
        aux = self.plain()["aux"]
        np.testing.assert_allclose(self.outputs(twice, x=self.x)["y"], np.maximum(aux, 0) + aux,
                                   1e-5, 1e-6)
        self.assertIn("f32", self.fails(2, "merge", self.edited("--argmax", "logits", to="c.onnx"),
                                        second, "-o", twice, "--connect", "logits=x"))


# A running sum, whose state is read before and written after %m; and what has no part in it.
RUNNING = """dragoman 1 common onnx
opset "" 22
state total: f32[2] = f32[2] [1.0, -1.0]

entry main(%x: f32[2], %total: f32[2]) -> (%y: f32[2], %total_out: f32[2])
    state 0 input 1 -> output 1 {
  %d = onnx.Tanh(%x)
  %m = onnx.Mul(%d, %total)
  %total_out = onnx.Add(%m, %d)
  %s = onnx.Sin(%total_out)
  %y = onnx.Neg(%s)
}
"""


KEEPING = """dragoman 1 common onnx
opset "" 22
state before: f32[2] = f32[2] [1.0, -1.0]

entry main(%x: f32[2], %before: f32[2]) -> (%y: f32[2], KEPT)
    state 0 input 1 -> output 1 {
  %h = onnx.Tanh(%x)
  %n = onnx.Neg(%h)
  %y = onnx.Add(%n, %before)
}
"""


class EditStates(CommandCase):
    """Parts of models that keep states between calls: each state stays with what reads it."""

    def setUp(self):
        super().setUp()
        self.model = self.out / "running.dgt"
        self.model.write_text(RUNNING)
        self.x = np.random.default_rng(5).standard_normal((3, 2)).astype(np.float32)

    def states(self, path):
        return re.findall(r"^state +(\w+):", self.done("inspect", path), re.M)

    def run_steps(self, path):
        """What three calls give, one after the other."""
        np.save(self.out / "x.npy", self.x)
        self.done("run", path, "--input", f"0={self.out / 'x.npy'}", "--steps", 3, "--output-dir",
                  self.out / "ran")
        index = json.loads((self.out / "ran" / "index.json").read_text())
        return np.load(self.out / "ran" / index["outputs"][0]["file"])

    def expected(self, x):
        total, results = np.float32([1, -1]), []
        for row in x:
            d = np.tanh(row)
            total = d * total + d
            results.append(-np.sin(total))
        return np.stack(results)

    def test_a_state_may_keep_an_input_or_what_an_earlier_part_computes(self):
        for kept in ("%x", "%h"):
            with self.subTest(kept):
                self.model.write_text(KEEPING.replace("KEPT", kept))
                self.done("split", self.model, "-o", self.out / "part.dgt", "--at", "h")
                parts = [self.out / "part_1.dgt", self.out / "part_2.dgt"]
                self.assertEqual([self.states(part) for part in parts], [[], ["before"]])
                if kept == "%h":  # else both parts have an input x
                    self.done("merge", *parts, "-o", self.out / "whole.dgt")
                    np.testing.assert_allclose(self.run_steps(self.out / "whole.dgt"),
                                               self.run_steps(self.model))

    def test_parts_and_the_whole_again(self):
        for border, with_state in (("d", 2), ("s", 1), ("m", 1)):
            with self.subTest(border):
                self.done("split", self.model, "-o", self.out / "part.onnx", "--at", border)
                parts = [self.out / "part_1.onnx", self.out / "part_2.onnx"]
                self.assertEqual([self.states(part) for part in parts],
                                 [["total"] if i == with_state else [] for i in (1, 2)])
                for part in parts:
                    onnx.checker.check_model(onnx.load(part), full_check=True)
                self.done("merge", *parts, "-o", self.out / "whole.onnx")
                np.testing.assert_allclose(self.run_steps(self.out / "whole.onnx"),
                                           self.expected(self.x), rtol=1e-5)

    def test_states_of_both_models_are_kept(self):
        self.done("merge", self.model, self.model, "-o", self.out / "two.onnx", "--connect", "y=x")
        self.assertEqual(self.states(self.out / "two.onnx"), ["total", "total_2"])
        np.testing.assert_allclose(self.run_steps(self.out / "two.onnx"),
                                   self.expected(self.expected(self.x)), rtol=1e-5)
        self.assertIn("names a state", self.fails(2, "merge", self.model, self.model, "-o",
                                                  self.out / "two.onnx", "--connect", "total_out=x"))

    def test_a_policy_without_its_memory(self):
        policy, part = self.out / "policy.onnx", self.out / "part.onnx"
        self.done("convert", POLICY, "-o", policy, "--shape", "x=f32:1,6", "-q")
        self.done("extract", policy, "-o", part, "--inputs", "Linear", "--outputs", "output")
        self.assertEqual(self.states(part), [])
        self.done("extract", policy, "-o", part, "--outputs", "Linear")
        self.assertEqual(self.states(part), ["hidden_state", "cell_state"])
        self.done("split", policy, "-o", self.out / "part.onnx", "--at", "Linear")
        self.done("merge", self.out / "part_1.onnx", self.out / "part_2.onnx", "-o", part)
        self.assertEqual(self.done("diff", policy, part), "equal (source level)\n")


if __name__ == "__main__":
    unittest.main()
