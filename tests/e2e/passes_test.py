# SPDX-License-Identifier: Apache-2.0
"""What shows the work of passes: models after each, times, checks, the first passes alone."""

import pathlib
import re
import unittest

from command_case import CommandCase
from commands import dragoman

MLP = pathlib.Path(__file__).resolve().parent.parent / "models" / "mlp" / "model.onnx"


class Passes(CommandCase):
    def convert(self, *options):
        """What the conversion by the default passes says of them."""
        result = dragoman("convert", MLP, "-o", self.out / "out.onnx", "--passes", "default", "-q",
                          *options)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stderr

    def test_each_pass_that_changes_the_model_leaves_a_file_that_computes_the_same(self):
        folder = self.out / "passes"
        self.convert("--print-after", "all", "--print-to", folder)
        files = sorted(folder.glob("*.dgt"))
        self.assertTrue(files)
        for number, file in enumerate(files, start=1):
            self.assertRegex(file.name, rf"^{number:03}-[a-z-]+\.dgt$")
            self.done("verify", file, "--against", MLP, "--random", 1)

    def test_only_passes_that_are_named_are_printed(self):
        folder = self.out / "passes"
        self.convert("--print-after", "fuse-linear,cse", "--print-to", folder)
        self.assertEqual([file.name for file in folder.glob("*.dgt")], ["001-fuse-linear.dgt"])

    def test_times_are_a_row_for_each_pass(self):
        rows = self.convert("--time-passes").splitlines()
        self.assertRegex(rows[0], r"^ +ms +runs +changes +pass$")
        fuse_linear = next(row for row in rows if row.endswith("fuse-linear"))
        self.assertRegex(fuse_linear, r"^ +[0-9.]+ +2 +1 +fuse-linear$")

    def test_the_first_passes_alone(self):
        def runs(limit):
            said = self.convert("--bisect-limit", limit)
            return re.findall(r"^pass (\d+): (\S+) on entry 'main'(.*)$", said, re.MULTILINE)

        whole = runs(1000)
        self.assertEqual([int(number) for number, _, _ in whole], list(range(1, len(whole) + 1)))
        fused = next(i for i, run in enumerate(whole) if run[1:] == ("fuse-linear", ": changed it"))
        self.assertEqual(runs(fused + 1), whole[:fused + 1])
        before = self.out / "before.dgt"
        self.done("convert", MLP, "-o", before, "--passes", "default", "--bisect-limit", fused)
        self.assertNotIn("dragoman.Linear", before.read_text())

    def test_each_pass_is_checked(self):
        self.assertEqual(self.convert("--verify-each"), self.convert())

    def test_a_rewrite_is_called_as_it_is_explained(self):
        def rewrites(passes):
            said = dragoman("convert", MLP, "-o", self.out / "out.onnx", "--passes", passes,
                            "--explain").stderr
            return set(re.findall(r"^([a-z-]+): node", said, re.MULTILINE))

        explained = rewrites("default")
        self.assertIn("fuse-gemm", explained)  # of the pass fuse-linear
        for name in explained:
            with self.subTest(name):
                self.assertNotIn(name, rewrites(f"default,-{name}"))
                self.assertLessEqual(rewrites(name), {name})
        self.assertIn("fuse-gemm", rewrites("default,-fuse-gemm,fuse-gemm"))
        self.assertIn("fuse-gemm", rewrites("fuse-gemm"))

    def test_mistakes(self):
        out = self.out / "out.onnx"
        for options, answer in (
                (["--passes", "unify-spellings"], "pass 'unify-spellings' is called canonicalize now"),
                (["--passes", "default,-merge-common"], "pass 'merge-common' is called cse now"),
                (["--passes", "default,-default"],
                 "'-default': only passes and rewrites can be left out"),
                (["--passes", "-none"], "'-none': only passes and rewrites can be left out"),
                (["--print-after", "sce", "--print-to", self.out], "there is no pass 'sce'"),
                (["--print-after", "cse"], "give both"),
                (["--print-to", self.out], "give both")):
            with self.subTest(options):
                self.assertIn(answer, self.fails(2, "convert", MLP, "-o", out, *options))
                self.assertFalse(out.exists())


if __name__ == "__main__":
    unittest.main()
