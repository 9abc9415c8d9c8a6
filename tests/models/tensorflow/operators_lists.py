# SPDX-License-Identifier: Apache-2.0
"""TensorLists that one way through a program stacks while another keeps their elements, and lists
without elements."""

import numpy as np

from operator_cases import FLOAT, G, Group, Lib, f32, i32, save

INT = {"T": "dt:int32"}
ELEMENT = {"element_dtype": "dt:float"}
LISTED = {"shape_type": "dt:int32", **ELEMENT}
UNKNOWN = np.int32(-1)


def stacked(b, _, x):
    return [b.op("TensorListFromTensor", x, b.const(i32(2)), **LISTED)]


def row(b, x, number):
    return b.op("GatherV2", x, b.const(np.int32(number)), b.const(np.int32(0)), Tparams="dt:float",
                Tindices="dt:int32", Taxis="dt:int32")


def written(b, held, x):
    for place in range(3):
        held = b.op("TensorListSetItem", held, b.const(np.int32(place)), row(b, x, 2 - place), **ELEMENT)
    return [held]


def pushed(b, held, x):
    for number in (2, 1, 0):
        held = b.op("TensorListPushBack", held, row(b, x, number), **ELEMENT)
    return [held]


def two_forms(name, otherwise, make):
    """A branch that gives a list of all rows at once, and one that puts them into a list."""
    x = f32(3, 2)
    for holds in (True, False):
        g, library = G(), Lib()
        g.ph("x", "float", x.shape)
        g.ph("holds", "bool", ())
        kinds = [("held", "variant"), ("x", "float")]
        then = library.function("stacked", kinds, stacked, [("out", "variant")])
        other = library.function("by_element", kinds, otherwise, [("out", "variant")])
        held = g.op("StatelessIf", "holds", make(g), "x", then_branch=f"fn:{then}",
                    else_branch=f"fn:{other}", Tcond="dt:bool", Tin=["dt:variant", "dt:float"],
                    Tout=["dt:variant"])
        g.op("TensorListStack", held, g.const(i32(2)), name="y", num_elements=3, **ELEMENT)
        g.op("TensorListLength", held, name="length")
        save(f"{name}_{holds}", g, {"x": x, "holds": np.array(holds)}, ["y", "length"],
             [x if holds else x[::-1], np.int32(3)], oracle=False, library=library)


def counted_loop(g, library, start, held, turn, x="x", kind="float"):
    """Iterations from `start` to `count`, each of which gives the next number, count, x and the list."""
    kinds = ["int32", "int32", kind, "variant"]
    arguments = [(f"in{i}", kind) for i, kind in enumerate(kinds)]
    goes_on = library.function("goes_on", arguments, lambda b, at, count, x, held: [
        b.op("Less", at, count, **INT)], [("out", "bool")])
    body = library.function("turn", arguments, turn, [(f"out{i}", kind) for i, kind in enumerate(kinds)])
    return g.op("StatelessWhile", g.const(np.int32(start)), "count", x, held,
                cond=f"fn:{goes_on}", body=f"fn:{body}", T=[f"dt:{kind}" for kind in kinds])


def pushing_loop(count):
    """Rows pushed to an empty list as often as an input says."""
    g, library, x = G(), Lib(), f32(2)
    g.ph("x", "float", x.shape)
    g.ph("count", "int32", ())
    held = g.op("EmptyTensorList", g.const(UNKNOWN), g.const(UNKNOWN), **LISTED)

    def turn(b, at, count, x, held):
        times = b.op("Mul", x, b.op("Cast", at, SrcT="dt:int32", DstT="dt:float"), **FLOAT)
        return [b.op("AddV2", at, b.const(np.int32(1)), **INT), b.op("Identity", count, **INT),
                b.op("Identity", x, **FLOAT), b.op("TensorListPushBack", held, times, **ELEMENT)]

    loop = counted_loop(g, library, 0, held, turn)
    g.op("TensorListStack", f"{loop}:3", g.const(i32(2)), name="y", num_elements=-1, **ELEMENT)
    save(f"pushing_loop_{count}", g, {"x": x, "count": np.int32(count)}, ["y"],
         [np.arange(count, dtype=np.float32)[:, None] * x], oracle=False, library=library)


