# SPDX-License-Identifier: Apache-2.0
"""Archives of torch.export (.pt2), made of the JSON that is documented for them, without torch.

A Program collects the graph of one; what it computes is stated beside it with NumPy, in
exported_programs_test.py.
"""

import json
import zipfile

import numpy as np

from pickled_tensors import Elements, Stored, saved

DTYPES = {"uint8": 1, "int8": 2, "int16": 3, "int32": 4, "int64": 5, "float16": 6, "float32": 7,
          "float64": 8, "complex64": 10, "bool": 12, "bfloat16": 13,
          "float8_e4m3fn": 29, "float8_e5m2": 30, "float8_e4m3fnuz": 31, "float8_e5m2fnuz": 32,
          "float8_e8m0fnu": 33}
LEAF = {"type": None, "context": None, "children_spec": []}


def tree(kind, *children, keys=None):
    context = json.dumps(keys) if kind == "dict" else "null"
    return {"type": f"builtins.{kind}", "context": context, "children_spec": list(children)}


def size(value):
    """A size: a number, a symbol "s0", or the text of an expression."""
    if isinstance(value, int):
        return {"as_int": value}
    if value.isidentifier():
        value = f"Symbol('{value}', positive=True, integer=True)"
    return {"as_expr": {"expr_str": value, "hint": None}}


def meta(dtype, sizes, strides=None, offset=0):
    if strides is None:
        strides, step = [], 1
        for value in reversed(sizes):
            strides.insert(0, step)
            step = step * value if isinstance(value, int) and isinstance(step, int) else "s0"
    return {"dtype": DTYPES[dtype], "sizes": [size(s) for s in sizes], "requires_grad": False,
            "device": {"type": "cpu", "index": None}, "strides": [size(s) for s in strides],
            "storage_offset": {"as_int": offset}, "layout": 7}


class Tensor(str):
    """The name of a tensor."""


class Int(str):
    """The name of an integer known at run time."""


class Bool(str):
    """The name of a bool known at run time."""


class Float(str):
    """The name of a float known at run time."""


class Raw(dict):
    """An argument in the form of the schema: Raw(as_scalar_type=7)."""


SCALARS = {Int: "as_sym_int", Bool: "as_sym_bool", Float: "as_sym_float"}


def argument(value):
    if isinstance(value, Raw):
        return dict(value)
    if isinstance(value, Tensor):
        return {"as_tensor": {"name": value}}
    if type(value) in SCALARS:
        return {SCALARS[type(value)]: {"as_name": value}}
    if isinstance(value, Graph):
        return {"as_graph": {"name": value.name, "graph": value.json()}}
    if isinstance(value, (list, tuple)):
        return list_argument(value)
    if value is None:
        return {"as_none": True}
    kinds = {bool: "as_bool", int: "as_int", float: "as_float", str: "as_string"}
    if isinstance(value, complex):
        return {"as_complex": {"real": value.real, "imag": value.imag}}
    if isinstance(value, float) and not np.isfinite(value):
        value = "NaN" if np.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        return {"as_float": value}
    return {kinds[type(value)]: value}


def list_argument(values):
    if any(isinstance(value, Int) for value in values):
        return {"as_sym_ints": [{"as_name": value} if isinstance(value, Int) else {"as_int": value}
                                for value in values]}
    if any(value is None for value in values):
        return {"as_optional_tensors": [argument(value) for value in values]}
    if values and all(isinstance(value, Tensor) for value in values):
        return {"as_tensors": [{"name": value} for value in values]}
    kinds = {bool: "as_bools", int: "as_ints", float: "as_floats", str: "as_strings"}
    return {kinds[type(values[0])] if values else "as_ints": list(values)}


