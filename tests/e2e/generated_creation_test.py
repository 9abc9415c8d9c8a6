#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Objects of generated programs: created without exceptions, refused with a status where weights
are missing, cut or another model's; programs of two releases in one binary; models called as files
of ours are."""

import array
import base64
import pathlib
import os
import re
import shutil
import subprocess
import unittest

from command_case import CommandCase

RUNTIME = pathlib.Path(__file__).resolve().parents[2] / "runtime"

# Small, since all that it needs of the runtime is compiled.
MODEL = """dragoman 1 common onnx
opset "" 22
entry main(%x: f32[4]) -> (%y: f32[4]) {
  const %w: f32[4] = [1.0, 2.0, 3.0, 4.0]
  %y = onnx.Add(%x, %w)
}
"""

APP = r"""
#include <cstdio>

#include "mlp.h"

int main(int argc, char** argv) {
  mlp::Options options;
  options.weights = argc > 1 ? argv[1] : "";
  mlp::rt::Status status;
  const auto model = mlp::Mlp::Create(options, &status);
  if (model == nullptr) return std::puts(status.message()), 1;
  float x[4] = {1}, y[4] = {};
  status = model->run(x, y);
  if (!status.ok()) return std::puts(status.message()), 2;
  const auto other = model->Fork(&status);
  float z[4] = {};
  if (other == nullptr || !other->run(x, z).ok() || z[3] != y[3]) return 3;
  status = model->run(mlp::rt::View<const float, 4>(static_cast<const float*>(nullptr)), y);
  std::printf("%.4f %s\n", static_cast<double>(y[3]), status.message());
}
"""

# A product whose packed weights take 4 MB.
LARGE = """dragoman 1 common onnx
opset "" 22
entry main(%x: f32[1, 1024]) -> (%y: f32[1, 1024]) {
  const %w: f32[1024, 1024] = base64 "@WEIGHTS@"
  %y = dragoman.Linear(%x, %w)
}
"""

# Prints by how many kilobytes eight objects that share weights are larger than one.
FORKS = r"""
#include <unistd.h>

#include <cstdio>
#include <vector>

#include "mlp.h"

static long Kilobytes() {
  long all = 0, resident = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr || std::fscanf(file, "%ld %ld", &all, &resident) != 2) return -1;
  std::fclose(file);
  return resident * sysconf(_SC_PAGESIZE) / 1024;
}

int main() {
  mlp::Mlp model;
  std::vector<float> x(1024, 1.0f), y(1024), z(1024);
  if (!model.run(x, y).ok()) return 1;
  const long before = Kilobytes();
  if (before < 0) return 3;
  std::vector<std::unique_ptr<mlp::Mlp>> forks;
  for (int i = 0; i < 8; ++i) {
    forks.push_back(model.Fork());
    if (!forks.back()->run(x, z).ok() || z != y) return 2;
  }
  std::printf("%ld", Kilobytes() - before);
}
"""

# Of open sizes, with operators that look at sizes and indices.
OPEN_MODEL = """dragoman 1 common onnx
opset "" 22
entry main(%x: f32[n, 2], %z: f32[n, 2], %i: i64[k]) -> (%y: f32[n, 2], %g: f32[k, 2], %m: f32[n, 3]) {
  const %w: f32[2] = [1.0, 2.0]
  const %p: f32[2, 3] = [[1.0, 2.0, 3.0], [1.0, 0.0, 1.0]]
  %a: f32[n, 2] = onnx.Add(%x, %w)
  %y: f32[n, 2] = onnx.Mul(%a, %z)
  %g: f32[k, 2] = onnx.Gather(%y, %i)
  %m: f32[n, 3] = onnx.MatMul(%x, %p)
}
"""

HOSTILE_CALLS = r"""
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

#include "mlp.h"

using Rows = mlp::rt::View<const float, mlp::rt::Any, 2>;
using Indices = mlp::rt::View<const std::int64_t, mlp::rt::Any>;

const float x[6] = {1, 2, 3, 4, 5, 6}, z[6] = {1, 1, 1, 1, 1, 1};
const std::int64_t two[2] = {0, -1}, below[1] = {INT64_MIN}, beyond[1] = {3};
const float* const null = nullptr;

