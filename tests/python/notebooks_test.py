# SPDX-License-Identifier: Apache-2.0
"""The notebooks of docs/notebooks run from beginning to end."""

import contextlib
import io
import json
import pathlib
import unittest


class NotebooksTest(unittest.TestCase):

    def test_all_cells_run(self):
        notebooks = sorted(pathlib.Path("docs/notebooks").glob("*.ipynb"))
        self.assertTrue(notebooks)
        for path in notebooks:
            names = {}
            for number, cell in enumerate(json.loads(path.read_text("utf-8"))["cells"]):
                if cell["cell_type"] != "code":
                    continue
                with self.subTest(path=path, cell=number), contextlib.redirect_stdout(io.StringIO()):
                    exec(compile("".join(cell["source"]), f"{path}:{number}", "exec"), names)


if __name__ == "__main__":
    unittest.main()
