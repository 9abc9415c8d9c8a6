#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The judge itself, without other frameworks: comparison, cases, processes, verdicts, the table."""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from driver import compare, deviations, document, workers
from driver.consumers import given_inputs, written_outputs
from driver.matrix import Matrix
from driver.results import Results, listing, table
from driver.verdicts import REFUSED, REJECTED, RIGHT, WRONG, Verdict, kind_of, of_failed_command
from shared.cases import Case, Refused, Stored, in_order, read_results, write_case, write_results

try:
    import onnx
    import drawn_inputs
    import paths
except ImportError:
    onnx = None


def stored(values, dtype="float32"):
    return Stored(numpy.array(values, dtype), dtype)


class CompareTest(unittest.TestCase):

    def problem(self, expected, actual, **facts):
        return compare.problem({"y": expected}, [actual], facts)

    def test_small_differences_of_floats_are_none(self):
        self.assertIsNone(self.problem(stored([1.0, 200.0]), stored([1.0001, 200.1])))
        self.assertIn("1 of 2 wrong, at [0]",
                      self.problem(stored([1.0, 200.0]), stored([1.01, 200.0])))
        self.assertIsNotNone(self.problem(stored([1.0], "float64"), stored([1.0001], "float64")))

    def test_what_is_not_finite_must_be_the_same(self):
        odd = [numpy.nan, numpy.inf, -numpy.inf]
        self.assertIsNone(self.problem(stored(odd), stored(odd)))
        for wrong in ([0, numpy.inf, -numpy.inf], [numpy.nan, 3e38, -numpy.inf],
                      [numpy.nan, numpy.inf, numpy.inf]):
            self.assertIn("1 of 3 wrong", self.problem(stored(odd), stored(wrong)))
        self.assertIn("1 of 1 wrong", self.problem(stored([1.0]), stored([numpy.nan])))

    def test_integers_and_texts_must_be_equal(self):
        self.assertIsNotNone(self.problem(stored([100], "int64"), stored([101], "int64")))
        self.assertIsNotNone(self.problem(Stored(numpy.array(["a"]), "string"),
                                          Stored(numpy.array(["b"]), "string")))

    def test_sizes_kinds_and_numbers_of_outputs_count(self):
        self.assertIn("expected float32[2]", self.problem(stored([1, 2]), stored([[1, 2]])))
        self.assertIn("expected float32[1]", self.problem(stored([1]), stored([1], "int64")))
        self.assertEqual(compare.problem({"y": stored([1])}, [], {}), "0 outputs, expected 1")

    def test_outputs_are_found_by_name_or_by_place(self):
        a, b = stored([1]), stored([2])
        self.assertIsNone(compare.problem({"b": b, "a": a}, {"a": a, "b": b}, {}))
        self.assertIsNone(compare.problem({"#0": a, "#1": b}, {"x": a, "y": b}, {}))
        self.assertIsNone(compare.problem({"list": [a, b]}, [a, b], {}))

    def test_bfloat16_is_compared_by_its_numbers(self):
        one, nearly, two = (Stored(numpy.array([bits], "uint16"), "bfloat16")
                            for bits in (0x3f80, 0x3f81, 0x4000))
        self.assertIsNone(self.problem(one, nearly))
        self.assertIn("2.0, expected 1.0", self.problem(one, two))
        self.assertIsNone(self.problem(one, Stored(nearly.array, "uint16")))
        one, two = (Stored(value.array[0], "bfloat16") for value in (one, two))  # of rank 0
        self.assertIsNone(self.problem(one, one))
        self.assertIn("2.0, expected 1.0", self.problem(one, two))

    def test_any_nan_of_8_bit_floats_is_one(self):
        def bits(*values):
            return Stored(numpy.array(values, "uint8"), "float8_e5m2")
        self.assertIsNone(self.problem(bits(0x7e, 0xff, 0x3c), bits(0x7f, 0x7d, 0x3c)))
        self.assertIn("1 of 2 wrong", self.problem(bits(0x7e, 0x7c), bits(0x7e, 0x7d)))