class Graph:
    """A graph, of a program or within one."""

    def __init__(self, name="graph"):
        self.name = name
        self.inputs = []
        self.outputs = []
        self.nodes = []
        self.tables = {name: {} for name in ("tensor_values", "sym_int_values", "sym_bool_values",
                                             "sym_float_values", "custom_obj_values")}

    def declare(self, value, dtype, sizes):
        if isinstance(value, Tensor):
            self.tables["tensor_values"][value] = meta(dtype, sizes)
        else:
            table = {Int: "sym_int_values", Bool: "sym_bool_values", Float: "sym_float_values"}
            self.tables[table[type(value)]][value] = size(sizes or "u0")

    def input(self, name, sizes, dtype="float32"):
        value = Tensor(name)
        self.declare(value, dtype, sizes)
        self.inputs.append(argument(value))
        return value

    def number(self, name, kind=Int, expression="s9"):
        value = kind(name)
        self.declare(value, None, expression)
        self.inputs.append(argument(value))
        return value

    def call(self, target, /, *arguments, results=1, kind=Tensor, kinds=None, names=(), typed=None,
             **keywords):
        """Adds a node and gives its results: one value, or with `results` a list of so many, as
        one Tensor[] where that is [n]. `typed` is the element type that the file states of them."""
        node = target.split(".")[-2 if target.count(".") > 1 else -1]
        node = f"{node}_{self.name}_{len(self.nodes)}"
        count = results[0] if isinstance(results, list) else results
        kinds = kinds or [kind] * count
        values = [kinds[i](f"{node}_{i}" if count > 1 else node) for i in range(count)]
        for value in values:
            self.declare(value, typed or "float32", [])
        names = list(names) + [""] * len(arguments)
        inputs = [{"name": name, "arg": argument(value), "kind": 1}
                  for name, value in zip(names, arguments)]
        inputs += [{"name": name, "arg": argument(value), "kind": 2}
                   for name, value in keywords.items()]
        outputs = [argument(value) for value in values]
        if isinstance(results, list):
            outputs = [{"as_tensors": [{"name": value} for value in values]}]
        metadata = {"stack_trace": f'File "/home/me/net.py", line {10 + len(self.nodes)}, in forward'
                                   f'\n    y = {node}(x)', "torch_fn": f"{node};f",
                    "nn_module_stack": "L__self__,,Net;L__self___layer,layer.0,torch.nn.Layer"}
        self.nodes.append({"target": target, "inputs": inputs, "outputs": outputs, "name": node,
                           "metadata": metadata, "is_hop_single_tensor_return": None})
        return values if isinstance(results, list) or count > 1 else values[0] if values else None

    def aten(self, name, /, *arguments, **options):
        return self.call("torch.ops.aten." + name, *arguments, **options)

    def hop(self, name, /, *arguments, **options):
        return self.call("torch.ops.higher_order." + name, *arguments, **options)

    def json(self):
        return {"inputs": self.inputs, "outputs": self.outputs, "nodes": self.nodes,
                "is_single_tensor_return": False, **self.tables}