def loop_into_begun_list():
    """A list of which an element is set in front of the loop that sets the others."""
    g, library, x = G(), Lib(), f32(3, 2)
    g.ph("x", "float", x.shape)
    g.ph("count", "int32", ())
    held = g.op("TensorListReserve", g.const(UNKNOWN), g.const(np.int32(3)), **LISTED)
    held = g.op("TensorListSetItem", held, g.const(np.int32(0)), row(g, "x", 0), **ELEMENT)

    def turn(b, at, count, x, held):
        now = b.op("GatherV2", x, at, b.const(np.int32(0)), Tparams="dt:float", Tindices="dt:int32",
                   Taxis="dt:int32")
        return [b.op("AddV2", at, b.const(np.int32(1)), **INT), b.op("Identity", count, **INT),
                b.op("Identity", x, **FLOAT),
                b.op("TensorListSetItem", held, at, b.op("Neg", now, **FLOAT), **ELEMENT)]

    loop = counted_loop(g, library, 1, held, turn)
    g.op("TensorListStack", f"{loop}:3", g.const(i32(2)), name="y", num_elements=-1, **ELEMENT)
    save("loop_into_begun_list", g, {"x": x, "count": np.int32(3)}, ["y"],
         [np.stack([x[0], -x[1], -x[2]])], oracle=False, library=library)


def make_replaced_element():
    """One of a list to which a loop pushes as often as an input says."""
    g, library, x = G(), Lib(), f32(2)
    g.ph("x", "float", x.shape)
    g.ph("count", "int32", ())
    g.ph("place", "int32", ())
    held = g.op("EmptyTensorList", g.const(UNKNOWN), g.const(UNKNOWN), **LISTED)

    def turn(b, at, count, x, held):
        return [b.op("AddV2", at, b.const(np.int32(1)), **INT), b.op("Identity", count, **INT),
                b.op("Identity", x, **FLOAT), b.op("TensorListPushBack", held, x, **ELEMENT)]
    loop = counted_loop(g, library, 0, held, turn)
    changed = g.op("TensorListSetItem", f"{loop}:3", "place", g.op("Neg", "x", **FLOAT), **ELEMENT)
    g.op("TensorListStack", changed, g.const(i32(2)), name="y", num_elements=-1, **ELEMENT)
    save("list_replaced_element", g, {"x": x, "count": np.int32(3), "place": np.int32(1)}, ["y"],
         [np.stack([x, -x, x])], oracle=False, library=library)


def joined_parts():
    """1, 2, … rows of x, pushed by a loop and put one after the other."""
    g, library, x = G(), Lib(), f32(4, 2)
    g.ph("x", "float", (-1, 2))
    g.ph("count", "int32", ())
    parts = g.op("EmptyTensorList", g.const(i32(-1, 2)), g.const(UNKNOWN), **LISTED)

    def turn(b, at, count, x, parts):
        rows = b.op("AddV2", at, b.const(np.int32(1)), **INT)
        sizes = b.op("Pack", rows, b.const(UNKNOWN), N=2, axis=0, **INT)
        part = b.op("Slice", x, b.const(i32(0, 0)), sizes, Index="dt:int32", **FLOAT)
        return [rows, b.op("Identity", count, **INT), b.op("Identity", x, **FLOAT),
                b.op("TensorListPushBack", parts, part, **ELEMENT)]

    loop = counted_loop(g, library, 0, parts, turn)
    g.op("TensorListConcatV2", f"{loop}:3", g.const(i32(-1, 2)), g.const(np.zeros(0, np.int64)),
         name="y", **LISTED)
    save("list_joined_parts", g, {"x": x, "count": np.int32(3)}, ["y", "y:1"],
         [np.concatenate([x[:1], x[:2], x[:3]]), np.arange(1, 4)], oracle=False, library=library)


def element_shape():
    g, x = G(), f32(4, 3)
    g.ph("x", "float", (-1, 3))
    held = g.op("TensorListFromTensor", "x", g.const(i32(3)), **LISTED)
    g.op("TensorListElementShape", held, name="y", shape_type="dt:int32")
    save("list_element_shape", g, {"x": x}, ["y"], [i32(3)], oracle=False)


