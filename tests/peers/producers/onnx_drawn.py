# SPDX-License-Identifier: Apache-2.0
"""Drawn graphs of ONNX's operators, with what ONNX Runtime computes from the file.

An operator is drawn, with operands of what is there so far and attributes that are legal for them;
ONNX Runtime computes its results, and where it does not, another is drawn.
"""

import numpy
import onnx
import onnxruntime
from onnx import helper, numpy_helper

from shared.cases import Refused, write_case
from shared.onnx_templates import TEMPLATES
from shared.produce import numbers, serve_producer

FORM = "ONNX, drawn graphs"
GRAPHS = 600
LARGEST = 1e4  # beyond, sums in another order differ too much
MOST_ELEMENTS = 4000
ELEMENT_TYPES = ("float32",) * 7 + ("float64", "int64", "int32", "int64", "bool", "uint8")
# Of these, a number near to a step has no single right answer.
STEPS = ("Floor", "Ceil", "Round", "Sign", "Cast", "Mod", "QuantizeLinear")


class Drawing:
    """A graph that grows: values by name, nodes, constants."""

    def __init__(self, seed):
        self.generator = numpy.random.default_rng(seed)
        self.open_first = self.chance(0.4)  # the first axis of inputs
        self.operator_set = int(self.pick([9, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22]))
        self.values = {}
        self.inputs = []
        self.constants = []
        self.nodes = []

    # Choices

    def pick(self, items):
        return items[self.generator.integers(len(items))]

    def chance(self, share=0.5):
        return self.generator.random() < share

    def number(self, low, high):
        """An integer of low to high, both included."""
        return int(self.generator.integers(low, high + 1))

    def value(self, holds=lambda array: True):
        """The name of a value, rather a late one, for which something holds."""
        names = [name for name, array in self.values.items() if holds(array)]
        if not names:
            raise Refused("nothing fits")
        return names[max(self.number(0, len(names) - 1), self.number(0, len(names) - 1))]

    def of_kind(self, kinds, least=0, most=9):
        return self.value(lambda array: array.dtype.kind in kinds and least <= array.ndim <= most)

    def axis(self, name, negative=True):
        rank = self.values[name].ndim
        if not rank:
            raise Refused("has no axis")
        axis = self.number(0, rank - 1)
        return axis - rank if negative and self.operator_set >= 11 and self.chance(0.4) else axis

    def axes(self, name):
        rank = self.values[name].ndim
        count = self.number(1, max(1, min(rank, 2)))
        if not rank:
            raise Refused("has no axis")
        drawn = self.generator.choice(rank, count, replace=False)
        return [int(axis) - (rank if self.operator_set >= 11 and self.chance(0.3) else 0)
                for axis in drawn]

    # Values

    def draw(self, dtype, *sizes):
        if dtype == "bool":
            return self.generator.random(sizes) < 0.5
        if dtype.startswith("float"):
            return numbers(self.generator, *sizes, dtype=dtype)
        low = 0 if dtype.startswith("uint") else -4
        return self.generator.integers(low, 5, sizes).astype(dtype)

    def constant(self, array, dtype="int64"):
        """A constant, as an initializer or the result of a node."""
        array = numpy.asarray(array, dtype)
        name = f"c{len(self.constants)}"
        self.constants.append((name, array, self.chance(0.3)))
        return name

    def sibling(self, name, weight=0.5):
        """A value of the same element type that broadcasts with it."""
        array = self.values[name]
        if self.chance(weight):
            try:
                return self.value(lambda other: other.dtype == array.dtype and
                                  self.broadcasts(other.shape, array.shape))
            except Refused:
                pass
        sizes = [size if self.chance(0.6) else 1 for size in array.shape]
        return self.constant(self.draw(array.dtype.name, *sizes[self.number(0, len(sizes)):]),
                             array.dtype)

    # Growth

    def add_input(self):
        rank = self.pick([0, 1, 2, 2, 3, 3, 4, 4, 5])
        sizes = [self.pick([1, 2, 3, 3, 4, 5, 6, 7]) for _ in range(rank)]
        if self.open_first and rank > 1:
            sizes[0] = 3
        name = f"x{len(self.inputs)}"
        self.values[name] = numpy.asarray(self.draw(self.pick(ELEMENT_TYPES), *sizes))
        self.inputs.append(name)

    def add_node(self):
        """Appends a node of a drawn operator, or raises where nothing legal came of it."""
        kept = len(self.constants)
        try:
            operator, operands, attributes, *count = self.pick(TEMPLATES)(self)
            results = [f"v{len(self.nodes)}_{place}" for place in range(count[0] if count else 1)]
            node = helper.make_node(operator, operands, results, **attributes)
            arrays = self.computed(node)
            if not all(map(is_tame, arrays)) or operator in STEPS and self.is_near_step(operands[0]):
                raise Refused("is too large, or as good as another")
        except Exception:
            del self.constants[kept:]
            raise
        self.nodes.append(node)
        self.values.update(zip(results, arrays))

    def is_near_step(self, name):
        """Whether a computed number is near to a multiple of a half."""
        array = self.values[name]
        if array.dtype.kind != "f" or name in self.inputs:
            return False
        return bool((abs(2 * array - numpy.round(2 * array)) < 1e-3).any())

    def computed(self, node):
        constants = {name: array for name, array, _ in self.constants}
        feeds = {name: self.values[name] for name in node.input if name in self.values}
        graph = helper.make_graph(
            [node], "g", [typed(name, array) for name, array in feeds.items()],
            [helper.make_empty_tensor_value_info(name) for name in node.output],
            [numpy_helper.from_array(constants[name], name) for name in dict.fromkeys(node.input)
             if name in constants])
        return session(self.model(graph)).run(None, feeds)

    def model(self, graph):
        return helper.make_model(graph, ir_version=8,
                                 opset_imports=[helper.make_opsetid("", self.operator_set)])

    def whole(self):
        """The model of all nodes; what nothing reads is an output."""
        read = {name for node in self.nodes for name in node.input}
        outputs = [name for name in self.values if name not in read and name not in self.inputs]
        as_nodes = [helper.make_node("Constant", [], [name], value=numpy_helper.from_array(array))
                    for name, array, is_node in self.constants if is_node]
        graph = helper.make_graph(
            as_nodes + self.nodes, "g",
            [typed(name, self.values[name], self.open_first) for name in self.inputs],
            [helper.make_empty_tensor_value_info(name) for name in outputs],
            [numpy_helper.from_array(array, name) for name, array, is_node in self.constants
             if not is_node])
        model = self.model(graph)
        known = {info.name: info for info in onnx.shape_inference.infer_shapes(model).graph.output}
        for output in graph.output:
            if known[output.name].type.tensor_type.elem_type:
                output.CopyFrom(known[output.name])
            else:
                output.CopyFrom(typed(output.name, self.values[output.name], sizes=False))
        return self.model(graph), outputs

    @staticmethod
    def broadcasts(sizes, others):
        try:
            numpy.broadcast_shapes(sizes, others)
            return True
        except ValueError:
            return False


