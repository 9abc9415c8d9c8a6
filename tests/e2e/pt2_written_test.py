#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models of other formats as archives of torch.export.

Without PyTorch: what is written is read by Dragoman, gives the recorded outputs, and has the layers,
names and sizes that an engineer expects. With PyTorch (scripts/peers.sh torch, if it is made), the
archive is loaded, run at the recorded sizes, decomposed and saved again.
"""

import json
import pathlib
import subprocess
import unittest
import zipfile

import numpy as np

from commands import call, dragoman
from pt2_archive import program_of
from pt2_written_case import MODELS, WrittenCase

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECORDED = ["bert", "bert_dynamic", "gru", "linear", "lstm", "mlp", "mlp_dynamic", "mobilenet",
            "resnet_bn"]
IN_TORCH = ROOT / "tests" / "support" / "run_in_torch.py"


def torch_python():
    """The interpreter that has PyTorch; None where there is none."""
    made = call([ROOT / "scripts" / "peers.sh", "--made", "torch"])
    return pathlib.Path(made.stdout.strip()) / "bin" / "python" if made.returncode == 0 else None


class WrittenTest(WrittenCase):
    def test_recorded_outputs_stay(self):
        for name in RECORDED:
            with self.subTest(name):
                archive = self.convert(MODELS / name / "model.onnx")
                done = dragoman("verify", archive, "--data", MODELS / name)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_layers_and_names_are_those_of_the_module(self):
        archive = self.convert(MODELS / "mlp" / "model.onnx")
        self.assertEqual(self.targets(archive),
                         ["aten.linear.default", "aten.relu.default", "aten.linear.default"])
        program, records = program_of(archive)
        inputs = program["graph_module"]["signature"]["input_specs"]
        self.assertEqual([spec["parameter"]["parameter_name"] for spec in inputs[:-1]],
                         ["0.weight", "0.bias", "2.weight", "2.bias"])
        self.assertEqual(inputs[-1]["user_input"]["arg"], {"as_tensor": {"name": "x"}})
        self.assertIn("data/weights/model_weights_config.json", records)

    def test_nodes_say_where_they_came_from(self):
        archive = self.convert(MODELS / "mlp" / "model.onnx")
        program, _ = program_of(archive)
        layer = program["graph_module"]["graph"]["nodes"][0]
        self.assertEqual(json.loads(layer["metadata"]["custom"]),
                         {"source": "onnx.Gemm", "name": "/0/Gemm"})
        self.assertIn("L__self___0,0,", layer["metadata"]["nn_module_stack"])

    def test_buffers_of_the_source_stay_buffers(self):
        def buffers(archive):
            program, _ = program_of(archive)
            return {spec["buffer"]["buffer_name"]
                    for spec in program["graph_module"]["signature"]["input_specs"]
                    if "buffer" in spec}
        model = MODELS / "torchscript" / "stored_views" / "model.pt"
        archive = self.convert(model, "--shape", "x=f32:2,3")
        self.assertLessEqual({"matrix", "row", "expanded"}, buffers(archive))
        again = self.work / "again.pt2"
        done = dragoman("convert", archive, "-o", again, "--passes", "default")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLessEqual({"matrix", "row", "expanded"}, buffers(again))

    def test_what_is_computed_of_buffers_alone_is_one(self):
        archive = self.convert_text("""entry main(%x: f32[2, 3]) -> (%y, %z) {
  const %table: f32[4, 3] = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0], [1.0, 1.0, 1.0]] extra {buffer = true}
  const %factors: f32[2, 3] = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
  const %begin: i64[1] = [1]
  const %end: i64[1] = [3]
  const %axis: i64[1] = [0]
  %rows = onnx.Slice(%table, %begin, %end, %axis)
  %learnt = onnx.Mul(%rows, %factors)
  %y = onnx.Add(%x, %rows)
  %z = onnx.Mul(%x, %learnt)
}
""", "--passes", "default")
        program, _ = program_of(archive)
        specs = program["graph_module"]["signature"]["input_specs"]
        self.assertEqual(sorted(kind for spec in specs for kind in spec),
                         ["buffer", "parameter", "user_input"])

    def test_a_buffer_and_a_parameter_of_equal_elements_stay_two(self):
        archive = self.convert_text("""entry main(%x: f32[2]) -> (%y) {
  const %mask: f32[2] = [1.0, 1.0] extra {buffer = true}
  const %scale: f32[2] = [1.0, 1.0]
  %sum = onnx.Add(%x, %scale)
  %y = onnx.Sub(%sum, %mask)
}
""", "--passes", "cse")
        program, _ = program_of(archive)
        specs = program["graph_module"]["signature"]["input_specs"]
        self.assertEqual(sorted(kind for spec in specs for kind in spec),
                         ["buffer", "parameter", "user_input"])

    def test_computed_statistics_learn_nothing(self):
        """PyTorch refuses those that ask for gradients."""
        archive = self.convert_text("""entry main(%x: f32[s, 2, 3]) -> (%y) {
  const %mean: f32[2] = [0.5, -1.0]
  const %scale: f32[2] = [4.0, 1.0]
  const %shift: f32[2] = [0.0, 0.0]
  %variance = onnx.Mul(%scale, %scale)
  %y = onnx.BatchNormalization(%x, %scale, %shift, %mean, %variance) {epsilon = 0.0}
}
""", "--passes", "none")
        self.assertEqual(self.targets(archive),
                         ["aten.mul.Tensor", "aten.detach.default", "aten.batch_norm.default"])
        x = np.arange(12, dtype=np.float32).reshape(2, 2, 3)
        y, = self.run_outputs(archive, x=x)
        np.testing.assert_allclose(y, (x - np.float32([[0.5], [-1]])), rtol=1e-6)

    def test_where_takes_numbers(self):
        archive = self.convert_text("""entry main(%c: bool[2, 3], %x: f16[3], %n: i32[2, 1]) -> (%a, %b, %d) {
  const %low: f16[1] = [-65504.0]
  const %seven: i32[] = 7
  const %wide: i32[1, 1, 1] = [[[8]]]
  %a = onnx.Where(%c, %low, %x)
  %b = onnx.Where(%c, %n, %seven)
  %d = onnx.Where(%c, %wide, %n)
}
""")
        self.assertEqual(self.targets(archive), [
            "aten.masked_fill.Scalar", "aten.where.ScalarOther", "aten.where.self"])
        drawn = {"c": np.array([[True, False, True], [False, True, False]]),
                 "x": np.array([1, 2, 3], "f2"), "n": np.array([[4], [5]], "i4")}
        a, b, d = self.run_outputs(archive, **drawn)
        np.testing.assert_array_equal(a, np.where(drawn["c"], np.float16(-65504), drawn["x"]))
        np.testing.assert_array_equal(b, np.where(drawn["c"], drawn["n"], np.int32(7)))
        np.testing.assert_array_equal(d, np.where(drawn["c"], [[[8]]], drawn["n"]))

    def test_outputs_keep_their_names(self):
        archive = self.convert(MODELS / "mlp" / "model.onnx")
        program, _ = program_of(archive)
        self.assertEqual(program["graph_module"]["graph"]["outputs"], [{"as_tensor": {"name": "y"}}])
        read = archive.with_suffix(".dgt")
        done = dragoman("edit", archive, "-o", read, "--rename-output", "y=scores")
        self.assertEqual(done.returncode, 0, done.stderr)
        outputs = json.loads(dragoman("inspect", read, "--json").stdout)
        self.assertEqual([slot["name"] for slot in outputs["entries"][0]["outputs"]], ["scores"])

    def test_tensors_made_of_numbers_name_their_device(self):
        # A program that is moved to another device makes them there.
        archive = self.convert_text("""entry main(%x: f32[2, 3]) -> (%y) {
  %size: i64[2] = onnx.Shape(%x)
  %ones: f32[2, 3] = onnx.ConstantOfShape(%size) {value = f32[1] [1.0]}
  %y: f32[2, 3] = onnx.Add(%x, %ones)
}
""", "--passes", "none")
        program, _ = program_of(archive)
        full = next(node for node in program["graph_module"]["graph"]["nodes"]
                    if node["target"] == "torch.ops.aten.full.default")
        self.assertIn({"name": "device", "arg": {"as_device": {"type": "cpu", "index": None}},
                       "kind": 2}, full["inputs"])

    def test_bits_of_another_type_are_a_view(self):
        archive = self.convert_text("""entry main(%x: f32[n, 3]) -> (%y) {
  %y: u32[n, 3] = onnx.BitCast(%x) {to = 12}
}
""")
        self.assertEqual(self.targets(archive), ["aten.view.dtype"])

    def test_a_recurrence_is_one_operator(self):
        archive = self.convert(MODELS / "lstm" / "model.onnx")
        self.assertIn("aten.lstm.input", self.targets(archive))

    def test_open_sizes_are_symbols_with_ranges(self):
        archive = self.convert(MODELS / "mlp_dynamic" / "model.onnx")
        program, _ = program_of(archive)
        size = program["graph_module"]["graph"]["tensor_values"]["x"]["sizes"][0]["as_expr"]
        self.assertEqual(size["expr_str"], "Symbol('s0', positive=True, integer=True)")
        self.assertEqual(program["range_constraints"], {"s0": {"min_val": 0, "max_val": None}})

    def test_states_are_buffers_that_the_program_replaces(self):
        archive = self.convert_text("""state memory: f32[2] = f32[2] [0.0, 0.0]

