#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models as Python packages for PyTorch.

Without PyTorch: the source compiles, nothing of a model's names is code, and the weights have the
names of the source. With PyTorch (scripts/peers.sh torch, if it is made), each package gives the
outputs that it was recorded with, at the recorded data of the model too, and one step of training
lowers a loss.
"""

import ast
import json
import pathlib
import struct
import tempfile
import unittest

from commands import call, dragoman

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = ROOT / "tests" / "models"
RECORDED = ["bert", "bert_dynamic", "gru", "linear", "lstm", "mlp", "mlp_dynamic", "mobilenet",
            "resnet_bn"]
IN_TORCH = ROOT / "tests" / "support" / "run_torch_package.py"


def torch_python():
    """The interpreter that has PyTorch; None where there is none."""
    made = call([ROOT / "scripts" / "peers.sh", "--made", "torch"])
    return pathlib.Path(made.stdout.strip()) / "bin" / "python" if made.returncode == 0 else None


def header(path):
    """What a file of safetensors says of its tensors."""
    data = path.read_bytes()
    size, = struct.unpack("<Q", data[:8])
    return json.loads(data[8:8 + size])


class TorchPackageTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = pathlib.Path(folder.name)

    def package(self, source, name="made_torch", *options):
        folder = self.work / name
        done = dragoman("convert", source, "-o", folder, "--to", "torch", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return folder

    def package_of_text(self, text):
        source = self.work / "model.dgt"
        source.write_text(f'dragoman 1 common onnx\nopset "" 22\n\n{text}')
        return self.package(source)

    def test_files_of_a_package(self):
        folder = self.package(MODELS / "mlp" / "model.onnx")
        found = {path.name for path in folder.iterdir() if not path.name.startswith(".")}
        self.assertEqual(found, {"__init__.py", "model.py", "model.safetensors", "check.py",
                                 "check.safetensors", "README.md"})
        for path in folder.glob("*.py"):
            compile(path.read_text(), path, "exec")

    def test_weights_have_the_names_of_the_source(self):
        names = set(header(self.package(MODELS / "mlp" / "model.onnx") / "model.safetensors"))
        self.assertLessEqual({"0.weight", "0.bias", "2.weight", "2.bias"}, names)

    def test_names_of_a_model_are_no_code(self):
        hostile = 'a"; import os; os.abort() #'
        folder = self.package_of_text(
            "entry main(%\"x); import os\": f32[2, 3]) -> (%\"y\\nimport os\": f32[2, 4]) {\n"
            f"  const %\"{hostile.replace(chr(34), chr(92) + chr(34))}\": f32[4, 3] = {[[1.0] * 3] * 4}\n"
            f"  %\"y\\nimport os\" = dragoman.Linear(%\"x); import os\", "
            f"%\"{hostile.replace(chr(34), chr(92) + chr(34))}\")\n"
            "}\n")
        tree = ast.parse((folder / "model.py").read_text())
        imported = {name.name for node in ast.walk(tree) if isinstance(node, ast.Import)
                    for name in node.names}
        self.assertLessEqual(imported, {"torch", "torch.nn.functional"})

    def test_weights_stand_beside_layers_and_are_named_by_words(self):
        folder = self.package_of_text("""entry main(%x: f32[2, 3]) -> (%y) {
  const %fc.weight: f32[4, 3] = [[1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]
  const %fc.scale: f32[4] = [1.0, 2.0, 3.0, 4.0]
  const %"items.0": f32[4] = [4.0, 3.0, 2.0, 1.0]
  %z: f32[2, 4] = dragoman.Linear(%x, %fc.weight)
  %scaled: f32[2, 4] = onnx.Mul(%z, %fc.scale)
  %y: f32[2, 4] = onnx.Add(%scaled, %"items.0")
}
""")
        compile((folder / "model.py").read_text(), "model.py", "exec")
        names = set(header(folder / "model.safetensors")) - {"__metadata__"}
        self.assertEqual(names, {"fc.weight", "fc_scale", "items.weight_0"})

    def test_the_lowest_number_is_one_that_torch_takes(self):
        folder = self.package_of_text("""entry main(%x: f32[2, 3], %c: bool[2, 3]) -> (%y) {
  const %low: f32[] = -3.4028235e38
  %y: f32[2, 3] = onnx.Where(%c, %low, %x)
}
""")
        self.assertIn("masked_fill(c, -3.4028234663852886e+38)", (folder / "model.py").read_text())

    def test_a_scalar_has_a_list_of_no_sizes(self):
        folder = self.package_of_text("""entry main(%x: f32[m], %y: f32[n, 2]) -> (%z) {
  const %none: i64[0] = []
  %number = onnx.Reshape(%x, %none)
  %z = onnx.Mul(%y, %number)
}
""")
        # Tensor.reshape() lacks an argument.
        self.assertIn(".reshape(())", (folder / "model.py").read_text())

    def test_what_layers_share_is_made_around_them(self):
        # As an exporter leaves it: the mask is computed in the first layer, and read in all.
        layers = "".join(
            f"  const %layers.{i}.fc.weight: f32[3, 3] = {[[i + 1.0, 2.0, 3.0]] * 3}\n"
            f"  %a{i}: f32[2, 3] = dragoman.Linear(%{'x' if i == 0 else f'b{i - 1}'}, "
            f"%layers.{i}.fc.weight) @/layers.{i}/fc !{2 * i + 1}\n"
            f"  %b{i}: f32[2, 3] = onnx.Mul(%a{i}, %m) @/layers.{i}/mul !{2 * i + 2}\n"
            for i in range(3))
        origins = '  !0 = "onnx.Sigmoid" @/layers.0/mask\n' + "".join(
            f'  !{2 * i + 1} = "onnx.Gemm" @/layers.{i}/fc/fc\n'
            f'  !{2 * i + 2} = "onnx.Mul" @/layers.{i}/mul\n' for i in range(3))
        folder = self.package_of_text(
            "entry main(%x: f32[2, 3], %mask: f32[2, 3]) -> (%b2) {\n"
            "  %m: f32[2, 3] = onnx.Sigmoid(%mask) @/layers.0/mask !0\n" + layers +
            "}\n\norigins {\n" + origins + "}\n")
        text = (folder / "model.py").read_text()
        self.assertEqual(text.count("\nclass "), 2, text)  # one for all layers, and the model
        self.assertIn("for layer in self.layers:", text)

    def test_norms_that_share_fresh_weights_are_apart(self):
        # As an exporter stores them: the weights of three modules once, of two layers with scopes.
        folder = self.package_of_text("""entry main(%x: f32[2, 3]) -> (%y) {
  const %enc.layers.0.norm1.weight: f32[3] = [1.0, 1.0, 1.0]
  const %enc.layers.0.fc.weight: f32[3, 3] = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]
  const %enc.layers.1.fc.weight: f32[3, 3] = [[1.5, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]
  %a: f32[2, 3] = onnx.LayerNormalization(%x, %enc.layers.0.norm1.weight) @/enc/layers.0/a !0
  %b: f32[2, 3] = dragoman.Linear(%a, %enc.layers.0.fc.weight) @/enc/layers.0/fc/b !1
  %c: f32[2, 3] = onnx.LayerNormalization(%b, %enc.layers.0.norm1.weight) @/enc/layers.0/c !2
  %d: f32[2, 3] = onnx.LayerNormalization(%c, %enc.layers.0.norm1.weight) @/enc/layers.1/d !3
  %e: f32[2, 3] = dragoman.Linear(%d, %enc.layers.1.fc.weight) @/enc/layers.1/fc/e !4
  %y: f32[2, 3] = onnx.LayerNormalization(%e, %enc.layers.0.norm1.weight) @/norm/y !5
}

origins {
  !0 = "onnx.LayerNormalization" @/enc/layers.0/a
  !1 = "onnx.Gemm" @/enc/layers.0/fc/b
  !2 = "onnx.LayerNormalization" @/enc/layers.0/c
  !3 = "onnx.LayerNormalization" @/enc/layers.1/d
  !4 = "onnx.Gemm" @/enc/layers.1/fc/e
  !5 = "onnx.LayerNormalization" @/norm/y
}
""")
        compile((folder / "model.py").read_text(), "model.py", "exec")
        names = set(header(folder / "model.safetensors")) - {"__metadata__"}
        self.assertEqual(names, {"enc.layers.0.norm1.weight", "enc.layers.0.fc.weight",
                                 "enc.layers.0.norm1_2.weight", "enc.layers.1.norm1.weight",
                                 "enc.layers.1.fc.weight", "norm.weight"})

    def test_what_grows_is_a_list_and_one_class_takes_any_number(self):
        text = "entry main(%x: f32[2, 3]) -> (%y) {\n"
        given, width = ["%x"], 3
        for layer in range(1, 5):
            rows = [[0.5 + row + column * layer for column in range(width)] for row in range(2)]
            text += (f"  const %block.layer{layer}.fc.weight: f32[2, {width}] = {rows}\n"
                     f"  %c{layer} = onnx.Concat({', '.join(given)}) {{axis = 1}} @/block/layer{layer}/c !{layer - 1}\n"
                     f"  %y{layer} = dragoman.Linear(%c{layer}, %block.layer{layer}.fc.weight)"
                     f" @/block/layer{layer}/fc/y !{layer - 1}\n")
            given.append(f"%y{layer}")
            width += 2
        text += f"  %y = onnx.Concat({', '.join(given)}) {{axis = 1}} @/block/y !4\n}}\n\norigins {{\n"
        for layer in range(1, 5):
            text += f'  !{layer - 1} = "onnx.Gemm" @/block/layer{layer}/fc/y\n'
        folder = self.package_of_text(text + '  !4 = "onnx.Concat" @/block/y\n}\n')
        source = (folder / "model.py").read_text()
        self.assertIn("def forward(self, *features: Tensor) -> Tensor:", source)
        self.assertIn("features: list[Tensor] = [x]", source)
        self.assertIn("features.append(self.layer4(*features))", source)
        self.assertEqual(len([node for node in ast.parse(source).body
                              if isinstance(node, ast.ClassDef)]), 4)

    def test_a_recurrence_takes_its_batch_first(self):
        text = (self.package(MODELS / "tensorflow" / "stateful_lstm") / "model.py").read_text()
        self.assertIn("nn.LSTM(2, 1, batch_first=True)", text)
        self.assertNotIn("permute", text)

    def test_entries_hide_no_method_of_modules(self):
        folder = self.package_of_text("""state memory: f32[2] = f32[2] [0.0, 0.0]

entry main(%x: f32[2], %old: f32[2]) -> (%y, %new)
state 0 input 1 -> output 1
{
  %new: f32[2] = onnx.Add(%x, %old)
  %y: f32[2] = onnx.Relu(%new)
}

entry eval(%x: f32[2]) -> (%y) {
  %y: f32[2] = onnx.Neg(%x)
}

entry clear(%old: f32[2]) -> (%new)
state 0 input 0 -> output 0
{
  %new: f32[2] = onnx.Sub(%old, %old)
}
""")
        model = next(node for node in ast.parse((folder / "model.py").read_text()).body
                     if isinstance(node, ast.ClassDef))
        self.assertEqual([node.name for node in model.body if isinstance(node, ast.FunctionDef)],
                         ["__init__", "forward", "eval_", "clear"])

    def test_a_state_is_a_copy_that_type_checkers_let_replace(self):
        folder = self.package_of_text("""state memory: f32[2] = f32[2] [0.0, 0.0]

entry main(%x: f32[2], %old: f32[2]) -> (%y, %new)
state 0 input 1 -> output 1
{
  %new: f32[2] = onnx.Identity(%x)
  %y: f32[2] = onnx.Sub(%x, %old)
}
""")
        text = (folder / "model.py").read_text()
        self.assertIn("self.memory: Tensor = nn.Buffer(torch.zeros(2))", text)
        self.assertIn("self.memory = x.detach().clone()", text)

    def test_a_folder_of_others_is_kept(self):
        folder = self.work / "mine_torch"
        folder.mkdir()
        (folder / "thesis.txt").write_text("mine")
        done = dragoman("convert", MODELS / "mlp" / "model.onnx", "-o", folder)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual([path.name for path in folder.iterdir()], ["thesis.txt"])

    def test_in_pytorch(self):
        python = torch_python()
        if python is None:
            self.skipTest("scripts/peers.sh torch has not been run")
        words = []
        for name in RECORDED:
            words += [self.package(MODELS / name / "model.onnx", f"{name}_torch"), MODELS / name]
        done = call([python, IN_TORCH, *words])
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
