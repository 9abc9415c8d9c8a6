#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Unit tests of check_licences.py."""

import unittest

from check_licences import comment_of, problem

LINE = "SPDX-License-Identifier: Apache-2.0"


class CheckLicencesTest(unittest.TestCase):

    def test_the_first_line_states_the_licence(self):
        self.assertIsNone(problem("core/ir/graph.h", f"// {LINE}\n#ifndef GRAPH\n"))
        self.assertIn("first line", problem("core/ir/graph.h", f"#ifndef GRAPH\n// {LINE}\n"))
        self.assertIn("first line", problem("core/ir/graph.h", "// A graph.\n"))

    def test_the_line_stands_behind_that_of_the_interpreter(self):
        self.assertIsNone(problem("scripts/try.sh", f"#!/usr/bin/env bash\n# {LINE}\n"))
        self.assertIn("# SPDX", problem("scripts/try.sh", "#!/usr/bin/env bash"))

    def test_what_generated_programs_contain_has_the_exception(self):
        self.assertIsNone(
            problem("runtime/kernels/add.h", f"// {LINE} WITH LLVM-exception\n#ifndef ADD\n"))
        self.assertIn("LLVM-exception", problem("runtime/kernels/add.h", f"// {LINE}\n"))
        self.assertIn("first line", problem("core/ops/add.cc", f"// {LINE} WITH LLVM-exception\n"))

    def test_only_sources_are_looked_at(self):
        self.assertEqual(comment_of("tests/CMakeLists.txt"), "#")
        self.assertEqual(comment_of("proto/dragoman.proto"), "//")
        self.assertIsNone(comment_of("tests/models/mlp/model.onnx"))
        self.assertIsNone(comment_of("docs/relax.md"))


if __name__ == "__main__":
    unittest.main()
