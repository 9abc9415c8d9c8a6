# SPDX-License-Identifier: Apache-2.0
"""Operators of ONNX on every element type that they allow, with what onnx's own evaluator computes."""

import numpy
import onnx
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from shared.cases import Refused, write_case
from shared.produce import serve_producer

FORM = "ONNX by element type"
OPSET = 22
TYPES = ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16",
         "float32", "float64")
UNARY = ("Abs", "Acosh", "Asin", "Atan", "Asinh", "Atanh", "Acos", "Ceil", "Celu", "Cos", "Cosh",
         "Elu", "Erf", "Exp", "Floor", "Gelu", "HardSigmoid", "HardSwish", "Hardmax", "LeakyRelu",
         "Log", "LogSoftmax", "Mish", "Neg", "NonZero", "Not", "Reciprocal", "Relu", "Round",
         "Selu", "Sigmoid", "Sign", "Sin", "Sinh", "Size", "Softmax", "Softplus", "Softsign", "Sqrt",
         "Tan", "Tanh", "ThresholdedRelu", "Transpose", "BitwiseNot", "ReduceL1", "ReduceL2",
         "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd",
         "ReduceSum", "ReduceSumSquare", "ArgMax", "ArgMin", "Unique", "Trilu", "EyeLike",
         "Identity", "Shape", "LpNormalization", "MeanVarianceNormalization")
BINARY = ("Add", "And", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Div", "Equal", "Greater",
          "GreaterOrEqual", "Less", "LessOrEqual", "Max", "Mean", "Min", "Mod", "Mul", "Or",
          "PRelu", "Sub", "Sum", "Xor")
ATTRIBUTES = {"Hardmax": {"axis": 1}, "ArgMax": {"axis": 1}, "ArgMin": {"axis": 0},
              "Concat": {"axis": 1}, "Einsum": {"equation": "ij,kj->ik"},
              "BitShift": {"direction": "LEFT"}, "DepthToSpace": {"blocksize": 2},
              "SpaceToDepth": {"blocksize": 2}, "GatherElements": {"axis": 1},
              "Resize": {"mode": "nearest"}, "MaxPool": {"kernel_shape": [2, 2]},
              "ScatterElements": {"axis": 1}, "Split": {"axis": 1}}
OTHERS = {  # a number or a list stands for a constant of int64, a name for one of the values
    "Clip": ("x", "low", "high"), "Compress": ("x", "kept"), "Concat": ("x", "y"),
    "CumSum": ("x", 1), "Einsum": ("x", "y"), "Expand": ("x", [2, 3, 4]), "Gather": ("x", [2, 0]),
    "GatherElements": ("x", [[3, 0], [1, 1], [2, -1]]), "GatherND": ("x", [[2, 3], [0, 1]]),
    "MatMul": ("x", "square"), "OneHot": ("indices", 7, "pair"), "Pad": ("x", [1, 0, 2, 1]),
    "Reshape": ("x", [2, 6]), "ScatterElements": ("x", [[3, 0]], "pair_row"),
    "Slice": ("x", [2, 3], [-9, 1], [0, 1], [-1, -1]), "Split": ("x", [1, 3]),
    "Tile": ("x", [2, 1]), "TopK": ("x", [2]), "Where": ("condition", "x", "y"),
    "BitShift": ("x", "shifts"), "Pow": ("x", "shifts"), "DepthToSpace": ("image",), "SpaceToDepth": ("image",),
    "Resize": ("image", None, "scales"), "Gemm": ("x", "square", "y"), "MaxPool": ("image",)}


# Of these, an overflow has no single right answer.
SUMS = ("Gemm", "ReduceL2", "ReduceMean", "ReduceSumSquare", "Resize")


def drawn(generator, dtype, ends, *sizes):
    """Numbers of both signs, a share of them at the ends of the type."""
    if dtype == "bool":
        return generator.random(sizes) < 0.5
    if dtype.startswith("float"):
        return (generator.standard_normal(sizes) * 2).astype(dtype)
    limits = numpy.iinfo(dtype)
    small = generator.integers(max(limits.min, -9), 10, sizes).astype(dtype)
    extreme = generator.choice(numpy.array([limits.min, limits.max], dtype), sizes)
    return numpy.where(generator.random(sizes) < ends, extreme, small)


def values(dtype, ends):
    """The inputs by name, of which an operator takes some."""
    generator = numpy.random.default_rng(3)

    def draw(*sizes):
        return drawn(generator, dtype, ends, *sizes)

    one, five = (numpy.array(value).astype(dtype) for value in (1, 5))
    return {"x": draw(3, 4), "y": draw(3, 4), "square": draw(4, 4), "image": draw(2, 4, 6, 4),
            "pair": draw(2), "pair_row": draw(1, 2), "low": one, "high": five,
            "shifts": numpy.where(draw(3, 4) > one, one, five)}


def written(operator, operands, dtype):
    def write(folder):
        given = values(dtype, 0 if operator in SUMS else 0.1)
        fixed = {"kept": numpy.array([True, False, True, True]), "indices": numpy.array([4, -2, 0]),
                 "condition": numpy.array([[True], [False], [True]]),
                 "scales": numpy.array([1, 1, 1.6, 0.7], numpy.float32)}
        names, constants = [], []
        for place, operand in enumerate(operands):
            if isinstance(operand, (int, list)) or operand in fixed:
                array = numpy.array(operand) if isinstance(operand, (int, list)) else fixed[operand]
                constants.append(numpy_helper.from_array(array, f"constant_{place}"))
                operand = f"constant_{place}"
            names.append(operand or "")
        inputs = {name: given[name] for name in dict.fromkeys(names) if name in given}
        outputs = ["left", "right"] if operator in ("Split", "TopK") else ["result"]
        node = helper.make_node(operator, names, outputs, **ATTRIBUTES.get(operator, {}))
        graph = helper.make_graph(
            [node], "g", [helper.make_tensor_value_info(
                name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
                for name, array in inputs.items()],
            [], constants)
        model = helper.make_model(graph, ir_version=10,
                                  opset_imports=[helper.make_opsetid("", OPSET)])
        known = {info.name: info
                 for info in onnx.shape_inference.infer_shapes(model).graph.value_info}
        model.graph.output.extend(known[name] for name in outputs)
        onnx.checker.check_model(model, full_check=True)
        with numpy.errstate(all="ignore"):
            results = ReferenceEvaluator(model).run(None, inputs)
        onnx.save(model, folder / "model.onnx")
        write_case(folder, "model.onnx", [(inputs, dict(zip(outputs, results)))])
    return write


def allowed(operator):
    """The element types of the operand that is drawn."""
    schema = onnx.defs.get_schema(operator, OPSET, "")
    place = 1 if operator == "Where" else 2 if operator == "OneHot" else 0
    of_variable = {row.type_param_str: row.allowed_type_strs for row in schema.type_constraints}
    kinds = of_variable.get(schema.inputs[place].type_str, [schema.inputs[place].type_str])
    names = {f"tensor({name})".replace("float32", "float").replace("float64", "double"): name
             for name in TYPES}
    return [names[kind] for kind in kinds if kind in names]


def cases():
    rows = ({name: ("x",) for name in UNARY} | {name: ("x", "y") for name in BINARY} | OTHERS)
    return {f"{FORM}/{operator} {dtype}": written(operator, operands, dtype)
            for operator, operands in sorted(rows.items()) for dtype in allowed(operator)}


if __name__ == "__main__":
    serve_producer(cases(), f"onnx {onnx.__version__}")
