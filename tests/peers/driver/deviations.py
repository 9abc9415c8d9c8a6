# SPDX-License-Identifier: Apache-2.0
"""Known deviations: where Dragoman and a peer differ for a reason, as tests/peers/deviations.tsv
states it. An entry whose case is right must go."""

import fnmatch
import pathlib
import typing

FILE = pathlib.Path(__file__).resolve().parents[1] / "deviations.tsv"


class Deviation(typing.NamedTuple):
    case: str      # a pattern for FORM/CASE
    consumer: str  # a pattern
    reason: str


def read(path=FILE):
    rows = (line.split("\t") for line in path.read_text().splitlines()
            if line and not line.startswith("#"))
    return [Deviation(*row) for row in rows]


def find(deviations, case, consumer):
    """The first deviation that covers a case by a consumer; None without one."""
    for deviation in deviations:
        if (fnmatch.fnmatchcase(case, deviation.case) and
                fnmatch.fnmatchcase(consumer, deviation.consumer)):
            return deviation
    return None
