#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Mistakes of a caller: one line that says what is wrong, what was meant, and the exit code of it."""

import json
import pathlib
import re
import resource
import subprocess
import unittest

import numpy

from command_case import CommandCase
from commands import DRAGOMAN, dragoman

MODELS = pathlib.Path(__file__).resolve().parent.parent / "models"
MLP = MODELS / "mlp" / "model.onnx"
DYNAMIC = MODELS / "mlp_dynamic" / "model.onnx"
POLICY = MODELS / "torchscript" / "lstm_policy" / "model.pt"


class Mistakes(CommandCase):
    def refused(self, *arguments, code=2):
        """The one line that a call is refused with; the place in a text is shown below it."""
        said = self.fails(code, *arguments)
        findings = [line for line in said.splitlines() if not line.startswith("  ")]
        self.assertEqual(len(findings), 1, said)
        return said

    def test_models_that_memory_does_not_hold(self):
        if b"AddressSanitizer" in pathlib.Path(DRAGOMAN).read_bytes():
            self.skipTest("the sanitizer reserves more than any limit")
        text = self.out / "large.dgt"
        text.write_text("graph main(%x: f32[20000000]) -> (%y) { %y = onnx.Neg(%x) }")
        for megabytes in (200, 300, 400):  # of the first, of further ones of the program's arrays
            limit = megabytes << 20
            done = subprocess.run(
                [DRAGOMAN, "run", text, "--random", "--output-dir", self.out / "y"],
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
                capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertRegex(done.stderr, r"^[^\n]* error: [^\n]*out of memory[^\n]*\n$")

    def test_names_that_are_mistyped(self):
        out = ("-o", self.out / "x.onnx")
        x = self.out / "x.npy"
        numpy.save(x, numpy.zeros((1, 41), numpy.float32))
        run = ("run", MLP, "--output-dir", self.out / "y")
        two = self.out / "two.dgt"
        two.write_text('dragoman 1 common onnx\nopset "" 22\n\n' + "".join(
            f"entry {name}(%x: f32[1]) -> (%y: f32[1]) {{\n  %y = onnx.{op}(%x)\n}}\n\n"
            for name, op in (("first", "Neg"), ("second", "Abs"))))
        for arguments, meant in (
                (("convert", MLP, *out, "--passes", "default,fuse-liner"), "fuse-linear"),
                (("convert", MLP, *out, "--passes", "default,-fuse-liner"), "fuse-linear"),
                (("convert", MLP, *out, "--to", "onxn"), "onnx"),
                (("convert", MLP, *out, "--from", "tourchscript"), "torchscript"),
                (("convert", MLP, *out, "--level", "comon"), "common"),
                (("convert", MLP, *out, "--state", "kep"), "keep"),
                (("convert", DYNAMIC, *out, "--dim", "bacth=2"), "batch"),
                (("convert", DYNAMIC, *out, "--shape", "xs=2,41"), None),
                (("convert", MLP, *out, "--entry", "mian"), "main"),
                (("convert", POLICY, *out, "--entry", "forwrad"), "forward"),
                (("convert", MLP, *out, "--cut-outputs", "/1/Relu_output0"), "/1/Relu_output_0"),
                (("inspect", MLP, "--node", "/1/Rel"), "/1/Relu"),
                (("inspect", MLP, "--to", "rely"), "relay"),
                ((*run, "--random", "--engine", "nativ"), "native"),
                ((*run, "--random", "--steps", "mian*2"), "main"),
                (("run", two, "--random", "--entry", "secnd"), "second"),
                (("verify", two, "--against", two, "--entry", "secnd"), "second"),
                ((*run, "--input", f"xx={x}"), None),
                (("diff", MLP, MLP, "--ignore", "weigths"), "weights"),
                (("ops", "--from", "tourch"), None),
                (("ops", "--from", "relly"), "relay"),
                (("codegen", MLP, "-o", self.out / "p", "--precision", "bf61"), "bf16"),
                (("manual", "convrt"), "convert")):
            with self.subTest(arguments):
                said = self.refused(*arguments)
                if meant is not None:
                    self.assertIn(f" (did you mean '{meant}'?)", said)
        self.assertEqual(sorted(path.name for path in self.out.iterdir()), ["two.dgt", "x.npy"])

    def test_options_that_the_parser_refuses(self):
        out = ("-o", self.out / "x.onnx")
        for arguments, what in (
                (("convert", MLP, *out, "--to", "onnx", "--to", "text"), "--to is given 2 times"),
                (("convert", MLP, *out, "--to"), "--to needs a value"),
                (("convert", MLP, *out, "--opset", "99"), "--opset: '99' is not a number from 7 to 28"),
                (("convert", DYNAMIC, *out, "--dim", "batch=0"), "--dim batch=0: not a size"),
                (("convert", MLP, *out, "--opset", "x"), "--opset: 'x' is not a number from 7 to"),
                (("bench", MLP, "--calls", "0"), "--calls: '0' is not a number from 1 to 1000000"),
                (("run", MLP, "--seed", "x"), "--seed: 'x' is not a number from 0 on"),
                (("run", MLP, "--seed", "-1"), "--seed: '-1' is not a number from 0 on"),
                (("verify", MLP, "--rtol", "x"), "--rtol: 'x' is not a number"),
                (("convert", MLP), "--output is required"),
                (("convert", MLP, "new.onnx"), "--output is required (did you mean '-o new.onnx'?)"),
                (("convert", MLP, "--out-file", "x.onnx"), "there is no option '--out-file'"),
                (("convert", MLP, "-o", self.out / "x.tflite"),
                 "no format that can be written has the suffix '.tflite'; suffixes are '.onnx', "),
                (("convert", MLP, "-o", self.out / "x.onx"), "'.onx' (did you mean '.onnx'?)"),
                (("edit", MLP, *out, "--expose", "/1/Relu"),
                 "(a node is called so; its result is '/1/Relu_output_0')"),
                (("extract", MLP, *out, "--outputs", "/1/Relu"),
                 "(a node is called so; its result is '/1/Relu_output_0')"),
                (("convert", DYNAMIC, *out, "--shape", "x=-1,41"),
                 "'-1' is not a size, a symbol, ? (unknown) or _ (as it was)"),
                (("convert",), "MODEL is required"),
                (("convert", MLP, MLP, *out), "there is no use for '"),
                (("convert", DYNAMIC, *out, "--outputs", "y"), "there is no option '--outputs'"),
                (("convert", DYNAMIC, *out, "--dim", "batch=2", "--dim", "batch=3"),
                 "--dim names the size 'batch' twice"),
                (("convert", DYNAMIC, *out, "--shape", "x=2,41", "--shape", "x=3,41"),
                 "--shape names the input 'x' twice")):
            with self.subTest(arguments):
                self.assertIn(what, self.refused(*arguments))

    def test_options_that_do_not_go_together(self):
        data = MODELS / "mlp" / "test_data_set_0"
        for arguments in (("inspect", MLP, "--nodes", "--to", "cpp"),
                          ("inspect", MLP, "--nodes", "--node", "/1/Relu"),
                          ("convert", MLP, "-o", self.out / "x.py", "--opset", "13"),
                          ("convert", MLP, "-o", self.out / "x.dgt", "--state", "lift"),
                          ("convert", MLP, "-o", self.out / "x.dgt", "--level", "source",
                           "--passes", "default"),
                          ("verify", MLP, "--data", data, "--random", "2"),
                          ("verify", MLP, "--data", data, "--against", MLP),
                          ("verify", MLP, "--against", MLP, "--random", "2", "--input", "0=x.npy"),
                          ("verify", MLP, "--data", data, "--seed", "2"),
                          ("convert", MLP, "-o", self.out / "x.onnx", "--seed", "2"),
                          ("convert", MLP, "-o", self.out / "x.onnx", "--force"),
                          ("convert", MLP, "-o", self.out / "x.py", "--force"),
                          ("diff", MLP, MLP, "--level", "source", "--passes", "default"),
                          ("codegen", MLP, "-o", self.out / "program", "--steps", "3")):
            with self.subTest(arguments):
                self.refused(*arguments)
        self.assertEqual(list(self.out.iterdir()), [])

    def test_what_there_is_is_listed(self):
        x = self.out / "x.npy"
        numpy.save(x, numpy.zeros((1, 41), numpy.float32))
        self.assertIn("the model has no input 'q'; its inputs are 'x'",
                      self.refused("run", MLP, "--input", f"q={x}", "--input", f"x={x}",
                                   "--output-dir", self.out / "y"))
        self.assertIn("the model has no input 'q'; its inputs are 'x'",
                      self.refused("run", MLP, "--input", f"q={x}", "--output-dir", self.out / "y"))
        self.assertIn("the model has no entry 'q'; its entries are 'forward', 'reset_memory'",
                      self.refused("convert", POLICY, "-o", self.out / "x.onnx", "--entry", "q"))

    def test_facts_that_contradict_the_file_are_told_by_inspect_too(self):
        for fact in (("--shape", "nothing=1,41"), ("--shape", "x=1,41,1"), ("--shape", "x=1,41,"),
                     ("--dim", "nothing=3"), ("--entry", "nothing"), ("--shape", "x=int64:")):
            with self.subTest(fact):
                self.refused("inspect", DYNAMIC, *fact)

    def test_operators_that_onnx_lacks_are_found_at_both_levels(self):
        short = self.out / "short.dgt"
        short.write_text("graph main(%x: f32[2]) -> (%y) { %y = onnx.Reluu(%x) }")
        self.assertIn("ONNX has no operator 'Reluu' (did you mean 'Relu'?)",
                      self.refused("convert", short, "-o", self.out / "short.onnx"))

    def test_a_hand_written_text_is_a_whole_onnx_file(self):
        text = self.out / "hand.dgt"
        text.write_text('dragoman 1 source onnx\nopset "" 13\n'
                        "entry main(%x: f32[2]) -> (%y: f32[2]) { %y = onnx.Relu(%x) }")
        self.done("convert", text, "-o", self.out / "hand.onnx")  # the checker of onnx sees it
        self.assertIn("IR version 7", self.done("inspect", self.out / "hand.onnx"))

    def test_a_file_without_contents_is_told(self):
        for name in ("empty.onnx", "empty.dgt", "empty.pt", "empty"):
            (self.out / name).touch()
            self.assertIn(f"{name}:byte 0: error: is empty",
                          self.refused("inspect", self.out / name))

    def test_a_text_is_known_by_its_first_word(self):
        for name, text in (("a.txt", "# a comment\n\ndragoman 1 common onnx\n"),
                           ("b", "graph main(%x: f32[2]) -> (%y) { %y = onnx.Relu(%x) }"),
                           ("c", "\n# by hand\n entry main(%x: f32[2]) -> (%x) { }")):
            if name == "a.txt":
                text += "entry main(%x: f32[2]) -> (%x) { }"
            (self.out / name).write_text(text)
            self.assertIn("entry main", self.done("inspect", self.out / name), name)

    def test_sizes_that_do_not_fit_are_named(self):
        said = self.refused("convert", MLP, "-o", self.out / "x.onnx", "--shape", "x=1,42")
        self.assertIn("A f32[1, 42], B f32[64, 41]", said)
        model = self.out / "reshape.dgt"
        model.write_text("graph main(%x: f32[3, 41]) -> (%y) {\n  const %s: i64[2] = [4, 31]\n"
                         "  %y = onnx.Reshape(%x, %s)\n}\n")
        said = self.refused("convert", model, "-o", self.out / "x.onnx")
        self.assertIn("data f32[3, 41], shape i64[2] [4, 31]", said)

    def test_operators_have_the_names_that_inspect_prints(self):
        for name in ("onnx.Gemm", "tf.MatMul", "relay:nn.dense", "relay.nn.dense", "relax.nn.relu",
                     "onnx:com.microsoft.Attention", "aten::add.Tensor", "dragoman.Linear"):
            with self.subTest(name):
                self.assertIn(name[-4:], self.done("ops", name).splitlines()[0])
        for name, meant in (("onnx.Gemmm", "Gemm"), ("tf.MatMull", "MatMul"),
                            ("aten.ad", "aten.add")):
            self.assertIn(f"(did you mean '{meant}'?)", self.refused("ops", name))
        self.refused("ops", "foo.bar")
        for name in ("relax.", "aten.", "tf.", "onnx."):
            self.assertIn(f"'{name}' names no operator", self.refused("ops", name))
        self.assertIn("'tf.SaveV2' has no lowering", self.refused("ops", "tf.SaveV2", code=4))
        self.assertEqual(self.done("ops", "aten.conv2d.default").count("\n"), 1)

    def test_outputs_have_the_names_that_inspect_prints(self):
        """Those of a .pt2 file may be called after operators, or as someone named them."""
        text, model = self.out / "model.dgt", self.out / "model.pt2"
        text.write_text("graph main(%x: f32[2]) -> (%relu, %scores) {\n  %relu = onnx.Relu(%x)\n"
                        "  %scores = onnx.Neg(%relu)\n}\n")
        self.done("convert", text, "-o", model)
        self.assertRegex(self.done("inspect", model),
                         r"output +output.0: f32\[2\]\n +scores: f32\[2\]\n")
        entry, = json.loads(self.done("inspect", model, "--json"))["entries"]
        for slot in entry["outputs"]:
            self.done("extract", model, "-o", self.out / "part.onnx", "--outputs", slot["name"])

    def test_all_names_in_the_head_of_inspect_are_operators(self):
        module = self.out / "module.py"
        self.done("convert", MLP, "-o", module)
        for model in (MLP, POLICY, MODELS / "relay" / "lists.relay", module,
                      MODELS / "tensorflow" / "counter"):
            nodes = next(line for line in self.done("inspect", model).splitlines()
                         if line.startswith("nodes "))
            for name in re.findall(r"\d+ ([^ ,]+)", nodes.split(": ", 1)[1]):
                with self.subTest(model=model, name=name):
                    answer = dragoman("ops", name)
                    if answer.returncode != 0:
                        self.assertIn(f"operator '{name}' has no lowering", answer.stderr)

    def test_places_are_those_that_editors_follow(self):
        for name, text, place in (
                ("module.py", "x = 1\n", "2:1"), ("graph.dgt", "graph main(\n", "2:1"),
                ("module.relay", "#[version = \"0.0.5\"]\ndef @main(%x {\n}\n", "4:1")):
            path = self.out / name
            path.write_text(text)
            with self.subTest(name):
                self.assertRegex(self.fails(2, "inspect", path), rf"^{path}:{place}: error: ")

    def test_advice_can_be_followed(self):
        path = self.out / "unknown.model"
        path.write_bytes(b"\x07" * 40)
        for command in (("inspect",), ("convert", "-o", self.out / "x.onnx"), ("run", "--random")):
            self.assertIn("which `dragoman convert` takes by --from",
                          self.refused(command[0], path, *command[1:]))

    def test_sizes_that_run_time_alone_knows_may_be_stated(self):
        model = self.out / "model.dgt"
        for sizes, advises in (("h, w", True), ("5, 5", False)):
            model.write_text(f"""dragoman 1 common onnx
opset "" 22

entry main(%x: f32[1, 1, {sizes}], %s: f32[4]) -> (%y, %z) {{
  const %k: f32[1, 1, 2, 2] = [[[[0.5, 1.0], [1.0, 1.0]]]]
  %y = onnx.Conv(%x, %k) {{auto_pad = "SAME_UPPER", strides = [2, 2]}}
  %z = onnx.Resize(%x, _, %s) {{mode = "linear"}}
}}
""")
            for suffix in ("relay", "pt2"):
                with self.subTest(sizes, suffix=suffix):
                    said = self.fails(4, "convert", model, "-o", self.out / f"o.{suffix}")
                    self.assertEqual(advises, "known at run time only; state the inputs' sizes "
                                              "with --shape" in said, said)
                    self.done("convert", model, "-o", self.out / f"o.{suffix}", "--shape",
                              "x=1,1,5,5", "--cut-outputs", "y")

    def test_folders_that_are_made_are_named(self):
        for arguments in (("convert", MLP, "-o", self.out / "a" / "b" / "x.onnx"),
                          ("codegen", MLP, "-o", self.out / "c" / "program"),
                          ("run", MLP, "--random", "--output-dir", self.out / "d" / "y")):
            folder = pathlib.Path(arguments[-1]).parent
            said = f"made the folder {folder}\n"
            done = dragoman(*arguments)
            self.assertEqual((done.returncode, done.stderr.count("made the folder")), (0, 1))
            self.assertIn(said, done.stderr)
            self.assertNotIn(said, dragoman(*arguments).stderr)


class NextCommand(CommandCase):
    """The line that inspect ends with can be typed."""

    def next_of(self, *arguments):
        lines = self.done("inspect", *arguments).splitlines()
        self.assertTrue(lines[-1].startswith("next:  dragoman "), lines[-1])
        return lines[-1].removeprefix("next:  ").split("   (")[0]

    def runs(self, line):
        program = f'dragoman() {{ "{pathlib.Path(DRAGOMAN).resolve()}" "$@"; }}; '
        done = subprocess.run(["bash", "-c", program + line], cwd=self.out, capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 0, line + done.stderr)

    def test_with_the_facts(self):
        line = self.next_of(POLICY, "--shape", "x=f32:1,6", "--entry", "forward")
        self.assertEqual(line, f"dragoman codegen {POLICY} -o model_cpp --shape x=f32:1,6 "
                               "--entry forward")
        self.runs(line)

    def test_with_what_is_cut(self):
        line = self.next_of(MLP, "--cut-inputs", "/0/Gemm_output_0", "--cut-outputs",
                            "/1/Relu_output_0")
        self.assertTrue(line.endswith(" -o model_cpp --cut-inputs /0/Gemm_output_0 --cut-outputs "
                                      "/1/Relu_output_0"), line)
        self.runs(line)

    def test_with_the_entry_whose_sizes_lack(self):
        line = self.next_of(POLICY, "--entry", "forward")
        self.assertIn(" --entry forward --shape x=1,6", line)
        self.runs(line)

    def test_with_facts_that_are_guessed(self):
        self.runs(self.next_of(POLICY))

    def test_guesses_are_possible(self):
        folder = MODELS / "torchscript"
        for name in ("beam_search", "gru_variants", "language", "lstm_policy", "lstm_state"):
            model = folder / name / "model.pt"
            said = self.done("inspect", model).splitlines()[-1]
            with self.subTest(name):
                if "…" in said:
                    self.assertNotIn("guessed", said)
                else:
                    sizes = self.next_of(model).split(" --shape ")[1]
                    self.assertNotIn("\n  none ", self.done("inspect", model, "--shape", sizes))

    def test_parts_of_tuples_are_named(self):
        model = MODELS / "torchscript" / "quantized_recurrent" / "model.pt"
        self.assertEqual(self.next_of(model), f"dragoman inspect {model} --shape x=… "
                                              "--shape state.0=… --shape state.1=…")

    def test_with_a_name_that_a_shell_takes_apart(self):
        odd = self.out / "my model's ünïcode $HOME.onnx"
        odd.write_bytes(MLP.read_bytes())
        self.runs(self.next_of(odd))


if __name__ == "__main__":
    unittest.main()