def make_lists():
    two_forms("list_forms_written", written,
              lambda g: g.op("TensorListReserve", g.const(UNKNOWN), g.const(np.int32(3)), **LISTED))
    two_forms("list_forms_pushed", pushed,
              lambda g: g.op("EmptyTensorList", g.const(UNKNOWN), g.const(UNKNOWN), **LISTED))
    for count in (0, 3):
        pushing_loop(count)
    loop_into_begun_list()
    element_shape()
    joined_parts()


def make_list_operators():
    """Lists whose length is known, element by element."""
    group, x = Group("list_operators"), f32(4, 2)
    rows, sizes = (i32(2),), {"element_dtype": "dt:float", "shape_type": "dt:int32"}

    def read(held, wanted, count=-1):
        group.fetch(group.add("TensorListStack", held, rows, num_elements=count, **ELEMENT), wanted)
    for version, ends in (("", []), ("V2", [(np.int32(6),)])):
        held = group.add(f"TensorListScatter{version}", x[:3], (i32(2, 0, 1),), rows, *ends, **sizes)
        filled = np.concatenate([x[[1, 2, 0]], np.zeros((3, 2), np.float32)]) if ends else x[[1, 2, 0]]
        read(held, filled)
        group.fetch(group.add("TensorListGather", held, (i32(2, 1),), rows, **ELEMENT), filled[[2, 1]])
    whole = group.add("TensorListFromTensor", x, rows, **sizes)
    read(group.add("TensorListScatterIntoExistingList", whole, x[:2], (i32(3, 1),), **ELEMENT),
         x[[0, 1, 2, 0]])
    last = group.add("TensorListPopBack", whole, rows, **ELEMENT)
    read(last, x[:3])
    group.fetch(f"{last}:1", x[3])
    pushed = group.add("TensorListPushBack", group.add("EmptyTensorList", rows, (np.int32(-1),), **sizes), x[1],
                       **ELEMENT)
    read(group.add("TensorListConcatLists", whole, pushed, **ELEMENT), np.concatenate([x, x[1:2]]))
    parts = group.add("TensorListSplit", x, (i32(-1, 2),), (np.array([1, 3]),), **sizes)
    for version, ends in (("", []), ("V2", [(i32(-1, 2),), (np.zeros(0, np.int64),)])):
        told = sizes if ends else {**ELEMENT, "element_shape": (-1, 2)}
        joined = group.add(f"TensorListConcat{version}", parts, *ends, **told)
        group.fetch(joined, x)
        group.fetch(f"{joined}:1", np.array([1, 3]))
    group.fetch(group.add("TensorListGetItem", parts, (np.int32(1),), (i32(-1, 2),), **ELEMENT), x[1:])
    group.save()


def make_array_operators():
    """TensorArrays of each version: rows that are scattered, gathered, split and joined."""
    group, x = Group("array_operators"), f32(4, 2)
    for version in ("", "V2", "V3"):
        def made(version=version):
            array = group.add(f"TensorArray{version}", (np.int32(2),), dtype="dt:float")
            if version == "V3":
                return array, f"{array}:1"
            flow = group.given((np.float32(0),))  # what hangs on the array, as TensorFlow wrote it
            group.graph.nodes[flow].input.append(f"^{array}")
            return array, flow
        array, flow = made()
        flow = group.add(f"TensorArrayScatter{version}", array, (i32(1, 0),), x[:2], flow, **FLOAT)
        group.fetch(group.add(f"TensorArrayGather{version}", array, (i32(0, 1, 0),), flow, dtype="dt:float"),
                    x[[1, 0, 1]])
        array, flow = made()
        flow = group.add(f"TensorArraySplit{version}", array, x, (np.array([1, 3]),), flow, **FLOAT)
        read = group.add(f"TensorArrayRead{version}", array, (np.int32(1),), flow, dtype="dt:float")
        group.fetch(read, x[1:])
        joined = group.add(f"TensorArrayConcat{version}", array, flow, dtype="dt:float")
        group.fetch(joined, x)
        group.fetch(f"{joined}:1", np.array([1, 3]))
        closed = group.add(f"TensorArrayClose{version}", array, control=[joined])
        group.fetch(group.add("Identity", (np.int32(7),), control=[closed], T="dt:int32"), np.int32(7))
    group.save()
