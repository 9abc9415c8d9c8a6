# SPDX-License-Identifier: Apache-2.0
"""What the extension module asks of NumPy."""

import json
import typing

import numpy

from dragoman._dragoman import Type


class State(typing.NamedTuple):
    """A value that lives between calls."""

    name: str
    type: Type
    initial: object


def extended_type(name):
    """The element type `name` of ml_dtypes, or None where that is not there."""
    try:
        import ml_dtypes
    except ImportError:
        return None
    return numpy.dtype(getattr(ml_dtypes, name)) if hasattr(ml_dtypes, name) else None


def bytes_array(data):
    return numpy.frombuffer(data, numpy.uint8)


def map_text(value):
    """A map, or a list of maps, as JSON."""
    def plain(item):
        return item.item() if isinstance(item, numpy.generic) else item

    if isinstance(value, list):
        return json.dumps([{str(k): plain(v) for k, v in each.items()} for each in value])
    return json.dumps({str(k): plain(v) for k, v in value.items()})
