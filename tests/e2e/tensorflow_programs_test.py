#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs of TensorFlow with state and with conditions on sizes: tests/models/tensorflow, whose
make_models.py says what they are."""

import json
import pathlib
import shutil
import unittest

import numpy as np

from command_case import CommandCase
from commands import dragoman
from run_outputs import read_outputs

MODELS = pathlib.Path("tests/models/tensorflow")
ENGINES = ("interpreter", "native")


class Programs(CommandCase):
    def call(self, *arguments):
        return dragoman("run", *arguments)

    def outputs(self, *arguments):
        out = self.out / f"out{len(list(self.out.iterdir()))}"
        done = self.call(*arguments, "--output-dir", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [array for array, _ in read_outputs(out)]

    def save(self, name, array):
        file = self.out / f"{name}.npy"
        np.save(file, array)
        return f"{name}={file}"

    def common_text(self, model):
        text = self.out / "common.dgt"
        done = dragoman("convert", model, "-o", text, "--level", "common", "--passes", "default")
        self.assertEqual(done.returncode, 0, done.stderr)
        return text.read_text(encoding="utf-8")


class Counter(Programs):
    def test_counts_2_3_4_on_one_object(self):
        for model in (MODELS / "counter.pb", MODELS / "counter"):
            for engine in ENGINES:
                with self.subTest(model=str(model), engine=engine):
                    counts = self.outputs(model, "--steps", 3, "--engine", engine)
                    np.testing.assert_array_equal(counts[0], np.array([2, 3, 4], np.float32))

    def test_begins_anew_with_each_object(self):
        for _ in range(2):
            self.assertEqual(self.outputs(MODELS / "counter")[0], 2)

    def test_is_one_state(self):
        for model in (MODELS / "counter.pb", MODELS / "counter"):
            self.assertEqual(self.common_text(model).count("\nstate counter: f32[] = f32[] 1.0"), 1)

    def test_inspect_tells_what_changes_the_variable(self):
        done = dragoman("inspect", MODELS / "counter")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("counter: f32[], changed by AssignAddVariableOp", done.stdout)


class StatefulLstm(Programs):
    def setUp(self):
        super().setUp()
        self.expected = np.load(MODELS / "expected.npz")
        x = self.expected["x"]
        self.x = self.save("x", x)
        self.twice = self.save("x2", np.stack([x, x])).replace("x2=", "x=")
        self.calls = [self.expected["call_0"], self.expected["call_1"]]

    def test_remembers_between_two_equal_calls(self):
        self.assertFalse(np.allclose(*self.calls))
        for engine in ENGINES:
            with self.subTest(engine=engine):
                outputs = self.outputs(MODELS / "stateful_lstm", "--steps", 2, "--engine", engine,
                                       "--input", self.twice)
                np.testing.assert_allclose(outputs[0], np.stack(self.calls), atol=1e-6)

    def test_is_one_operator_with_two_states(self):
        text = self.common_text(MODELS / "stateful_lstm")
        self.assertEqual(text.count(" = onnx.LSTM("), 1)
        self.assertEqual(text.count("\nstate "), 2)
        self.assertNotIn("onnx.Loop", text)

    def test_lifted_states_are_inputs_and_outputs(self):
        model = self.out / "lstm.onnx"
        done = dragoman("convert", MODELS / "stateful_lstm", "-o", model, "--state", "lift")
        self.assertEqual(done.returncode, 0, done.stderr)
        facts = json.loads(dragoman("inspect", model, "--json").stdout)["entries"][0]
        states = [slot["name"] for slot in facts["inputs"] if slot["name"] != "x"]
        self.assertEqual(len(states), 2)
        with np.load(self.out / "lstm.states.npz") as first:
            self.assertEqual(sorted(first), sorted(states))
            held = [first[name] for name in states]
        given = ["--input", self.x, "--inputs", self.out / "lstm.states.npz"]
        np.testing.assert_allclose(self.outputs(model, *given)[0], self.calls[0], atol=1e-6)
        for expected in self.calls:
            given = [self.save(f"held{i}", array).replace(f"held{i}=", f"{name}=")
                     for i, (name, array) in enumerate(zip(states, held))]
            outputs = self.outputs(model, "--input", self.x,
                                   *(word for text in given for word in ("--input", text)))
            np.testing.assert_allclose(outputs[0], expected, atol=1e-6)
            held = outputs[1:]


class Session(Programs):
    """A graph of TensorFlow 1 with a checkpoint of the first format; variables keep the states."""

    MODEL = MODELS / "session/model.ckpt.meta"

    def test_remembers_between_two_equal_calls(self):
        recorded = np.load(MODELS / "session/expected.npz")
        twice = self.save("x", np.stack([recorded["x"]] * 2))
        for engine in ENGINES:
            with self.subTest(engine=engine):
                outputs = self.outputs(self.MODEL, "--steps", 2, "--engine", engine, "--input", twice)
                np.testing.assert_allclose(outputs[0], recorded["y"], atol=1e-6)

    def test_has_two_states(self):
        self.assertEqual(self.common_text(self.MODEL).count("\nstate "), 2)

    def test_a_damaged_table_is_refused(self):
        folder = self.out / "session"
        shutil.copytree(MODELS / "session", folder)
        table = bytearray((folder / "model.ckpt").read_bytes())
        table[len(table) // 2] ^= 1
        (folder / "model.ckpt").write_bytes(table)
        done = self.call(folder / "model.ckpt.meta", "--random", "--output-dir", self.out / "none")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("model.ckpt", done.stderr)


class Cuts(Programs):
    """The same options cut what is converted, run, checked and inspected."""

    MODEL = MODELS / "networks/mobilenet/graph.pb"

    def test_a_part_runs_from_its_inputs_to_its_outputs(self):
        logits, = self.outputs(self.MODEL, "--random", "--cut-outputs", "BiasAdd_89")
        logits = self.save("logits", logits).replace("logits=", "BiasAdd_89=")
        part = ("--cut-inputs", "BiasAdd_89", "--shape", "BiasAdd_89=n,5")
        shares, = self.outputs(self.MODEL, *part, "--input", logits)
        whole, = self.outputs(self.MODEL, "--random")
        np.testing.assert_allclose(shares, whole, atol=1e-6)

    def test_a_part_of_an_onnx_model_runs(self):
        model = self.out / "model.onnx"
        done = dragoman("convert", self.MODEL, "-o", model, "--cut-outputs", "BiasAdd_89")
        self.assertEqual(done.returncode, 0, done.stderr)
        name = json.loads(dragoman("inspect", model, "--json").stdout)["entries"][0]["outputs"][0]["name"]
        a, = self.outputs(model, "--random", "--cut-outputs", name)
        b, = self.outputs(self.MODEL, "--random", "--cut-outputs", "BiasAdd_89")
        np.testing.assert_allclose(a, b, atol=1e-5)

    def test_inspect_and_verify_see_the_part(self):
        done = dragoman("inspect", self.MODEL, "--cut-outputs", "BiasAdd_89")
        self.assertIn("output  BiasAdd_89: ", done.stdout)
        done = dragoman("verify", self.MODEL, "--cut-outputs", "BiasAdd_89", "--against", self.MODEL,
                        "--random", "1")
        self.assertEqual(done.returncode, 1, done.stderr)

    def test_what_is_not_there_is_named(self):
        for command in ("run", "inspect"):
            more = ["--random", "--output-dir", self.out / "none"] if command == "run" else []
            done = dragoman(command, self.MODEL, "--cut-outputs", "nothing", *more)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn('graph.pb: error: there is no tensor "nothing"', done.stderr)


class StatefulGru(Programs):
    """As Keras writes it: the state is read, handed to a function with a loop, and assigned."""

    MODEL = MODELS / "stateful_gru.pb"

    def test_remembers_between_two_equal_calls(self):
        recorded = np.load(MODELS / "stateful_gru.npz")
        twice = self.save("x", np.stack([recorded["x"]] * 2))
        for engine in ENGINES:
            with self.subTest(engine=engine):
                outputs = self.outputs(self.MODEL, "--steps", 2, "--engine", engine, "--input", twice)
                np.testing.assert_allclose(outputs[0], recorded["y"], atol=1e-6)

    def test_is_one_operator_with_one_state(self):
        text = self.common_text(self.MODEL)
        self.assertEqual(text.count(" = onnx.GRU("), 1)
        self.assertEqual(text.count("\nstate "), 1)
        self.assertNotIn("onnx.Loop", text)


class Grayscale(Programs):
    def test_takes_1_and_3_channels_and_fails_for_2_with_the_message(self):
        model = self.out / "model.dgm"
        done = dragoman("convert", MODELS / "grayscale.pb", "-o", model, "--level", "common",
                        "--passes", "default")
        self.assertEqual(done.returncode, 0, done.stderr)
        generator = np.random.default_rng(1)
        for engine in ENGINES:
            for channels in (1, 2, 3):
                with self.subTest(engine=engine, channels=channels):
                    image = generator.normal(size=(2, 4, 5, channels)).astype(np.float32)
                    arguments = [model, "--engine", engine, "--input", self.save("inputs", image)]
                    if channels == 2:
                        done = self.call(*arguments, "--output-dir", self.out / "failed")
                        self.assertNotEqual(done.returncode, 0)
                        self.assertIn("images must have 1 or 3 channels", done.stderr)
                        self.assertRegex(done.stderr, r"node '[^']*Assert[^']*' \(dragoman.Assert\)")
                        continue
                    outputs = self.outputs(*arguments)
                    np.testing.assert_array_equal(outputs[0],
                                                  np.broadcast_to(image, (2, 4, 5, 3)))


class Vocabulary(Programs):
    """Tables: words of a text file have their line's number and 2, others -1; weights come from
    the checkpoint."""

    def words(self):
        return self.save("words", np.array(["of", "tensor", "in", "?", "the"]))

    def test_looks_words_up(self):
        for engine in ENGINES:
            with self.subTest(engine=engine):
                numbers, weights = self.outputs(MODELS / "vocabulary", "--engine", engine,
                                                "--input", self.words())
                np.testing.assert_array_equal(numbers, np.array([3, -1, 5, -1, 2]))
                np.testing.assert_array_equal(weights, np.array([0.5, -2, 0, 0, 0], np.float32))

    def test_tags_choose_the_graph(self):
        outputs = self.outputs(MODELS / "vocabulary", "--tags", "gpu,serve", "--input", self.words())
        np.testing.assert_array_equal(outputs[0], np.array(["of", "tensor", "in", "?", "the"]))
        for command in (("inspect",), ("convert", "-o", self.out / "model.onnx")):
            done = dragoman(*command, MODELS / "vocabulary", "--tags", "gpu")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("no graph has just these tags; tags of its graphs: {serve}, {serve,gpu}",
                          done.stderr)

    def test_other_formats_have_no_tags(self):
        model = self.out / "model.dgm"
        done = dragoman("convert", MODELS / "counter.pb", "-o", model)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = dragoman("inspect", model, "--tags", "serve")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("format dragoman have no graphs with tags", done.stderr)

    def test_a_vocabulary_that_is_not_there_is_named(self):
        copy = self.out / "copy"
        shutil.copytree(MODELS / "vocabulary", copy)
        (copy / "assets" / "words.txt").unlink()
        done = dragoman("run", copy, "--input", self.words(), "--output-dir", self.out / "out")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn('table "numbers": file assets/words.txt of the SavedModel is not there',
                      done.stderr)


class Partitioned(Programs):
    def test_variables_hold_their_parts_of_a_tensor(self):
        for engine in ENGINES:
            with self.subTest(engine=engine):
                found = self.outputs(MODELS / "partitioned", "--engine", engine, "--input",
                                     self.save("ids", np.array([3, 0, 1, 4])))
                np.testing.assert_array_equal(
                    found[0], np.arange(20, dtype=np.float32).reshape(5, 4)[[3, 0, 1, 4]])


class Recognised(Programs):
    """What is spelled with several operators in the file is one in the common graph."""

    def test_a_dilated_convolution(self):
        text = self.common_text(MODELS / "operators/dilated_convolution/graph.pb")
        self.assertEqual(text.count(" = onnx.Conv("), 1)
        self.assertIn("dilations = [2, 2]", text)
        self.assertNotIn("onnx.Reshape", text)

    def test_a_block_lstm_of_any_length(self):
        case = MODELS / "operators/block_lstm_whole"
        given, wanted = np.load(case / "inputs.npz"), np.load(case / "outputs.npz")
        for engine in ENGINES:
            with self.subTest(engine=engine):
                found = self.outputs(case / "graph.pb", "--engine", engine, "--input",
                                     self.save("x", given["x"]))
                np.testing.assert_allclose(found[6], wanted["o0"], rtol=1e-4, atol=1e-5)
                np.testing.assert_allclose(found[1], wanted["o1"], rtol=1e-4, atol=1e-5)
        cut = self.out / "lstm.dgt"
        done = dragoman("convert", MODELS / "operators/block_lstm_whole/graph.pb", "-o", cut,
                        "--level", "common", "--passes", "default", "--cut-outputs", "y:6")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(cut.read_text().count(" = onnx.LSTM("), 1)


class Refused(Programs):
    def test_advice_names_the_tensors_behind_an_operator(self):
        text = self.out / "model.dgt"
        text.write_text("""dragoman 1 source tf
