// SPDX-License-Identifier: Apache-2.0
// Texts as the numbers of their characters, and back. Texts are UTF-8.
#include "importers/tensorflow/ops/lowerings.h"
#include "importers/tensorflow/ops/op_rows.h"

#include <string>
#include <vector>

#include "core/lowering/math.h"
#include "importers/tensorflow/ops/ragged_form.h"

namespace dragoman::tf {
namespace {

bool IsUtf8Attribute(Call& c, std::string_view name) {
  const std::string encoding = c.TextAttribute(name);
  if (c.failed() || encoding == "UTF-8") return true;
  c.Fail(std::string(name) + " " + encoding + " is not supported");
  return false;
}

// All characters of a list of texts, each as a text, and where those of each text end.
struct Characters {
  Value* texts = nullptr;
  Value* splits = nullptr;
  Value* rows = nullptr;  // the text of each
};

Characters CharactersOf(Call& c, Value* x) {
  Value* counts = c.Op("dragoman.TextLength", {x}, {{"utf8", std::int64_t{1}}});
  Characters all;
  all.splits = SplitsOf(c, counts);
  Value* total = c.Select(all.splits, 0, -1);
  all.rows = RowOfEach(c, all.splits, total);
  Value* place = c.Sub(c.Iota(total), c.Gather(all.splits, all.rows, 0));
  all.texts = c.Op("dragoman.Substring", {c.Gather(x, all.rows, 0), place, c.Int(1)},
                   {{"utf8", std::int64_t{1}}});
  return all;
}

// Their numbers. What is not UTF-8 is replaced by other programs, in ways that differ: here it ends
// the run.
Value* NumbersOf(Call& c, const Characters& all) {
  Value* numbers = c.Op("dragoman.CodePoint", {all.texts});
  Value* least = c.ReduceAll("ReduceMin", c.Concat({numbers, c.Cast(c.Ints({0}), DType::kI32)}, 0));
  c.Assert(c.GreaterOrEqual(least, 0), "'" + c.node().name() + "': a text is not UTF-8");
  if (!c.BoolAttribute("replace_control_characters")) return numbers;
  // Those of C0 but tab, line feed and carriage return, and of C1.
  const auto between = [&](int low, int high) {
    return c.And(c.GreaterOrEqual(numbers, low), c.LessOrEqual(numbers, high));
  };
  Value* control =
      c.Or(c.Or(between(0, 8), between(11, 12)), c.Or(between(14, 31), between(127, 159)));
  const std::int64_t other = c.IntAttribute("replacement_char");
  return c.Where(control, c.Cast(c.Int(other), DType::kI32), numbers);
}

// Row splits and numbers; with offsets (a third result), also where each character begins.
std::vector<Value*> LowerUnicodeDecode(Call& c) {
  if (!IsUtf8Attribute(c, "input_encoding")) return {};
  const DType type = c.TypeAttribute("Tsplits");
  const Characters all = CharactersOf(c, c.Flatten(c.Tensor(0)));
  std::vector<Value*> results = {c.Cast(all.splits, type), NumbersOf(c, all)};
  if (c.num_results() < 3) return results;
  Value* bytes = c.Op("dragoman.TextLength", {all.texts});
  Value* before = c.Op("CumSum", {bytes, c.Int(0)}, {{"exclusive", std::int64_t{1}}});
  // How many bytes the texts before have.
  Value* sums = SplitsOf(c, bytes);
  Value* start = c.Gather(c.Gather(sums, all.splits, 0), all.rows, 0);
  results.push_back(c.Sub(before, start));
  return results;
}

// Rows of numbers as texts.
Value* LowerUnicodeEncode(Call& c) {
  if (!IsUtf8Attribute(c, "output_encoding")) return nullptr;
  Value* texts = c.Op("dragoman.CodePointText", {c.Tensor(0)});
  return c.Op("dragoman.JoinText", {texts, c.Index(1), TextConstant(c, "")});
}

// Between encodings that are the same, nothing changes but control characters.
Value* LowerUnicodeTranscode(Call& c) {
  if (!IsUtf8Attribute(c, "input_encoding") || !IsUtf8Attribute(c, "output_encoding"))
    return nullptr;
  Value* x = c.Tensor(0);
  const Characters all = CharactersOf(c, c.Flatten(x));
  Value* texts = c.Op("dragoman.CodePointText", {NumbersOf(c, all)});
  Value* joined = c.Op("dragoman.JoinText", {texts, all.splits, TextConstant(c, "")});
  return c.Reshape(joined, c.Shape(x));
}

}  // namespace

std::span<const OpRow> UnicodeRows() {
  static constexpr OpRow kRows[] = {
      {"UnicodeDecode", LowerUnicodeDecode},
      {"UnicodeDecodeWithOffsets", LowerUnicodeDecode},
      {"UnicodeEncode", LowerUnicodeEncode},
      {"UnicodeTranscode", LowerUnicodeTranscode},
  };
  return kRows;
}

}  // namespace dragoman::tf