class CasesTest(unittest.TestCase):

    def test_a_case_is_read_as_it_was_written(self):
        with tempfile.TemporaryDirectory() as folder:
            inputs = {"x": numpy.arange(6.0).reshape(2, 3), "absent": None,
                      "list": [numpy.array(["a", "ä"], object), numpy.int64(3)]}
            runs = [(inputs, [numpy.ones(2, "float32")])]
            write_case(folder, "model.onnx", runs, ["--dim", "n=2"], random=True)
            case = Case(folder, Stored)
            self.assertEqual(case.options, ["--dim", "n=2"])
            read, outputs = case.runs[0]
            self.assertEqual(read["x"].array.tolist(), [[0, 1, 2], [3, 4, 5]])
            self.assertIsNone(read["absent"])
            self.assertEqual(read["list"][0].array.tolist(), ["a", "ä"])
            self.assertEqual(list(outputs), ["#0"])
            write_results(f"{folder}/results.npz", [[numpy.ones(1), [numpy.zeros(2)]]])
            self.assertEqual(read_results(f"{folder}/results.npz")[0][1][0].array.tolist(), [0, 0])

    def test_inputs_of_a_run_may_have_any_names(self):
        with tempfile.TemporaryDirectory() as folder:
            inputs = {name: stored([place]) for place, name in enumerate(["file", "like", "a/b"])}
            inputs |= {"list": [stored([7]), None], "absent": None}
            with numpy.load(given_inputs(inputs, f"{folder}/in.npz")) as arrays:
                self.assertEqual({name: arrays[name].tolist() for name in arrays},
                                 {"file": [0], "like": [1], "a/b": [2], "list.0": [7]})

    def test_outputs_of_a_run_are_read_as_index_json_says(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            numpy.save(folder / "s.npy", numpy.array(["a\u00e4".encode(), b"\xff", b""]))
            numpy.save(folder / "u.npy", numpy.array(["", "b"]))
            numpy.save(folder / "h.npy", numpy.array([0x3f80], "uint16"))
            (folder / "m.json").write_text('[{"2": 0.5, "10": NaN}, {"2": 1, "10": 2}]')
            files = [("s", "s.npy", "string"), ("u", "u.npy", "string"), ("h", "h.npy", "bfloat16")]
            rows = [{"name": name, "file": file, "dtype": dtype} for name, file, dtype in files]
            rows.append({"name": "m", "file": "m.json", "dtype": "float32", "keys": "int64"})
            (folder / "index.json").write_text(json.dumps({"outputs": rows}))
            outputs = written_outputs(folder)
            self.assertEqual(outputs["s"].array.tolist(), ["a\u00e4", "\udcff", ""])
            self.assertEqual((outputs["u"].dtype, outputs["u"].array.tolist()), ("string", ["", "b"]))
            self.assertEqual(outputs["h"].dtype, "bfloat16")
            expected = [{10: numpy.nan, 2: 0.5}, {10: 2.0, 2: 1.0}]
            write_results(folder / "results.npz", [[expected]])
            (maps,), = read_results(folder / "results.npz")
            self.assertIsNone(compare.problem({"m": maps}, outputs, {}))
            maps[1][0].array[1] = 3
            self.assertIn("1 of 2 wrong", compare.problem({"m": maps}, outputs, {}))

    def test_inputs_are_given_by_name_or_by_place(self):
        self.assertEqual(in_order({"a": 1, "b": 2}, ["b"]), [2])
        self.assertEqual(in_order({"a": 1, "b": None, "c": 3}, ["x", "y"]), [1, 3])
        with self.assertRaises(Refused):
            in_order({"a": 1, "b": 2}, ["x"])


ECHO = """
import os, time
from shared.serve import serve
from shared.cases import Refused

def work(how):
    print("to standard output")
    if how == "refuse": raise Refused("cannot")
    if how == "raise": raise ValueError("wrong\\nsecond line")
    if how == "end": os._exit(7)
    if how == "sleep": time.sleep(60)
    return {"how": how}

serve(work=work)
"""


class WorkersTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "bin").mkdir()
        (self.folder / "bin/python").symlink_to(sys.executable)
        workers._found["test"] = self.folder
        self.addCleanup(workers._found.clear)

    def worker(self, text):
        (self.folder / "script.py").write_text(text)
        worker = workers.Worker(self.folder / "script.py", "test", self.folder)
        self.addCleanup(worker.stop)
        return worker

    def test_a_process_answers_until_it_ends(self):
        worker = self.worker(ECHO)
        self.assertEqual(worker.ask(30, do="work", how="well"), {"status": "ok", "how": "well"})
        first = worker.process.pid
        self.assertEqual(worker.ask(30, do="work", how="refuse")["status"], "refused")
        self.assertEqual(worker.ask(30, do="work", how="raise")["reason"], "ValueError: wrong")
        self.assertEqual(worker.process.pid, first)
        self.assertEqual(worker.ask(30, do="work", how="end")["reason"], "the process ended: 7")
        self.assertEqual(worker.ask(1, do="work", how="sleep")["reason"], "took more than 1 s")
        self.assertEqual(worker.ask(30, do="work", how="again")["how"], "again")

    def test_a_process_that_has_ended_is_replaced(self):
        worker = self.worker(ECHO)
        worker.ask(30, do="work", how="well")
        worker.process.kill()
        worker.process.wait()
        self.assertEqual(worker.ask(30, do="work", how="again")["how"], "again")

    def test_a_peer_that_does_not_import_is_broken(self):
        with self.assertRaisesRegex(workers.Broken, "No module named 'nowhere'"):
            self.worker("import nowhere").ask(30, do="work")


