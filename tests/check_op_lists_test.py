#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Unit tests of check_op_lists.py."""

import unittest

from check_op_lists import check_text

OPERATORS = {"Cast", "Identity", "LSTM", "Reshape", "Squeeze"}


class CheckOpListsTest(unittest.TestCase):

    def findings(self, text):
        return [(line, what.split(":")[0]) for line, what in check_text(text, OPERATORS)]

    def test_arrays_of_three_are_lists(self):
        self.assertEqual(
            self.findings('\nconstexpr std::string_view kMoves[] = {"Cast", "Reshape",\n"Squeeze"};'),
            [(2, "a list of operators (Cast, Reshape, Squeeze)")])
        self.assertEqual(self.findings('for (auto type : {"Cast", "dragoman.LSTM"}) {}'), [])

    def test_chains_of_three_are_lists(self):
        self.assertEqual(
            self.findings('return node.Is("Cast") || node->Is("Reshape") ||\nx.IsDragoman("LSTM");'),
            [(1, "a list of operators (Cast, Reshape, LSTM)")])
        self.assertEqual(self.findings('if (type == "Cast" || type == "Reshape") return;'), [])

    def test_other_names_do_not_count(self):
        self.assertEqual(self.findings('Words words = {"Cast", "Reshape", "red", "green"};'), [])

    def test_rows_of_tables_are_no_lists(self):
        self.assertEqual(self.findings('Row kRows[] = {{"Cast", "Reshape", "Squeeze"},\n'
                                       '{"Identity", "Cast", "Cast"}};'), [])

    def test_a_reason_excuses_a_list(self):
        chain = 'return n.Is("Cast") || n.Is("Reshape") || n.Is("Squeeze");'
        self.assertEqual(self.findings("// By name: the kernel takes these.\n" + chain), [])
        self.assertEqual(self.findings("// Keeps numbers. By\n// name: as exporters write.\n" + chain),
                         [])
        self.assertEqual(self.findings("// Sorted by name:\n" + "\n" * 12 + chain),
                         [(14, "a list of operators (Cast, Reshape, Squeeze)")])


if __name__ == "__main__":
    unittest.main()
