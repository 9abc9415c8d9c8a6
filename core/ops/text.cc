// SPDX-License-Identifier: Apache-2.0
// Operators on strings that ai.onnx lacks.
#include "runtime/params/text.h"

#include "core/ops/expansion_formula.h"
#include "core/ops/infer_context.h"
#include "core/ops/movement.h"
#include "core/ops/operand_checks.h"
#include "core/ops/text_ops.h"
#include "runtime/params/letter_case.h"

namespace dragoman {
namespace {

constexpr std::string_view kTextHeader = "runtime/kernels/text.h";

OpBuilder Mapped(std::string_view type) {
  return DragomanOp(type, "(x: str) -> (y: str)", "")
      .Infer(SameTypeAsFirst)
      .Class(OpClass::kUnary)
      .Kernel({.header = kTextHeader, .types = "str"});
}

Status InferRegexReplace(InferContext& context) {
  DRAGOMAN_TRY(CheckScalar(context, 1));
  DRAGOMAN_TRY(CheckScalar(context, 2));
  return SameTypeAsFirst(context);
}

Status InferHashBucket(InferContext& context) {
  if (context.params<rt::HashBucketParams>().buckets < 0)
    return context.Fail("buckets is negative");
  return SameShapeAsFirst(context);
}

Status InferRegexFullMatch(InferContext& context) {
  DRAGOMAN_TRY(CheckScalar(context, 1));
  return SameShapeAsFirst(context);
}

// (texts), (ends): one result less than there are ends.
Status InferJoinText(InferContext& context) {
  DRAGOMAN_TRY(CheckScalar(context, 2));
  const Shape* ends = context.shape(1);
  if (ends == nullptr) return {};
  if (ends->size() != 1) return context.Fail("the ends are not of rank 1");
  if ((*ends)[0].known() && (*ends)[0].value() < 1) return context.Fail("there are no ends");
  context.SetShape(0, Shape{(*ends)[0] - Dim(1)});
  return {};
}

Status InferSplitText(InferContext& context) {
  DRAGOMAN_TRY(CheckScalar(context, 1));
  const Shape* x = context.shape(0);
  if (x == nullptr) return {};
  Shape pieces = *x;
  pieces.push_back(context.FreshDim(0));
  context.SetShape(0, std::move(pieces));
  context.SetShape(1, *x);
  return {};
}

Status InferTextBytes(InferContext& context) {
  const Shape* x = context.shape(0);
  const std::optional<Elements> size = ElementsOrUnknown(context, 1);
  if (x == nullptr) return {};
  if (size && size->size() != 1) return context.Fail("more than one number of bytes");
  const Dim stated = size ? size->front() : Dim::Unknown();
  DRAGOMAN_ASSIGN(Dim bytes, StatedSize(context, 0, stated));
  Shape y = *x;
  y.push_back(std::move(bytes));
  context.SetShape(0, std::move(y));
  return {};
}

// The text that a constant operand has.
Result<std::string> ConstantText(const Node& node, std::size_t i) {
  const Tensor* tensor = node.operand(i)->tensor();
  if (tensor == nullptr || tensor->size() != 1)
    return Unsupported("an attribute of ONNX stands for an operand that is not a constant");
  return tensor->strings().front();
}

Result<std::vector<Value*>> ExpandRegexFullMatch(Node& node) {
  DRAGOMAN_ASSIGN(std::string pattern, ConstantText(node, 1));
  ExpansionFormula f(node);
  Value* y = f.Add("RegexFullMatch", {f.x()}, node.result()->type());
  y->producer()->SetAttribute("pattern", std::move(pattern));
  return std::vector<Value*>{y};
}

Result<std::vector<Value*>> ExpandSplitText(Node& node) {
  DRAGOMAN_ASSIGN(const Params filled, FillParams<rt::SplitTextParams>(node));
  const auto& params = filled.As<rt::SplitTextParams>();
  DRAGOMAN_ASSIGN(std::string separator, ConstantText(node, 1));
  if (params.any_byte || params.skip_empty)
    return Unsupported(
        "StringSplit of ONNX splits by whole separators only, and keeps empty pieces");
  ExpansionFormula f(node);
  Value* pieces = f.Add("StringSplit", {f.x()}, node.result()->type());
  Node& split = *pieces->producer();
  if (!separator.empty()) split.SetAttribute("delimiter", std::move(separator));
  if (params.max_splits >= 0) split.SetAttribute("maxsplit", params.max_splits);
  const bool counted = node.num_results() > 1 && node.result(1) != nullptr;
  const Type counts = counted ? node.result(1)->type() : f.type().WithDType(DType::kI64);
  return std::vector<Value*>{pieces, split.AddResult(pieces->name() + ".counts", counts)};
}

// StringNormalizer of ONNX takes a vector.
Result<std::vector<Value*>> ExpandLetterCase(Node& node) {
  DRAGOMAN_ASSIGN(const Params filled, FillParams<rt::LetterCaseParams>(node));
  const Shape* shape = node.operand(0)->type().shape();
  if (shape == nullptr) return Unsupported("the operand's rank is not known");
  ExpansionFormula f(node);
  const Type flat = f.type().WithShape(Shape{NumElements(*shape)});
  Value* vector = f.Add("Reshape", {f.x(), f.Ints({-1})}, flat);
  Value* changed = f.Add("StringNormalizer", {vector}, flat);
  const bool upper = filled.As<rt::LetterCaseParams>().upper;
  changed->producer()->SetAttribute("case_change_action", std::string(upper ? "UPPER" : "LOWER"));
  const auto rank = static_cast<std::int64_t>(shape->size());
  Value* sizes = f.Add("Shape", {f.x()}, Type::Tensor(DType::kI64, Shape{Dim(rank)}));
  return std::vector<Value*>{f.Add("Reshape", {changed, sizes})};
}

}  // namespace

std::vector<OpDef> TextOps() {
  return {
      Mapped("AsciiLower"),
      Mapped("AsciiStrip"),
      Mapped("AsciiUpper"),
      DragomanOp("CodePoint", "(x: str) -> (y: i32)", "")
          .Infer(SameShapeAsFirst)
          .Class(OpClass::kUnary)
          .Kernel({.header = kTextHeader, .types = "str"}),
      DragomanOp("CodePointText", "(x: T) -> (y: str)", "T: i32")
          .Infer(SameShapeAsFirst)
          .Class(OpClass::kUnary)
          .Kernel({.header = kTextHeader, .types = "T"}),
      DragomanOp("HashBucket", "(x: str) -> (y: i64)", "")
          .Attributes<rt::HashBucketParams>()
          .Infer(InferHashBucket)
          .Class(OpClass::kUnary)
          .Kernel({.header = kTextHeader, .types = "str"}),
      DragomanOp("JoinText", "(x: str, ends: i64, separator: str) -> (y: str)", "")
          .Infer(InferJoinText)
          .Kernel({.header = kTextHeader, .types = "str", .fallible = true}),
      DragomanOp("LetterCase", "(x: str) -> (y: str)", "")
          .Attributes<rt::LetterCaseParams>()
          .Infer(SameTypeAsFirst)
          .Class(OpClass::kUnary)
          .Expand(ExpandLetterCase)
          .Kernel({.header = "runtime/kernels/letter_case.h", .types = "str"}),
      DragomanOp("RegexFullMatch", "(x: str, pattern: str) -> (y: bool)", "")
          .Infer(InferRegexFullMatch)
          .Class(OpClass::kUnary)
          .Expand(ExpandRegexFullMatch)
          .Kernel({.header = kTextHeader, .types = "str", .fallible = true}),
      DragomanOp("RegexReplace", "(x: str, pattern: str, rewrite: str) -> (y: str)", "")
          .Attributes<rt::RegexReplaceParams>()
          .Infer(InferRegexReplace)
          .Class(OpClass::kUnary)
          .Kernel({.header = kTextHeader, .types = "str", .fallible = true}),
      DragomanOp("SplitText", "(x: str, separator: str) -> (pieces: str, counts: i64)", "")
          .Attributes<rt::SplitTextParams>()
          .Infer(InferSplitText)
          .Expand(ExpandSplitText)
          .Sizes({.function = "SplitTextSizes",
                  .header = "runtime/program/split_text_sizes.h",
                  .arguments = "p x0 x1",
                  .types = "str",
                  .sizes = 2})
          .Kernel({.header = "runtime/kernels/split_text.h", .types = "str"}),
      Op("StringConcat", {20, 20}, "(X: str, Y: str) -> (Z: str)", "")
          .Infer(BroadcastAll)
          .Class(OpClass::kBroadcast)
          .Kernel({.header = kTextHeader, .types = "str"}),
      DragomanOp("Substring", "(x: str, start: i64, length: i64) -> (y: str)", "")
          .Attributes<rt::TextUnitParams>()
          .Infer(BroadcastAll)
          .Class(OpClass::kBroadcast)
          .Kernel({.header = kTextHeader, .types = "str", .fallible = true}),
      DragomanOp("TextBytes", "(x: str, size: i64#) -> (y: u8)", "")
          .Infer(InferTextBytes)
          .Sizes({.function = "TextBytesShape",
                  .header = "runtime/params/text.h",
                  .arguments = "s0 v1"})
          .Kernel({.header = kTextHeader, .types = "str"}),
      DragomanOp("TextLength", "(x: str) -> (y: i64)", "")
          .Attributes<rt::TextUnitParams>()
          .Infer(SameShapeAsFirst)
          .Class(OpClass::kUnary)
          .Kernel({.header = kTextHeader, .types = "str"}),
  };
}

}  // namespace dragoman