opset "tf" 27

entry main(%x: string[]) -> (%y: u8[?, ?, 3]) {
  %y = tf:graph.main(%x) {feeds = ["x:0"], fetches = ["y:0"]}
}

function tf:graph.main() -> () {
  %x = tf.Placeholder() {dtype = type string[*]} @x
  %image = tf.DecodeGif(%x) {} @image
  %y = tf.Identity(%image) {T = type u8[*]} @y
}
""", encoding="utf-8")
        done = dragoman("convert", text, "-o", self.out / "model.onnx")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("operator DecodeGif is not supported; --cut-inputs image begins after it",
                      done.stderr)
        done = dragoman("convert", text, "-o", self.out / "model.onnx", "--cut-inputs", "image")
        self.assertEqual(done.returncode, 0, done.stderr)

    # Functions in functions, with operators that are not supported in front of all.
    CALLS = """dragoman 1 source tf
opset "tf" 27

entry main(%x: string[], %p: f32[2]) -> (%y: f32[2]) {
  %y = tf:graph.main(%x, %p) {feeds = ["x:0", "p:0"], fetches = ["y:0"]}
}

function tf:graph.main() -> () {
  %x = tf.Placeholder() {dtype = type string[*]} @x
  %p = tf.Placeholder() {dtype = type f32[*], shape = type ?[2]} @p
  %part = tf.DecodeGif(%x) {} @part
  %outer, %"outer:1" = tf.PartitionedCall(%part, %p) {Tin = types [u8[*], f32[*]], Tout = types [f32[*], f32[*]], f = @outer} @outer
  %y = tf.AddV2(%outer, %"outer:1") {T = type f32[*]} @y
}

