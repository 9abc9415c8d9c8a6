#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A few kilobytes that stand for gigabytes are refused by a bound that depends on the file's size
and that --expand-limit raises; what grows with the square of the input is not there."""

import base64
import json
import pathlib
import pickle
import resource
import struct
import subprocess
import unittest
import zipfile

import numpy as np

import chunked_saved_model as chunks
import script_archive
from command_case import CommandCase
from commands import DRAGOMAN

try:
    import onnx
    from onnx import TensorProto, helper
except ImportError:
    onnx = None

MEMORY = 1_500_000_000  # bytes; a bomb that is not refused takes more
TVM_ARRAY = 0xDD5E40F096B4A13F  # what an array of TVM begins with
SECONDS = 20  # of processor time, for what takes a fraction of one


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


class Expansion(CommandCase):
    def call(self, *arguments):
        begin = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        done = subprocess.run([DRAGOMAN, *map(str, arguments)], capture_output=True, text=True,
                              check=False, preexec_fn=limit_memory, timeout=600)
        took = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - begin
        self.assertLess(took, SECONDS)
        return done

    def check_bomb(self, path):
        """No command takes long, or much memory, and one line says why."""
        for command in (["inspect", path, "--to", "onnx"],
                        ["convert", path, "-o", self.out / "x.onnx", "--passes", "default"],
                        ["run", path, "--random", "-o", self.out / "y"],
                        ["diff", path, path, "--level", "common"]):
            done = self.call(*command)
            with self.subTest(command):
                self.assertEqual(done.returncode, 4, done.stdout + done.stderr)
                self.assertIn("--expand-limit raises that", done.stderr)
        self.assertIn(self.call("inspect", path).returncode, (0, 4))

    def sparse_model(self, count, size):
        nodes, sparse, outputs = [], [], []
        for i in range(count):
            values = helper.make_tensor(f"w{i}", TensorProto.FLOAT, [1], [1.0])
            indices = helper.make_tensor("", TensorProto.INT64, [1], [i])
            sparse.append(helper.make_sparse_tensor(values, indices, [size]))
            nodes.append(helper.make_node("Identity", [f"w{i}"], [f"y{i}"]))
            outputs.append(helper.make_tensor_value_info(f"y{i}", TensorProto.FLOAT, [size]))
        graph = helper.make_graph(nodes, "g", [], outputs, sparse_initializer=sparse)
        path = self.out / "sparse.onnx"
        onnx.save(helper.make_model(graph, ir_version=8,
                                    opset_imports=[helper.make_opsetid("", 17)]), path)
        return path

    @unittest.skipIf(onnx is None, "no onnx")
    def test_sparse_tensors(self):
        self.check_bomb(self.sparse_model(40, (1 << 28) - 1))

    @unittest.skipIf(onnx is None, "no onnx")
    def test_the_limit(self):
        path = self.sparse_model(4, 1 << 20)  # 16 MB
        target = self.out / "x.onnx"
        convert = ["convert", path, "-o", target, "--passes", "default"]
        self.assertEqual(self.call(*convert).returncode, 0)
        done = self.call(*convert, "--expand-limit", "8")
        self.assertEqual(done.returncode, 4)
        self.assertIn("takes more than 8 MB; --expand-limit raises that", done.stderr)
        self.assertEqual(self.call(*convert, "--expand-limit", "20").returncode, 0)

    def shared_elements(self, count, size):
        """Initializers that are all the same bytes of the file beside the model."""
        nodes, tensors, outputs = [], [], []
        for i in range(count):
            tensor = TensorProto(name=f"w{i}", dims=[size], data_type=TensorProto.FLOAT,
                                 data_location=TensorProto.EXTERNAL)
            tensor.external_data.add(key="location", value="weights")
            tensors.append(tensor)
            nodes.append(helper.make_node("Neg", [f"w{i}"], [f"y{i}"]))
            outputs.append(helper.make_tensor_value_info(f"y{i}", TensorProto.FLOAT, [size]))
        (self.out / "weights").write_bytes(bytes(4 * size))
        path = self.out / "shared.onnx"
        model = helper.make_model(helper.make_graph(nodes, "g", [], outputs, tensors), ir_version=8,
                                  opset_imports=[helper.make_opsetid("", 17)])
        path.write_bytes(model.SerializeToString())
        return path

    @unittest.skipIf(onnx is None, "no onnx")
    def test_tensors_of_the_same_bytes(self):
        path = self.shared_elements(300, 1 << 18)
        self.check_bomb(path)
        self.assertEqual(self.call("convert", self.shared_elements(3, 1 << 18), "-o",
                                   self.out / "x.onnx").returncode, 0)

    def test_names_that_stand_in_a_table(self):
        """Of operators and of types, in our own formats, where each use is a number."""
        for op, kind in (("R" * 500000, {"kind": "TENSOR", "dtype": 1}),
                         ("Relu", {"kind": "OPAQUE", "domain": "d", "name": "n" * 500000})):
            nodes = [{"operands": [i + 1], "results": [{"name": f"v{i}", "type": 1}]}
                     for i in range(2000)]
            model = {"version": 1, "dialect": "onnx", "entries": [{"name": "main"}],
                     "opsets": [{"version": "26"}], "ops": [{"dialect": "onnx", "type": op}],
                     "types": [kind], "graphs": [{"inputs": [{"name": "x", "type": 1}],
                                                  "nodes": nodes, "outputs": [2001]}]}
            path = self.out / "m.json"
            path.write_text(json.dumps(model))
            for command in (["inspect", path], ["convert", path, "-o", self.out / "x.dgt"]):
                done = self.call(*command)
                self.assertEqual(done.returncode, 4, done.stderr)
                self.assertIn("--expand-limit raises that", done.stderr)

    def test_one_value_for_all_elements(self):
        text = "".join(f"""