class FailingConsumer:
    name = "C"

    def judge(self, case):
        raise ValueError(f"cannot load {case}")


class MatrixTest(unittest.TestCase):

    def test_where_the_judge_fails_is_the_verdict_on_that_case_alone(self):
        with tempfile.TemporaryDirectory() as scratch:
            matrix = Matrix(argparse.Namespace(results=None), pathlib.Path(scratch), "")
            verdict = matrix.judge("case", FailingConsumer(), "P/a")
            self.assertEqual(verdict.status, WRONG)  # which makes the run fail
            self.assertIn("judge failed: ValueError: cannot load case (peers_test.py:",
                          verdict.reason)


class VerdictsTest(unittest.TestCase):

    def test_exit_codes_tell_refusals_from_faults(self):
        def verdict(code, text):
            return of_failed_command(subprocess.CompletedProcess([], code, "", text))
        self.assertEqual(verdict(4, "m.onnx: error: no Foo\n"), Verdict(REFUSED, "no Foo"))
        self.assertEqual(verdict(2, "error: broken"), Verdict(REFUSED, "broken"))
        self.assertEqual(verdict(3, "error: internal"), Verdict(WRONG, "exit code 3: internal"))
        self.assertEqual(verdict(-11, ""), Verdict(WRONG, "exit code -11: says nothing"))

    def test_reasons_of_a_kind_are_counted_together(self):
        self.assertEqual(kind_of("node 'a/b' (onnx.Foo): 3 of 4"),
                         kind_of("node 'c' (onnx.Foo): 1 of 9"))
        self.assertNotEqual(kind_of("no Foo"), kind_of("no Bar"))

    def test_deviations_are_found_by_pattern(self):
        rows = [deviations.Deviation("ONNX */quantize*nan", "ONNX Runtime", "NaN")]
        case = "ONNX node cases/quantize"
        self.assertEqual(deviations.find(rows, f"{case}_nan", "ONNX Runtime"), rows[0])
        self.assertIsNone(deviations.find(rows, case, "ONNX Runtime"))
        self.assertIsNone(deviations.find(rows, f"{case}_nan", "OpenVINO"))

    def test_every_deviation_states_its_reason(self):
        for row in deviations.read():
            self.assertTrue(row.reason, row)