function tf.outer(%image: u8[*], %p: f32[*]) -> (%"inner:output:0", %"two:z:0") {
  %"encoded:contents:0" = tf.EncodeJpeg(%image) {} @encoded
  %"inner:output:0" = tf.PartitionedCall(%"encoded:contents:0") {Tin = types [string[*]], Tout = types [f32[*]], f = @inner} @inner
  %"two:z:0" = tf.AddV2(%p, %p) {T = type f32[*]} @two
}

function tf.inner(%text: string[*]) -> (%"relu:activations:0") {
  %"parsed:output:0" = tf.ParseTensor(%text) {out_type = type f32[*]} @parsed
  %"relu:activations:0" = tf.Relu(%"parsed:output:0") {T = type f32[*]} @relu
}
"""

    def test_parts_begin_within_functions(self):
        """What else the calls read, and what it is made of, is left out."""
        text = self.out / "model.dgt"
        text.write_text(self.CALLS, encoding="utf-8")
        cut = "outer/inner/parsed"
        done = dragoman("convert", text, "-o", self.out / "model.onnx", "--cut-inputs", "part")
        self.assertIn("operator ParseTensor is not supported; --cut-inputs " + cut, done.stderr)
        np.save(self.out / "cut.npy", np.array([-1, 3], np.float32))
        np.save(self.out / "p.npy", np.array([0.5, 0.25], np.float32))
        self.done("run", text, "--cut-inputs", cut, "--input", f"{cut}={self.out / 'cut.npy'}",
                  "--input", f"p={self.out / 'p.npy'}", "--output-dir", self.out / "y")
        self.assertEqual([array.tolist() for array, _ in read_outputs(self.out / "y")], [[1, 3.5]])
        done = dragoman("convert", text, "-o", self.out / "model.onnx", "--cut-inputs", "outer/none")
        self.assertEqual(done.returncode, 2, done.stderr)

    def test_parts_end_within_functions(self):
        """What only the rest of the calls reads is left out; results of the calls may be outputs, too."""
        text = self.out / "model.dgt"
        text.write_text(self.CALLS, encoding="utf-8")
        np.save(self.out / "p.npy", np.array([0.5, 0.25], np.float32))
        p = ["--input", f"p={self.out / 'p.npy'}"]
        self.done("run", text, "--cut-outputs", "outer/two", *p, "--output-dir", self.out / "y")
        self.assertEqual([array.tolist() for array, _ in read_outputs(self.out / "y")], [[1, 0.5]])
        cut = "outer/inner/parsed"
        np.save(self.out / "cut.npy", np.array([-1, 3], np.float32))
        self.done("run", text, "--cut-inputs", cut, "--cut-outputs", "y,outer/two,outer/inner/relu,outer:1",
                  "--input", f"{cut}={self.out / 'cut.npy'}", *p, "--output-dir", self.out / "z")
        self.assertEqual([array.tolist() for array, _ in read_outputs(self.out / "z")],
                         [[1, 3.5], [1, 0.5], [0, 3], [1, 0.5]])
        done = dragoman("convert", text, "-o", self.out / "model.onnx", "--cut-outputs", "outer/two:1")
        self.assertEqual(done.returncode, 2, done.stderr)

    def test_advice_is_to_begin_behind_a_queue_not_at_its_handle(self):
        text = self.out / "model.dgt"
        text.write_text("""dragoman 1 source tf
