# SPDX-License-Identifier: Apache-2.0
"""Variables that one run sets, changes and reads, and tables that are filled before."""

import numpy as np

import operator_cases
from operator_cases import Group, f32, i32
from operators_elements import drawn

INDEX = {"Tindices": "dt:int32"}
COMBINED = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Max": np.maximum, "Min": np.minimum}


class Variable:
    """Of version 2, whose operators are called Resource…, or of version 1, which are handed references."""

    def __init__(self, group, value, first):
        self.group, self.first, self.value = group, first, value
        kind = {"dtype": f"dt:{operator_cases.type_name(value)}"}
        self.kind = {"T": kind["dtype"]} if first else kind
        op = ("VariableV2" if first == 2 else "Variable") if first else "VarHandleOp"
        number = len(group.graph.nodes)
        name = {"shared_name": f"v{number}", "shape": value.shape}
        self.handle = self.last = group.graph.op(op, name=f"v{number}", **name, **kind)
        self.apply("Assign" if first else "AssignVariableOp", value)

    def apply(self, op, *operands, **more):
        """After what was applied before: by the reference, or by an edge of control."""
        after = () if self.first or self.last == self.handle else (self.last,)
        told = more if self.first or op in ("ReadVariableOp", "AssignVariableOp") else {
            **self.kind, **more}
        node = self.group.add(op, self.last if self.first else self.handle, *operands, control=after,
                              **{**self.kind, **told})
        self.last = node
        return node

    def scatter(self, name, places, rows):
        nd = places.ndim == 2
        prefix = "" if self.first else "Resource"
        value = self.value.copy()
        at = tuple(places.T) if nd else places
        if name == "Update":
            value[at] = rows
        else:
            COMBINED[name].at(value, at, rows)
        element = {"T": f"dt:{operator_cases.type_name(rows)}"} if nd else {}
        self.apply(f"{prefix}Scatter{'Nd' if nd else ''}{name}", places, rows, **INDEX, **element)
        self.read(value)

    def read(self, wanted):
        if self.first:
            node = self.group.add("Identity", self.last, **self.kind)
        else:
            node = self.group.add("ReadVariableOp", self.handle, control=[self.last], **self.kind)
        self.group.fetch(node, wanted)


def make_variables():
    for first in (0, 1, 2):
        group = Group(f"variables_{first}")
        for kind in ("float", "int32"):
            value, other = drawn(kind, 4, 3), drawn(kind, 4, 3)
            names = ("Assign", "AssignAdd", "AssignSub") if first else (
                "AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp")
            for op, wanted in zip(names, (other, value + other, value - other)):
                variable = Variable(group, value, first)
                variable.apply(op, other)
                variable.read(wanted)
            for name in ("Update", *COMBINED):
                one = i32(3, 0) if name == "Update" else i32(3, 0, 3)
                Variable(group, value, first).scatter(name, one, drawn(kind, len(one), 3))
                Variable(group, value, first).scatter(name, one, drawn(kind))
                if name == "Mul":
                    continue  # there is no ScatterNdMul
                Variable(group, value, first).scatter(name, one[:, None], drawn(kind, len(one), 3))
            part = drawn(kind, 2, 2)
            variable = Variable(group, value, first)
            variable.apply("StridedSliceAssign" if first else "ResourceStridedSliceAssign",
                           (i32(1, 0),), (i32(3, 3),), (i32(1, 2),), part, Index="dt:int32",
                           T=f"dt:{kind}")
            wanted = value.copy()
            wanted[1:3, 0:3:2] = part
            variable.read(wanted)
        (first_ones if first else resource_ones)(group, first)
        group.save()


def first_ones(group, first):
    value = f32(2, 3)
    variable = Variable(group, value, first)
    variable.apply("RefIdentity")
    variable.read(value)
    known = group.add("IsVariableInitialized", variable.last, dtype="dt:float")
    group.fetch(known, np.array(True))
    other = Variable(group, value + 1, first)
    chosen = group.add("RefSelect", (np.int32(1),), variable.last, other.last, N=2, T="dt:float")
    group.fetch(group.add("Identity", chosen, T="dt:float"), value + 1)


def resource_ones(group, first):
    value, at = f32(4, 3), i32(2, 0, 2)
    variable = Variable(group, value, first)
    kind, after = {"dtype": "dt:float"}, [variable.last]
    group.fetch(group.add("ResourceGather", variable.handle, at, control=after, **kind, **INDEX), value[at])
    places = i32(2, 1, 0, 0).reshape(2, 2)
    group.fetch(group.add("ResourceGatherNd", variable.handle, places, control=after, **kind, **INDEX),
                value[[2, 0], [1, 0]])
    group.fetch(group.add("VariableShape", variable.handle, control=after, out_type="dt:int64"),
                np.array([4, 3]))
    group.fetch(group.add("VarIsInitializedOp", variable.handle, control=after), np.array(True))
    read = group.add("ReadVariableOp", variable.handle, control=[group.add(
        "DisableCopyOnRead", variable.handle, control=after)], **kind)
    group.add("DestroyResourceOp", variable.handle, control=[read], ignore_lookup_error=True)
    group.fetch(read, value)


def make_all_tables():
    """Each kind of table that is read beside what fills it."""
    group = Group("tables")
    keys, values = np.array([3, -2, 9]), f32(3)
    types = {"key_dtype": "dt:int64", "value_dtype": "dt:float"}
    asked, other = np.array([9, 3, 4, -2]), np.float32(0.5)
    wanted = np.array([values[2], values[0], other, values[1]], np.float32)
    for op in ("HashTable", "HashTableV2", "MutableHashTable", "MutableHashTableV2",
               "MutableDenseHashTable", "MutableDenseHashTableV2"):
        suffix = "V2" if op.endswith("V2") else ""
        ends = [(np.int64(-100),), (np.int64(-101),)][:1 + bool(suffix)] if "Dense" in op else []
        table = group.add(op, *ends, shared_name=op, **types)
        group.graph.nodes[table].attr.pop("T", None)
        group.add(f"LookupTableImport{suffix}", table, (keys,), (values,), Tin="dt:int64",
                  Tout="dt:float")
        group.fetch(group.add(f"LookupTableFind{suffix}", table, asked, (other,), Tin="dt:int64",
                              Tout="dt:float"), wanted)
        group.fetch(group.add(f"LookupTableSize{suffix}", table), np.int64(3))
    rows = f32(3, 2)
    for op, suffix in (("HashTable", ""), ("HashTableV2", "V2")):
        table = group.add(op, shared_name=op, **types)
        group.call(f"LookupTableExport{suffix}", table, wanted=[keys, values], Tkeys="dt:int64",
                   Tvalues="dt:float")
    for op, suffix in (("MutableHashTableOfTensors", ""), ("MutableHashTableOfTensorsV2", "V2")):
        table = group.add(op, shared_name=op, value_shape=(2,), **types)
        group.add(f"LookupTableImport{suffix}", table, (keys,), (rows,), Tin="dt:int64", Tout="dt:float")
        wanted = np.stack([rows[2], rows[0], 0 * rows[0] + other, rows[1]])
        group.fetch(group.add(f"LookupTableFind{suffix}", table, asked, (np.full(2, other),), Tin="dt:int64",
                              Tout="dt:float"), wanted)
    group.save()


def make_states():
    operator_cases.seed(37)
    make_variables()
    make_all_tables()
