# SPDX-License-Identifier: Apache-2.0
"""Calls of models: arrays, states, threads, signals, errors."""

import os
import signal
import threading
import time
import unittest

import ml_dtypes
import numpy

import dragoman

POLICY = "tests/models/torchscript/lstm_policy/model.pt"

DTYPES = {
    "bool": numpy.bool_, "i8": numpy.int8, "u8": numpy.uint8, "i16": numpy.int16,
    "u16": numpy.uint16, "i32": numpy.int32, "u32": numpy.uint32, "i64": numpy.int64,
    "u64": numpy.uint64, "f16": numpy.float16, "f32": numpy.float32, "f64": numpy.float64,
    "bf16": ml_dtypes.bfloat16, "f8e4m3fn": ml_dtypes.float8_e4m3fn,
    "f8e5m2": ml_dtypes.float8_e5m2}


def identity(dtype, sizes="2, 3"):
    return dragoman.load(f"graph g(%x: {dtype}[{sizes}]) -> (%y) {{\n"
                         f"  %y = onnx.Identity(%x)\n}}\n".encode())


class ArraysTest(unittest.TestCase):

    def test_all_element_types(self):
        for name, dtype in DTYPES.items():
            with self.subTest(name=name):
                x = numpy.arange(6).reshape(2, 3).astype(dtype)
                y = identity(name).run({"x": x})["y"]
                self.assertEqual(y.dtype, x.dtype)
                self.assertEqual(y.tobytes(), x.tobytes())

    def test_strings(self):
        x = numpy.array([["a", "", "\u00e9"], ["b c", "\U0001f600", "\udcff"]], object)
        y = identity("string").run({"x": x})["y"]
        self.assertEqual(y.tolist(), x.tolist())
        self.assertEqual(identity("string", "2").run(numpy.array(["a", "bc"]))["y"].tolist(),
                         ["a", "bc"])

    def test_layouts_and_protocols(self):
        model = identity("f32", "n, m")
        x = numpy.arange(12, dtype=numpy.float32).reshape(3, 4)
        for array in (x.T, x[:, ::2], numpy.asfortranarray(x), x[:0]):
            numpy.testing.assert_array_equal(model.run([array])["y"], array)
        swapped = x.astype(">f4")
        numpy.testing.assert_array_equal(model.run(swapped)["y"], x)
        view = memoryview(x)
        numpy.testing.assert_array_equal(model.run({"x": view})["y"], x)

    def test_results_are_apart(self):
        session = identity("f32").session()
        x = numpy.ones((2, 3), numpy.float32)
        first = session.run(x)["y"]
        first[:] = 7
        numpy.testing.assert_array_equal(session.run(x)["y"], 1)
        numpy.testing.assert_array_equal(x, 1)

    def test_what_does_not_fit_is_refused(self):
        model = identity("f32")
        for given, message in (
                (numpy.zeros((2, 3)), "given float64, expected float32"),
                (numpy.zeros((2, 2), numpy.float32), r"sizes \[2, 2\], expected f32\[2, 3\]"),
                (numpy.zeros((2, 3), ml_dtypes.bfloat16), "expected float32"),
                ({"z": numpy.zeros((2, 3), numpy.float32)}, "no input 'z'"),
                ({}, "'x'")):
            with self.subTest(message=message), self.assertRaisesRegex(dragoman.Invalid, message):
                model.session().run(given)
        for given in (numpy.zeros((2, 3), "M8[s]"), numpy.zeros((2, 3), [("a", "f4")]), object()):
            with self.subTest(given=given), self.assertRaises(TypeError):
                model.run({"x": given})


class StatesTest(unittest.TestCase):

    def setUp(self):
        self.x = numpy.random.default_rng(1).normal(size=(1, 6)).astype(numpy.float32)
        self.session = dragoman.load(POLICY).session()

    def call(self):
        return self.session.run({"x": self.x})["output"].tobytes()

    def test_states_last(self):
        first, second = self.call(), self.call()
        self.assertNotEqual(first, second)
        self.session.reset()
        self.assertEqual(self.call(), first)

    def test_entries_share_states(self):
        first, _ = self.call(), self.call()
        self.session.run(entry="reset_memory")
        self.assertEqual(self.call(), first)

    def test_states_can_be_read_and_written(self):
        self.call()
        state = self.session.state
        self.assertEqual(sorted(state), ["cell_state", "hidden_state"])
        second = self.call()
        self.session.state = state
        self.assertEqual(self.call(), second)
        with self.assertRaisesRegex(dragoman.Invalid, "no state 'hiden_state'.*hidden_state"):
            self.session.state = {"hiden_state": state["hidden_state"]}

    def test_calls_are_those_of_steps(self):
        outputs = dragoman.load(POLICY).run({"x": numpy.stack([self.x, self.x])}, steps="forward*2")
        self.assertEqual(outputs["output"].tobytes(), self.call() + self.call())

    def test_no_such_entry(self):
        with self.assertRaisesRegex(dragoman.Invalid, "no entry 'forwrd'"):
            self.session.run({"x": self.x}, entry="forwrd")


class ThreadsTest(unittest.TestCase):

    def test_sessions_run_side_by_side(self):
        model = dragoman.load("tests/models/mlp/model.onnx")
        x = numpy.ones((1, 41), numpy.float32)
        expected = model.run(x)["y"].tobytes()
        wrong = []

        def work(session):
            for _ in range(20):
                if session.run(x)["y"].tobytes() != expected:
                    wrong.append(session)

        shared = model.session()
        threads = [threading.Thread(target=work, args=(session,))
                   for session in (shared, shared, model.session(), model.session())]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_ctrl_c_ends_a_call(self):
        loop = dragoman.load(b"""graph g(%x: f32[]) -> (%y) {
  const %n: i64[] = 1000000000
  const %true: bool[] = true
  %y = onnx.Loop(%n, %true, %x) {body = graph b(%i: i64[], %c: bool[], %v: f32[]) -> (%o, %w) {
    %o = onnx.Identity(%c)
    %w = onnx.Add(%v, %v)
  }}
}
""")
        timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        start = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            loop.session().run(numpy.float32(1))
        self.assertLess(time.monotonic() - start, 30)


class ErrorsTest(unittest.TestCase):

    def test_findings(self):
        with self.assertRaises(dragoman.Unsupported) as caught:
            dragoman.load(b"graph g(%x: f32[2]) -> (%y) {\n  %y = onnx.Nonesuch(%x) @n\n}\n"
                          ).session().run(numpy.zeros(2, numpy.float32))
        finding = caught.exception.findings[0]
        self.assertEqual(finding.kind, "Unsupported")
        self.assertIn("'n'", finding.place)

    def test_kinds(self):
        with self.assertRaises(TypeError):
            dragoman.load(3)
        with self.assertRaises(dragoman.Invalid) as caught:
            dragoman.load("/nowhere/model.onnx")
        self.assertEqual(caught.exception.findings[0].file, "/nowhere/model.onnx")
        self.assertIsInstance(caught.exception, ValueError)

    def test_warnings(self):
        with self.assertWarnsRegex(dragoman.Warning, "left out: reset_memory"):
            dragoman.load(POLICY, shapes={"x": "f32:1,6"}).to_onnx()


if __name__ == "__main__":
    unittest.main()
