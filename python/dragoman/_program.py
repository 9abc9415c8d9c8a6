# SPDX-License-Identifier: Apache-2.0
"""Generated C++ programs, and the command line that the package brings."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import typing

import numpy

from dragoman._dragoman import Model
from dragoman._errors import Unsupported


def executable() -> str:
    """The `dragoman` program of this package, or the one along PATH."""
    own = pathlib.Path(__file__).parent / "bin" / "dragoman"
    found = str(own) if own.exists() else shutil.which("dragoman")
    if found is None:
        raise Unsupported("this package was built without the command line")
    return found


def _onednn() -> typing.List[str]:
    """What tells CMake of the oneDNN that the package brings; the system's is found as ever."""
    folder = pathlib.Path(__file__).parent / "onednn"
    libraries = sorted(folder.glob("lib/libdnnl.so.*"))
    if not libraries:
        return []
    return [f"-DDNNL_INCLUDE_DIR={folder / 'include'}", f"-DDNNL_LIBRARY={libraries[0]}"]


class Program:
    """A generated C++ program in a folder."""

    def __init__(self, folder: typing.Union[str, os.PathLike], name: str):
        self.folder = pathlib.Path(folder)
        self.name = name

    def build(self, *, build_type: str = "Release",
              options: typing.Sequence[str] = ()) -> "Program":
        """Compiles it by CMake in its folder `build`, which needs CMake, a C++ compiler, oneDNN."""
        if shutil.which("cmake") is None:
            raise Unsupported("building a program needs CMake and a C++ compiler; on Debian, "
                              "apt-get install cmake g++")
        build = str(self.folder / "build")
        for command in (["cmake", "-S", str(self.folder), "-B", build,
                         f"-DCMAKE_BUILD_TYPE={build_type}", *_onednn(), *options],
                        ["cmake", "--build", build]):
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode != 0:
                raise RuntimeError(f"{command[0]} failed: {(done.stderr or done.stdout).strip()}")
        return self

    def __call__(self, inputs: typing.Mapping[str, object], *,
                 steps: typing.Optional[str] = None) -> typing.Dict[str, numpy.ndarray]:
        """Runs the built program `infer` with arrays by name, from its initial states."""
        infer = self.folder / "build" / "infer"
        if not infer.exists():
            raise RuntimeError("the program is not built; call build() first")
        with tempfile.TemporaryDirectory() as scratch:
            command = [str(infer), "--output-dir", os.path.join(scratch, "out")]
            for index, (name, array) in enumerate(inputs.items()):
                file = os.path.join(scratch, f"{index}.npy")
                numpy.save(file, numpy.asarray(array))
                command += ["--input", f"{name}={file}"]
            if steps is not None:
                command += ["--steps", steps]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode != 0:
                raise ValueError(done.stderr.strip())
            out = pathlib.Path(scratch) / "out"
            index = json.loads((out / "index.json").read_text())
            return {output["name"]: numpy.load(out / output["file"])
                    for output in index["outputs"] if output["file"].endswith(".npy")}

    def __repr__(self):
        return f"<dragoman.Program '{self.name}' in {str(self.folder)!r}>"


def codegen(self: Model, folder: typing.Union[str, os.PathLike], name: str = "model",
            **options) -> Program:
    """Writes the standalone C++ program of the model into a folder.

    Options: passes, precision ("f32", "bf16", "f16"), exact_conv, embed_weights.
    """
    self._codegen(folder, name, **options)
    return Program(folder, name)
