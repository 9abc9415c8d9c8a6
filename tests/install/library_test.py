#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The installed library: a program outside of the tree builds against it alone."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DRAGOMAN = pathlib.Path(os.environ["DRAGOMAN_BINARY"])
MODEL = "tests/models/mlp/model.onnx"


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], cwd=ROOT, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command}: exit code {done.returncode}\n{done.stdout}")
    return done.stdout


class LibraryTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="dragoman_library_"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.prefix = cls.folder / "prefix"
        run("cmake", "--install", DRAGOMAN.parent, "--prefix", cls.prefix, "--component", "library")

    def build(self, source, name):
        build = self.folder / name
        # The example must not find the tree that it lies in.
        outside = shutil.copytree(source, self.folder / (name + "_source"))
        run("cmake", "-S", outside, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}",
            "-DCMAKE_BUILD_TYPE=Debug")
        run("cmake", "--build", build)
        return build

    def test_own_pass(self):
        build = self.build(ROOT / "examples/own_pass", "own_pass")
        out = self.folder / "out.onnx"
        self.assertEqual(run(build / "own_pass", MODEL, out), """\
relu-as-max: node '/1/Relu' (onnx.Relu): replaced by %/1/Relu_output_0_2
before:
  dragoman.Linear: f32[1, 41] f32[64, 41] f32[64]
  onnx.Relu: f32[1, 64]
  dragoman.Linear: f32[1, 64] f32[10, 64] f32[10]
after:
  dragoman.Linear: f32[1, 41] f32[64, 41] f32[64]
  onnx.Max: f32[1, 64] f32[]
  dragoman.Linear: f32[1, 64] f32[10, 64] f32[10]
the same graph: no
10 elements, largest difference 0
""")
        run(DRAGOMAN, "verify", out, "--data", "tests/models/mlp")

    def test_every_header_stands_alone(self):
        headers = sorted((self.prefix / "include/dragoman").glob("*.h"))
        self.assertGreater(len(headers), 3)
        source = self.folder / "headers"
        source.mkdir()
        names = []
        for header in headers:
            names.append(header.stem + ".cc")
            (source / names[-1]).write_text(f"#include <dragoman/{header.name}>\n", "utf-8")
        (source / "CMakeLists.txt").write_text(f"""\
cmake_minimum_required(VERSION 3.20)
project(headers LANGUAGES CXX)
find_package(dragoman REQUIRED)
add_library(headers OBJECT {' '.join(names)})
target_link_libraries(headers PRIVATE dragoman::dragoman)
""", "utf-8")
        self.build(source, "headers_build")

    def test_other_symbols_are_hidden(self):
        library = next(self.prefix.glob("lib*/**/libdragoman.so"))
        symbols = run("nm", "-DC", "--defined-only", library).splitlines()
        names = [re.sub(r"^[0-9a-f]+ \w ", "", line) for line in symbols]
        self.assertIn("dragoman::Graph::Erase(dragoman::Node*)", names)
        strangers = [name for name in names if "dragoman::" not in name]
        self.assertEqual(strangers, [])
        for hidden in ("LowerOnnx", "onnx_pb", "onednn::", "torch::", "compare::"):
            self.assertEqual([name for name in names if hidden in name.partition("(")[0]], [], hidden)

    def test_example_in_the_manual_is_one_that_builds(self):
        manual = (ROOT / "docs/library.md").read_text("utf-8")
        programs = re.findall(r"((?:    .*\n|\n)*    int main.*\n(?:    .*\n|\n)*)", manual)
        self.assertEqual(len(programs), 1)
        source = self.folder / "manual"
        source.mkdir()
        text = re.sub(r"^    ", "", programs[0], flags=re.MULTILINE)
        (source / "manual.cc").write_text(text, "utf-8")
        (source / "CMakeLists.txt").write_text("""\
cmake_minimum_required(VERSION 3.20)
project(manual LANGUAGES CXX)
find_package(dragoman REQUIRED)
add_executable(manual manual.cc)
target_link_libraries(manual PRIVATE dragoman::dragoman)
""", "utf-8")
        build = self.build(source, "manual_build")
        out = self.folder / "manual.py"
        self.assertEqual(run(build / "manual", MODEL, out), "3 nodes\n")
        self.assertIn("R.matmul", out.read_text("utf-8"))


if __name__ == "__main__":
    unittest.main()