struct Outputs {
  mlp::rt::Tensor<float> y, g, m;
};

mlp::rt::Status Call(mlp::Mlp& model, Rows a, Rows b, Indices i, Outputs& outputs) {
  return model.run(a, b, i, outputs.y, outputs.g, outputs.m);
}

bool IsRight(mlp::Mlp& model) {
  Outputs outputs;
  return Call(model, Rows(x, 3, 2), Rows(z, 3, 2), Indices(two, 2), outputs).ok() &&
         outputs.y.data()[5] == 8 && outputs.g.data()[2] == 6;
}

int main() {
  mlp::rt::Status status;
  const auto model = mlp::Mlp::Create({}, &status);
  if (model == nullptr) return 1;
  Outputs outputs;
  const auto call = [&](Rows a, Rows b, Indices i) {
    const mlp::rt::Status done = Call(*model, a, b, i, outputs);
    std::puts(done.ok() ? "ok" : done.message());
  };
  call(Rows(x, 3, 2), Rows(z, 2, 2), Indices(two, 2));
  call(Rows(x, 2, 3), Rows(z, 3, 2), Indices(two, 2));
  call(Rows(null, 3, 2), Rows(z, 3, 2), Indices(two, 2));
  call(Rows(x, -1, 2), Rows(z, -1, 2), Indices(two, 2));
  call(Rows(x, INT64_MAX, 2), Rows(z, INT64_MAX, 2), Indices(two, 2));
  call(Rows(x, 3, 2), Rows(z, 3, 2), Indices(below, 1));
  call(Rows(x, 3, 2), Rows(z, 3, 2), Indices(beyond, 1));
  call(Rows(null, 0, 2), Rows(null, 0, 2), Indices(static_cast<const std::int64_t*>(nullptr), 0));
  int wrong = IsRight(*model) ? 0 : 1;
  std::vector<std::unique_ptr<mlp::Mlp>> forks;
  std::vector<std::thread> threads;
  std::vector<int> failed(4);
  for (int& count : failed) {
    forks.push_back(model->Fork(&status));
    threads.emplace_back([&count, fork = forks.back().get()] {
      for (int i = 0; i < 100; ++i) count += IsRight(*fork) ? 0 : 1;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const int count : failed) wrong += count;
  std::printf("%d wrong\n", wrong);
}
"""

REFUSALS = """input 'z': size 0 differs from n of other inputs
input 'x' has sizes [2, 3], expected f32[n, 2]
input 'x' is null, expected f32[n, 2]
input 'x' has sizes [-1, 2], expected f32[n, 2]
input 'x' has sizes [9223372036854775807, 2], expected f32[n, 2]
node 'g' (onnx.Gather): an index is out of range
node 'g' (onnx.Gather): an index is out of range
ok
0 wrong
"""

# Its methods are called as those that every program has.
NAMESAKES = """dragoman 1 common onnx
opset "" 22
state h: f32[1] = f32[1] [5.0]

entry state(%x: f32[1], %h: f32[1]) -> (%y: f32[1], %next: f32[1])
state 0 input 1 -> output 1
{
  %next = onnx.Add(%x, %h)
  %y = onnx.Neg(%next)
}
""" + "".join(f"""
entry {name}(%x: f32[1]) -> (%y: f32[1]) {{
  %y = onnx.Mul(%x, %x)
}}
""" for name in ("reset", "set_state", "set_seed", "info", "trace", "Reset", "Make", "Fork"))

CALL_NAMESAKES = r"""
#include <cstdio>

#include "mlp.h"

int main() {
  mlp::Mlp model;
  float x[1] = {3}, y[1] = {};
  if (!model.state(x, y).ok()) return 1;
  std::printf("%g ", static_cast<double>(model.program_state().h.data()[0]));
  model.program_reset();
  std::printf("%g ", static_cast<double>(model.program_state().h.data()[0]));
  if (!model.reset(x, y).ok() || !model.program_set_state(model.program_state()).ok()) return 2;
  std::printf("%g %s\n", static_cast<double>(y[0]), mlp::Mlp::program_info().name);
}
"""

TWO = r"""
#include <cstdio>

float First();
float Second();
int main() { std::printf("%d\n", First() == Second()); }
"""

ONE_OF_TWO = r"""
#include "mlp.h"

float @NAME@() {
  mlp::Mlp model;
  float x[4] = {1}, y[4] = {};
  return model.run(x, y).ok() ? y[3] : -1;
}
"""


@unittest.skipIf(shutil.which("g++") is None, "no compiler")
class GeneratedCreation(CommandCase):
    def generate(self, folder, name="mlp"):
        (self.out / "m.dgt").write_text(MODEL)
        self.done("codegen", self.out / "m.dgt", "-o", self.out / folder, "--name", name)
        return self.out / folder

    def compile(self, folder, output, *more, app=None):
        """The library, without oneDNN, and a program of it."""
        library = re.search(r"add_library\(\w+ STATIC([^)]*)\)",
                            (folder / "CMakeLists.txt").read_text())[1].split()
        sources = [folder / path for path in library]
        if app is not None:
            (folder / "app.cc").write_text(app)
            sources.append(folder / "app.cc")
        weights = f'-DMODEL_WEIGHTS="{folder}/mlp.weights"'
        self.succeed("g++", "-std=c++17", "-O0", "-Wall", "-Wextra", "-Wconversion", "-Wshadow",
                     "-Werror", weights,
                     "-I", folder, "-I", folder / "runtime/plain", *more, *sources, "-o", output,
                     "-lpthread")

    def test_without_exceptions(self):
        folder = self.generate("p")
        program = self.out / "app"
        self.compile(folder, program, "-fno-exceptions", "-fno-rtti", app=APP)
        self.assertTrue(self.succeed(program).startswith("4.0000 input 'x' is null, expected "))
        weights = (folder / "mlp.weights").read_bytes()
        other = bytearray(weights)
        other[24] ^= 1  # the identity
        for content, said in ((weights[:-64], "not the weights of this program; found"),
                              (b"", "not the weights of this program; found 0 bytes"),
                              (bytes(other), "or of another version of its model"),
                              (bytes(len(weights)), "or of another version of its model")):
            (self.out / "w").write_bytes(content)
            done = subprocess.run([program, self.out / "w"], capture_output=True, text=True,
                                  check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn(said, done.stdout)
        os.mkfifo(self.out / "pipe")
        for name, said in (("none", "cannot open the weights"), ("pipe", "found 0 bytes"),
                           ("p", "not the weights of this program")):
            done = subprocess.run([program, self.out / name], capture_output=True, text=True,
                                  check=False, timeout=60)
            self.assertEqual(done.returncode, 1)
            self.assertIn(said, done.stdout)

    def sanitizers(self):
        """Flags, and the words before a program: GCC 12's library cannot place its shadow memory
        on some kernels."""
        (self.out / "none.cc").write_text("int main() {}\n")
        address = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
        fixed = ["setarch", "-R"] if shutil.which("setarch") else []
        for before in (fixed, []):
            compiled = subprocess.run(["g++", *address, self.out / "none.cc", "-o", self.out / "none"],
                                      capture_output=True, check=False)
            if compiled.returncode == 0 and subprocess.run([*before, self.out / "none"], check=False,
                                                           capture_output=True).returncode == 0:
                return address, before
        return ["-fsanitize=undefined", "-fno-sanitize-recover=all"], []

    def test_calls_that_do_not_fit(self):
        (self.out / "m.dgt").write_text(OPEN_MODEL)
        folder = self.out / "p"
        self.done("codegen", self.out / "m.dgt", "-o", folder, "--name", "mlp")
        flags, before = self.sanitizers()
        program = self.out / "app"
        self.compile(folder, program, *flags, app=HOSTILE_CALLS)
        self.assertEqual(self.succeed(*before, program), REFUSALS)

    def test_methods_of_the_model_keep_their_names(self):
        (self.out / "m.dgt").write_text(NAMESAKES)
        folder = self.out / "p"
        said = self.done("codegen", self.out / "m.dgt", "-o", folder, "--name", "mlp")
        self.assertIn("note: the model has a method 'reset'; what is called so in other programs is "
                      "'program_reset' here\n", said)
        program = self.out / "app"
        self.compile(folder, program, app=CALL_NAMESAKES)
        self.assertEqual(self.succeed(program), "8 5 9 mlp\n")
        self.succeed("g++", "-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only",
                     "-I", folder, "-I", folder / "runtime/plain", folder / "infer.cc")

    def test_objects_share_packed_weights(self):
        weights = array.array("f", (i % 7 / 64 for i in range(1 << 20))).tobytes()
        text = LARGE.replace("@WEIGHTS@", base64.b64encode(weights).decode())
        (self.out / "m.dgt").write_text(text)
        self.done("codegen", self.out / "m.dgt", "-o", self.out / "p", "--name", "mlp")
        self.compile(self.out / "p", self.out / "app", app=FORKS)
        self.assertLess(int(self.succeed(self.out / "app")), 4096)

    def test_the_runtime_has_no_warnings_in_newer_standards(self):
        sources = [path for folder in ("fast", "program") for path in RUNTIME.glob(f"{folder}/*.cc")]
        self.assertGreater(len(sources), 50)
        self.succeed("g++", "-std=c++20", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror",
                     "-fsyntax-only", "-I", RUNTIME.parent, "-I", RUNTIME / "plain", *sources)

    def test_two_releases_in_one_binary(self):
        libraries = []
        for name, release in (("First", "v0_1_0"), ("Second", "v9_9_9")):
            folder = self.generate(name)
            for path in folder.rglob("*"):
                if path.suffix in (".h", ".hpp", ".cc"):
                    text = re.sub(r"\bv\d+_\d+_\d+\b", release, path.read_text())
                    path.write_text(re.sub(r"\bnamespace mlp\b|\bmlp::",
                                           lambda m: m[0].replace("mlp", f"mlp{name}"), text))
            app = ONE_OF_TWO.replace("@NAME@", name).replace("mlp::", f"mlp{name}::")
            self.compile(folder, self.out / f"{name}.o", "-r", "-nostdlib", app=app)
            libraries.append(self.out / f"{name}.o")
        (self.out / "two.cc").write_text(TWO)
        self.succeed("g++", self.out / "two.cc", *libraries, "-o", self.out / "two", "-lpthread")
        self.assertEqual(self.succeed(self.out / "two"), "1\n")

    def test_names_of_ours(self):
        folder = self.generate("infer", "infer")
        self.assertTrue((folder / "infer.cc").exists() and (folder / "infer_main.cc").exists())
        self.assertIn("add_executable(infer_infer infer_main.cc",
                      (folder / "CMakeLists.txt").read_text())

    # As a namespace beside ::tanh, as a header before <time.h>, as a target of CMake, as a class of ours.
    def test_models_called_as_what_others_have(self):
        for name, called in (("tanh", "tanh_"), ("time", "time_"), ("size_t", "size_t_"),
                             ("all", "all_"), ("state", "state"), ("swin_t", "swin_t")):
            with self.subTest(name):
                (self.out / f"{name}.dgt").write_text(MODEL)
                folder = self.out / name
                self.done("codegen", self.out / f"{name}.dgt", "-o", folder)
                self.succeed("g++", "-std=c++17", "-fsyntax-only", '-DMODEL_WEIGHTS=""', "-I", folder,
                             "-I", folder / "runtime/plain", folder / f"{called}.cc",
                             folder / "infer.cc")

    def test_names_that_are_refused(self):
        (self.out / "m.dgt").write_text(MODEL)
        for name, possible in (("log", "log_"), ("3", "_3"), ("fabsf", "fabsf_"), ("help", "help_")):
            said = self.fails(2, "codegen", self.out / "m.dgt", "-o", self.out / "p", "--name", name)
            self.assertIn(f'error: a program cannot be called "{name}"; "{possible}" is possible', said)
            self.assertFalse((self.out / "p").exists())


if __name__ == "__main__":
    unittest.main()
