#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Archives of torch.export whose buffers lie in one storage, by offset and strides: what is written
through one of them is seen by the others, as with views of one NumPy array."""

import pathlib
import random
import sys
import unittest

import numpy as np
from numpy.lib.stride_tricks import as_strided

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from exported_case import ExportedPrograms
from exported_programs import Program

CALLS = 3


class Storage:
    """A record, and the buffers of a program in it."""

    def __init__(self, program, elements, record="weight_0"):
        self.program, self.record = program, record
        self.elements = np.array(elements)
        self.stored = self.elements.copy()

    def buffer(self, fqn, sizes, strides, offset=0):
        """The name in the program, and the view."""
        name = self.program.weight(fqn, self.stored, "buffer", record=self.record, sizes=list(sizes),
                                   strides=list(strides), offset=offset)
        width = self.elements.itemsize
        view = as_strided(self.elements[offset:], sizes, [step * width for step in strides])
        return name, view


def has_equal_places(sizes, strides):
    places = np.zeros(sizes, int)
    for axis, step in enumerate(strides):
        index = np.arange(sizes[axis]) * step
        places += index.reshape([-1 if k == axis else 1 for k in range(len(sizes))])
    return np.unique(places).size < places.size


class SharedStorages(ExportedPrograms):
    def expect_calls(self, program, arrays, step):
        """What `step` gives, called CALLS times with slices of `arrays`."""
        self.save(program)
        results = [step(*(array[k] for array in arrays)) for k in range(CALLS)]
        self.expect(arrays, [np.stack(outputs) for outputs in zip(*results)], "--steps", str(CALLS))

    def test_one_that_is_written_and_one_that_holds_it(self):
        p = Program("TRAINING")
        x = p.input("x", [3])
        storage = Storage(p, np.arange(6, dtype=np.float32))
        every_second, second = storage.buffer("a", (3,), (2,))
        turned, whole = storage.buffer("b", (3, 2), (1, 3))
        p.aten("add_.Tensor", every_second, x)
        p.output(p.aten("clone.default", turned))

        def step(x):
            second[...] += x
            return [whole.copy()]
        self.expect_calls(p, [np.float32([[1, 2, 3], [0, 0, 1], [5, 4, 3]])], step)

    def test_buffers_that_outputs_replace(self):
        p = Program()
        x = p.input("x", [2])
        storage = Storage(p, np.arange(4, dtype=np.float32))
        name, a = storage.buffer("a", (2,), (1,), 1)
        whole, b = storage.buffer("b", (2, 2), (2, 1))
        new = p.aten("add.Tensor", name, x)
        p.mutate("buffer", "a", new)
        p.output(p.aten("mul.Tensor", whole, 2))

        def step(x):
            before = b * 2
            a[...] = a + x
            return [before]
        self.expect_calls(p, [np.float32([[1, 2], [3, 4], [5, 6]])], step)

    def test_offsets_of_the_storage(self):
        p = Program()
        x = p.input("x", [2])
        storage = Storage(p, np.arange(8, dtype=np.float32))
        part, _ = storage.buffer("a", (5,), (1,), 3)
        inner = p.aten("as_strided.default", part, [2], [2], 4)
        self.save(p.output(p.aten("add.Tensor", x, inner)))
        self.expect([np.float32([10, 20])], [np.float32([14, 26])])

    def test_other_element_types_are_refused(self):
        p = Program("TRAINING")
        x = p.input("x", [2])
        elements = np.float32([1, 2])
        a = p.weight("a", elements, "buffer", record="weight_0")
        p.weight("b", elements, "buffer", record="weight_0", dtype="int32")
        p.aten("add_.Tensor", a, x)
        self.save(p.output(p.aten("clone.default", a)))
        self.expect_refused(4, "'a' is written in place, and 'b' has some of its elements in another "
                               "form", [elements])

    def test_drawn_ones(self):
        for seed in range(12):
            with self.subTest(seed):
                self.draw(random.Random(seed))

    def draw(self, rng):
        count = rng.randint(6, 14)
        p = Program("TRAINING")
        x = p.input("x", [])
        storage = Storage(p, np.arange(count, dtype=np.float32))
        buffers = []
        for k in range(rng.randint(2, 4)):
            sizes = [rng.randint(1, 3) for _ in range(rng.randint(1, 3))]
            strides = [rng.randint(1, 4) for _ in sizes]
            reach = sum((size - 1) * step for size, step in zip(sizes, strides))
            if reach < count:
                at = rng.randint(0, count - 1 - reach)
                buffers.append((*storage.buffer(f"b{k}", sizes, strides, at),
                                not has_equal_places(sizes, strides)))
        writable = [(name, view) for name, view, is_writable in buffers if is_writable]
        writes = []
        for _ in range(rng.randint(1, 3) if writable else 0):
            name, view = rng.choice(writable)
            writes.append((rng.choice(["add_.Tensor", "copy_.default", "mul_.Tensor"]), name, view))
            p.aten(writes[-1][0], name, x)
        p.output(*(p.aten("clone.default", name) for name, _, _ in buffers))

        def step(x):
            for kind, _, view in writes:
                view[...] = {"add_.Tensor": view + x, "copy_.default": x,
                             "mul_.Tensor": view * x}[kind]
            return [view.copy() for _, view, _ in buffers]
        if buffers:
            self.expect_calls(p, [np.float32([2, 3, -1])], step)


if __name__ == "__main__":
    unittest.main()
