#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A generated program in other people's projects: installed below any prefix, with its weights in the
library, without a build type, called with the containers of C++."""

import pathlib
import shutil
import unittest

from command_case import CommandCase

ROOT = pathlib.Path(__file__).resolve().parent.parent
POLICY = ROOT / "models" / "torchscript" / "lstm_policy" / "model.pt"
MLP = ROOT / "models" / "mlp" / "model.onnx"

USER = """cmake_minimum_required(VERSION 3.16)
project(robot LANGUAGES CXX)
set(CMAKE_CXX_STANDARD 20)
find_package(policy 99 QUIET)
if(policy_FOUND)
  message(FATAL_ERROR "a release that is not there was found")
endif()
find_package(policy 0.1 REQUIRED)
add_executable(robot robot.cc)
target_link_libraries(robot PRIVATE policy::policy)
install(TARGETS robot)
"""

# Prints the messages of calls that must fail, and outputs of two objects that must agree.
ROBOT = """#include <cstdio>
#include <span>
#include <vector>

#include "policy.h"

int main() {
  policy::Policy model;
  std::vector<float> x(6, 0.5f), y(3), again(3);
  if (!model.forward(x, y).ok()) return 1;
  const policy::State after = model.state();
  if (!model.forward(std::span<const float, 6>(x), std::span(again)).ok()) return 2;
  if (y == again) return 3;  // it has a memory
  if (!model.set_state(after).ok()) return 4;
  std::vector<float> resumed(3);
  if (!model.forward(x.data(), resumed.data()).ok()) return 5;
  if (resumed != again) return 6;
  x.resize(5);
  std::puts(model.forward(x, y).message());
  const float* none = nullptr;
  std::puts(model.forward(none, y).message());
  policy::State wrong = after;
  const policy::rt::Status resized = wrong.@STATE@.Resize({2, 2});
  if (!resized.ok()) return 7;
  std::puts(model.set_state(wrong).message());
}
"""

PARENT = """cmake_minimum_required(VERSION 3.16)
project(robot LANGUAGES CXX)
add_subdirectory(mlp_cpp)
add_executable(robot robot.cc)
target_link_libraries(robot PRIVATE mlp::mlp)
"""

PAIR = """cmake_minimum_required(VERSION 3.16)
project(pair LANGUAGES CXX)
add_subdirectory(mlp_cpp)
add_subdirectory(policy_cpp)
add_executable(pair pair.cc)
target_link_libraries(pair PRIVATE mlp::mlp policy::policy)
"""

# A status of either program is the same type.
PAIR_USER = """#include <cstdio>

#include "mlp.h"
#include "policy.h"

int main() {
  mlp::Mlp mlp;
  policy::Policy policy;
  float x[41] = {}, y[10], observation[6] = {}, action[3];
  mlp::rt::Status status = mlp.run(x, y);
  if (status.ok()) status = policy.forward(observation, action);
  if (!status.ok()) return 1;
  std::printf("%.6f %.6f\\n", y[0], action[0]);
}
"""

SMALL_ROBOT = """#include <cstdio>

#include "mlp.h"

int main() {
  mlp::Mlp model;
  float x[41] = {}, y[10];
  if (!model.run(x, y).ok()) return 1;
  std::printf("%.6f\\n", y[0]);
}
"""


class Package(CommandCase):
    def build(self, source, *options):
        self.succeed("cmake", "-S", source, "-B", source / "build", "-DCMAKE_CXX_FLAGS=-Werror",
                     *options)
        self.succeed("cmake", "--build", source / "build", "-j2")
        return source / "build"

    def write(self, folder, **files):
        folder.mkdir(exist_ok=True)
        for name, text in files.items():
            (folder / name.replace("__", ".")).write_text(text)
        return folder

    def test_an_installed_package_finds_its_weights_wherever_it_lies(self):
        made, prefix, moved = (self.out / name for name in ("policy_cpp", "prefix", "moved"))
        self.done("codegen", POLICY, "-o", made, "--name", "policy", "--shape", "x=f32:1,6", "-q")
        build = self.build(made, "-Dpolicy_INFER=OFF")
        self.succeed("cmake", "--install", build, "--prefix", prefix)
        prefix.rename(moved)
        shutil.rmtree(made)
        header = (moved / "include" / "policy" / "policy.h").read_text()
        state = header.split("struct State {")[1].split("> ")[1].split(";")[0]
        user = self.write(self.out / "user", CMakeLists__txt=USER,
                          robot__cc=ROBOT.replace("@STATE@", state))
        build = self.build(user, f"-DCMAKE_PREFIX_PATH={moved}")
        said = self.succeed(build / "robot").splitlines()
        self.assertEqual(said[0], "input 'x' has sizes [5], expected f32[1, 6]")
        self.assertEqual(said[1], "input 'x' is null, expected f32[1, 6]")
        self.assertRegex(said[2], r"^state '.*' has sizes \[2, 2\], expected f32\[")
        # A robot gets the program and its weights below one prefix, whatever that is there.
        robot = self.out / "robot"
        self.succeed("cmake", "--install", build, "--prefix", robot)
        (robot / "share").mkdir()
        (moved / "share" / "policy").rename(robot / "share" / "policy")
        self.succeed(robot / "bin" / "robot")

    def test_two_programs_can_be_linked_into_one(self):
        pair = self.write(self.out / "pair", CMakeLists__txt=PAIR, pair__cc=PAIR_USER)
        self.done("codegen", MLP, "-o", pair / "mlp_cpp", "--name", "mlp", "-q")
        self.done("codegen", POLICY, "-o", pair / "policy_cpp", "--name", "policy", "--shape",
                  "x=f32:1,6", "-q")
        build = self.build(pair, "-Dmlp_INFER=OFF", "-Dpolicy_INFER=OFF",
                           "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_COMPILER_LAUNCHER=")
        self.assertRegex(self.succeed(build / "pair"), r"^-?[0-9.]+ -?[0-9.]+$")

    def test_weights_can_be_part_of_the_library_which_is_fast_in_any_project(self):
        parent = self.write(self.out / "parent", CMakeLists__txt=PARENT, robot__cc=SMALL_ROBOT)
        self.done("codegen", MLP, "-o", parent / "mlp_cpp", "--name", "mlp", "-q")
        build = self.build(parent, "-Dmlp_INFER=OFF", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON")
        self.assertIn(" -O3 ", (build / "compile_commands.json").read_text())
        from_file = self.succeed(build / "robot")
        self.done("codegen", MLP, "-o", parent / "mlp_cpp", "--name", "mlp", "-q",
                  "--embed-weights")
        self.build(parent, "-Dmlp_INFER=OFF")
        (parent / "mlp_cpp" / "mlp.weights").unlink()
        self.assertEqual(self.succeed(build / "robot"), from_file)


if __name__ == "__main__":
    unittest.main()