opset "tf" 27

entry main() -> (%y: f32[?, 3]) {
  %y = tf:graph.main() {feeds = strings [], fetches = ["y:0"]}
}

function tf:graph.main() -> () {
  %queue = tf.FIFOQueueV2() {component_types = types [f32[*]], shapes = types [?[3]]} @queue
  %count = tf.Const() {dtype = type i32[*], value = i32[] 2} @count
  %batch = tf.QueueDequeueManyV2(%queue, %count) {component_types = types [f32[*]]} @batch
  %y = tf.Relu(%batch) {T = type f32[*]} @y
}
""", encoding="utf-8")
        done = dragoman("convert", text, "-o", self.out / "model.onnx")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertEqual(done.stderr.count("--cut-inputs"), 1, done.stderr)
        self.assertIn("--cut-inputs batch begins after it", done.stderr)
        done = dragoman("convert", text, "-o", self.out / "model.onnx", "--cut-inputs", "batch",
                        "--shape", "batch=n,3")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_turn_of_a_loop_that_cannot_be_computed_is_told(self):
        text = self.out / "loop.dgt"
        text.write_text("""dragoman 1 source tf
opset "tf" 1395

entry main(%x: f32[2, 3], %n: i32[]) -> (%y: f32[2, 3]) {
  %y = tf:graph.main(%x, %n) {feeds = ["x:0", "n:0"], fetches = ["loop:1"]}
}

function tf:graph.main() -> () {
  %x = tf.Placeholder() {dtype = type f32[*]} @x
  %n = tf.Placeholder() {dtype = type i32[*]} @n
  %loop, %"loop:1" = tf.StatelessWhile(%n, %x) {T = types [i32[*], f32[*]], body = @body, cond = @cond} @loop
}

function tf.cond(%i: i32[*], %x: f32[*]) -> (%"less:z:0") {
  %"zero:output:0" = tf.Const() {dtype = type i32[*], value = i32[] 0} @zero
  %"less:z:0" = tf.Less(%"zero:output:0", %i) {T = type i32[*]} @less
}

function tf.body(%i: i32[*], %x: f32[*]) -> (%"next:z:0", %"square:product:0") {
  %"one:output:0" = tf.Const() {dtype = type i32[*], value = i32[] 1} @one
  %"next:z:0" = tf.Sub(%i, %"one:output:0") {T = type i32[*]} @next
  %"square:product:0" = tf.MatMul(%x, %x) {T = type f32[*]} @square
}
""", encoding="utf-8")
        done = dragoman("convert", text, "-o", self.out / "model.onnx")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("node 'MatMul'", done.stderr)


if __name__ == "__main__":
    unittest.main()
