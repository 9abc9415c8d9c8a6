#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pages in Debian's Chromium: what they show, and what clicks and keys do. Prints how fast a graph of
10,000 nodes opens and moves. Skipped where Chromium is not installed."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import browser
import page_graphs
from commands import DRAGOMAN

# Names in all scripts: the page, its first view.
PAGE = "const page = window.dragoman, view = page.views[0]; "
SHOWN = PAGE + """
const found = [];
const visit = (group) => group.items.forEach((item) => {
  found.push(item.title);
  if (item.open) visit(item.inner);
});
visit(view.root.group);
return found;"""
# Where an item of that title is on the screen.
PLACE = PAGE + """
let found = null;
const visit = (group) => group.items.forEach((item) => {
  if (item.title === arguments[0]) found ??= item;
  if (item.open) visit(item.inner);
});
visit(view.root.group);
const owners = [];
let x = found.lx, y = found.ly;
for (let owner = found.group.owner; owner !== null; owner = owner.group.owner) {
  x += owner.lx + (owner.lw - owner.inner.live.width) / 2;
  y += owner.ly + 34;
}
const bounds = view.canvas.getBoundingClientRect();
const at = (px, py) => [bounds.left + (px - view.x) * view.scale, bounds.top + (py - view.y) * view.scale];
return {middle: at(x + found.lw / 2, y + found.lh / 2), corner: at(x + 14, y + found.lh / 2)};"""
OVERLAPS = PAGE + """
let overlaps = 0, items = 0;
const visit = (group) => {
  const boxes = group.items.map(({lx, ly, lw, lh}) => [lx, ly, lx + lw, ly + lh]);
  boxes.sort((a, b) => a[1] - b[1]);
  boxes.forEach(([x0, , x1, y1], i) => {
    ++items;
    for (let k = i + 1; k < boxes.length && boxes[k][1] < y1; ++k)
      if (x0 < boxes[k][2] && boxes[k][0] < x1) ++overlaps;
  });
  group.items.forEach((item) => { if (item.open) visit(item.inner); });
};
visit(view.root.group);
return [items, overlaps];"""
# Pans and zooms for some seconds; gives the median time between two frames, in ms.
FRAMES = PAGE + """
const seconds = arguments[0], gaps = [], begin = performance.now(), home = view.scale;
let last = begin;
return new Promise((done) => requestAnimationFrame(function step() {
  const now = performance.now(), t = (now - begin) / 1000;
  gaps.push(now - last);
  last = now;
  if (t > seconds) return done(gaps.sort((a, b) => a - b)[gaps.length >> 1]);
  view.zoomAt(home * Math.exp(2.5 * (1 - Math.cos(2 * t))) / view.scale, 400, 300);
  view.panBy(12 * Math.sin(3 * t), 9 * Math.cos(t));
  requestAnimationFrame(step);
}));"""


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = cls.enterClassContext(browser.Browser())
        cls.out = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))

    def write(self, name, text):
        path = self.out / name
        path.write_text(text, encoding="utf-8")
        return path

    def open(self, *arguments):
        page = self.out / "page.html"
        done = subprocess.run([DRAGOMAN, *map(str, arguments), "--html", page],
                              capture_output=True, text=True, check=False)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.browser.open(page)

    def open_graph(self, text):
        self.open("inspect", self.write("model.dgt", text))

    def tearDown(self):
        self.assertEqual(self.browser.messages(), [], "the console shows errors")

    def panel(self):
        return self.browser.run("return document.getElementById('panel').innerText")

    def shown(self):
        return self.browser.run(SHOWN)

    def click_item(self, title, where="middle", times=1):
        self.browser.click(*self.browser.run(PLACE, title)[where], times=times)

    def pixels(self):
        """How many colours the graph's canvas shows."""
        return self.browser.run(PAGE + """
            const {width, height} = view.canvas;
            const data = new Uint32Array(view.context.getImageData(0, 0, width, height).data.buffer);
            return new Set(data).size;""")

    def test_a_model_is_drawn_at_both_levels(self):
        self.open("inspect", "tests/models/mlp/model.onnx")
        self.assertGreater(self.pixels(), 10)
        self.assertCountEqual(self.shown(), ["x", "y", "Gemm", "Gemm", "Relu"])
        self.browser.press("l")
        self.assertCountEqual(self.shown(), ["x", "y", "Linear", "Linear", "Relu"])
        self.click_item("Relu")
        panel = self.panel()
        self.assertIn("/1/Relu", panel)
        self.assertIn("FROM, IN SOURCE", panel.upper())

    def test_a_click_shows_the_attributes_and_weights_of_a_node(self):
        self.open_graph(page_graphs.layers(1))
        self.click_item("MatMul")
        panel = self.panel()
        for text in ("onnx.MatMul", "f32[8, 8]", "256 bytes", "64 elements looked at", "-0.5"):
            self.assertIn(text, panel)
        self.assertEqual(
            self.browser.run("return document.querySelectorAll('canvas.histogram').length"), 1)
        self.click_item("Softmax")
        self.assertIn("axis", self.panel())

    def test_states_and_source_lines_are_told(self):
        self.open("inspect", "tests/models/torchscript/lstm_policy/model.pt", "--shape", "x=f32:1,6")
        self.browser.press("l")
        kinds = self.browser.run(PAGE + "return view.root.group.items.map(({kind}) => kind)")
        self.assertIn(3, kinds, "an input or output of a state")
        self.assertRegex(self.browser.run(PAGE + """
            const {model} = view;
            const node = model.raw.nodes.findIndex((_, i) => model.origins(i).some(({location}) => location !== ''));
            view.reveal(model.itemOf(node));
            view.onSelect(view.scene.selected);
            return document.getElementById('panel').innerText;"""), r"\.py:\d+")

    def test_groups_fold_and_open_by_clicks_and_keys(self):
        self.open_graph(page_graphs.layers(4))
        self.browser.press("c")
        self.assertCountEqual(self.shown(), ["x", "y", "encoder", "Softmax"])
        self.click_item("encoder", times=2)
        self.assertIn("layer.0", self.shown())
        self.click_item("layer.0", "corner")
        self.assertIn("Add", self.shown())
        self.browser.press("x")
        self.assertEqual(self.shown().count("MatMul"), 4)
        items, overlaps = self.browser.run(OVERLAPS)
        self.assertGreater(items, 16)
        self.assertEqual(overlaps, 0)

    def test_bodies_open_in_place(self):
        self.open_graph(page_graphs.bodies())
        self.assertNotIn("Mul", self.shown())
        self.click_item("If", times=2)
        self.assertIn("then_branch", self.shown())
        self.click_item("Loop", times=2)
        self.assertIn("Mul", self.shown())
        self.assertEqual(self.browser.run(OVERLAPS)[1], 0)
        self.browser.press("x")
        self.assertIn("Abs", self.shown())

    def test_search_goes_to_a_folded_node(self):
        self.open_graph(page_graphs.layers(30))
        self.browser.press("c")
        self.browser.press("/")
        self.browser.press("layer.23 relu")
        self.assertEqual(
            self.browser.run("return document.querySelectorAll('#results li').length"), 1)
        self.browser.press("\ue007")
        self.assertIn("/encoder/layer.23/dense/Relu", self.panel())
        self.assertIn("layer.23", self.shown())

    def test_arrows_walk_along_edges(self):
        self.open_graph(page_graphs.layers(1))
        self.click_item("MatMul")
        self.browser.press("\ue015")
        self.assertIn("onnx.Relu", self.panel())
        self.browser.press("\ue013")
        self.assertIn("onnx.MatMul", self.panel())

    def test_hostile_names_are_text(self):
        self.open_graph(page_graphs.hostile())
        self.browser.press("x")
        for node in range(len(page_graphs.HOSTILE) - 1):
            self.browser.run(PAGE + "view.select(view.model.itemOf(arguments[0]))", node)
        self.browser.press("/")
        self.browser.press("relu")
        self.assertGreater(
            self.browser.run("return document.querySelectorAll('#results li').length"), 3)
        self.assertIsNone(self.browser.run("return window.hacked ?? null"))
        self.assertEqual(self.browser.run("return document.images.length"), 0)
        svg = self.browser.run(PAGE + "return view.toSvg()")
        self.assertIn("&lt;/script&gt;&lt;script&gt;", svg)

    def test_what_is_shown_becomes_svg(self):
        self.open_graph(page_graphs.layers(2))
        elements = self.browser.run(PAGE + """
            const svg = new DOMParser().parseFromString(view.toSvg(), 'image/svg+xml');
            return [svg.querySelectorAll('parsererror').length, svg.querySelectorAll('text').length];""")
        self.assertEqual(elements[0], 0)
        self.assertGreater(elements[1], 8)

    def test_differences_are_stepped_through(self):
        self.open("diff", self.write("a.dgt", page_graphs.layers(3)),
                  self.write("b.dgt", page_graphs.layers(3, changed=1)))
        rows = self.browser.run("return document.querySelectorAll('.edit-list li').length")
        self.assertGreaterEqual(rows, 2)
        seen = set()
        for _ in range(rows):
            self.browser.press("n")
            seen.add(self.browser.run(
                "return document.querySelector('[aria-current]').innerText"))
            self.assertTrue(self.browser.run(
                "return window.dragoman.views.some((view) => view.scene.selected !== null)"))
        self.assertEqual(len(seen), rows)
        self.assertTrue(any("inserted node" in text for text in seen))
        changes = self.browser.run("""return window.dragoman.page.models.map(
            (model) => [...model.change].filter((change) => change !== 0).length)""")
        self.assertEqual(changes, [1, 2], "one operator changed, one node is new")

    def test_a_click_shows_the_partner(self):
        a = self.write("a.dgt", page_graphs.layers(2))
        self.open("diff", a, self.write("b.dgt", page_graphs.layers(2, changed=1)))
        self.browser.run(PAGE + "view.select(view.model.itemOf(2))")
        self.assertEqual(self.browser.run("return window.dragoman.views[1].scene.selected.title"),
                         "Add")

    def test_numbers_become_colours(self):
        self.open("inspect", "tests/models/mlp/model.onnx")
        titles = self.browser.run(
            "return [...document.getElementById('heat').options].map(({value}) => value)")
        self.assertIn("weights", titles)
        shares = self.browser.run(PAGE + """
            const select = document.getElementById('heat');
            select.value = 'weights';
            select.dispatchEvent(new Event('change'));
            return view.root.group.items.map((item) => view.scene.heat.share(item));""")
        self.assertEqual(max(share for share in shares if share is not None), 1)

    def test_light_and_dark(self):
        self.open_graph(page_graphs.layers(1))
        colour = "return getComputedStyle(document.body).backgroundColor"
        before = self.browser.run(colour)
        self.browser.press("t")
        self.assertNotEqual(self.browser.run(colour), before)

    def test_large_graphs_open_and_move(self):
        for nodes in (1_000, 10_000, 100_000):
            self.open_graph(page_graphs.many(nodes))
            opened = self.browser.run("""
                const {loadEventEnd, startTime} = performance.getEntriesByType('navigation')[0];
                return loadEventEnd - startTime;""")
            folded = len(self.shown())
            self.assertLess(folded, 1000, "large graphs open folded")
            if nodes < 100_000:
                self.browser.press("x")
                self.assertEqual(self.browser.run(OVERLAPS)[1], 0)
            frame = self.browser.run(FRAMES, 5)
            print(f"{nodes:,} nodes: opened in {opened / 1000:.2f} s with {folded} items, "
                  f"median frame {frame:.1f} ms"
                  f"{', all unfolded' if nodes < 100_000 else ''}", flush=True)


if __name__ == "__main__":
    if not browser.is_installed():
        print("skipped: chromium and chromium-driver are not installed")
        sys.exit(77)
    unittest.main()
