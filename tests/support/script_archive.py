# SPDX-License-Identifier: Apache-2.0
"""TorchScript archives of one module without attributes, from the text of its methods."""

import zipfile

MODULE = b"\x80\x02c__torch__\nM\n)\x81}b."  # an object of class M without attributes
NOTHING = b"\x80\x02)."
HEAD = """class M(Module):
  __parameters__ = []
  __buffers__ = []
"""


def write_script(path, methods):
    """`methods` as torch writes code, each line indented by two."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("m/data.pkl", MODULE)
        archive.writestr("m/constants.pkl", NOTHING)
        archive.writestr("m/code/__torch__.py", HEAD + methods)
        archive.writestr("m/version", "3\n")


def write_expressions(path, arguments, results):
    """A method `forward` with such arguments; `results`: (type, expression) of each result."""
    types = ", ".join(kind for kind, _ in results)
    values = ",\n      ".join(text for _, text in results)
    write_script(path, f"  def forward(self: __torch__.M,\n    {arguments}) -> Tuple[{types}]:\n"
                       f"    return ({values})\n")
