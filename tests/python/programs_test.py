# SPDX-License-Identifier: Apache-2.0
"""Compiled C++: the native engine, and generated programs."""

import pathlib
import re
import tempfile
import unittest

import numpy

import dragoman

MLP = "tests/models/mlp/model.onnx"

LARGEST = b"""graph g(%x: f32[67108864]) -> (%y) {
  %y = onnx.ReduceMax(%x)
}
"""


def peak_memory():
    """Bytes that this process had in memory at most."""
    status = pathlib.Path("/proc/self/status").read_text()
    return 1024 * int(re.search(r"VmHWM:\s*(\d+) kB", status)[1])


class ProgramsTest(unittest.TestCase):

    def setUp(self):
        self.x = numpy.random.default_rng(3).normal(size=(1, 41)).astype(numpy.float32)
        self.model = dragoman.load(MLP)
        self.expected = self.model.run({"x": self.x})["y"]

    def test_native_engine(self):
        session = self.model.session("native")
        for _ in range(2):
            found = session.run({"x": self.x})["y"]
            numpy.testing.assert_allclose(found, self.expected, atol=1e-5)
        with self.assertRaisesRegex(dragoman.Invalid, "expected float32"):
            session.run({"x": self.x.astype(numpy.float64)})
        self.assertTrue(dragoman.verify(MLP, MLP, engine="native"))

    def test_states_of_the_native_engine_last(self):
        policy = dragoman.load("tests/models/torchscript/lstm_policy/model.pt")
        native, interpreted = policy.session("native"), policy.session()
        x = self.x[:, :6]

        def step():
            found = native.run({"x": x})["output"]
            numpy.testing.assert_allclose(found, interpreted.run({"x": x})["output"], atol=1e-5)
            return found.tobytes()

        first, second = step(), step()
        self.assertNotEqual(first, second)
        for session in (native, interpreted):
            session.run(entry="reset_memory")
        self.assertEqual(step(), first)
        for session in (native, interpreted):
            session.reset()
        self.assertEqual(step(), first)
        state = native.state
        self.assertEqual(list(state), list(interpreted.state))
        for name, array in interpreted.state.items():
            numpy.testing.assert_allclose(state[name], array, atol=1e-5)
        self.assertEqual(step(), second)
        for session in (native, interpreted):
            session.state = {name: 2 * array for name, array in state.items()}
        self.assertNotIn(step(), (first, second))
        with self.assertRaisesRegex(dragoman.Invalid, "reset it"):
            native.state = {name: array[..., :1] for name, array in state.items()}

    def test_generated_program(self):
        with tempfile.TemporaryDirectory() as scratch:
            program = self.model.codegen(pathlib.Path(scratch) / "a folder", "mlp")
            with self.assertRaisesRegex(RuntimeError, "not built"):
                program({"x": self.x})
            found = program.build()({"x": self.x})["y"]
            numpy.testing.assert_allclose(found, self.expected, atol=1e-5)
            with self.assertRaisesRegex(dragoman.Invalid, r"given sizes \[41\]"):
                program({"x": self.x[0]})

    def test_states_of_a_generated_program_last(self):
        policy = dragoman.load("tests/models/torchscript/lstm_policy/model.pt")
        x, session = self.x[:, :6], policy.session()
        with tempfile.TemporaryDirectory() as scratch:
            program = policy.lower(shapes={"x": "float32:1,6"}).codegen(scratch + "/policy", "policy").build()
            for _ in range(2):
                numpy.testing.assert_allclose(program(x)["output"], session.run(x)["output"],
                                              atol=1e-5)
            state = program.state
            program.reset()
            program.state = state
            numpy.testing.assert_allclose(program(x)["output"], session.run(x)["output"], atol=1e-5)
            program(entry="reset_memory")
            session.reset()
            numpy.testing.assert_allclose(program(x)["output"], session.run(x)["output"], atol=1e-5)

    def test_inputs_of_a_generated_program_are_not_copied(self):
        with tempfile.TemporaryDirectory() as scratch:
            program = dragoman.load(LARGEST).codegen(scratch + "/largest", "largest").build()
            x = numpy.ones(1 << 26, numpy.float32)
            try:
                pathlib.Path("/proc/self/clear_refs").write_text("5")  # the peak is what is used now
            except OSError:
                self.skipTest("the system does not set the peak back")
            before = peak_memory()
            self.assertEqual(program(x)["y"].tolist(), [1])
            self.assertLess(peak_memory() - before, x.nbytes // 4)

    def test_names_that_are_no_identifiers_are_refused(self):
        with tempfile.TemporaryDirectory() as scratch:
            with self.assertRaises(dragoman.Invalid):
                self.model.codegen(pathlib.Path(scratch) / "p", "a b")


if __name__ == "__main__":
    unittest.main()