class TableTest(unittest.TestCase):

    def test_verdicts_of_several_runs_make_one_table(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "results.jsonl"
            first = Results(path)
            first.add("P", "a", "C", Verdict(RIGHT), "2026-01-01")
            first.add("P", "b", "C", Verdict(WRONG, "1 of 2 wrong"), "2026-01-01")
            first.add("P", "c", "D", Verdict(REFUSED, "no 'x'"), "2026-01-01")
            first.add_version("C", "C 1.0", "2026-01-01")
            again = Results(path)
            again.add("P", "b", "C", Verdict(REJECTED, "no"), "2026-01-02")
            self.assertEqual(table(again, ["C", "D"]).splitlines()[2],
                             "| P | 1 / 0 / 1 / 0 | 0 / 1 / 0 / 0 |")
            self.assertIn("D: no '…'", listing(again))
            page = document.compatibility(again, [], ["C", "D"], [])
            self.assertIn("2026-01-01 to 2026-01-02", page)
            self.assertIn("C 1.0", page)
            self.assertEqual(document.lowest(["C 3", "C 2", "C 1 --opset 9"], "C"), "C 2")
            self.assertEqual(document.lowest(["C 1 --opset 9"], "C"), "C 1 --opset 9")
            self.assertIn("- C, 1, such as `P/b`: no", page)



class TangledJudge(paths.Judge if onnx else object):
    """Finds other numbers where there is a Tanh."""

    def judge(self, path, case):
        nodes = onnx.load(case.model).graph.node
        return Verdict(WRONG if any(node.op_type == "Tanh" for node in nodes) else RIGHT, "other")


@unittest.skipIf(onnx is None, "no onnx")
class PathsTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_drawn_models_run_whatever_was_done_to_them(self):
        for seed in range(12):
            feeds = drawn_inputs.drawn_model(seed, numpy.random.default_rng(seed),
                                             self.folder / "model.onnx")
            folder = self.folder / str(seed)
            folder.mkdir()
            verdict, case = paths.Judge(folder, []).case(self.folder / "model.onnx", feeds, folder)
            self.assertEqual((seed, verdict), (seed, Verdict(RIGHT)))
            self.assertEqual(list(case.runs[0][0]), list(feeds))

    def test_names_that_are_equal_once_they_are_cleaned(self):
        model, feeds = drawn_inputs.draw(3)
        names = drawn_inputs.collide(model)
        self.assertEqual(len(names), len(feeds))
        self.assertEqual(len({re.sub(r"\W", "_", name) for name in names[:4]}), 1)

    def test_paths_end_with_an_engine_that_reads_their_last_format(self):
        rng, engines = numpy.random.default_rng(1), [paths.INTERPRETER, *paths.PEERS]
        for _ in range(200):
            path = paths.draw_path(rng, ["a", "b", "c"], engines)
            suffix = paths.PEERS.get(path["engine"], (path["conversions"][-1][0],))[0]
            self.assertEqual(path["conversions"][-1][0], suffix)

    def test_inputs_that_fit_a_smaller_model(self):
        fitted = drawn_inputs.fitting({"x": "f32[2, n]", "i": "i64[]"},
                                      {"x": numpy.ones((4, 3), "float32")})
        self.assertEqual((fitted["x"].shape, fitted["i"].dtype.name), ((2, 3), "int64"))

    def test_what_fails_is_made_small(self):
        node = onnx.helper.make_node
        value = onnx.helper.make_tensor_value_info
        graph = onnx.helper.make_graph(
            [node("Exp", ["x"], ["a"]), node("Tanh", ["a"], ["b"]), node("Neg", ["b"], ["y"])], "g",
            [value("x", 1, [3, 4])], [value("y", 1, [3, 4])])
        onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)],
                                         ir_version=8), self.folder / "model.onnx")
        judge = TangledJudge(self.folder, [])
        feeds = {"x": numpy.ones((3, 4), "float32")}
        _, case = judge.case(self.folder / "model.onnx", feeds, self.folder)
        found = self.folder / "found"
        paths.keep(found, {"conversions": [], "engine": paths.INTERPRETER},
                   judge.judge({}, case), case, feeds)
        text = paths.Found(found, judge).reduced()
        self.assertEqual(re.findall(r"onnx\.([A-Z]\w+)\(", text), ["Tanh"], text)
        self.assertIn("f32[1, 1]", text)


if __name__ == "__main__":
    unittest.main()
