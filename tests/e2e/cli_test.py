# SPDX-License-Identifier: Apache-2.0
"""The command line, as a user calls it: what comes out, which files appear, which exit code."""

import contextlib
import json
import os
import pathlib
import pty
import subprocess
import unittest

import numpy

from command_case import CommandCase
from commands import DRAGOMAN, dragoman

MODELS = pathlib.Path(__file__).resolve().parent.parent / "models"
MLP = MODELS / "mlp" / "model.onnx"
DATA = MODELS / "mlp" / "test_data_set_0"
X, SIZES = "x", (1, 41)  # the input of MLP
COMMANDS = ("inspect", "convert", "codegen", "diff", "run", "verify", "bench", "reduce", "rules", "ops",
            "cache", "completion", "manual", "simplify", "edit", "merge", "extract", "split", "generalize")


class CommandLine(CommandCase):
    def run_model(self, model, x, name, *options):
        """Runs a model of one input; the first entry of the index that it writes."""
        numpy.save(self.out / "x.npy", x.astype(numpy.float32))
        self.done("run", model, "--input", f"{name}={self.out / 'x.npy'}", "--output-dir",
                  self.out / "y", *options)
        return json.loads((self.out / "y" / "index.json").read_text())["outputs"][0]

    def test_a_copy_has_the_same_bytes(self):
        self.done("convert", MLP, "-o", self.out / "copy.onnx")
        self.assertEqual((self.out / "copy.onnx").read_bytes(), MLP.read_bytes())

    def test_every_container_and_back_gives_the_same_bytes(self):
        for suffix in ("dgm", "dgt", "json"):
            with self.subTest(suffix):
                middle = self.out / f"model.{suffix}"
                back = self.out / f"{suffix}.onnx"
                self.done("convert", MLP, "-o", middle)
                self.done("convert", middle, "-o", back)
                self.assertEqual(back.read_bytes(), MLP.read_bytes())

    def test_an_edit_of_the_text_is_an_edit_of_the_file(self):
        text = self.out / "model.dgt"
        self.done("convert", MLP, "-o", text)
        text.write_text(text.read_text().replace("onnx.Relu", "onnx.Tanh"))
        self.done("convert", text, "-o", self.out / "edited.onnx")
        answer = dragoman("diff", MLP, self.out / "edited.onnx")
        self.assertEqual(answer.returncode, 1)
        self.assertIn("onnx.Tanh", answer.stdout)

    def test_rewritten_models_compute_the_same(self):
        for passes in ("none", "default"):
            with self.subTest(passes):
                target = self.out / f"{passes}.onnx"
                self.done("convert", MLP, "-o", target, "--level", "common", "--passes", passes)
                self.done("verify", target, "--data", DATA)
                self.done("verify", target, "--against", MLP, "--random", 3)

    def test_diff_answers_by_exit_code(self):
        self.assertEqual(dragoman("diff", MLP, MLP).returncode, 0)
        other = MODELS / "mlp_dynamic" / "model.onnx"
        self.assertEqual(dragoman("diff", MLP, other).returncode, 1)
        report = json.loads(dragoman("diff", MLP, other, "--json").stdout)
        self.assertFalse(report["equal"])

    def test_run_writes_outputs_and_an_index(self):
        for name in (X, "0"):
            entry = self.run_model(MLP, numpy.ones(SIZES), name)
            array = numpy.load(self.out / "y" / entry["file"])
            self.assertEqual(entry["dtype"], "float32")
            self.assertEqual(entry["shape"], [1, 10])
            self.assertEqual((array.shape, array.dtype), ((1, 10), numpy.float32))

    def test_run_without_a_folder_prints_a_line_for_each_output(self):
        said = self.done("run", MLP, "--random")
        self.assertRegex(said, r"^y: f32\[1, 10\] \[-?[0-9.]+, .*, …\] from -?[0-9.]+ to [0-9.]+, mean ")

    def test_run_without_a_folder_tells_outputs_as_json_too(self):
        for more in ((), ("-q",), ("-o", self.out / "y")):
            said = json.loads(self.done("run", MLP, "--random", "--json", *more))
            self.assertEqual(said, {"outputs": {"y": "f32[1, 10]"}})
        page = self.out / "mlp.html"
        said = json.loads(self.done("inspect", MLP, "--html", page, "--json"))
        self.assertEqual(said, {"output": str(page), "format": "html"})

    def test_steps_slice_inputs_and_stack_outputs(self):
        steps = numpy.random.default_rng(0).normal(size=(5, *SIZES))
        stacked = self.run_model(MLP, steps, "0", "--steps", 5)
        self.assertEqual(stacked["shape"], [5, 1, 10])
        outputs = numpy.load(self.out / "y" / stacked["file"])
        once = self.run_model(MLP, steps[3], "0")
        numpy.testing.assert_array_equal(numpy.load(self.out / "y" / once["file"]), outputs[3])

    def test_a_text_form_goes_to_standard_output(self):
        self.assertEqual(self.done("convert", MLP, "-o", "-"),
                         self.done("convert", MLP, "-o", "-", "--to", "text"))

    def test_content_tells_the_format_before_the_suffix(self):
        for name in ("model", "model.dgt", "model.pb"):
            with self.subTest(name):
                (self.out / name).write_bytes(MLP.read_bytes())
                self.done("diff", MLP, self.out / name)
        self.done("convert", MLP, "-o", self.out / "native.dgm")
        (self.out / "native.dgm").rename(self.out / "native.onnx")
        self.done("diff", MLP, self.out / "native.onnx")

    def test_a_graph_without_nodes_is_a_model(self):
        text = self.out / "empty.dgt"
        text.write_text("graph main(%x: f32[2]) -> (%x) { }")
        self.assertIn("\nnodes    0\n", self.done("inspect", text))
        y = self.run_model(text, numpy.array([1, 2]), "x")
        self.assertEqual((y["name"], y["shape"]), ("x", [2]))

    def test_ranks_beyond_the_runtime_are_refused_as_such(self):
        text = self.out / "deep.dgt"
        sizes = ", ".join(["1"] * 9)
        text.write_text(f"graph main(%x: f32[{sizes}]) -> (%y) {{ %y = onnx.Relu(%x) }}")
        self.assertIn("(onnx.Relu): rank 9 is above 8",
                      self.fails(4, "inspect", text, "--to", "run"))
        numpy.save(self.out / "x.npy", numpy.ones([1] * 9, numpy.float32))
        error = self.fails(4, "run", text, "--input", f"x={self.out / 'x.npy'}", "--output-dir",
                           self.out / "y")
        self.assertIn("input 'x' is given rank 9, which is above 8", error)

    def test_facts_are_about_inputs_of_the_default_entry(self):
        policy = self.out / "policy.dgt"
        self.done("convert", MODELS / "torchscript" / "lstm_policy" / "model.pt", "-o", policy,
                  "--level", "common", "--shape", "0=1,6")
        self.assertGreater(len(json.loads(self.done("inspect", policy, "--json"))["entries"]), 1)
        self.run_model(policy, numpy.ones((1, 6)), "0")

    def test_names_of_inputs_come_before_positions(self):
        text = self.out / "numbers.dgt"
        text.write_text("dragoman 1 source onnx\nopset \"\" 13\n"
                        "entry main @g(%1: f32[n, 3], %0: f32[2, m]) -> "
                        "(%a: f32[n, 3], %b: f32[2, m]) {\n"
                        "  %a = onnx.Relu(%1)\n  %b = onnx.Relu(%0)\n}\n")
        model = self.out / "numbers.onnx"
        self.done("convert", text, "-o", model)
        common = ("convert", model, "-o", "-", "--to", "text", "--level", "common")
        self.assertIn("(%1: f32[n, 3], %0: f32[2, 7])", self.done(*common, "--shape", "0=2,7"))
        numpy.save(self.out / "1.npy", numpy.ones((5, 3), numpy.float32))
        numpy.save(self.out / "0.npy", numpy.ones((2, 7), numpy.float32))
        self.done("run", model, "--input", f"1={self.out / '1.npy'}", "--input",
                  f"0={self.out / '0.npy'}", "--output-dir", self.out / "named")
        self.done("run", model, "--random", "--output-dir", self.out / "drawn")

    def test_loops_over_lengths_that_are_not_known_run_at_any(self):
        folder = MODELS / "torchscript" / "collected_steps"
        for sizes in ("steps,batch,4", "?,?,4"):
            with self.subTest(sizes):
                self.done("convert", folder / "model.pt", "-o", self.out / "steps.onnx",
                          "--shape", f"x={sizes}")
                self.done("verify", self.out / "steps.onnx", "--data", folder)

    def test_onnx_files_state_what_other_readers_want(self):
        variants = MODELS / "torchscript" / "lstm_variants" / "model.pt"
        self.done("convert", variants, "-o", self.out / "lstm.onnx", "--shape", "x=steps,batch,3")
        text = self.done("convert", self.out / "lstm.onnx", "-o", "-")
        self.assertEqual(text.count("onnx.LSTM("), text.count("hidden_size = "))
        branches = MODELS / "torchscript" / "control_flow" / "model.pt"
        self.done("convert", branches, "-o", self.out / "if.onnx", "--shape", "x=n,4")
        self.assertIn("then_branch = graph then_branch(",
                      self.done("convert", self.out / "if.onnx", "-o", "-"))

    def test_bad_calls_exit_with_2(self):
        self.fails(2, "frobnicate")
        self.fails(2, "convert", MLP)
        self.fails(2, "inspect", self.out / "missing.onnx")
        self.fails(2, "convert", MLP, "-o", self.out / "x.unknown")
        self.fails(2, "convert", MLP, "-o", self.out / "x.onnx", "--shape", "nothing=1,2")
        self.fails(2, "run", MLP, "--output-dir", self.out / "y")
        self.fails(2, "convert", MLP, "-o", self.out / "x.onnx", "--passes", "no-such-pass")
        self.assertEqual(list(self.out.iterdir()), [])

    def test_findings_name_the_file_or_the_call(self):
        self.assertRegex(self.fails(2, "frobnicate"), "^dragoman: error: there is no command")
        self.assertEqual(self.fails(2), "dragoman: error: a command is required; "
                         "see dragoman --help\n")
        self.assertIn("see dragoman diff --help", self.fails(2, "diff", MLP))
        self.assertEqual(self.fails(2, "verify", MLP, "--data", MLP),
                         f"{MLP}: error: expected a folder of recorded data, found a file\n")
        self.assertIn(f"{self.out}: error: is a folder", self.fails(2, "inspect", self.out))
        error = self.fails(2, "inspect", MLP, "--node", "x?")
        self.assertIn(f"{MLP}: error: there is no node", error)
        error = self.fails(2, "run", MLP, "--input", f"0={MLP}", "--output-dir", self.out / "y")
        self.assertIn(f"{MLP}: error: not a .npy file", error)

    def test_answers_as_json(self):
        self.assertTrue(json.loads(self.done("inspect", MLP, "--to", "cpp", "--json"))["works"])
        self.assertEqual(json.loads(self.done("ops", "Linear", "--json"))["op"], "dragoman.Linear")
        self.assertIn("passes", json.loads(self.done("ops", "--json")))
        module = json.loads(self.done("convert", MLP, "-o", self.out / "model.py", "--json"))
        self.assertEqual(module["format"], "relax")
        program = json.loads(self.done("codegen", MLP, "-o", self.out / "program", "--json"))
        self.assertEqual(program["name"], "model")

    def test_outputs_leave_the_files_of_others_alone(self):
        (self.out / "mine").write_text("notes")
        error = self.fails(2, "run", MLP, "--input", f"0={MODELS}/mlp/x.npy", "--output-dir",
                           self.out)
        self.assertIn("choose another --output-dir", error)
        self.assertEqual([path.name for path in self.out.iterdir()], ["mine"])

    def test_sizes_that_are_not_known_are_drawn(self):
        dynamic = MODELS / "mlp_dynamic" / "model.onnx"
        self.done("verify", dynamic, "--against", dynamic, "--random", 3)

    def test_a_symbol_that_no_size_has_is_told(self):
        dynamic = MODELS / "mlp_dynamic" / "model.onnx"
        error = self.fails(2, "convert", dynamic, "-o", self.out / "x.onnx", "--dim", "nothing=3")
        self.assertIn("--dim nothing: no size is called so; symbols are '", error)
        linear = MODELS / "torchscript" / "traced_linear" / "model.pt"
        facts = ("--shape", "x=n,3,10,10", "--dim", "n=2")
        self.done("convert", linear, "-o", self.out / "two.onnx", *facts)
        self.assertIn("f32[2, 3, 10, 10]", self.done("inspect", self.out / "two.onnx"))

    def test_the_newest_operator_set_is_written_where_it_is_asked_for(self):
        for command in ("convert", "simplify"):
            newest = self.out / f"{command}.onnx"
            self.done(command, MLP, "-o", newest, "--opset", "28")
            self.assertIn("operator sets: ai.onnx 28", self.done("inspect", newest))

    def test_data_of_other_sizes_than_the_declared_ones_is_refused(self):
        numpy.save(self.out / "x.npy", numpy.zeros((1, 3), numpy.float32))
        error = self.fails(2, "run", MLP, "--input", f"0={self.out / 'x.npy'}", "--output-dir",
                           self.out / "out")
        self.assertRegex(error, r"is given sizes \[1, 3\], expected f32\[")

    def test_data_of_other_sizes_than_the_given_ones_is_refused(self):
        numpy.save(self.out / "x.npy", numpy.zeros((2, 41), numpy.float32))
        call = ("run", MODELS / "mlp_dynamic" / "model.onnx", "--input",
                f"x={self.out / 'x.npy'}", "--output-dir", self.out / "out")
        for fact in (("--dim", "batch=4"), ("--shape", "x=4,41")):
            error = self.fails(2, *call, *fact)
            self.assertIn("is given sizes [2, 41], expected f32[4, 41]", error)
        self.done(*call, "--dim", "batch=2")

    def test_commands_that_lack_an_option_do_not_advise_it(self):
        relu = "/1/Relu_output_0"
        for command in (("split", MLP, "--at", relu), ("extract", MLP, "--outputs", relu),
                        ("merge", MLP, MLP, "--connect", "y=x")):
            self.assertIn("has no suffix that determines the format, such as .onnx; convert and edit ",
                          self.fails(2, *command, "-o", self.out / "parts"))

    def test_how_numpy_holds_what_it_lacks_is_told(self):
        for type, held in (("bf16", "bfloat16, whose bits an array of uint16 holds"),
                           ("f8e5m2", "float8_e5m2, whose bits an array of uint8 holds"),
                           ("f16", "float16\n"), ("i32", "int32\n")):
            model = self.out / f"{type}.dgt"
            model.write_text('dragoman 1 common onnx\nopset "" 22\n\n'
                             f"entry main(%x: {type}[2]) -> (%y: {type}[2]) {{\n"
                             "  %y = onnx.Identity(%x)\n}\n")
            numpy.save(self.out / "x.npy", numpy.ones(2, numpy.float32))
            self.assertIn(f"is given float32, expected {held}",
                          self.fails(2, "run", model, "--input", f"x={self.out / 'x.npy'}"))

    def test_operators_that_are_read_from_torch_are_listed(self):
        self.assertIn("aten.relu ", self.done("ops", "--from", "aten"))
        self.assertIn("aten::relu(Tensor self) -> Tensor",
                      self.done("ops", "aten.relu", "--from", "torchscript"))
        listed = self.done("ops", "--from", "ai.onnx").split()
        self.assertLess({"Add", "Attention", "Constant", "Loop", "TensorScatter"}, set(listed))
        self.assertEqual(listed, sorted(set(listed)))
        self.fails(2, "ops", "--from", "nothing")
        self.assertIn("aten::lstm.input(", self.done("ops", "aten.lstm.input"))
        for name in ("onnx.Constant", "Constant", "ai.onnx.Upsample"):
            self.assertIn("lowered to operators of the common dialect", self.done("ops", name))

    def test_operators_that_a_target_lacks_are_listed_with_the_reason(self):
        for operator in json.loads(self.done("ops", "--json"))["operators"]:
            self.assertEqual(list(operator["targets"]), ["onnx", "pt2", "relay", "relax", "cpp", "run"])
            for target, answer in operator["targets"].items():
                with self.subTest(operator=operator["op"], target=target):
                    self.assertEqual(answer["support"] == "none", bool(answer.get("why")))
        self.assertRegex(self.done("ops", "dragoman.Svd", "--to", "relax"), "relax +composed\n$")
        self.assertNotIn("StringConcat", self.done("ops", "--to", "relax"))

    def test_what_is_mistyped_is_answered_with_the_nearest_name(self):
        for mistyped, meant in ((("covnert",), "convert"),
                                (("convert", MLP, "-o", self.out / "x.onnx", "--shpae", "x=1"),
                                 "--shape"),
                                (("ops", "Sofmax"), "Softmax"),
                                (("ops", "aten.sofmax.int"), "aten.softmax.int")):
            with self.subTest(mistyped):
                self.assertIn(f" (did you mean '{meant}'?)", self.fails(2, *mistyped))

    def test_mistakes_in_edited_text_are_found(self):
        text = self.done("convert", MLP, "-o", "-")
        edited, out = self.out / "edited.dgt", self.out / "edited.onnx"
        for old, new, what in (
                ("onnx.Relu(", "onnx.Reluu(",
                 "edited.dgt:11:3: error: node '/1/Relu' (onnx.Reluu): ONNX has no operator "
                 "'Reluu' (did you mean 'Relu'?)\n"
                 "    %/1/Relu_output_0 = onnx.Reluu(%/0/Gemm_output_0) @/1/Relu\n"
                 "    ^\n"),
                ("transB = 1}", "transb = 1}",
                 "edited.dgt:10:3: error: node '/0/Gemm' (onnx.Gemm): has no attribute "
                 "'transb' (did you mean 'transB'?)\n"),
                ("transB = 1}", "transB = 1.5}",
                 "edited.dgt:10:3: error: node '/0/Gemm' (onnx.Gemm): attribute 'transB' is "
                 "of kind float, expected int\n")):
            with self.subTest(new):
                self.assertIn(old, text)
                edited.write_text(text.replace(old, new))
                self.assertIn(what, self.fails(2, "convert", edited, "-o", out))
                self.assertFalse(out.exists())
                forced = dragoman("convert", edited, "-o", out, "--force", checked=False)
                self.assertEqual(forced.returncode, 0, forced.stderr)
                self.assertTrue(out.exists())
                out.unlink()

    def test_help_and_version_are_commands_too(self):
        self.assertEqual(self.done("help"), self.done("--help"))
        self.assertEqual(self.done("help", "convert"), self.done("convert", "--help"))
        self.assertEqual(self.done("version"), self.done("--version"))
        self.assertRegex(self.done("version"), r"^dragoman [\d.]+ \((commit [0-9a-f]{10}; )?"
                                               r"oneDNN \d+\.\d+\.\d+, protobuf \d+[\d.]+"
                                               r"(, lib\w+)*\)$")
        self.assertIn("did you mean 'convert'", self.fails(2, "help", "covnert"))

    def test_models_go_through_pipes(self):
        def piped(given, *command):
            return subprocess.run([DRAGOMAN, *command], input=given, capture_output=True,
                                  check=True).stdout

        model = MLP.read_bytes()
        for name in ("-", "/dev/stdin"):
            with self.subTest(name):
                self.assertEqual(piped(model, "convert", name, "-o", "-", "--to", "onnx"), model)
                self.assertIn(b"entry main", piped(model, "inspect", name))
        text = piped(model, "convert", "-", "-o", "-")
        self.assertEqual(piped(text, "convert", "-", "-o", "-", "--to", "onnx"), model)
        wrong = subprocess.run([DRAGOMAN, "inspect", "-"], input=b"<html>", capture_output=True,
                               check=False)
        self.assertEqual(wrong.returncode, 2)
        self.assertTrue(wrong.stderr.startswith(b"standard input: error: is a web page"))

    def test_a_pipe_takes_no_files_beside_the_model(self):
        self.assertIn('-o - would leave out what lies beside the file, "model.data"; name the file',
                      self.fails(2, "convert", MLP, "-o", "-", "--to", "onnx", "--external-data",
                                 "100"))
        self.assertIn('"model.states.npz"',
                      self.fails(2, "convert", MODELS / "torchscript/lstm_policy/model.pt", "-o",
                                 "-", "--to", "onnx", "--state", "lift", "--shape", "x=f32:1,6"))

    def test_what_was_fused_is_told_of_folders_too(self):
        saved = MODELS / "tensorflow/stateful_lstm"
        done = dragoman("convert", saved, "-o", self.out / "lstm.onnx")
        self.assertRegex(done.stderr, r"^68 nodes to 13: 1 LSTM; [\d.]+ kB to [\d.]+ kB\n$")

    def test_programs_leave_the_name_of_the_runtime_alone(self):
        self.fails(2, "codegen", MLP, "-o", self.out / "program", "--name", "rt")

    def test_damaged_files_leave_nothing_behind(self):
        whole = MLP.read_bytes()
        for length in range(0, len(whole), max(1, len(whole) // 40)):
            (self.out / "cut.onnx").write_bytes(whole[:length])
            result = dragoman("convert", self.out / "cut.onnx", "-o", self.out / "x.onnx")
            self.assertIn(result.returncode, (0, 2), result.stderr)
            if result.returncode == 2:
                self.assertFalse((self.out / "x.onnx").exists())
                self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
            (self.out / "x.onnx").unlink(missing_ok=True)

    def test_the_same_input_gives_the_same_bytes(self):
        for suffix in ("onnx", "py", "dgm", "json", "dot"):
            first, second = self.out / f"a.{suffix}", self.out / f"b.{suffix}"
            self.done("convert", MLP, "-o", first, "--passes", "default")
            self.done("convert", MLP, "-o", second, "--passes", "default")
            self.assertEqual(first.read_bytes(), second.read_bytes(), suffix)

    def test_every_command_has_help(self):
        for command in COMMANDS:
            self.assertIn("--help", self.done(command, "--help"))
        said = self.done("convert", "--help")
        for form in ("--level source|common", "--shape NAME=D,…", "--dim SYMBOL=SIZE",
                     "--opset NUMBER", "Usage: dragoman convert MODEL -o FILE [OPTION ...]"):
            self.assertIn(form, said)
        self.assertIn("dragoman", self.done("--version"))

    def test_help_is_a_table_of_a_hundred_columns(self):
        for command in COMMANDS:
            said = self.done(command, "--help")
            options, _, notes = said.partition("\nOptions:\n")[2].partition("\n\n")
            for line in said.splitlines():
                self.assertLessEqual(len(line), 100, line)
            for line in options.splitlines():
                name, _, text = line.strip().partition("  ")
                if text or not line[:30].strip():
                    self.assertRegex(line[28:], r"^  \S", line)
                else:  # the text of a long name begins on the next line
                    self.assertFalse(name.endswith(","), line)
            for example in notes.splitlines():
                if example.startswith("  dragoman "):
                    self.assertEqual(example.split()[1], command)

    def test_long_work_is_told_on_a_terminal(self):
        try:
            reader, terminal = pty.openpty()
        except OSError as error:  # such as in a root without /dev/pts
            self.skipTest(f"no terminal to be had: {error}")
        command = [DRAGOMAN, "verify", MLP, "--data", DATA, "--engine", "native"]
        fresh = {**os.environ, "XDG_CACHE_HOME": str(self.out)}  # nothing is compiled yet
        said = b""
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=terminal,
                              env=fresh) as done:
            os.close(terminal)
            with contextlib.suppress(OSError):  # the end, on a terminal
                while chunk := os.read(reader, 1 << 16):
                    said += chunk
        self.assertEqual(done.returncode, 0)
        self.assertIn(b"compiling and running the program, 1 s", said)
        self.assertTrue(said.endswith(b"\r\x1b[K"), said)


if __name__ == "__main__":
    unittest.main()