class Program(Graph):
    """A program with weights; the user's inputs come last."""

    def __init__(self, dialect="ATEN"):
        super().__init__("main")
        self.dialect = dialect
        self.input_specs = []
        self.output_specs = []
        self.mutations = []
        self.ranges = {}
        self.guards = []
        self.configs = {"weights": {}, "constants": {}}
        self.records = {}
        self.out_tree = None

    def weight(self, fqn, array, kind="parameter", record=None, strides=None, offset=0, sizes=None,
               dtype=None, persistent=True):
        """A weight in a record of its own, or in that of another one."""
        prefix = {"parameter": "p_", "buffer": "b_", "tensor_constant": "c_"}[kind]
        value = Tensor(prefix + fqn.replace(".", "_"))
        dtype = dtype or array.dtype.name
        sizes = list(array.shape) if sizes is None else sizes
        described = meta(dtype, sizes, strides, offset)
        self.tables["tensor_values"][value] = described
        folder = "weights" if kind != "tensor_constant" and persistent else "constants"
        record = record or f"{'weight' if folder == 'weights' else 'tensor'}_{len(self.records)}"
        self.records.setdefault(f"data/{folder}/{record}", array.tobytes())
        self.configs[folder][fqn] = {"path_name": record, "is_param": kind == "parameter",
                                     "use_pickle": False, "tensor_meta": described}
        spec = {"arg": {"name": value}, f"{kind}_name": fqn}
        if kind == "buffer":
            spec["persistent"] = persistent
        self.input_specs.append({kind: spec})
        self.inputs.append(argument(value))
        return value

    def input(self, name, sizes, dtype="float32"):
        value = super().input(name, sizes, dtype)
        self.input_specs.append({"user_input": {"arg": self.inputs[-1]}})
        return value

    def number(self, name, kind=Int, expression="s9"):
        value = super().number(name, kind, expression)
        self.input_specs.append({"user_input": {"arg": self.inputs[-1]}})
        return value

    def token(self, name):
        """What orders calls; the caller does not give it."""
        value = super().input(name, [0])
        self.input_specs.append({"token": {"arg": {"name": value}}})
        return value

    def literal(self, name, value):
        self.inputs.append(argument(value))
        self.input_specs.append({"constant_input": {"name": name, "value": argument(value)}})

    def leave(self, token):
        """That `token` is what the program leaves for the next one."""
        self.mutations.append((token, {"token": {"arg": {"name": token}}}))

    def mutate(self, kind, name, value):
        """That `value` is what a buffer, or an input of the user, becomes."""
        key = "buffer_name" if kind == "buffer" else "user_input_name"
        self.mutations.append((value, {f"{kind}_mutation": {"arg": {"name": value}, key: name}}))

    def output(self, *values, out_tree=None):
        for value, spec in self.mutations:
            self.outputs.append(argument(value))
            self.output_specs.append(spec)
        for value in values:
            self.outputs.append(argument(value))
            self.output_specs.append({"user_output": {"arg": argument(value)}})
        self.out_tree = out_tree or (LEAF if len(values) == 1 else tree("tuple", *[LEAF] * len(values)))
        return self

    def program_json(self):
        signature = {"inputs": [], "outputs": [], "in_spec": "[1, null]",
                     "out_spec": json.dumps([1, self.out_tree]), "forward_arg_names": []}
        module = {"graph": self.json(),
                  "signature": {"input_specs": self.input_specs, "output_specs": self.output_specs},
                  "module_call_graph": [{"fqn": "", "signature": signature}], "metadata": {},
                  "treespec_namedtuple_fields": {}}
        return {"graph_module": module, "opset_version": {"aten": 10},
                "range_constraints": {symbol: {"min_val": low, "max_val": high}
                                      for symbol, (low, high) in self.ranges.items()},
                "schema_version": {"major": 8, "minor": 20}, "verifiers": [self.dialect],
                "torch_version": "2.14.1", "guards_code": self.guards}

    def all_records(self):
        records = {"archive_format": b"pt2", "archive_version": b"0", "byteorder": b"little",
                   ".data/version": b"6", "models/model.json":
                   json.dumps(self.program_json(), allow_nan=False).encode()}
        for folder, config in self.configs.items():
            name = f"data/{folder}/model_{folder}_config.json"
            records[name] = json.dumps({"config": config}).encode()
        return {**records, **self.records}

    def save(self, path):
        save_records(path, self.all_records())

    def stored_tensors(self, folder):
        """Name to Stored, as torch.save has them, of "weights" or "constants"."""
        storages = {}
        tensors = {}
        for fqn, payload in self.configs[folder].items():
            described = payload["tensor_meta"]
            record = f"data/{folder}/{payload['path_name']}"
            dtype = next(name for name, number in DTYPES.items() if number == described["dtype"])
            elements = storages.setdefault(
                record, Elements(np.frombuffer(self.records[record], dtype)))
            sizes, strides = ([size["as_int"] for size in described[key]]
                              for key in ("sizes", "strides"))
            tensors[fqn] = Stored(elements, sizes, strides, described["storage_offset"]["as_int"],
                                  payload["is_param"])
        return tensors

    def older_json(self, schema):
        """The program as torch wrote it before 2.7: without what came later."""
        program = json.loads(json.dumps(self.program_json(), allow_nan=False))
        program["schema_version"] = dict(zip(("major", "minor"), schema))
        for key in ("guards_code", "torch_version"):
            del program[key]
        for node in program["graph_module"]["graph"]["nodes"]:
            for key in ("name", "is_hop_single_tensor_return"):
                del node[key]
            for item in node["inputs"]:
                del item["kind"]
        return json.dumps(program).encode()

    def save_as_2_7(self, path, schema=(8, 2)):
        """As torch 2.5 to 2.7 saved it: pickles, and no top folder."""
        save_records(path, {
            "serialized_exported_program.json": self.older_json(schema),
            "serialized_state_dict.pt": saved(self.stored_tensors("weights")),
            "serialized_constants.pt": saved(self.stored_tensors("constants"), versions=False),
            "serialized_example_inputs.pt": b"", "version": ".".join(map(str, schema)),
            "extra_files/notes.txt": "not read"}, "")

    def save_as_2_8(self, path):
        """As torch 2.8 saved it: an archive of today with pickles of weights."""
        records = {name: data for name, data in self.all_records().items()
                   if not name.startswith("data/")}
        for folder in ("weights", "constants"):
            records[f"data/{folder}/model.pt"] = saved(self.stored_tensors(folder))
        save_records(path, records)


def save_records(path, records, top="net/"):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, data in records.items():
            archive.writestr(top + name, data)