node {{ name: "c{i}" op: "Const" attr {{ key: "dtype" value {{ type: DT_FLOAT }} }}
  attr {{ key: "value" value {{ tensor {{ dtype: DT_FLOAT float_val: 1
    tensor_shape {{ dim {{ size: 268435455 }} }} }} }} }} }}
node {{ name: "y{i}" op: "Neg" input: "c{i}" attr {{ key: "T" value {{ type: DT_FLOAT }} }} }}
""" for i in range(20))
        path = self.out / "m.pbtxt"
        path.write_text(text)
        self.assertEqual(self.call("inspect", path).returncode, 4)

    def archive(self, pickled):
        path = self.out / "m.pt"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("m/data.pkl", pickled)
            archive.writestr("m/constants.pkl", script_archive.NOTHING)
            archive.writestr("m/code/__torch__.py",
                             script_archive.HEAD.replace("__buffers__", "t : Any\n  __buffers__") +
                             "  def forward(self: __torch__.M, x: Tensor) -> Tensor:\n"
                             "    return x\n")
            archive.writestr("m/version", "3\n")
        return path

    def test_tuples_that_hold_one_another(self):
        value = ()
        for _ in range(60):
            value = (value, value)
        held = pickle.dumps(value, protocol=2)[2:-1]
        done = self.call("inspect", self.archive(
            b"\x80\x02c__torch__\nM\n)\x81}X\x01\x00\x00\x00t" + held + b"sb."))
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("--expand-limit raises that", done.stderr)

    def check_script(self, lines, result="Tensor", value="x"):
        path = self.out / "m.pt"
        body = "".join(f"    {line}\n" for line in lines)
        script_archive.write_script(path, f"  def forward(self: __torch__.M, x: Tensor) -> {result}:\n"
                                          f"{body}    return {value}\n")
        for command in (["inspect", path, "--shape", "x=2"],
                        ["convert", path, "-o", self.out / "x.onnx", "--shape", "x=2"]):
            done = self.call(*command)
            self.assertIn(done.returncode, (0, 2, 4), done.stderr[-2000:])

    def test_source_that_doubles(self):
        self.check_script(["t0 = (x, x)", *(f"t{i + 1} = (t{i}, t{i})" for i in range(40)),
                           "y = t40"])
        self.check_script(["l0 = [1, 2]", *(f"l{i + 1} = torch.add(l{i}, l{i})" for i in range(40)),
                           "n = torch.len(l40)"])
        self.check_script(["l0 = [x, x]", *(f"l{i + 1} = torch.add(l{i}, l{i})" for i in range(40)),
                           "y = torch.cat(l40)"])
        self.check_script(["s0 = \"ab\"", *(f"s{i + 1} = torch.add(s{i}, s{i})" for i in range(40)),
                           "n = torch.len(s40)"])

    def relax_module(self, functions):
        """Of functions: parameter and lines, the last of which is what it returns."""
        path = self.out / "m.py"
        lines = ["from tvm.script import ir as I", "from tvm.script import relax as R", "@I.ir_module",
                 "class Module:"]
        tensor = 'R.Tensor((2,), dtype="float32")'
        for name, body in functions.items():
            lines += ["    @R.function", f"    def {name}(x: {tensor}):", "        cls = Module"]
            lines += [f"        {line}" for line in body]
        path.write_text("\n".join(lines) + "\n")
        return path

    def test_tuples_of_relax_that_hold_one_another(self):
        body = ["t0 = (x, x)", *(f"t{i + 1} = (t{i}, t{i})" for i in range(30)), "return t30"]
        self.check_bomb(self.relax_module({"main": body}))

    def test_functions_of_relax_that_call_one_another_twice(self):
        tensor = 'R.Tensor((2,), dtype="float32")'
        functions = {
            f"f{i}": [f"y: {tensor} = cls.f{i + 1}(x)", f"z: {tensor} = cls.f{i + 1}(y)", "return z"]
            for i in range(30)}
        functions["f30"] = [f"y: {tensor} = R.add(x, x)", "return y"]
        functions["main"] = [f"y: {tensor} = cls.f0(x)", "return y"]
        done = self.call("convert", self.relax_module(functions), "-o", self.out / "x.onnx")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("--expand-limit raises that", done.stderr)

    def test_arrays_of_relax_that_unpack_to_much(self):
        size = 100_000_000
        path = self.out / "m.py"
        path.write_text(f"""from tvm.script import ir as I
