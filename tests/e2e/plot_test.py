#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pictures that `verify`, `bench` and `inspect` write by --plot."""

import json
import unittest
import xml.etree.ElementTree as ElementTree

import page_graphs
from command_case import CommandCase
from commands import dragoman

MLP = "tests/models/mlp/model.onnx"
SVG = "{http://www.w3.org/2000/svg}"


class Plots(CommandCase):
    def write(self, name, text):
        path = self.out / name
        path.write_text(text, encoding="utf-8")
        return path

    def picture(self, *arguments, exit_code=0):
        """The root of the picture, and the numbers of its bars by their labels."""
        path = self.out / "plot.svg"
        done = dragoman(*arguments, "--plot", path)
        self.assertEqual(done.returncode, exit_code, done.stdout + done.stderr)
        root = ElementTree.parse(path).getroot()
        hints = [bar.findtext(f"{SVG}title") for bar in root.iter(f"{SVG}rect")]
        return root, dict(hint.rsplit(": ", 1) for hint in hints if hint)

    def bars(self, root, kind):
        return [bar for bar in root.iter(f"{SVG}rect") if bar.get("class") == kind]

    def test_errors_of_all_values_of_two_models(self):
        a = self.write("a.dgt", page_graphs.layers(3))
        b = self.write("b.dgt", page_graphs.layers(3, changed=1))
        root, numbers = self.picture("verify", a, "--against", b, exit_code=1)
        found = json.loads(dragoman("verify", a, "--against", b, "--bisect", "--json").stdout)
        values = {value["name"]: value for value in found[0]["bisect"]["values"]}
        differing = {name for name, value in values.items() if not value["ok"]}
        self.assertIn(found[0]["bisect"]["first"]["name"], differing)
        self.assertEqual(len(self.bars(root, "bad")), len(differing))
        for name in differing:
            self.assertAlmostEqual(float(numbers[name]), values[name]["largest_difference"],
                                   delta=0.01 * float(numbers[name]))

    def test_errors_of_outputs_against_recorded_ones(self):
        root, numbers = self.picture("verify", MLP, "--data", "tests/models/mlp")
        self.assertEqual(len(numbers), 2)
        self.assertEqual(self.bars(root, "bad"), [])

    def test_times_of_steps(self):
        root, numbers = self.picture("bench", MLP, "--engine", "interpreter", "--rounds", 1,
                                     "--calls", 2)
        self.assertIn("node '/1/Relu' (onnx.Relu)", numbers)
        self.assertEqual(len(self.bars(root, "good")), 3)

    def test_histograms_of_weights(self):
        root, _ = self.picture("inspect", MLP)
        texts = [text.text for text in root.iter(f"{SVG}text")]
        for text in ("0.weight", "2.bias", "f32[64, 41]"):
            self.assertIn(text, texts)

    def test_hostile_names_stay_text(self):
        model = self.write("hostile.dgt", page_graphs.hostile())
        root, numbers = self.picture("bench", model, "--engine", "interpreter", "--rounds", 1)
        self.assertFalse([tag for tag in root.iter() if "script" in tag.tag])
        self.assertTrue(any("onerror" in label for label in numbers))

    def test_the_model_is_not_overwritten(self):
        model = self.write("a.dgt", page_graphs.layers(1))
        before = model.read_text(encoding="utf-8")
        self.assertEqual(dragoman("inspect", model, "--plot", model).returncode, 2)
        self.assertEqual(model.read_text(encoding="utf-8"), before)


if __name__ == "__main__":
    unittest.main()
