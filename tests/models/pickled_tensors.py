# SPDX-License-Identifier: Apache-2.0
"""What torch.save writes of a state_dict, without torch: a zip archive of a pickle, which names
torch's functions, and of the elements of its storages."""

import collections
import contextlib
import io
import pickle
import sys
import types
import zipfile

STORAGES = {"float32": "FloatStorage", "float64": "DoubleStorage", "float16": "HalfStorage",
            "int64": "LongStorage", "int32": "IntStorage", "int8": "CharStorage",
            "uint8": "ByteStorage", "bool": "BoolStorage"}


class Elements:
    """A storage: elements in a record of their own."""

    def __init__(self, array):
        self.array = array


class Stored:
    """A tensor, or a parameter: a window on a storage."""

    def __init__(self, elements, sizes=None, strides=None, offset=0, is_parameter=False):
        array = elements.array
        self.elements = elements
        self.sizes = tuple(array.shape if sizes is None else sizes)
        self.strides = tuple((s // array.itemsize for s in array.strides) if strides is None
                             else strides)
        self.offset = offset
        self.is_parameter = is_parameter


def named(name, module):
    """A function that is pickled by its name."""
    function = types.FunctionType((lambda: None).__code__, {}, name)
    function.__module__, function.__qualname__ = module, name
    return function


@contextlib.contextmanager
def torch_names():
    """Modules of the names that a pickle of torch has, while it is written."""
    torch, utils = types.ModuleType("torch"), types.ModuleType("torch._utils")
    for name in STORAGES.values():
        setattr(torch, name, type(name, (), {"__module__": "torch"}))
    for name in ("_rebuild_tensor_v2", "_rebuild_parameter"):
        setattr(utils, name, named(name, "torch._utils"))
    before = {name: sys.modules.get(name) for name in ("torch", "torch._utils")}
    sys.modules.update({"torch": torch, "torch._utils": utils})
    try:
        yield torch, utils
    finally:
        for name, module in before.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module


def saved(tensors, versions=True):
    """The bytes of an archive of `tensors`, name to Stored; with the attribute that state_dict()
    has, unless `versions` is false."""
    storages = []
    with torch_names() as (torch, utils):

        class Pickler(pickle.Pickler):
            def persistent_id(self, item):
                if not isinstance(item, Elements):
                    return None
                if item not in storages:
                    storages.append(item)
                kind = getattr(torch, STORAGES[item.array.dtype.name])
                return ("storage", kind, str(storages.index(item)), "cpu", item.array.size)

            def reducer_override(self, item):
                if not isinstance(item, Stored):
                    return NotImplemented
                hooks = collections.OrderedDict()
                tensor = (utils._rebuild_tensor_v2, (item.elements, item.offset, item.sizes,
                                                     item.strides, False, hooks))
                if not item.is_parameter:
                    return tensor
                plain = Stored(item.elements, item.sizes, item.strides, item.offset)
                return utils._rebuild_parameter, (plain, True, hooks)

        root = collections.OrderedDict(tensors)
        if versions:
            root._metadata = collections.OrderedDict({"": {"version": 1}})
        pickled = io.BytesIO()
        Pickler(pickled, protocol=2).dump(root)
    result = io.BytesIO()
    with zipfile.ZipFile(result, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("archive/data.pkl", pickled.getvalue())
        archive.writestr("archive/byteorder", "little")
        for i, storage in enumerate(storages):
            archive.writestr(f"archive/data/{i}", storage.array.tobytes())
        archive.writestr("archive/version", "3\n")
    return result.getvalue()
