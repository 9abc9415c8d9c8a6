# SPDX-License-Identifier: Apache-2.0
"""The same model gives the same bytes: from another folder, in another locale, on fewer threads."""

import os
import pathlib
import shutil
import subprocess
import unittest

from command_case import CommandCase
from commands import DRAGOMAN

MODELS = pathlib.Path("tests/models")
# source -> what its calls need
SOURCES = {
    MODELS / "bert/model.onnx": (),
    MODELS / "lstm/model.onnx": (),
    MODELS / "mobilenet/model.onnx": (),
    MODELS / "torchscript/lstm_policy/model.pt": ("--shape", "x=f32:1,6"),
}
TARGETS = ("model.onnx", "model.dgm", "model.json", "model.dgt", "model.dot", "model.py")
COMMA_LOCALE = "de_DE"  # writes 0.5 as 0,5 and 1000 as 1.000
LOCALE_SOURCES = pathlib.Path("/usr/share/i18n/locales")


def contents(folder):
    """{path below `folder`: bytes} of all its files."""
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(folder.rglob("*")) if path.is_file()}


def write_all(source, out, needed, **where):
    """Writes a model to all targets, and its C++ program."""
    program = pathlib.Path(DRAGOMAN).resolve()
    out.mkdir()
    calls = [("convert", source, "-o", out / target, "--passes", "default") for target in TARGETS]
    calls.append(("codegen", source, "-o", out / "program", "--name", "model"))
    for arguments in calls:
        subprocess.run([program, *arguments, *needed], check=True, capture_output=True, **where)
    return contents(out)


class Determinism(CommandCase):
    def comma_locale(self):
        """The environment of a locale whose decimal point is a comma."""
        if not (LOCALE_SOURCES / COMMA_LOCALE).exists() or not shutil.which("localedef"):
            return {}
        locales = self.out / "locales"
        locales.mkdir()
        subprocess.run(["localedef", "-i", COMMA_LOCALE, "-f", "UTF-8", locales / COMMA_LOCALE],
                       check=True, capture_output=True)
        return {"LOCPATH": str(locales), "LC_ALL": COMMA_LOCALE}

    def test_bytes_depend_on_the_model_alone(self):
        elsewhere = {**os.environ, **self.comma_locale(), "OMP_NUM_THREADS": "1"}
        one_processor = {min(os.sched_getaffinity(0))}
        for source, needed in SOURCES.items():
            with self.subTest(source=str(source)):
                name = source.parent.name
                here = write_all(source, self.out / f"{name} here", needed)
                moved = self.out / f"{name} moved" / "ein anderer Ordner"
                shutil.copytree(source.parent, moved)
                there = write_all(
                    source.name, self.out / f"{name} there", needed, cwd=moved, env=elsewhere,
                    preexec_fn=lambda: os.sched_setaffinity(0, one_processor))
                self.assertEqual(list(here), list(there))
                differing = [path for path in here if here[path] != there[path]]
                self.assertEqual(differing, [])


if __name__ == "__main__":
    unittest.main()
