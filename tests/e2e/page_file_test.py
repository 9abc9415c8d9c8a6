#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The files that `inspect --html` and `diff --html` write; page_test.py looks at them in a browser."""

import base64
import hashlib
import json
import re
import unittest

import onnx

import page_graphs
from command_case import CommandCase
from commands import dragoman

SOURCE, COMMON = 0, 1


def data_of(html):
    return re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.S).group(1)


class PageFile(CommandCase):
    def write(self, name, text):
        path = self.out / name
        path.write_text(text, encoding="utf-8")
        return path

    def page(self, *arguments):
        path = self.out / "page.html"
        self.done("inspect", *arguments, "--html", path)
        return path.read_text(encoding="utf-8")

    def test_the_same_model_gives_the_same_page(self):
        model = "tests/models/torchscript/lstm_policy/model.pt"
        facts = ("--shape", "x=f32:1,6")
        self.assertEqual(self.page(model, *facts), self.page(model, *facts))

    def test_a_page_names_nothing_outside_of_itself(self):
        html = self.page("tests/models/mlp/model.onnx")
        self.assertNotRegex(html, r'(src|href)="|url\(|@import|fetch\(|XMLHttpRequest')

    def test_browsers_run_only_the_script_of_the_page(self):
        html = self.page("tests/models/mlp/model.onnx")
        policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html).group(1)
        script = re.findall(r"<script>(.*?)</script>", html, re.S)
        style = re.findall(r"<style>(.*?)</style>", html, re.S)
        self.assertEqual((len(script), len(style)), (1, 1))
        for kind, text in (("script", script[0]), ("style", style[0])):
            digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
            self.assertIn(f"{kind}-src 'sha256-{digest}'", policy)
        self.assertTrue(policy.startswith("default-src 'none'"))

    def test_hostile_names_stay_text(self):
        data = data_of(self.page(self.write("hostile.dgt", page_graphs.hostile())))
        self.assertNotRegex(data, "[<>&\u2028\u2029\u202e\x00-\x1f]")
        self.assertIn(page_graphs.SCRIPT, json.loads(data)["texts"])

    def test_weights_are_told_by_their_statistics(self):
        data = json.loads(data_of(self.page("tests/models/mlp/model.onnx")))
        weights = data["models"][0]["weights"]
        self.assertEqual(sum(weight[1] for weight in weights), 4 * 3338)
        large = [weight for weight in weights if len(weight) > 3]
        self.assertEqual(sum(weight[3] for weight in large), 3338 - 10)
        for weight in large:
            self.assertEqual(sum(weight[10:]), weight[3], "the histogram counts every element")
        small = [data["texts"][weight[2]] for weight in weights if len(weight) == 3]
        self.assertIn("0.03430319", small[0], "ten elements are shown themselves")

    def test_every_node_is_on_the_page(self):
        data = json.loads(data_of(self.page(self.write("bodies.dgt", page_graphs.bodies()))))
        model = data["models"][0]
        items = [group[4][i:i + 10] for group in model["groups"]
                 for i in range(0, len(group[4]), 10)]
        self.assertEqual(sorted(item[8] for item in items if item[0] == 0),
                         list(range(len(model["nodes"]))))

    def test_multiply_adds_are_those_of_the_node_itself(self):
        (self.out / "m.dgt").write_text("""dragoman 1 source onnx
opset "" 15

entry main(%x: f32[1, 1, 4, 4]) -> (%y) {
  const %w: f32[1, 1, 1, 1] = [[[[2.0]]]]
  const %one: f32[1] = [1.0]
  %c = onnx.Conv(%x, %w) @conv
  %y = onnx.BatchNormalization(%c, %one, %one, %one, %one) @norm
}
""")
        overlay = self.out / "overlay.json"
        self.done("inspect", self.out / "m.dgt", "--overlay", overlay)
        self.assertEqual(json.loads(overlay.read_text())["results"],
                         {"conv": {"value": 16.0}, "norm": {"value": 0.0}})

    def test_an_overlay_has_the_numbers_of_the_nodes_of_the_file(self):
        model, overlay = "tests/models/mlp/model.onnx", self.out / "overlay.json"
        def results(*arguments):
            self.done("inspect", model, "--overlay", overlay, *arguments)
            data = json.loads(overlay.read_text())
            self.assertEqual([stop["stop"] for stop in data["gradient"]], [0, 1])
            return {name: node["value"] for name, node in data["results"].items()}
        self.assertEqual(results(), {"/0/Gemm": 41 * 64, "/1/Relu": 0, "/2/Gemm": 64 * 10})
        # Steps of a program that several nodes became.
        rows = [{"us": 6.0, "calls": 1, "step": "node '/1/Relu' (dragoman.Fused)"},
                {"us": 4.0, "calls": 1, "step": "node 'y' (onnx.Gemm)"}]
        heat = self.write("heat.json", json.dumps({"models": [{"profile": rows}]}))
        self.assertEqual(results("--heat", heat), {"/1/Relu": 6, "/2/Gemm": 4})
        self.assertIn("sizes are not known", self.fails(
            2, "inspect", "tests/models/mlp_dynamic/model.onnx", "--overlay", overlay))
        bert = "tests/models/bert/model.onnx"
        self.done("inspect", bert, "--overlay", overlay)
        names = {node.name for node in onnx.load(bert).graph.node}
        self.assertLessEqual(json.loads(overlay.read_text())["results"].keys(), names)

    def heats(self, model, printed, level):
        """The numbers of nodes that a page shows of what a command printed: {title: {name: number}}."""
        data = json.loads(data_of(self.page(model, "--heat", self.write("heat.json", printed))))
        shown = data["models"][level]
        return {data["texts"][heat[0]]: {
            data["texts"][shown["nodes"][node][1]]: number
            for node, number in zip(heat[2::2], heat[3::2])} for heat in shown["heats"]}

    def test_profiles_become_colours(self):
        model = "tests/models/mlp/model.onnx"
        profile = ("--engine", "interpreter", "--profile", "--json")
        bench = self.done("bench", model, "--rounds", 1, "--calls", 1, *profile)
        rows = json.loads(bench)["models"][0]["profile"]
        times = {row["step"].split("'")[1]: row["us"] for row in rows}
        self.assertEqual(self.heats(model, bench, COMMON), {"time": times})

    def test_errors_of_values_become_colours(self):
        a = self.write("a.dgt", page_graphs.layers(3))
        b = self.write("b.dgt", page_graphs.layers(3, changed=1))
        printed = dragoman("verify", a, "--against", b, "--bisect", "--json").stdout
        errors = self.heats(a, printed, SOURCE)["largest difference"]
        self.assertEqual(errors["/encoder/layer.0/dense/MatMul"], 0)
        self.assertGreater(errors["/encoder/layer.1/dense/Relu"], 0)

    def test_what_cannot_be_lowered_is_shown_at_its_own_level(self):
        model = "tests/models/torchscript/lstm_policy/model.pt"
        done = dragoman("inspect", model, "--html", self.out / "page.html")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("--shape", done.stderr)
        data = json.loads(data_of((self.out / "page.html").read_text(encoding="utf-8")))
        self.assertEqual(len(data["models"]), 1)

    def test_mistakes_are_one_line_and_leave_no_file(self):
        model = self.write("layers.dgt", page_graphs.layers(2))
        text = model.read_text(encoding="utf-8")
        for arguments, complaint in (
                (("--html", model), "is the model itself"),
                (("--html", self.out / "layers.dgt" / "page.html"), "page.html"),
                (("--html", self.out / "a.html", "--nodes"), "do not go together"),
                (("--heat", model), "--heat goes with --html"),
                (("--html", self.out / "a.html", "--heat", model), "holds no numbers of nodes")):
            done = dragoman("inspect", model, *arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(complaint, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertEqual(model.read_text(encoding="utf-8"), text)
        self.assertEqual([path.name for path in self.out.iterdir()], ["layers.dgt"])

    def test_diff_prints_and_returns_what_it_does_without_a_page(self):
        a = self.write("a.dgt", page_graphs.layers(3))
        b = self.write("b.dgt", page_graphs.layers(3, changed=1))
        plain = dragoman("diff", a, b)
        paged = dragoman("diff", a, b, "--html", self.out / "page.html")
        self.assertEqual((plain.returncode, plain.stdout), (paged.returncode, paged.stdout))
        self.assertEqual(plain.returncode, 1)
        data = json.loads(data_of((self.out / "page.html").read_text(encoding="utf-8")))
        edits = dragoman("diff", a, b, "--json").stdout
        self.assertEqual([data["texts"][edit[0]] for edit in data["edits"]],
                         [edit["kind"] for edit in json.loads(edits)["edits"]])

    def test_equal_graphs_have_all_nodes_matched(self):
        a = self.write("a.dgt", page_graphs.layers(3))
        self.done("diff", a, a, "--html", self.out / "page.html")
        data = json.loads(data_of((self.out / "page.html").read_text(encoding="utf-8")))
        self.assertEqual((data["verdict"], data["edits"]), ("equal", []))
        self.assertEqual(sorted(data["pairs"][::2]), list(range(len(data["models"][0]["nodes"]))))
        self.assertEqual(data["pairs"][::2], data["pairs"][1::2])


if __name__ == "__main__":
    unittest.main()
