#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the seed corpora of the fuzz targets from the models of tests/models and ONNX's suite.

Usage: make_corpus.py FOLDER     gets onnx_model/, torchscript_{archive,unpickler,language}/,
                                 tensorflow_{graph,checkpoint,chunks}/, pt2_{archive,text}/,
                                 relax_module/, relay_text/, containers/, arrays/, rules/ and
                                 program_files/

ONNX models are one of every operator of the suite, if it is there. Archives are the smallest model files as they are; pickles their data.pkl, constants.pkl and traced
inputs; sources their code, in which the model's own class is called Net. A program of torch.export
is one with a weight, a graph within a graph and a symbolic size. Containers are graph texts and,
where DRAGOMAN_BINARY names the program, what it makes of them.
"""

import io
import json
import os
import pathlib
import re
import sys
import zipfile

import numpy as np

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / "models"), str(TESTS / "support")]
from chunked_saved_model import chunked, cut
from commands import dragoman
from exported_programs import Graph, Int, Program

MODELS = TESTS / "models" / "torchscript"
TENSORFLOW = MODELS.parent / "tensorflow"
RELAY = MODELS.parent / "relay"
SUITE = pathlib.Path("/usr/share/libonnx-testdata/data/node")
ARCHIVES = 8
PICKLES = ("data.pkl", "constants.pkl", "traced_inputs.pkl")


RELAX_MODULE = """@I.ir_module
class Module:
    @R.function
    def main(c: R.Tensor((), dtype="bool"), x: R.Tensor(("n", 4), dtype="float32")):
        R.func_attr({"num_input": 2, "nested": {"a": [1, 2.5, "b"], "t": (1, 2)}})
        cls = Module
        n = T.int64()
        k = T.int64()
        with R.dataflow():
            lv: R.Tensor((n // 2, 4), dtype="float32") = R.strided_slice(x, [0], begin=[0], end=[n // 2])
            lv1 = R.match_cast(R.nonzero(lv), R.Tensor((2, k), dtype="int64"))
            R.output(lv, lv1)
        if c:
            r = cls.helper(R.exp(lv))
        else:
            r = -lv + lv * R.const([[1.0, 2.0, 3.0, 4.0]], "float32")
        a, b = R.split(x, 2, axis=1)
        R.assert_op(c, [x], format="no {}")
        return (r, a, b, R.reshape(lv1, R.shape([k * 2])))

    @T.prim_func
    def kernel(a: T.handle):
        pass

    @R.function(private=True)
    def helper(x: R.Tensor(("m", "p"), dtype="float32")) -> R.Tensor(("m", "p"), dtype="float32"):
        y = R.nn.pad(x, pad_width=[0, 0, 1, 1], pad_mode="constant", pad_value=1.5)
        z = R.nn.softmax(y, axis=-1)
        return z
"""


ONNX_SYNTAX = """<ir_version: 10, opset_import: ["" : 18, "local" : 1], metadata_props: ["k": "v"]>
net (float[n, 3] x, bool c, float[3] d = {1, -2.5, nan}) => (float[n, 3] y, seq(int64[]) s)
   <float16[2] "a/b" = {15360, 48128}, map(string, optional(float)) m>
{
   [first] a = Add (x, d)
   z = If (c) <then_branch = t () => (float t) { t = Elu <alpha = 0.25> (a) }, else_branch: graph = e () => (float e) { e = Neg (a) }>
   k = Constant <value: tensor = int64[2] {0, 1}, words = ["a", "b"], none: ints = []> ()
   y, = local.scale:fast <factor: float = 2> (z, , "")
}
<domain: "local", opset_import: ["" : 18]>
scale <factor, other: float = 1.5> (a) => (b) { b = Mul <f: float = @factor> (a, a) }
"""


GRAPH_TEXT = """dragoman 1 source onnx
opset "" 18
opset "local" 1
metadata "k" = "v"
extra {onnx.ir_version = 8}

entry main(%x: f32[n, 2*n + 1], %c: bool[], %"a b": seq<opt<i64[?]>>) -> (%y: f32[n, 3]) {
  const %w: f32[2, 2] = [[1.0, -2.5], [nan, inf]]
  const %b: f32[3] = base64 "AACAPwAAAEAAAEBA"
  %s = onnx.Constant() {sparse_value = sparse [4] (f32[2] [1.0, 2.0], i64[2] [3, 1])} @node
  %t = onnx.If(%c) {then_branch = graph t() -> (%u) {
    %u = onnx.Neg(%x)
  }, else_branch = graph e() -> (%v) {
    %v = onnx:local.scale(%x) {factor = 2.0}
  }}
  %y, _ = onnx:other.Thing(%t, _, %b) {ints = [1, -2], texts = ["a", "\\x00"], type = type f16[n], list = list [1, none]}
}

function onnx:local.scale(%a) -> (%b)
    opset "" 18
    attributes ["factor"] {
  %b = onnx.Mul(%a, %a)
}
"""


def net_source(text):
    """The source with its last class called Net, in the file of that class."""
    names = re.findall(r"^class (\w+)\(Module\)", text, re.MULTILINE)
    return re.sub(rf"\b{names[-1]}\b", "Net", text) if names else text


def onnx_models():
    """The smallest model of the suite for every first word of its name: "conv", "lstm", …"""
    models = sorted(SUITE.glob("test_*/model.onnx"), key=lambda path: (path.stat().st_size, str(path)))
    first = {}
    for model in models:
        first.setdefault(model.parent.name.split("_")[1], model)
    return first


def exported_program():
    program = Program()
    weight = program.weight("layer.h", np.zeros(3, np.float32), "buffer")
    x = program.input("x", ["s0", 3])
    rows = program.aten("sym_size.int", x, 0, kind=Int)
    branches = []
    for name in ("neg", "relu"):
        branch = Graph(name)
        value = branch.aten(f"{name}.default", branch.input("a", ["s0", 3]))
        branch.outputs = [{"as_tensor": {"name": value}}]
        branches.append(branch)
    holds = program.aten("gt.Scalar", program.aten("sum.default", x), 0)
    y = program.hop("cond", holds, *branches, [x])
    program.mutate("buffer", "layer.h", program.aten("sum.dim_IntList", y, [0]))
    flat = program.aten("view.default", y, [program.call("_operator.mul", rows, 3, kind=Int)])
    return program.output(flat, program.aten("add.Tensor", y, weight))


def add_exported(folder):
    program = exported_program()
    program.save(folder / "pt2_archive" / "program")
    program.save_as_2_7(folder / "pt2_archive" / "program_2_7")
    texts = {"json": json.dumps(program.program_json()), "infix": "(s0*2 + 1) // 3 - Max(u0, 4)**2",
             "srepr": "Add(Mul(Integer(2), Symbol('s0', positive=True, integer=True)), Integer(-1))",
             "tree": json.dumps([1, program.out_tree])}
    for name, text in texts.items():
        (folder / "pt2_text" / name).write_text(text, encoding="utf-8")


def add_containers(folder):
    text = folder / "text.dgt"
    text.write_text(GRAPH_TEXT, encoding="utf-8")
    for suffix in ("dgm", "json") if "DRAGOMAN_BINARY" in os.environ else ():
        dragoman("convert", text, "-o", folder / f"model.{suffix}", checked=False)


def add_source_graphs(folder):
    """As graph texts, small models that other targets begin with."""
    models = {f"{name}.{suffix}": folder / target / name for target, name, suffix in (
        ("relax_module", "module", "py"), ("pt2_archive", "program", "pt2"))}
    models |= {model.name: model for model in (*RELAY.glob("*.relay"), *TENSORFLOW.glob("*.pb"))}
    for name, model in models.items() if "DRAGOMAN_BINARY" in os.environ else ():
        if model.stat().st_size < 20000:
            dragoman("convert", model, "-o", folder / "containers" / f"{name}.dgt", checked=False)


def add_arrays(folder):
    arrays = {"floats": np.arange(6, dtype=">f4").reshape(2, 3), "texts": np.array(["a", "größer"]),
              "truths": np.array([True, False]), "none": np.zeros((0, 3), np.complex64)}
    for name, array in arrays.items():
        file = io.BytesIO()
        np.save(file, array)
        for target in (folder, folder.parent / "program_files"):
            (target / name).write_bytes(file.getvalue())
    np.savez_compressed(folder / "archive.npz", **arrays)
    np.savez(folder.parent / "program_files" / "archive.npz", **arrays)
    (folder.parent / "program_files" / "maps").write_text('[{"a": 1.5}, {"a": -2e3}]', encoding="utf-8")
    # Weights of a generated program that are two texts.
    weights = b"dragoman weights" + np.array([1, 7, 64 + 24 + 3, 0, 0, 0], "<u8").tobytes()
    (folder.parent / "program_files" / "weights").write_bytes(
        weights + np.array([2, 1, 2], "<u8").tobytes() + b"abc")
    # A list of arrays of TVM: magic number, names, then each array.
    head = np.array([0xF7E58D4F05049CB7, 0, 1, 1], "<u8").tobytes() + b"w"
    array = np.array([1, 0xDD5E40F096B4A13F, 0], "<u8").tobytes() + \
        np.array([1, 0, 1, 2 | 32 << 8 | 1 << 16], "<u4").tobytes() + np.array([2, 8], "<u8").tobytes()
    (folder / "params").write_bytes(head + array + np.ones(2, "<f4").tobytes())


def main():
    folder = pathlib.Path(sys.argv[1])
    for name in ("onnx_model", "onnx_syntax", "torchscript_archive", "torchscript_unpickler", "torchscript_language",
                 "tensorflow_graph", "tensorflow_checkpoint", "tensorflow_chunks", "pt2_archive",
                 "pt2_text", "relax_module", "relay_text", "containers", "arrays", "rules", "program_files"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    add_containers(folder / "containers")
    add_arrays(folder / "arrays")
    for rules in (TESTS.parent / "docs" / "rules").glob("*.rules"):
        (folder / "rules" / rules.stem).write_bytes(rules.read_bytes())
    add_exported(folder)
    (folder / "relax_module" / "module").write_text(RELAX_MODULE, encoding="utf-8")
    for model in RELAY.glob("*.relay"):
        (folder / "relay_text" / model.stem).write_bytes(model.read_bytes())
    add_source_graphs(folder)
    (folder / "onnx_syntax" / "model").write_text(ONNX_SYNTAX, encoding="utf-8")
    for name, model in onnx_models().items():
        (folder / "onnx_model" / name).write_bytes(model.read_bytes())
    for model in (*TENSORFLOW.glob("*.pb*"), *TENSORFLOW.glob("*/saved_model.pb")):
        name = "_".join(model.relative_to(TENSORFLOW).parts)
        (folder / "tensorflow_graph" / name).write_bytes(model.read_bytes())
    for model in TENSORFLOW.glob("*/saved_model.pb"):
        data = chunked(*cut(model.read_bytes()))
        (folder / "tensorflow_chunks" / model.parent.name).write_bytes(data)
    for index in TENSORFLOW.glob("*/variables/variables.index"):
        name = index.parent.parent.name
        (folder / "tensorflow_checkpoint" / name).write_bytes(index.read_bytes())
    models = sorted(MODELS.glob("*/model.pt"), key=lambda path: (path.stat().st_size, path.name))
    for i, model in enumerate(models):
        name = model.parent.name
        if i < ARCHIVES:
            (folder / "torchscript_archive" / name).write_bytes(model.read_bytes())
        with zipfile.ZipFile(model) as archive:
            for record in archive.namelist():
                inner = record.split("/", 1)[1]
                if inner in PICKLES:
                    (folder / "torchscript_unpickler" / f"{name}.{inner}").write_bytes(archive.read(record))
                if inner == "code/__torch__.py":
                    source = net_source(archive.read(record).decode())
                    (folder / "torchscript_language" / name).write_text(source, encoding="utf-8")


if __name__ == "__main__":
    main()
