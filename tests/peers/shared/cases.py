# SPDX-License-Identifier: Apache-2.0
"""A case: a model file, inputs of some runs, and the outputs that the producer computed for them.

A case is a folder with the model, `case.json` and `runs.npz`. A value is an array, a list of values
(a sequence, or an optional that has its element), or None (an optional without); a map is written as
the list of its keys, ascending, and their values. NumPy alone must do to read one: element types
that it lacks are stored as their bits under their names.

Runs in every environment, so it imports nothing but NumPy, and ml_dtypes where that is installed.
"""

import json
import pathlib
import typing

import numpy

try:
    import ml_dtypes
except ImportError:  # what has these element types stays bits
    ml_dtypes = None

CASE_FILE = "case.json"
ARRAYS_FILE = "runs.npz"

# Element types that NumPy lacks, and the integers that hold their bits. Those of 4 and 2 bits are
# stored as numbers, one per byte.
BITS = {"bfloat16": "uint16", "float8_e4m3fn": "uint8", "float8_e4m3fnuz": "uint8",
        "float8_e5m2": "uint8", "float8_e5m2fnuz": "uint8", "float8_e8m0fnu": "uint8",
        "float4_e2m1fn": "uint8"}
SMALL_INTEGERS = {"int4": "int8", "uint4": "uint8", "int2": "int8", "uint2": "uint8"}


class Refused(Exception):
    """Raised by producers and consumers for what they cannot express; its text says why."""


class Stored(typing.NamedTuple):
    """An array as NumPy alone can store it."""

    array: numpy.ndarray
    dtype: str  # the name of the element type that it stands for


def stored(array):
    array = numpy.asarray(array)
    name = array.dtype.name
    if name in BITS:
        return Stored(array.view(BITS[name]), name)
    if name in SMALL_INTEGERS:
        return Stored(array.astype(SMALL_INTEGERS[name]), name)
    if array.dtype.kind in "OSU":
        texts = [item.decode(errors="surrogateescape") if isinstance(item, bytes) else str(item)
                 for item in array.ravel()]
        return Stored(numpy.array(texts, dtype=numpy.str_).reshape(array.shape), "string")
    return Stored(array, name)


def restored(array, name):
    """The reverse of `stored`."""
    if name == "string":
        return array.astype(object)
    if name not in (*BITS, *SMALL_INTEGERS):
        return array
    if ml_dtypes is None:
        raise Refused(f"NumPy has no {name}")
    wanted = numpy.dtype(getattr(ml_dtypes, name))
    return array.view(wanted) if name in BITS else array.astype(wanted)


class _ArrayStore:
    """Arrays of an archive, by the keys that values in JSON refer to."""

    def __init__(self, arrays=None, restore=restored):
        self.arrays = {} if arrays is None else arrays
        self.restore = restore

    def pack(self, value):
        if value is None:
            return None
        if isinstance(value, dict):
            keys = sorted(value)
            value = [numpy.array(keys), numpy.array([value[key] for key in keys])]
        if isinstance(value, (list, tuple)):
            return {"list": [self.pack(item) for item in value]}
        array, name = stored(value)
        key = f"a{len(self.arrays)}"
        self.arrays[key] = array
        return {"array": key, "dtype": name}

    def unpack(self, packed):
        if packed is None:
            return None
        if "list" in packed:
            return [self.unpack(item) for item in packed["list"]]
        return self.restore(self.arrays[packed["array"]], packed["dtype"])

    def save(self, path):
        numpy.savez(path, **self.arrays)


def write_case(folder, model, runs, options=(), **facts):
    """Writes the folder.

    `runs` are pairs of a dict of inputs by name and a dict, or a list, of outputs. `options` are
    those that every command of Dragoman gets. Of `facts` a case states those that it needs:

      rtol, atol  tolerances in place of the usual ones
      random      only sizes and element types of outputs are to be compared
      states      the model keeps some between calls
      converter   the outputs are those of the model from which a converter made the file
      write_back  the suffix of the file that the producer can run itself, and in
                  `write_back_options` options of the command that writes it
    """
    store = _ArrayStore()
    packed = []
    for inputs, outputs in runs:
        if not isinstance(outputs, dict):
            outputs = {f"#{place}": value for place, value in enumerate(outputs)}
        packed.append({"inputs": {name: store.pack(value) for name, value in inputs.items()},
                       "outputs": {name: store.pack(value) for name, value in outputs.items()}})
    store.save(pathlib.Path(folder) / ARRAYS_FILE)
    case = {"model": model, "options": list(options), "facts": facts, "runs": packed}
    (pathlib.Path(folder) / CASE_FILE).write_text(json.dumps(case, indent=1))


class Case:
    """A case that was written; its arrays are `Stored` with `restore=Stored`."""

    def __init__(self, folder, restore=restored):
        self.folder = pathlib.Path(folder)
        read = json.loads((self.folder / CASE_FILE).read_text())
        with numpy.load(self.folder / ARRAYS_FILE) as arrays:
            store = _ArrayStore(dict(arrays), restore)
        self.model = self.folder / read["model"]
        self.options = read["options"]
        self.facts = read["facts"]
        self.runs = [tuple({name: store.unpack(value) for name, value in run[side].items()}
                           for side in ("inputs", "outputs")) for run in read["runs"]]


def write_results(path, runs):
    """Writes what a consumer computed: of each run a list of values."""
    store = _ArrayStore()
    packed = [[store.pack(value) for value in outputs] for outputs in runs]
    store.arrays["runs"] = numpy.array(json.dumps(packed))
    store.save(path)


def read_results(path):
    """The same, as `Stored`."""
    with numpy.load(path) as arrays:
        store = _ArrayStore(dict(arrays), Stored)
    return [[store.unpack(value) for value in outputs]
            for outputs in json.loads(str(store.arrays["runs"]))]


def in_order(inputs, names):
    """The inputs that a consumer calls `names`: by name, else by position.

    Inputs that the model never reads may be left out of what was converted; then names must match.
    """
    if all(name in inputs for name in names):
        return [inputs[name] for name in names]
    values = [value for value in inputs.values() if value is not None]
    if len(values) != len(names):
        raise Refused(f"has inputs {list(names)}, the model {list(inputs)}")
    return values
