// SPDX-License-Identifier: Apache-2.0
#include "core/lowering/layout.h"

#include <algorithm>
#include <string>
#include <utility>

namespace dragoman {
namespace {

struct LayoutAxis {
  char letter = 0;         // a capital, or the small letter of a block
  std::int64_t block = 0;  // of a block
};

std::vector<LayoutAxis> ParseLayout(Composer& c, std::string_view text) {
  std::vector<LayoutAxis> axes;
  std::int64_t number = 0;
  for (char letter : text) {
    if (letter >= '0' && letter <= '9' && number < 100'000) {
      number = 10 * number + (letter - '0');
      continue;
    }
    const bool capital = letter >= 'A' && letter <= 'Z';
    const bool small = letter >= 'a' && letter <= 'z';
    const bool twice = std::any_of(axes.begin(), axes.end(),
                                   [&](const LayoutAxis& axis) { return axis.letter == letter; });
    if ((!capital && !small) || capital == (number != 0) || twice || axes.size() > 16) {
      c.Fail("layout \"" + std::string(text) + "\" is not supported");
      return {};
    }
    axes.push_back({letter, number});
    number = 0;
  }
  return axes;
}

char Upper(char letter) { return letter >= 'a' ? static_cast<char>(letter - 'a' + 'A') : letter; }

// The letters of a layout without blocks: the capitals.
std::string Capitals(const std::vector<LayoutAxis>& axes) {
  std::string letters;
  for (const LayoutAxis& axis : axes) {
    if (axis.block == 0) letters += axis.letter;
  }
  return letters;
}

Value* Permute(Composer& c, Value* x, const std::string& from, const std::string& to) {
  std::string a = from;
  std::string b = to;
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  if (a != b) return c.Fail("layouts \"" + from + "\" and \"" + to + "\" have other axes");
  if (from == to) return x;
  std::vector<std::int64_t> order;
  for (char letter : to) order.push_back(static_cast<std::int64_t>(from.find(letter)));
  return c.Transpose(x, std::move(order));
}

// Joins blocks with their axes: NCHW4c as NCHW.
Value* JoinBlocks(Composer& c, Value* x, const std::vector<LayoutAxis>& axes) {
  std::string from;
  for (const LayoutAxis& axis : axes) from += axis.letter;
  std::string to;
  std::vector<std::int64_t> shape;
  for (const LayoutAxis& axis : axes) {
    if (axis.block != 0) continue;
    to += axis.letter;
    std::int64_t size = c.KnownSize(x, static_cast<int>(from.find(axis.letter))).value_or(-1);
    for (const LayoutAxis& block : axes) {
      if (block.block == 0 || Upper(block.letter) != axis.letter) continue;
      to += block.letter;
      size = size < 0 ? -1 : size * block.block;
    }
    shape.push_back(size);
  }
  if (std::count(shape.begin(), shape.end(), -1) > 1)
    return c.Fail("blocks of axes whose sizes are not known");
  return c.Reshape(Permute(c, x, from, to), std::move(shape));
}

// The inverse.
Value* SplitBlocks(Composer& c, Value* x, const std::vector<LayoutAxis>& axes) {
  std::string from;
  std::string to;
  std::vector<std::int64_t> shape;
  int at = 0;
  for (const LayoutAxis& axis : axes) {
    to += axis.letter;
    if (axis.block != 0) continue;
    from += axis.letter;
    std::int64_t size = c.KnownSize(x, at++).value_or(-1);
    std::int64_t blocks = 1;
    const std::size_t place = shape.size();
    shape.push_back(0);
    for (const LayoutAxis& block : axes) {
      if (block.block == 0 || Upper(block.letter) != axis.letter) continue;
      from += block.letter;
      shape.push_back(block.block);
      blocks *= block.block;
    }
    if (size < 0 && blocks > 1) return c.Fail("blocks of an axis whose size is not known");
    if (size >= 0 && size % blocks != 0)
      return c.Fail("blocks that do not divide an axis of size " + std::to_string(size));
    shape[place] = size < 0 ? -1 : size / blocks;
  }
  if (std::count(shape.begin(), shape.end(), -1) > 1)
    return c.Fail("blocks of axes whose sizes are not known");
  return Permute(c, c.Reshape(x, std::move(shape)), from, to);
}

}  // namespace

Value* ToLayout(Composer& c, Value* x, std::string_view from, std::string_view to) {
  if (c.failed() || (from == to && !c.MaybeRank(x))) return x;
  const std::vector<LayoutAxis> source = ParseLayout(c, from);
  const std::vector<LayoutAxis> target = ParseLayout(c, to);
  const int rank = c.Rank(x);
  if (c.failed()) return nullptr;
  if (rank != static_cast<int>(source.size()))
    return c.Fail(InvalidInput("a tensor of rank " + std::to_string(rank) + " in layout \"" +
                               std::string(from) + "\""));
  if (from == to) return x;
  const std::string plain_source = Capitals(source);
  const std::string plain_target = Capitals(target);
  if (plain_source.size() != source.size()) x = JoinBlocks(c, x, source);
  x = Permute(c, x, plain_source, plain_target);
  if (plain_target.size() != target.size()) x = SplitBlocks(c, x, target);
  return x;
}

}  // namespace dragoman