entry main(%x: f32[2], %old: f32[2]) -> (%y, %new)
state 0 input 1 -> output 1
{
  %new: f32[2] = onnx.Add(%x, %old)
  %y: f32[2] = onnx.Relu(%new)
}
""")
        program, _ = program_of(archive)
        signature = program["graph_module"]["signature"]
        self.assertEqual(signature["input_specs"][0]["buffer"]["buffer_name"], "memory")
        self.assertEqual(signature["output_specs"][0]["buffer_mutation"]["buffer_name"], "memory")

    def test_infinities_are_what_the_release_reads(self):
        # As Python writes them, before 2.9.
        for release, infinity in (("2.8", b'"as_float":-Infinity'), ("2.9", b'"as_float":"-Infinity"')):
            archive = self.convert_text("""entry main(%x: f32[3]) -> (%y) {
  %y: bool[3] = onnx.IsInf(%x) {detect_positive = 0}
}
""", "--torch-version", release)
            with zipfile.ZipFile(archive) as records:
                program = next(name for name in records.namelist() if name.endswith("program.json")
                               or name.endswith("models/model.json"))
                self.assertIn(infinity, records.read(program))
            y, = self.run_outputs(archive, x=np.array([1, np.inf, -np.inf], "f4"))
            np.testing.assert_array_equal(y, [False, False, True])

    def test_the_sign_of_nan_is_nan(self):
        """But 0 where the source says so, as PyTorch does."""
        text = """entry main(%x: f32[3]) -> (%y) {
  const %zero: f32[] = 0.0
  %mask: bool[3] = onnx.IsNaN(%x)
  %sign: f32[3] = onnx.Sign(%x)
  %y: f32[3] = RESULT
}
"""
        for result, of_nan, nodes in (
                ("onnx.Identity(%sign)", np.nan, ["sign", "isnan", "where"]),
                ("onnx.Where(%mask, %zero, %sign)", 0, ["isnan", "sign", "masked_fill"])):
            archive = self.convert_text(text.replace("RESULT", result))
            self.assertEqual([target.split(".")[1] for target in self.targets(archive)], nodes)
            y, = self.run_outputs(archive, x=np.array([-2, np.nan, 3], "f4"))
            np.testing.assert_array_equal(y, np.array([-1, of_nan, 1], "f4"))

    def test_steps_to_the_front_and_padding_along_open_axes(self):
        archive = self.convert_text("""entry main(%x: f32[2, n]) -> (%back, %third, %first, %around, %wrapped, %held) {
  const %axis: i64[1] = [1]
  const %last: i64[1] = [-1]
  const %far: i64[1] = [-9]
  const %three: i64[1] = [3]
  const %front: i64[1] = [-9223372036854775807]
  const %one: i64[1] = [-1]
  const %two: i64[1] = [-2]
  const %pads: i64[4] = [0, 5, 0, 1]
  %back = onnx.Slice(%x, %last, %front, %axis, %one)
  %third = onnx.Slice(%x, %three, %front, %axis, %two)
  %first = onnx.Slice(%x, %far, %front, %axis, %one)
  %around = onnx.Pad(%x, %pads) {mode = "reflect"}
  %wrapped = onnx.Pad(%x, %pads) {mode = "wrap"}
  %held = onnx.Pad(%x, %pads) {mode = "edge"}
}
""")
        for n in (1, 3, 7):
            x = np.arange(2 * n, dtype="f4").reshape(2, n)
            pads = ((0, 0), (5, 1))
            expected = [x[:, ::-1], x[:, 3::-2], x[:, :1], np.pad(x, pads, "reflect"),
                        x[:, np.arange(-5, n + 1) % n], np.pad(x, pads, "edge")]
            for found, wanted in zip(self.run_outputs(archive, x=x), expected, strict=True):
                np.testing.assert_array_equal(found, wanted)

    def test_pads_that_cut_do_so_before_others_repeat_what_is_left(self):
        archive = self.convert_text("""entry main(%x: f32[2, n]) -> (%around, %wrapped) {
  const %pads: i64[4] = [0, -1, 0, 2]
  %around = onnx.Pad(%x, %pads) {mode = "reflect"}
  %wrapped = onnx.Pad(%x, %pads) {mode = "wrap"}
}
""")
        for n in (4, 6):
            x = np.arange(2 * n, dtype="f4").reshape(2, n)
            pads = ((0, 0), (0, 2))
            for found, mode in zip(self.run_outputs(archive, x=x), ("reflect", "wrap"), strict=True):
                np.testing.assert_array_equal(found, np.pad(x[:, 1:], pads, mode))

    def test_images_are_resized_by_what_run_time_says(self):
        archive = self.convert_text("""entry main(%x: f32[1, 1, 2, 4], %scales: f32[4]) -> (%y) {
  %y: f32[1, 1, 4, 2] = onnx.Resize(%x, _, %scales) {mode = "linear"}
}
""")
        x = np.array([[[[1, 2, 3, 4], [5, 6, 7, 8]]]], "f4")
        y, = self.run_outputs(archive, x=x, scales=np.array([1, 1, 2, 0.5], "f4"))
        np.testing.assert_allclose(y[0, 0], [[1.5, 3.5], [2.5, 4.5], [4.5, 6.5], [5.5, 7.5]])

    def test_regions_are_pooled_by_products(self):
        # Of an image that rises evenly, a mean is what the middle of the bin has.
        rows, columns = np.meshgrid(np.arange(8.0), np.arange(9.0), indexing="ij")
        image = (10 * rows + columns)[None, None].astype("f4")
        boxes, images = np.array([[1, 1, 5, 5]], "f4"), np.array([0])
        for ratio, mode, wanted in ((2, "avg", [[16.5, 18.5], [36.5, 38.5]]),
                                    (0, "avg", [[16.5, 18.5], [36.5, 38.5]]),
                                    (1, "max", [[5.5, 6], [10.5, 11]])):
            archive = self.convert_text(f"""entry main(%x: f32[n, c, 8, 9], %boxes: f32[r, 4],
    %images: i64[r]) -> (%y) {{
  %y = onnx.RoiAlign(%x, %boxes, %images) {{mode = "{mode}", output_height = 2, output_width = 2, sampling_ratio = {ratio}}}
}}
""")
            y, = self.run_outputs(archive, x=image, boxes=boxes, images=images)
            np.testing.assert_allclose(y[0, 0], wanted, rtol=1e-5, err_msg=f"{mode} {ratio}")
            if ratio == 0:  # a region without extent has no points, and there may be no region
                extents = np.array([[1.5, 1.5, 1.5, 1.5], boxes[0]], "f4")
                y, = self.run_outputs(archive, x=image, boxes=extents, images=np.array([0, 0]))
                np.testing.assert_allclose(y[:, 0], [[[0, 0], [0, 0]], wanted], rtol=1e-5)
                y, = self.run_outputs(archive, x=image, boxes=boxes[:0], images=images[:0])
                self.assertEqual(y.shape, (0, 1, 2, 2))

    def test_the_largest_pixels_of_regions(self):
        image = np.arange(72, dtype="f4").reshape(1, 1, 8, 9) - 80
        # Corners are rounded, halves away from zero; bins of the last one have no pixels.
        boxes = np.array([[0, 1, 1, 5, 5], [0, 5, 1, 9, 3], [0, 30, 30, 40, 40]], "f4")
        archive = self.convert_text("""entry main(%x: f32[n, c, h, 9], %boxes: f32[r, 5]) -> (%y) {
  %y = onnx.MaxRoiPool(%x, %boxes) {pooled_shape = [2, 1], spatial_scale = 0.5}
}
""")
        y, = self.run_outputs(archive, x=image, boxes=boxes)
        np.testing.assert_array_equal(y[:, 0, :, 0], [[-59, -50], [-66, -57], [0, 0]])
        y, = self.run_outputs(archive, x=image, boxes=boxes[:0])
        self.assertEqual(y.shape, (0, 1, 2, 1))

    def test_activations_and_norms_are_the_operators(self):
        archive = self.convert_text("""entry main(%x: f32[n, 3, 4]) -> (%y, %z) {
  const %slopes: f32[3, 1] = [[0.5], [0.25], [-1.0]]
  const %slope: f32[1, 1, 1] = [[[0.125]]]
  const %last: i64[1] = [2]
  %p = onnx.PRelu(%x, %slopes)
  %y = onnx.PRelu(%p, %slope)
  %z = onnx.ReduceL2(%p, %last) {keepdims = 0}
}
""")
        self.assertEqual(self.targets(archive), ["aten.prelu.default", "aten.prelu.default",
                                                 "aten.linalg_vector_norm.default"])
        x = np.array([[[-4, 3, 0, 0], [-8, 0, 0, 6], [-1, 1, 1, 1]]], "f4")
        y, z = self.run_outputs(archive, x=x)
        np.testing.assert_allclose(y, [[[-0.25, 3, 0, 0], [-0.25, 0, 0, 6], [1, 1, 1, 1]]])
        np.testing.assert_allclose(z, [[13 ** 0.5, 40 ** 0.5, 2]], rtol=1e-6)

    def test_what_comes_back_is_what_was_written(self):
        text = """entry main(%x: f32[n, 32], %i: f32[n, 2, 4, 4], %where: i64[n, 3]) -> (%y, %z, %most, %own, %read) {
  const %sizes: i64[4] = [-1, 2, 4, 4]
  const %scales: f32[4] = [1.0, 1.0, 2.0, 2.0]
  const %slopes: f32[2, 1, 1] = [[[0.5]], [[0.25]]]
  const %two: i64[1] = [2]
  %r = onnx.Reshape(%x, %sizes)
  %p = onnx.PRelu(%r, %slopes)
  %y = onnx.Resize(%p, _, %scales) {mode = "linear"}
  %z = onnx.ReduceL2(%i)
  %most, %places = onnx.TopK(%x, %two) {axis = 1}
  %own = onnx.GatherElements(%x, %places) {axis = 1}
  %read = onnx.GatherElements(%x, %where) {axis = 1}
}
"""
        archive = self.convert_text(text)
        done = dragoman("diff", self.work / "model.dgt", archive)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_places_in_another_order_are_laid_out(self):
        # Rows that are taken lie in the order of the places, of which torch's passes know nothing.
        archive = self.convert_text("""entry main(%places: i64[2, 3]) -> (%y) {
  const %table: f32[4, 2] = [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0], [6.0, 7.0]]
  %turned = onnx.Transpose(%places) {perm = [1, 0]}
  %y = onnx.Gather(%table, %turned)
}
""")
        self.assertEqual(self.targets(archive), ["aten.permute.default", "aten.contiguous.default",
                                                 "aten.index.Tensor"])
        y, = self.run_outputs(archive, places=np.array([[0, 1, 2], [3, -1, 0]]))
        np.testing.assert_array_equal(y[..., 0], [[0, 6], [2, 6], [4, 0]])

    def test_names_are_those_that_python_and_modules_take(self):
        archive = self.convert_text("""entry main(%self: f32[2], %"x.1": f32[2], %"x-1": f32[2]) -> (%y) {
  const %forward: f32[2] = [1.0, 2.0]
  const %a: f32[2] = [2.0, 3.0]
  const %"a.b": f32[2] = [4.0, 5.0]
  const %"in.scale": f32[2] = [6.0, 7.0]
  %p: f32[2] = onnx.Sub(%forward, %self)
  %q: f32[2] = onnx.Sub(%a, %"x.1")
  %r: f32[2] = onnx.Sub(%"a.b", %"x-1")
  %s: f32[2] = onnx.Sub(%"in.scale", %self)
  %y: f32[2] = onnx.Max(%p, %q, %r, %s)
}
""")
        program, _ = program_of(archive)
        inputs = program["graph_module"]["signature"]["input_specs"]
        weights = [spec["parameter"]["parameter_name"] for spec in inputs if "parameter" in spec]
        self.assertEqual(weights[0], "forward_")
        # A module and a weight cannot share a name.
        self.assertEqual(weights[1], "a")
        self.assertFalse(weights[2].startswith("a."))
        self.assertEqual(weights[3], "in_.scale")  # "self.in.scale" is not Python
        call_of = program["graph_module"]["module_call_graph"][0]["signature"]
        self.assertEqual(call_of["forward_arg_names"], ["self_2", "x_1", "x_1_2"])

    def test_what_pytorch_lacks_is_refused_by_name(self):
        source = self.work / "model.dgt"
        source.write_text('dragoman 1 common onnx\nopset "" 22\n\n'
                          "entry main(%x: str[2]) -> (%y) {\n"
                          "  %y: str[2] = onnx.Identity(%x) @copy\n}\n")
        done = dragoman("convert", source, "-o", self.work / "out.pt2")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("input 'x': error: PyTorch has no element type str", done.stderr)

    def test_pytorch_gives_the_recorded_outputs(self):
        python = torch_python()
        if python is None:
            self.skipTest("scripts/peers.sh torch has not been made")
        jobs = []
        for name in RECORDED:
            archive = self.work / f"{name}.pt2"
            done = dragoman("convert", MODELS / name / "model.onnx", "-o", archive)
            self.assertEqual(done.returncode, 0, done.stderr)
            jobs += [str(archive), str(MODELS / name)]
        done = subprocess.run([python, IN_TORCH, *jobs], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
