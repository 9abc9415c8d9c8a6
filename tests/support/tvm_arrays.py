# SPDX-License-Identifier: Apache-2.0
"""Arrays as TVM writes them: alone, in files of parameters, and in the metadata of texts."""

import base64
import json
import struct

CODES = {"i": 0, "u": 1, "f": 2, "b": 1}


def nd_array(array):
    """As NDArray::Save of TVM writes it."""
    bits = 1 if array.dtype == bool else 8 * array.dtype.itemsize
    head = struct.pack("<QQiiiBBH", 0xDD5E40F096B4A13F, 0, 1, 0, array.ndim,
                       CODES[array.dtype.kind], bits, 1)
    sizes = struct.pack(f"<{array.ndim}q", *array.shape)
    return head + sizes + struct.pack("<q", array.nbytes) + array.tobytes()


def params(arrays):
    """As save_param_dict writes them."""
    names = b"".join(struct.pack("<Q", len(name)) + name.encode() for name in arrays)
    return (struct.pack("<QQQ", 0xF7E58D4F05049CB7, 0, len(arrays)) + names +
            struct.pack("<Q", len(arrays)) + b"".join(map(nd_array, arrays.values())))


def metadata_json(constants, kind="relay.Constant", boxes=()):
    """The JSON of constants of a kind, and of runtime.BoxInt."""
    nodes = [{"type_key": ""}, {"type_key": "Map", "keys": [], "data": []}]
    kinds = {kind: [{"type_key": kind,
                     "attrs": {"data": str(i), "span": "0", "_checked_type_": "0"}}
                    for i in range(len(constants))],
             "runtime.BoxInt": [{"type_key": "runtime.BoxInt", "repr_str": str(n)} for n in boxes]}
    for key, members in kinds.items():
        nodes[1]["keys"].append(key)
        nodes[1]["data"].append(len(nodes))
        nodes.append({"type_key": "Array",
                      "data": list(range(len(nodes) + 1, len(nodes) + 1 + len(members)))})
        nodes += members
    arrays = [base64.b64encode(nd_array(array)).decode() for array in constants]
    return json.dumps({"root": 1, "nodes": nodes, "b64ndarrays": arrays,
                       "attrs": {"tvm_version": "0.19.0"}})


def metadata(constants, boxes=()):
    """The metadata section of Relay text."""
    return "\n#[metadata]\n" + metadata_json(constants, boxes=boxes)