def typed(name, array, open_first=False, sizes=True):
    shape = list(array.shape)
    if open_first and len(shape) > 1:
        shape[0] = "n"
    kind = (onnx.TensorProto.STRING if array.dtype.kind == "O" else
            helper.np_dtype_to_tensor_dtype(array.dtype))
    return helper.make_tensor_value_info(name, kind, shape if sizes else None)


def session(model):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(model.SerializeToString(), options)


def is_tame(array):
    if array.size > MOST_ELEMENTS or array.dtype.kind not in "fiub":
        return False
    if array.dtype.kind == "b":
        return True
    return bool(numpy.isfinite(array).all() and (abs(array.astype("float64")) < LARGEST).all())


def drawn_graph(seed):
    drawing = Drawing(seed)
    for _ in range(drawing.number(1, 3)):
        drawing.add_input()
    wanted = drawing.number(3, 14)
    for _ in range(20 * wanted):
        if len(drawing.nodes) == wanted:
            break
        try:
            drawing.add_node()
        except Exception:  # whatever is not legal, another is drawn
            pass
    return drawing


def written(seed):
    def write(folder):
        drawing = drawn_graph(seed)
        model, outputs = drawing.whole()
        onnx.save(model, folder / "model.onnx")
        run = session(model)
        runs = []
        for rows in (3, 1, 2) if drawing.open_first else (3,):
            feeds = {name: drawing.values[name] for name in drawing.inputs}
            if rows != 3:
                feeds = {name: array[:rows] if array.ndim > 1 else array
                         for name, array in feeds.items()}
            results = run.run(None, feeds)  # fails where the graph is not one for every size
            if all(map(is_tame, results)):
                runs.append((feeds, dict(zip(outputs, results))))
        if not runs:
            raise Refused("computes numbers that are too large")
        write_case(folder, "model.onnx", runs)
    return write


def cases():
    return {f"{FORM}/{seed}": written(seed) for seed in range(GRAPHS)}


if __name__ == "__main__":
    serve_producer(cases(), f"onnx {onnx.__version__}, ONNX Runtime {onnxruntime.__version__}")
