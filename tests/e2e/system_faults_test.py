#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Faults of the system: each call of the system fails once, reads and writes are short, the process
is killed in the middle of a write, folders are read-only, descriptors are closed, limits are hit,
files shrink while they are read. Output is whole or absent, what was there stays, nothing temporary
remains, and the exit code is as documented.

support/failing_calls.c, which is loaded into the program, makes calls fail.
"""

import os
import pathlib
import resource
import shutil
import signal
import stat
import subprocess
import tempfile
import unittest

from command_case import CommandCase
from commands import DRAGOMAN

ROOT = pathlib.Path(__file__).resolve().parent.parent
MLP = ROOT / "models" / "mlp" / "model.onnx"
CALLS = ("open", "read", "write", "close", "mmap", "fstat", "rename", "mkdir", "pipe")
# By the kind of what is written, each command that writes; "m.onnx" is what is replaced.
BORDER = "/1/Relu_output_0"
COMMANDS = {
    "inspect": "inspect MLP",
    "onnx": "convert MLP -o OUT/m.onnx --passes default",
    "relax": "convert MLP -o OUT/m.py",
    "relay": "convert MLP -o OUT/m.relay",
    "pt2": "convert MLP -o OUT/m.pt2",
    "torch": "convert MLP -o OUT/package --to torch",
    "data files": "convert MLP -o OUT/m.onnx --external-data 1 --data-files each",
    "text": "convert MLP -o OUT/m.dgt",
    "native": "convert MLP -o OUT/m.dgm",
    "json": "convert MLP -o OUT/m.json",
    "dot": "convert MLP -o OUT/m.dot",
    "codegen": "codegen MLP -o OUT/cpp --name mlp",
    "run": "run MLP --random -o OUT/y",
    "simplify": "simplify MLP -o OUT/m.onnx",
    "edit": "edit MLP -o OUT/m.onnx --rename-input x=z",
    "extract": f"extract MLP -o OUT/m.onnx --outputs {BORDER}",
    "split": f"split MLP -o OUT/m.onnx --at {BORDER}",
    "merge": "merge MLP SECOND -o OUT/m.onnx",
    "generalize": "generalize SECOND THIRD -o OUT/m.onnx",
    "page": "inspect MLP --html OUT/m.html",
    "page of two": "diff MLP MLP --html OUT/m.html",
    "plot": "inspect MLP --plot OUT/m.svg",
    "plot of differences": "verify MLP --against MLP --plot OUT/m.svg",
    "reduce": "reduce MLP -q -o OUT/m.onnx --test false",
    "stdout": "convert MLP -o - --to onnx",
}
# Writes its output again and again, each time a smaller model.
GRADUAL = "reduce"
WRITING = [label for label, command in COMMANDS.items() if "OUT" in command]
# Places of a call and a command; DRAGOMAN_ALL=1 takes each.
ALL = os.environ.get("DRAGOMAN_ALL")
AT_MOST = 10000 if ALL else 2
PAGE = resource.getpagesize()


def spread(count, most):
    """Numbers from 1 to `count`, at most `most` of them, the first and the last among them."""
    if count <= most:
        return range(1, count + 1)
    return sorted({1 + round(i * (count - 1) / (most - 1)) for i in range(most)})


class SystemFaults(CommandCase):
    @classmethod
    def setUpClass(cls):
        compiler = shutil.which("cc") or shutil.which("gcc")
        if compiler is None or "asan" in DRAGOMAN:
            raise unittest.SkipTest("no compiler, or a program that intercepts calls itself")
        cls.tools = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.tools.cleanup)
        cls.library = f"{cls.tools.name}/failing_calls.so"
        subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-fexceptions", "-o", cls.library,
                        ROOT / "support" / "failing_calls.c", "-ldl"], check=True)

    def setUp(self):
        super().setUp()
        self.temporary = self.out / "tmp"
        self.results = self.out / "results"
        self.temporary.mkdir()
        self.results.mkdir()
        words = {"OUT": self.results, "MLP": MLP}
        for name, size in (("SECOND", 1), ("THIRD", 2)):
            words[name] = self.out / f"{name.lower()}.dgt"
            words[name].write_text(f"graph g(%y: f32[{size}, 10]) -> (%z) {{ %z = onnx.Neg(%y) }}")
        self.commands = {label: [self.filled(word, words) for word in command.split()]
                         for label, command in COMMANDS.items()}

    @staticmethod
    def filled(word, words):
        for name, path in words.items():
            word = word.replace(name, str(path))
        return word

    def call(self, arguments, **settings):
        return subprocess.run([DRAGOMAN, *map(str, arguments)], capture_output=True, check=False,
                              stdin=subprocess.DEVNULL, timeout=120,
                              env={**os.environ, "TMPDIR": str(self.temporary), **settings})

    def call_failing(self, arguments, name, number, **settings):
        return self.call(arguments, LD_PRELOAD=self.library, FAIL_CALL=name, FAIL_AT=str(number),
                         **settings)

    def count(self, arguments, name):
        counted = self.out / "count"
        self.call_failing(arguments, name, 0, FAIL_COUNT=str(counted))
        return int(counted.read_text())

    def contents(self):
        return {path.relative_to(self.results): path.read_bytes()
                for path in sorted(self.results.rglob("*")) if path.is_file()}

    def clear(self):
        shutil.rmtree(self.results)
        self.results.mkdir()

    def check_end(self, done, whole, before, gradual=False):
        """Whole, or as it was; where it is written gradually, any whole model. Nothing temporary."""
        self.assertEqual(list(self.temporary.iterdir()), [])
        self.assertIn(done.returncode, (0, 2), done.stderr)
        if done.returncode == 0:
            self.assertEqual(self.contents(), whole)
            return
        self.assertIn(b"error: ", done.stderr)
        found = self.contents()
        # Of a module and its weights, one may be there, as a whole.
        for path, content in found.items():
            if gradual:
                self.assertEqual(self.call(["inspect", self.results / path]).returncode, 0, path)
            else:
                self.assertIn(content, (whole.get(path), before.get(path)), path)
        for path in before:
            self.assertIn(path, found)

    def check_each_failure(self, calls, most):
        for label, arguments in self.commands.items():
            self.clear()
            self.assertEqual(self.call(arguments).returncode, 0)
            whole = self.contents()
            for name in calls:
                self.clear()
                count = self.count(arguments, name)
                if name == "malloc":
                    count -= count // 10  # the last are made when the command has ended
                for number in spread(count, most):
                    with self.subTest(command=label, call=name, number=number):
                        self.clear()
                        self.check_end(self.call_failing(arguments, name, number), whole, {},
                                       gradual=label == GRADUAL)

    def test_each_call_fails_once(self):
        self.check_each_failure(CALLS, AT_MOST)

    def test_memory_runs_out(self):
        self.check_each_failure(("malloc",), 4)

    def test_a_program_that_cannot_be_started(self):
        cache = self.out / "cache"
        arguments = ["run", MLP, "--random", "-o", self.results / "y", "--engine", "native"]
        done = self.call_failing(arguments, "fork", 1, DRAGOMAN_CACHE=str(cache))
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"cannot run c++", done.stderr)
        self.assertEqual([*cache.iterdir(), *self.results.iterdir(), *self.temporary.iterdir()], [])

    def test_what_is_replaced_stays(self):
        """All files of a model, and not a new one beside an old one."""
        for label in ("onnx", "data files", "relax", "relay"):
            arguments = self.commands[label]
            self.clear()
            self.assertEqual(self.call(arguments).returncode, 0)
            whole = self.contents()
            before = {path: b"mine" for path in whole}
            for call in ("write", "close", "rename"):
                for number in spread(self.count(arguments, call), 3):
                    with self.subTest(command=label, call=call, number=number):
                        for path, content in before.items():
                            (self.results / path).write_bytes(content)
                        done = self.call_failing(arguments, call, number)
                        self.check_end(done, whole, before)
                        if done.returncode != 0 and call == "write":
                            self.assertEqual(self.contents(), before)

    def test_short_reads_and_writes(self):
        for label, arguments in self.commands.items():
            with self.subTest(label):
                self.clear()
                printed = self.call(arguments)
                whole = self.contents()
                self.clear()
                done = self.call(arguments, LD_PRELOAD=self.library, SHORT_BYTES="997")
                self.assertEqual((done.returncode, done.stdout), (0, printed.stdout))
                self.assertEqual(self.contents(), whole)

    def test_killed_while_it_writes(self):
        for label, call, number, whole in self.places_of_writing():
            with self.subTest(command=label, call=call, number=number):
                done = self.call_failing(self.commands[label], call, number,
                                         FAIL_SIGNAL=str(int(signal.SIGKILL)))
                self.assertEqual(done.returncode, -signal.SIGKILL)
                self.check_whole(whole)
                # The next run removes what is left.
                self.assertEqual(self.call(self.commands[label]).returncode, 0)
                self.assertEqual(self.contents(), whole)

    def places_of_writing(self):
        """(command, call, its number, what is written by the whole command), in an empty folder."""
        for label in WRITING:
            arguments = self.commands[label]
            self.clear()
            self.assertEqual(self.call(arguments).returncode, 0)
            whole = self.contents()
            for call in ("write", "rename"):
                self.clear()  # another call where something is replaced
                for number in spread(self.count(arguments, call), AT_MOST):
                    self.clear()
                    yield label, call, number, whole

    def check_whole(self, whole):
        """Each file that has its name holds all that it should."""
        for path, content in self.contents().items():
            if not any(part.startswith(".") and part != ".dragoman" for part in path.parts):
                self.assertEqual(content, whole[path], path)

    def test_signals_while_it_writes(self):
        for label, call, number, whole in self.places_of_writing():
            for name in (signal.SIGINT, signal.SIGTERM) if ALL else (signal.SIGTERM,):
                with self.subTest(command=label, call=call, number=number):
                    done = self.call_failing(self.commands[label], call, number,
                                             FAIL_SIGNAL=str(int(name)))
                    self.assertEqual(done.returncode, -name)
                    self.check_whole(whole)
                    hidden = [path for path in self.results.rglob(".*") if path.name != ".dragoman"]
                    self.assertEqual([*hidden, *self.temporary.iterdir()], [])

    @unittest.skipUnless(os.geteuid() == 0, "only root may mount a small disk")
    def test_a_full_disk(self):
        disk = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", self.results],
                              capture_output=True, check=False)
        if disk.returncode != 0:
            self.skipTest(f"no small disk: {disk.stderr.decode()}")
        self.addCleanup(subprocess.run, ["umount", self.results], check=True)
        for label in WRITING:
            with self.subTest(label):
                done = self.call(self.commands[label])
                if done.returncode == 0:  # a few bytes
                    self.assertLess(sum(map(len, self.contents().values())), 8192)
                else:
                    self.assertEqual(done.returncode, 2, done.stderr)
                    self.assertIn(b"No space left on device", done.stderr)
                    left = [path for path in self.results.rglob("*") if path.name.startswith(".")]
                    self.assertEqual(left, [])
                for path in self.results.iterdir():
                    shutil.rmtree(path) if path.is_dir() else path.unlink()

    def test_what_another_process_writes_stays(self):
        mine = self.results / f".m.onnx.{os.getpid()}-0.tmp"
        mine.write_text("mine")
        self.assertEqual(self.call(self.commands["onnx"]).returncode, 0)
        self.assertEqual(mine.read_text(), "mine")

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
    def test_a_folder_that_is_read_only(self):
        self.results.chmod(0o555)
        for label in WRITING:
            done = self.call(self.commands[label])
            self.assertEqual(done.returncode, 2)
            self.assertIn(b"Permission denied", done.stderr)

    def test_a_limit_of_files(self):
        def limited():
            resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
        # These write fewer bytes.
        for label in set(WRITING) - {"dot", "generalize", "plot of differences"}:
            self.clear()
            arguments = self.commands[label]
            if label == "run":
                model = self.large_output()
                arguments = ["run", model, "-o", self.results / "y"]
            done = subprocess.run([DRAGOMAN, *map(str, arguments)], capture_output=True,
                                  check=False, preexec_fn=limited)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(b"File too large", done.stderr)
            self.assertEqual(list(self.results.iterdir()), [])

    def large_output(self):
        model = self.out / "large.dgt"
        model.write_text("graph g() -> (%y: f32[1000]) { const %c: f32[1000] = base64 \"" +
                         "AAAA" * 1333 + "AA==\" %y = onnx.Identity(%c) }")
        return model

    def test_closed_descriptors(self):
        for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
            for label in WRITING:
                with self.subTest(command=label, closed=closed):
                    arguments = self.commands[label]
                    self.clear()
                    self.call(arguments)
                    whole = self.contents()
                    self.clear()
                    words = " ".join(f"'{word}'" for word in (DRAGOMAN, *arguments))
                    done = subprocess.run(f"exec {words} {closed}", shell=True, check=False,
                                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                    self.assertEqual(self.contents(), whole)
                    self.assertIn(done.returncode, (0, 2))

    def test_modes_of_files(self):
        for mask in (0o022, 0o027):
            old = os.umask(mask)
            try:
                for label in WRITING:
                    self.clear()
                    self.assertEqual(self.call(self.commands[label]).returncode, 0)
                    for path in self.results.rglob("*"):
                        given = 0o777 if path.is_dir() else 0o666
                        self.assertEqual(stat.S_IMODE(path.stat().st_mode), given & ~mask, path)
            finally:
                os.umask(old)

    def test_a_side_file_that_shrinks(self):
        """While it is mapped: the file is cut when the program has read the start of it."""
        model, weights = self.with_side_file(64 * PAGE)
        arguments = ["convert", model, "-o", self.results / "m.dgm"]
        self.assertEqual(self.call(arguments).returncode, 0)
        for size in (0, 3 * PAGE, 3 * PAGE + 100):
            self.clear()
            os.truncate(weights, 0)
            os.truncate(weights, 64 * PAGE)
            done = self.call_while_shrinking(arguments, weights, size)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertRegex(done.stderr, "w.bin: error: (became shorter|was changed)")
            self.assertEqual(list(self.results.iterdir()), [])
            self.assertEqual(list(self.temporary.iterdir()), [])

    def with_side_file(self, size):
        try:
            import onnx
            from onnx import TensorProto, helper
        except ImportError:
            self.skipTest("no onnx")
        weights = self.out / "w.bin"
        weights.write_bytes(bytes(size))
        count = size // 4
        tensor = TensorProto(name="w", dims=[count], data_type=TensorProto.FLOAT,
                             data_location=TensorProto.EXTERNAL)
        tensor.external_data.add(key="location", value="w.bin")
        graph = helper.make_graph([helper.make_node("Neg", ["w"], ["y"])], "g", [],
                                  [helper.make_tensor_value_info("y", TensorProto.FLOAT, [count])],
                                  [tensor])
        model = helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)])
        path = self.out / "m.onnx"
        onnx.save(model, path)
        return path, weights

    def call_while_shrinking(self, arguments, weights, size):
        """The last call that maps a file is the side file's: it is cut after that."""
        environment = {**os.environ, "TMPDIR": str(self.temporary), "LD_PRELOAD": self.library,
                       "SHRINK_FILE": str(weights), "SHRINK_TO": str(size)}
        return subprocess.run([DRAGOMAN, *map(str, arguments)], capture_output=True, text=True,
                              check=False, env=environment, timeout=60)


if __name__ == "__main__":
    unittest.main()
