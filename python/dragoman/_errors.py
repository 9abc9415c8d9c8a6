# SPDX-License-Identifier: Apache-2.0
"""What the library reports: errors as exceptions, warnings as warnings, both made of findings."""

import typing
import warnings


class Finding(typing.NamedTuple):
    """One thing that stands in the way, or that is left out."""

    kind: str  # "Invalid", "Unsupported", "Internal"
    file: str  # may be empty, as may be the place
    place: str  # "node 'conv1' (onnx.Conv)", "byte 123"
    message: str

    def __str__(self):
        parts = [part for part in (self.file, self.place, self.message) if part]
        return ": ".join(parts)


class Error(Exception):
    """An error of the library; `findings` lists all that stand in the way."""

    def __init__(self, message: str, findings: typing.Sequence[Finding] = ()):
        super().__init__(message)
        self.findings = list(findings)


class Invalid(Error, ValueError):
    """The file or the call is at fault."""


class Unsupported(Error, NotImplementedError):
    """Understood, but Dragoman cannot do it."""


class Internal(Error, RuntimeError):
    """A bug in Dragoman."""


class Warning(UserWarning):
    """What is left out or assumed."""


def warn(finding: Finding) -> None:
    warnings.warn(str(finding), Warning, stacklevel=2)
