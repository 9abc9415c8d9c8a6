# SPDX-License-Identifier: Apache-2.0
"""dragoman.diff and dragoman.verify."""

import html as _html
import os
import typing

from dragoman import _dragoman
from dragoman._dragoman import DiffReport, Model, VerifyReport

ModelOrPath = typing.Union[Model, str, os.PathLike]


def _model(source: ModelOrPath) -> Model:
    return source if isinstance(source, Model) else _dragoman.load(source)


def diff(a: ModelOrPath, b: ModelOrPath, *,
         level: typing.Optional[typing.Literal["source", "common"]] = None,
         passes: typing.Optional[str] = None, ignore: typing.Sequence[str] = (),
         strict_attributes: bool = False, strict_types: bool = False, commute: bool = False,
         modulo_sharing: bool = False, rtol: typing.Optional[float] = None) -> DiffReport:
    """Compares two graphs, given as models or paths.

    The options are those of `dragoman diff`; what was stated of a model when it was loaded holds.
    """
    return _dragoman.diff_models(_model(a), _model(b), level, passes, tuple(ignore),
                                 strict_attributes, strict_types, commute, modulo_sharing, rtol)


def verify(model: ModelOrPath, against: typing.Optional[ModelOrPath] = None, *,
           data: typing.Union[str, os.PathLike, typing.Sequence[str], None] = None,
           inputs: object = None, random: int = 1, seed: int = 0, bisect: bool = False,
           rtol: typing.Optional[float] = None, atol: typing.Optional[float] = None,
           engine: typing.Literal["interpreter", "native"] = "interpreter",
           steps: typing.Optional[str] = None) -> VerifyReport:
    """Compares a model's outputs with those of another one, or with recorded data.

    Against a model, `inputs` are given or `random` ones are drawn. `data` is an ONNX test-data set,
    a folder with inputs.npz and outputs.npz, a folder of these, or a list of such.
    """
    if (against is None) == (data is None):
        raise TypeError("verify takes either another model or data")
    folders = [data] if isinstance(data, (str, os.PathLike)) else list(data or ())
    other = None if against is None else _model(against)
    return _dragoman.verify_model(_model(model), other, [os.fspath(each) for each in folders],
                                  inputs, random, seed, bisect, rtol, atol, engine, steps)


def html(report: DiffReport) -> str:
    """The report as a table, for notebooks."""
    if report.equal:
        return "<p>equal</p>"
    rows = "".join(
        "<tr>" + "".join(f"<td>{_html.escape(cell)}</td>" for cell in (
            edit.kind, edit.place_a or "", edit.place_b or "", edit.what, edit.before, edit.after))
        + "</tr>" for edit in report.edits)
    return (f"<p>{_html.escape(report.verdict)}</p><table><thead><tr><th>edit</th><th>first</th>"
            "<th>second</th><th>what</th><th>before</th><th>after</th></tr></thead>"
            f"<tbody>{rows}</tbody></table>")