from tvm.script import relax as R
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), dtype="float32"), w: R.Tensor(({size},), dtype="float32")):
        R.func_attr({{"num_input": 1}})
        return x
""")
        np.savez_compressed(self.out / "m.npz", w=np.zeros(size, np.float32))
        done = self.call("inspect", path)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("--expand-limit raises that", done.stderr)

    def metadata(self, kind, names, size):
        """The metadata section of TVM in which `names` names are one array of `size` zeros."""
        head = struct.pack("<QQIIIBBHq", TVM_ARRAY, 0, 1, 0, 1, 2, 32, 1, size)
        array = head + struct.pack("<q", 4 * size) + bytes(4 * size)
        return json.dumps({"root": 1, "b64ndarrays": [base64.b64encode(array).decode()], "nodes": [
            {"type_key": ""}, {"type_key": "Map", "keys": [kind], "data": [2]},
            {"type_key": "Array", "data": [3] * names}, {"type_key": kind, "attrs": {"data": "0"}}]})

    def test_constants_of_tvm_that_stand_in_many_places(self):
        for count, code in ((4, 0), (3000, 4)):
            relay = self.out / "m.relay"
            relay.write_text('#[version = "0.0.5"]\ndef @main(%x: Tensor[(1), float32]) {\n' + "".join(
                f"  %{i} = add(%{i - 1 if i else 'x'}, meta[relay.Constant][{i}]);\n"
                for i in range(count)) + f"  %{count - 1}\n}}\n\n#[metadata]\n" +
                             self.metadata("relay.Constant", count, 100_000))
            relax = self.relax_module({"main": ["v = x", *[
                'v = R.add(v, metadata["relax.expr.Constant"][0])'] * count, "return v"]})
            relax.write_text(relax.read_text().replace("(2,)", "(1,)").replace(
                "@I.ir_module", 'metadata = tvm.ir.load_json("""' +
                self.metadata("relax.expr.Constant", 1, 100_000) + '""")\n@I.ir_module'))
            for path in (relay, relax):
                done = self.call("convert", path, "-o", self.out / "x.onnx", "--passes", "none")
                with self.subTest(f"{count} in {path.name}"):
                    self.assertEqual(done.returncode, code, done.stderr)
                    if code != 0:
                        self.assertIn("--expand-limit raises that", done.stderr)

    def chunks(self, records, fields, pack=None):
        """A SavedModel in chunks: the empty message, `records`, and `fields`, each the path of one in it
        and the number of its record."""
        writer = chunks.RecordWriter(pack)
        places = writer.add([b""]) + [writer.add([record])[0] for record in records]
        inner = b"".join(
            chunks.field(2, chunks.path_tags(path) + chunks.field(3, chunks.field(1, record)))
            for path, record in fields)
        writer.add([b"".join(chunks.field(2, chunks.field(3, place)) for place in places) +
                    chunks.field(3, chunks.field(1, 0) + inner)])
        path = self.out / "saved_model.cpb"
        path.write_bytes(writer.file)
        return path

    def test_chunks_of_tensorflow(self):
        node = [("field", 2), ("index", 0), ("field", 2), ("field", 1)]
        version = [("field", 2), ("index", 0), ("field", 1), ("field", 5)]
        files = {
            "nodes that are left out": (
                [b""], [(node + [("index", 4096 * i)], 1) for i in range(1, 3000)]),
            "a record in many places": ([bytes(100_000)], [(version, 1)] * 5000),
        }
        for name, (records, fields) in files.items():
            with self.subTest(name):
                done = self.call("inspect", self.chunks(records, fields))
                self.assertEqual(done.returncode, 4, done.stderr)
                self.assertIn("--expand-limit raises that", done.stderr)

    def test_chunks_of_tensorflow_that_brotli_has_packed(self):
        try:
            chunks.brotli(b"")
        except OSError:
            self.skipTest("libbrotlienc is not there")
        version = [("field", 2), ("index", 0), ("field", 1), ("field", 5)]
        done = self.call("inspect", self.chunks([bytes(400_000_000)], [(version, 1)], chunks.brotli))
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("--expand-limit raises that", done.stderr)

    def measure(self, text, *command):
        path = self.out / "m.dgt"
        path.write_text(text)
        return self.call(*(path if word == "MODEL" else word for word in command))

    def test_constants_of_functions_that_are_called_often(self):
        weights = base64.b64encode(bytes(800_000)).decode()
        for calls, code in ((2, 0), (400, 4)):
            lines = "".join(f"  %a{i + 1} = onnx:local.f(%a{i})\n" for i in range(calls))
            done = self.measure(
                f"""dragoman 1 source onnx
opset "" 17
opset "local" 1
extra {{onnx.ir_version = 8}}

entry main(%a0: f32[1]) -> (%y: f32[?]) {{
{lines}  %y = onnx.Neg(%a{calls})
}}

function onnx:local.f @f(%x) -> (%y)
    opset "" 17 {{
  %c = onnx.Constant() {{value = f32[200000] base64 "{weights}"}}
  %y = onnx.Add(%x, %c)
}}
""", "convert", "MODEL", "-o", self.out / "x.dgt", "--level", "common", "--passes", "none")
            self.assertEqual(done.returncode, code, done.stderr[-2000:])
            if code != 0:
                self.assertIn("--expand-limit raises that", done.stderr)

    def test_many_attributes(self):
        attributes = ", ".join(f"a{i} = {i}" for i in range(20000))
        text = ("dragoman 1 source onnx\nopset \"\" 13\nentry main(%x: f32[2]) -> (%y: f32[2]) {\n"
                f"  %y = onnx.Relu(%x) {{{attributes}}}\n}}\n")
        for command in (["inspect", "MODEL"], ["diff", "MODEL", "MODEL"],
                        ["convert", "MODEL", "-o", self.out / "m.dgm"],
                        ["convert", "MODEL", "-o", self.out / "m.onnx", "--force"]):
            self.assertIn(self.measure(text, *command).returncode, (0, 2, 4))

    def test_many_twin_nodes(self):
        nodes = "\n".join(f"  %t{i} = onnx.Relu(%x)" for i in range(10000))
        text = ("dragoman 1 common onnx\nopset \"\" 22\nentry main(%x: f32[2]) -> (%y: f32[2]) {\n"
                f"{nodes}\n  %y = onnx.Neg(%t9999)\n}}\n")
        for command in (["inspect", "MODEL"], ["diff", "MODEL", "MODEL"],
                        ["diff", "MODEL", "MODEL", "--commute"],
                        ["convert", "MODEL", "-o", self.out / "m.onnx"]):
            self.assertEqual(self.measure(text, *command).returncode, 0)


if __name__ == "__main__":
    unittest.main()
