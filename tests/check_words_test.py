# SPDX-License-Identifier: Apache-2.0
"""Unit tests of check_words.py."""

import unittest

from check_words import check_text


class CheckWordsTest(unittest.TestCase):
    def lines(self, text):
        return [line for line, _ in check_text(text)]

    def test_what_is_not_something(self):
        self.assertEqual(self.lines("fine\n'x' is no" + " number\nthe keys are no" + " texts"), [2, 3])

    def test_plain_english_is_left_alone(self):
        self.assertEqual(self.lines("there is no node\nit is no longer read\nthat is no worse"), [])

    def test_what_comes_later_and_each(self):
        self.assertEqual(self.lines("one behind" + " the other\nfine\none a" + " line"), [1, 3])

    def test_what_is_known_at_run_time(self):
        self.assertEqual(self.lines("known at run time only\na size that only the run" + " tells"), [2])

    def test_old_names_of_passes(self):
        self.assertEqual(self.lines("--passes merge" + "-common"), [1])


if __name__ == "__main__":
    unittest.main()
