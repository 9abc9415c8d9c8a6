// SPDX-License-Identifier: Apache-2.0
#include "core/support/printable.h"

#include <gtest/gtest.h>

#include <string>

#include "core/support/text.h"

namespace dragoman {
namespace {

TEST(Printable, EscapesWhatSteersATerminal) {
  EXPECT_EQ(Printable("plain 'text' \"and\" \\"), "plain 'text' \"and\" \\");
  EXPECT_EQ(Printable("\x1b[2J\a\r\n\t"), "\\x1b[2J\\x07\\r\\n\\t");
  EXPECT_EQ(Printable("\x7f\xc2\x9b"), "\\x7f\\xc2\\x9b");
  EXPECT_EQ(Printable("\xe2\x80\xae\xef\xbb\xbf\xc2\xad"),
            "\\xe2\\x80\\xae\\xef\\xbb\\xbf\\xc2\\xad");
  EXPECT_EQ(Printable("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(Printable(std::string("\0", 1)), "\\x00");
}

TEST(Printable, LeavesOtherUnicode) {
  const std::string text = "größe 名前 🙂 e\xcc\x81";
  EXPECT_EQ(Printable(text), text);
}

TEST(Printable, MayBeDoneTwiceAndBeUndone) {
  const std::string name = "a\n\x1b\xff\xe2\x80\xae";
  EXPECT_EQ(Printable(Printable(name)), Printable(name));
  const Result<std::string> back = Unescape(Printable(name));
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(*back, name);
}

TEST(Printable, LeavesLineFeedsOfLines) {
  EXPECT_EQ(PrintableLines("a\tb\n\x1b\n"), "a\tb\n\\x1b\n");
}

TEST(Printable, LeavesAnExcerptOnLinesOfItsOwn) {
  EXPECT_EQ(PrintableMessage("bad\n  line\n    ^"), "bad\n  line\n    ^");
  EXPECT_EQ(PrintableMessage("bad\n    line\n      ^~~\n    called from f.py:1"),
            "bad\n    line\n      ^~~\n    called from f.py:1");
  EXPECT_EQ(PrintableMessage("node 'a\nnext: b' is bad\n  line\n  ^"),
            "node 'a\\nnext: b' is bad\n  line\n  ^");
  EXPECT_EQ(PrintableMessage("node 'a\n  next: b' is bad"), "node 'a\\n  next: b' is bad");
  EXPECT_EQ(PrintableMessage("bad\n  li\x1bne\n  ^"), "bad\n  li\\x1bne\n  ^");
  // Cut between characters, and the excerpt stays.
  const std::string cut = PrintableMessage("x" + std::string(100000, 'y') + "\n  line\n  ^");
  EXPECT_EQ(cut, "x" + std::string(7999, 'y') + " …\n  line\n  ^");
  std::string umlauts = "x";
  for (int i = 0; i < 10000; ++i) umlauts += "ü";
  EXPECT_EQ(PrintableMessage(umlauts).size(), 7999 + std::string(" …").size());
}

}  // namespace
}  // namespace dragoman
