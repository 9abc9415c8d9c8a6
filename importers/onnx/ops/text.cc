// SPDX-License-Identifier: Apache-2.0
#include "importers/onnx/ops/text.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "importers/onnx/op_composer.h"
#include "importers/onnx/ops/ml.h"

namespace dragoman {
namespace {

Result<Value*> Text(OpLowering& op, std::string text) {
  DRAGOMAN_ASSIGN(Tensor tensor, Tensor::MakeStrings({}, {std::move(text)}));
  return op.builder.Constant(std::move(tensor));
}

Value* InCase(OpComposer& f, Value* x, bool upper) {
  return f.Op("dragoman.LetterCase", {x}, {{"upper", std::int64_t{upper}}});
}

// `x` (a vector) without the elements that are among `words` (a vector) when both are seen in lower
// case, or as they are; one empty string if none is left.
Value* WithoutWords(OpComposer& f, Value* x, Value* seen, Value* words) {
  Value* equal = f.Equal(f.Unsqueeze(seen, {1}), words);
  Value* hits = f.Reduce("ReduceMax", f.Cast(equal, DType::kF32), {1}, false);
  Value* kept =
      f.Op("Compress", {x, f.Not(f.Cast(hits, DType::kBool))}, {{"axis", std::int64_t{0}}});
  Value* count = f.Vector(f.Max(f.Size(kept, 0), 1));
  const std::vector<std::string> nothing = {""};
  Value* empty = f.builder().Constant(f.Take(Tensor::MakeStrings({1}, nothing)));
  return f.Slice(f.Concat({kept, empty}, 0), 0, f.Ints({0}), count, f.Ints({1}));
}

}  // namespace

// The operand is a vector, or a row of a matrix. Letters are changed whatever the locale says.
LoweredResults LowerStringNormalizer(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0}));
  DRAGOMAN_ASSIGN(const std::optional<std::string> given, op.TakeString("case_change_action"));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> sensitive, op.TakeInt("is_case_sensitive"));
  DRAGOMAN_ASSIGN(const int rank, op.Rank(0));
  const std::string action = given.value_or("NONE");
  if (action != "NONE" && action != "LOWER" && action != "UPPER")
    return op.Invalid("case_change_action is " + action);
  if (rank != 1 && rank != 2) return op.Invalid("the operand is not a vector and no row");
  DRAGOMAN_ASSIGN(std::vector<std::string> words, TakeStringList(op, "stopwords"));
  op.Drop("locale");
  OpComposer f(op);
  Value* x = f.Flatten(op.operand(0));
  Value* changed = action == "NONE" ? x : InCase(f, x, action == "UPPER");
  if (!words.empty()) {
    const auto count = static_cast<std::int64_t>(words.size());
    DRAGOMAN_ASSIGN(Tensor list, Tensor::MakeStrings({count}, std::move(words)));
    Value* stop = op.builder.Constant(std::move(list));
    const bool exactly = sensitive.value_or(0) != 0;
    changed = WithoutWords(f, changed, exactly ? x : InCase(f, x, false),
                           exactly ? stop : InCase(f, stop, false));
  }
  const std::vector<std::int64_t> sizes =
      rank == 1 ? std::vector<std::int64_t>{-1} : std::vector<std::int64_t>{1, -1};
  return f.Finish({f.Op("Reshape", {changed, f.Ints(sizes)}, {}, op.ResultName(0))});
}

LoweredResults LowerRegexFullMatch(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0}));
  DRAGOMAN_ASSIGN(std::optional<std::string> pattern, op.TakeString("pattern"));
  if (!pattern) return op.Invalid("attribute 'pattern' is missing");
  DRAGOMAN_ASSIGN(Value * text, Text(op, std::move(*pattern)));
  OpComposer f(op);
  return f.Finish({f.Op("dragoman.RegexFullMatch", {op.operand(0), text}, {}, op.ResultName(0))});
}

LoweredResults LowerStringSplit(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0}));
  DRAGOMAN_ASSIGN(std::optional<std::string> delimiter, op.TakeString("delimiter"));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> most, op.TakeInt("maxsplit"));
  DRAGOMAN_ASSIGN(Value * separator, Text(op, delimiter.value_or("")));
  OpComposer f(op);
  std::vector<Value*> results =
      f.Ops("dragoman.SplitText", {op.operand(0), separator}, {{"max_splits", most.value_or(-1)}},
            {op.ResultName(0), op.ResultName(1)});
  results.resize(op.num_results());
  return f.Finish(std::move(results));
}

}  // namespace dragoman
