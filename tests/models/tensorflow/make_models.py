#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the models of this folder, without TensorFlow: graphs as text that protoc encodes.

Usage: make_models.py      (in the root of the project)

counter.pb, .pbtxt, counter/
                       a counter: AssignAddVariableOp, then ReadVariableOp by a control edge, Identity;
                       as a GraphDef, and as the SavedModel of a function that is handed the variable
stateful_lstm/         keras.layers.LSTM(1, stateful=True, return_sequences=True) for a batch of 2, as
                       Keras saves it: a While over TensorLists in a function standard_lstm, whose last
                       states are assigned to variables
grayscale.pb           cond(equal(shape(inputs)[-1], 3), identity, grayscale_to_rgb) after an Assert that
                       there are 1 or 3 channels, which the file does not say
vocabulary/             words to numbers, by a table that a function fills from a text file among the
                       assets, and to weights, by a table that is restored from the checkpoint; a second
                       graph with the tags serve and gpu hands the words on
partitioned/           rows of a matrix that is stored as a whole and restored to variables of 2 and 3 rows
session/               a BasicLSTMCell of TensorFlow 1 whose states are variables, as a MetaGraphDef with a
                       checkpoint of the first format, one table with the bias in two parts; expected.npz
                       holds what a NumPy program gives for two calls
