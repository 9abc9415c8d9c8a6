# SPDX-License-Identifier: Apache-2.0
"""Generated C++ programs, and the command line that the package brings."""

import os
import pathlib
import shutil
import subprocess
import typing

import numpy

from dragoman._dragoman import Model, _Program
from dragoman._errors import Unsupported


def executable() -> str:
    """The `dragoman` program of this package, or the one along PATH."""
    own = pathlib.Path(__file__).parent / "bin" / "dragoman"
    found = str(own) if own.exists() else shutil.which("dragoman")
    if found is None:
        raise Unsupported("this package was built without the command line")
    return found


def _onednn() -> typing.List[str]:
    """What names to CMake the oneDNN that the package brings; the system's is found as ever."""
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
        self._loaded: typing.Optional[_Program] = None

    def build(self, *, build_type: str = "Release",
              options: typing.Sequence[str] = ()) -> "Program":
        """Compiles it by CMake in its folder `build`, which needs CMake, a C++ compiler, oneDNN."""
        if shutil.which("cmake") is None:
            raise Unsupported("building a program needs CMake and a C++ compiler; on Debian, "
                              "apt-get install cmake g++")
        build = self.folder / "build"
        for command in (["cmake", "-S", str(self.folder), "-B", str(build),
                         f"-DCMAKE_BUILD_TYPE={build_type}", *_onednn(), *options],
                        ["cmake", "--build", str(build)]):
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode != 0:
                raise RuntimeError(f"{command[0]} failed: {(done.stderr or done.stdout).strip()}")
        self._loaded = _Program(str(build / f"{self.name}_loadable.so"),
                                str(self.folder / f"{self.name}.weights"))
        return self

    def _program(self) -> _Program:
        if self._loaded is None:
            raise RuntimeError("the program is not built; call build() first")
        return self._loaded

    def __call__(self, inputs: object = None, *,
                 entry: typing.Optional[str] = None) -> typing.Dict[str, numpy.ndarray]:
        """One call with arrays, given as to `Session.run`; reads those of the inputs' types in place.

        States last between the calls.
        """
        return self._program().run(inputs, entry)

    def reset(self) -> None:
        """The states become what the model says."""
        self._program().reset()

    @property
    def state(self) -> typing.Dict[str, numpy.ndarray]:
        """The states as the last call left them."""
        return self._program().state

    @state.setter
    def state(self, states: typing.Dict[str, object]) -> None:
        self._program().state = states

    def __repr__(self):
        return f"<dragoman.Program '{self.name}' in {str(self.folder)!r}>"


def codegen(self: Model, folder: typing.Union[str, os.PathLike], name: str = "model",
            **options) -> Program:
    """Writes the standalone C++ program of the model into a folder.

    Options: passes, precision ("f32", "bf16", "f16"), exact_conv, embed_weights.
    """
    self._codegen(folder, name, **options)
    return Program(folder, name)