expected.npz           what a NumPy program gives for two calls of the LSTM
"""

import numpy as np

from model_files import (HERE, const, dtype, dtypes, func, function, graph, node, shape, text,
                         variable, write, write_checkpoint, write_old_checkpoint, write_saved_model,
                         write_text)


def sigmoid(v):
    return 1 / (1 + np.exp(-v))


def counting(handle, suffix):
    """Adds one to the variable, then reads it; references as in a body if there is a suffix."""
    return [const("one", np.float32(1), "float"),
            node("AssignAddVariableOp", "AssignAddVariableOp", handle,
                 "one:output:0" if suffix else "one", dtype=dtype("float")),
            node("ReadVariableOp", "ReadVariableOp", handle, "^AssignAddVariableOp",
                 dtype=dtype("float")),
            node("Identity", "Identity", "ReadVariableOp:value:0" if suffix else "ReadVariableOp",
                 "^AssignAddVariableOp", T=dtype("float"))]


def make_counter():
    write(HERE / "counter.pb", "GraphDef", graph(
        [variable("counter"), const("initial", np.float32(1), "float"),
         node("counter/Assign", "AssignVariableOp", "counter", "initial", dtype=dtype("float")),
         *counting("counter", False)]))
    write_text(HERE / "counter.pbtxt", "GraphDef", (HERE / "counter.pb").read_bytes())
    called = function("__inference_call_1", {"counter": "resource"}, counting("counter", True),
                      {"identity": ("float", "Identity:output:0")}, ["AssignAddVariableOp"])
    write_saved_model("counter", (
        [variable("counter"),
         node("StatefulPartitionedCall", "StatefulPartitionedCall", "counter",
              Tin=dtypes("resource"), Tout=dtypes("float"), f=func("__inference_call_1"))],
        [called]), {}, {"output_0": ("StatefulPartitionedCall:0", ())},
        {"counter": ("counter/.ATTRIBUTES/VARIABLE_VALUE", np.float32(1))})


# Loop variables of Keras' While, in order.
LOOP = {"counter": "int32", "maximum": "int32", "time": "int32", "list": "variant", "h": "float",
        "c": "float", "steps": "int32", "inputs": "variant", "kernel": "float",
        "recurrent": "float", "bias": "float"}


def lstm_cell():
    """One step, as keras.backend writes it: gates in the order i, f, c, o."""
    return [
        const("sizes", np.array([2, 2]), "int32"),
        node("x", "TensorListGetItem", "inputs", "time", "sizes:output:0",
             element_dtype=dtype("float")),
        node("MatMul", "MatMul", "x:item:0", "kernel", T=dtype("float")),
        node("MatMul_1", "MatMul", "h", "recurrent", T=dtype("float")),
        node("add", "AddV2", "MatMul:product:0", "MatMul_1:product:0", T=dtype("float")),
        node("BiasAdd", "BiasAdd", "add:z:0", "bias", T=dtype("float")),
        const("axis", 1, "int32"),
        node("split", "Split", "axis:output:0", "BiasAdd:output:0", num_split="i: 4",
             T=dtype("float")),
        node("i", "Sigmoid", "split:output:0", T=dtype("float")),
        node("f", "Sigmoid", "split:output:1", T=dtype("float")),
        node("fc", "Mul", "f:y:0", "c", T=dtype("float")),
        node("g", "Tanh", "split:output:2", T=dtype("float")),
        node("ig", "Mul", "i:y:0", "g:y:0", T=dtype("float")),
        node("c_next", "AddV2", "fc:z:0", "ig:z:0", T=dtype("float")),
        node("o", "Sigmoid", "split:output:3", T=dtype("float")),
        node("tanh", "Tanh", "c_next:z:0", T=dtype("float")),
        node("h_next", "Mul", "o:y:0", "tanh:y:0", T=dtype("float")),
        node("set", "TensorListSetItem", "list", "time", "h_next:z:0",
             element_dtype=dtype("float")),
        const("one", 1, "int32"),
        node("time_next", "AddV2", "time", "one:output:0", T=dtype("int32")),
        node("counter_next", "AddV2", "counter", "one:output:0", T=dtype("int32"))]


def lstm_functions():
    kept = {name: (kind, name) for name, kind in LOOP.items()}
    changed = {"counter": "counter_next:z:0", "time": "time_next:z:0", "list": "set:output_handle:0",
               "h": "h_next:z:0", "c": "c_next:z:0"}
    body = function("while_body_1", LOOP, lstm_cell(), {
        f"{name}_out": (kind, changed.get(name, name)) for name, (kind, _) in kept.items()})
    condition = function("while_cond_1", LOOP, [
        node("Less", "Less", "time", "steps", T=dtype("int32"))], {"less": ("bool", "Less:z:0")})
    layer = function("__inference_standard_lstm_1", {
        "inputs": "float", "h": "float", "c": "float", "kernel": "float", "recurrent": "float",
        "bias": "float"}, [
            const("perm", np.array([1, 0, 2]), "int32"),
            node("transpose", "Transpose", "inputs", "perm:output:0", T=dtype("float"),
                 Tperm=dtype("int32")),
            node("Shape", "Shape", "transpose:y:0", T=dtype("float")),
            const("zero", np.array([0]), "int32"), const("first", np.array([1]), "int32"),
            node("steps", "StridedSlice", "Shape:output:0", "zero:output:0", "first:output:0",
                 "first:output:0", T=dtype("int32"), Index=dtype("int32"),
                 shrink_axis_mask="i: 1"),
            const("item", np.array([2, 2]), "int32"), const("result", np.array([2, 1]), "int32"),
            node("unstack", "TensorListFromTensor", "transpose:y:0", "item:output:0",
                 element_dtype=dtype("float"), shape_type=dtype("int32")),
            node("reserve", "TensorListReserve", "result:output:0", "steps:output:0",
                 element_dtype=dtype("float"), shape_type=dtype("int32")),
            const("start", 0, "int32"), const("endless", -1, "int32"),
            node("while", "While", "start:output:0", "endless:output:0", "start:output:0",
                 "reserve:handle:0", "h", "c", "steps:output:0", "unstack:output_handle:0",
                 "kernel", "recurrent", "bias", T=dtypes(*LOOP.values()), cond=func("while_cond_1"),
                 body=func("while_body_1"), parallel_iterations="i: 32"),
            node("stack", "TensorListStack", "while:output:3", "result:output:0",
                 element_dtype=dtype("float")),
            node("transpose_1", "Transpose", "stack:tensor:0", "perm:output:0", T=dtype("float"),
                 Tperm=dtype("int32"))],
        {"outputs": ("float", "transpose_1:y:0"), "last_h": ("float", "while:output:4"),
         "last_c": ("float", "while:output:5")},
        api_implements=text("lstm_1"), api_preferred_device=text("CPU"))
    names = ["h", "c", "kernel", "recurrent", "bias"]
    called = function("__inference_call_2", {"x": "float", **{name: "resource" for name in names}}, [
        *(node(f"read_{name}", "ReadVariableOp", name, dtype=dtype("float")) for name in names),
        node("lstm", "PartitionedCall", "x", *(f"read_{name}:value:0" for name in names),
             Tin=dtypes(*["float"] * 6), Tout=dtypes(*["float"] * 3),
             f=func("__inference_standard_lstm_1")),
        node("AssignVariableOp", "AssignVariableOp", "h", "lstm:output:1", "^read_h",
             dtype=dtype("float")),
        node("AssignVariableOp_1", "AssignVariableOp", "c", "lstm:output:2", "^read_c",
             dtype=dtype("float"))],
        {"output": ("float", "lstm:output:0")}, ["AssignVariableOp", "AssignVariableOp_1"])
    return [body, condition, layer, called]


def lstm_reference(x, h, c, kernel, recurrent, bias):
    outputs = []
    for t in range(x.shape[1]):
        i, f, g, o = np.split(x[:, t] @ kernel + h @ recurrent + bias, 4, axis=1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        outputs.append(h)
    return np.stack(outputs, axis=1), h, c


def make_stateful_lstm():
    generator = np.random.default_rng(3)
    values = {"lstm/h": np.zeros((2, 1)), "lstm/c": np.zeros((2, 1)),
              "lstm/kernel": generator.normal(size=(2, 4)),
              "lstm/recurrent": generator.normal(size=(1, 4)),
              "lstm/bias": generator.normal(size=4)}
    values = {name: value.astype(np.float32) for name, value in values.items()}
    nodes = [*(variable(name, *value.shape) for name, value in values.items()),
             node("serving_default_x", "Placeholder", dtype=dtype("float"), shape=shape(2, -1, 2)),
             node("StatefulPartitionedCall", "StatefulPartitionedCall", "serving_default_x", *values,
                  Tin=dtypes("float", *["resource"] * 5), Tout=dtypes("float"),
                  f=func("__inference_call_2"))]
    write_saved_model(
        "stateful_lstm", (nodes, lstm_functions()),
        {"x": ("serving_default_x:0", (2, -1, 2))},
        {"output_0": ("StatefulPartitionedCall:0", (2, -1, 1))},
        {name: (f"{name}/.ATTRIBUTES/VARIABLE_VALUE", value) for name, value in values.items()})
    x = generator.normal(size=(2, 5, 2)).astype(np.float32)
    state = [values["lstm/h"], values["lstm/c"]]
    weights = [values[f"lstm/{name}"] for name in ("kernel", "recurrent", "bias")]
    results = {"x": x}
    for call in range(2):
        outputs, *state = lstm_reference(x, *state, *weights)
        results[f"call_{call}"] = outputs.astype(np.float32)
    np.savez(HERE / "expected.npz", **results)


def make_grayscale():
    same = function("cond_true_1", {"x": "float"}, [
        node("Identity", "Identity", "x", T=dtype("float"))], {"y": ("float", "Identity:output:0")})
    to_rgb = function("cond_false_1", {"x": "float"}, [
        const("multiples", np.array([1, 1, 1, 3]), "int32"),
        node("Tile", "Tile", "x", "multiples:output:0", T=dtype("float"),
             Tmultiples=dtype("int32"))], {"y": ("float", "Tile:output:0")})
    last = [const("last", np.array([-1]), "int32"), const("end", np.array([0]), "int32"),
            const("step", np.array([1]), "int32")]
    write(HERE / "grayscale.pb", "GraphDef", graph([
        node("inputs", "Placeholder", dtype=dtype("float"), shape=shape(-1, -1, -1, -1)),
        node("Shape", "Shape", "inputs", T=dtype("float"), out_type=dtype("int32")), *last,
        node("channels", "StridedSlice", "Shape", "last", "end", "step", T=dtype("int32"),
             Index=dtype("int32"), shrink_axis_mask="i: 1"),
        const("one", 1, "int32"), const("three", 3, "int32"),
        node("is_one", "Equal", "channels", "one", T=dtype("int32")),
        node("is_three", "Equal", "channels", "three", T=dtype("int32")),
        node("is_known", "LogicalOr", "is_one", "is_three"),
        const("message", "images must have 1 or 3 channels", "string"),
        node("Assert", "Assert", "is_known", "message", T=dtypes("string"), summarize="i: 3"),
        node("guarded", "Identity", "inputs", "^Assert", T=dtype("float")),
        node("cond", "StatelessIf", "is_three", "guarded", Tcond=dtype("bool"), Tin=dtypes("float"),
             Tout=dtypes("float"), then_branch=func("cond_true_1"), else_branch=func("cond_false_1")),
        node("Identity", "Identity", "cond", "^Assert", T=dtype("float"))], [same, to_rgb]))


# --- Tables

WORDS = [b"the", b"of", b"and", b"in"]
WEIGHTS = {b"of": 0.5, b"tensor": -2.0, b"and": 3.0}


def strings(*values):
    elements = " ".join(f'string_val: "{value}"' for value in values)
    return (f"tensor {{ dtype: DT_STRING tensor_shape {{ dim {{ size: {len(values)} }} }} "
            f"{elements} }}")


def hash_table(name, op, value):
    return node(name, op, key_dtype=dtype("string"), value_dtype=dtype(value),
                shared_name=text(name))


def lookup(name, handle, default, value):
    return node(name, "LookupTableFindV2", handle, "words", default, Tin=dtype("string"),
                Tout=dtype(value))


def table_functions():
    """What fills the tables: the handles and the path are handed to functions."""
    fill = function("__inference__initializer_1", {"table": "resource", "path": "string"}, [
        node("fill", "InitializeTableFromTextFileV2", "table", "path", key_index="i: -2",
             value_index="i: -1", offset="i: 2")], {"out": ("string", "path")}, ["fill"])
    keys = "weights/.ATTRIBUTES/table-"
    restore = function("__inference__traced_restore_1", {"prefix": "string", "table": "resource"}, [
        node("names", "Const", dtype=dtype("string"), value=strings(keys + "keys", keys + "values")),
        node("slices", "Const", dtype=dtype("string"), value=strings("", "")),
        node("RestoreV2", "RestoreV2", "prefix", "names:output:0", "slices:output:0",
             dtypes=dtypes("string", "float")),
        node("fill", "LookupTableImportV2", "table", "RestoreV2:tensors:0", "RestoreV2:tensors:1",
             Tin=dtype("string"), Tout=dtype("float"))], {"out": ("string", "prefix")}, ["fill"])
    serve = function("__inference_call_1", {
        "words": "string", "numbers": "resource", "weights": "resource"}, [
            node("minus", "Const", dtype=dtype("int64"),
                 value="tensor { dtype: DT_INT64 tensor_shape { } int64_val: -1 }"),
            const("zero", np.float32(0), "float"),
            lookup("number", "numbers", "minus:output:0", "int64"),
            lookup("weight", "weights", "zero:output:0", "float")],
        {"number": ("int64", "number:values:0"), "weight": ("float", "weight:values:0")})
    return [fill, restore, serve]


def make_vocabulary():
    words = node("words", "Placeholder", dtype=dtype("string"), shape=shape(-1))
    called = func("__inference_call_1")
    nodes = [
        words, hash_table("numbers", "HashTableV2", "int64"), hash_table("weights", "MutableHashTableV2", "float"),
        const("path", "words.txt", "string"), const("prefix", "", "string"),
        node("init", "StatefulPartitionedCall", "numbers", "path", Tin=dtypes("resource", "string"),
             Tout=dtypes("string"), f=func("__inference__initializer_1")),
        node("restore", "StatefulPartitionedCall", "prefix", "weights",
             Tin=dtypes("string", "resource"), Tout=dtypes("string"),
             f=func("__inference__traced_restore_1")),
        node("call", "StatefulPartitionedCall", "words", "numbers", "weights",
             Tin=dtypes("string", "resource", "resource"), Tout=dtypes("int64", "float"), f=called)]
    plain = [words, node("same", "Identity", "words", T=dtype("string"))]

    def meta_graph(tags, body, outputs, more=""):
        infos = " ".join(f'outputs {{ key: "{key}" value {{ name: "{tensor}" dtype: DT_{kind} '
                         f"tensor_{shape(-1)} }} }}" for key, tensor, kind in outputs)
        return f"""meta_graphs {{
          meta_info_def {{ {" ".join(f'tags: "{tag}"' for tag in tags)} }}
          graph_def {{ {body} }}
          signature_def {{ key: "serving_default" value {{
            inputs {{ key: "words" value {{ name: "words:0" dtype: DT_STRING tensor_{shape(-1)} }} }}
            {infos} method_name: "tensorflow/serving/predict" }} }} {more} }}"""

    write(HERE / "vocabulary" / "saved_model.pb", "SavedModel", "saved_model_schema_version: 1 " +
          meta_graph(["serve"], graph(nodes, table_functions()),
                     [("number", "call:0", "INT64"), ("weight", "call:1", "FLOAT")],
                     'asset_file_def { tensor_info { name: "path:0" } filename: "words.txt" }') +
          meta_graph(["serve", "gpu"], graph(plain), [("same", "same:0", "STRING")]))
    write_checkpoint(HERE / "vocabulary" / "variables", {
        "weights/.ATTRIBUTES/table-keys": np.array(list(WEIGHTS)),
        "weights/.ATTRIBUTES/table-values": np.array(list(WEIGHTS.values()), np.float32)})
    assets = HERE / "vocabulary" / "assets"
    assets.mkdir(parents=True, exist_ok=True)
    (assets / "words.txt").write_bytes(b"\n".join(WORDS) + b"\n")


def make_partitioned():
    matrix = np.arange(20, dtype=np.float32).reshape(5, 4)
    nodes = [node("ids", "Placeholder", dtype=dtype("int64"), shape=shape(-1)),
             const("prefix", "", "string"), const("axis", 0, "int32"),
             node("names", "Const", dtype=dtype("string"), value=strings("rows", "rows")),
             node("slices", "Const", dtype=dtype("string"),
                  value=strings("5 4 0,2:-", "5 4 2,3:0,4")),
             node("RestoreV2", "RestoreV2", "prefix", "names", "slices",
                  dtypes=dtypes("float", "float"))]
    for i, (rows, tensor_name) in enumerate(((2, "RestoreV2"), (3, "RestoreV2:1"))):
        nodes += [node(f"rows/part_{i}", "VariableV2", dtype=dtype("float"), shape=shape(rows, 4)),
                  node(f"Assign_{i}", "Assign", f"rows/part_{i}", tensor_name, T=dtype("float"))]
    nodes += [node("joined", "ConcatV2", "rows/part_0", "rows/part_1", "axis", N="i: 2",
                   T=dtype("float"), Tidx=dtype("int32")),
              node("found", "GatherV2", "joined", "ids", "axis", Tparams=dtype("float"),
                   Tindices=dtype("int64"), Taxis=dtype("int32"))]
    write(HERE / "partitioned" / "saved_model.pb", "SavedModel", f"""
        saved_model_schema_version: 1
        meta_graphs {{
          meta_info_def {{ tags: "serve" }}
          graph_def {{ {graph(nodes)} }}
          signature_def {{ key: "serving_default" value {{
            inputs {{ key: "ids" value {{ name: "ids:0" dtype: DT_INT64 tensor_{shape(-1)} }} }}
            outputs {{ key: "found" value {{ name: "found:0" dtype: DT_FLOAT
                       tensor_{shape(-1, 4)} }} }} }} }} }}""")
    write_checkpoint(HERE / "partitioned" / "variables", {"rows": matrix})


def make_session():
    draw = np.random.default_rng(7)
    values = {"kernel": draw.normal(size=(5, 8)), "bias": draw.normal(size=8), "h": np.zeros((2, 2)),
              "c": np.zeros((2, 2))}
    values = {name: array.astype(np.float32) for name, array in values.items()}
    kind = {"T": dtype("float")}

    def restored(name, array):
        return [node(name, "VariableV2", dtype=dtype("float"), shape=shape(*array.shape)),
                node(f"{name}/read", "Identity", name, **kind),
                const(f"save/name_{name}", np.array(name), "string"),
                node(f"save/restore_{name}", *operator_of(name), dt=dtype("float")),
                node(f"save/assign_{name}", "Assign", name, f"save/restore_{name}", **kind)]

    def operator_of(name):
        operands = ("save/file", f"save/name_{name}")
        return ("Restore", *operands) if name == "kernel" else ("RestoreSlice", *operands, "save/slice")

    def gate(function, i, name, offset=None):
        given = "split" if i == 0 else f"split:{i}"
        if offset is None:
            return [node(name, function, given, **kind)]
        return [const(f"{name}/offset", np.float32(offset), "float"),
                node(f"{name}/more", "Add", given, f"{name}/offset", **kind),
                node(name, function, f"{name}/more", **kind)]

    nodes = [const("save/file", np.array("model"), "string"), const("save/slice", np.array(""), "string"),
             *(part for name, array in values.items() for part in restored(name, array)),
             node("save/all", "NoOp", *(f"^save/assign_{name}" for name in values)),
             node("x", "Placeholder", dtype=dtype("float"), shape=shape(2, 3)),
             const("one", 1, "int32"),
             node("joined", "ConcatV2", "x", "h/read", "one", N="i: 2", Tidx=dtype("int32"), **kind),
             node("product", "MatMul", "joined", "kernel/read", **kind),
             node("gates", "BiasAdd", "product", "bias/read", **kind),
             node("split", "Split", "one", "gates", num_split="i: 4", **kind),
             *gate("Sigmoid", 0, "i"), *gate("Tanh", 1, "j"), *gate("Sigmoid", 2, "f", 1),
             *gate("Sigmoid", 3, "o"),
             node("kept", "Mul", "f", "c/read", **kind), node("fresh", "Mul", "i", "j", **kind),
             node("new_c", "Add", "kept", "fresh", **kind), node("tanh", "Tanh", "new_c", **kind),
             node("new_h", "Mul", "tanh", "o", **kind),
             node("keep_h", "Assign", "h", "new_h", **kind), node("keep_c", "Assign", "c", "new_c", **kind),
             node("y", "Identity", "new_h", "^keep_h", "^keep_c", **kind)]
    folder = HERE / "session"
    write(folder / "model.ckpt.meta", "MetaGraphDef", f"""
        graph_def {{ {graph(nodes)} }}
        saver_def {{ filename_tensor_name: "save/file:0" restore_op_name: "save/all" version: V1 }}
        signature_def {{ key: "serving_default" value {{
          inputs {{ key: "x" value {{ name: "x:0" dtype: DT_FLOAT tensor_{shape(2, 3)} }} }}
          outputs {{ key: "y" value {{ name: "y:0" dtype: DT_FLOAT tensor_{shape(2, 2)} }} }} }} }}""")
    parts = {name: [array[:3], array[3:]] if name == "bias" else [array]
             for name, array in values.items()}
    write_old_checkpoint(folder / "model.ckpt", parts)
    x, h, c, calls = draw.normal(size=(2, 3)).astype(np.float32), values["h"], values["c"], []
    for _ in range(2):
        i, j, f, o = np.split(np.concatenate([x, h], 1) @ values["kernel"] + values["bias"], 4, 1)
        c = sigmoid(f + 1) * c + sigmoid(i) * np.tanh(j)
        h = np.tanh(c) * sigmoid(o)
        calls.append(h)
    np.savez(folder / "expected.npz", x=x, y=np.stack(calls).astype(np.float32))


if __name__ == "__main__":
    make_session()
    make_partitioned()
    make_vocabulary()
    make_counter()
    make_stateful_lstm()
    make_grayscale()
