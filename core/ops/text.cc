// Operators on strings that ai.onnx lacks.
#include "runtime/params/text.h"

#include "core/ops/infer_context.h"
#include "core/ops/operand_checks.h"
#include "core/ops/text_ops.h"
#include "runtime/params/letter_case.h"

namespace dragoman {
namespace {

constexpr std::string_view kHeader = "runtime/kernels/text.h";

OpBuilder Mapped(std::string_view type) {
  return DragomanOp(type, "(x: str) -> (y: str)", "")
      .Infer(SameTypeAsFirst)
      .Class(OpClass::kUnary)
      .Kernel({.header = kHeader, .types = "str"});
}

Status InferRegexReplace(InferContext& context) {
  DRAGOMAN_TRY(CheckScalar(context, 1));
  DRAGOMAN_TRY(CheckScalar(context, 2));
  return SameTypeAsFirst(context);
}

Status InferHashBucket(InferContext& context) {
  if (context.params<rt::HashBucketParams>().buckets < 1)
    return context.Fail("buckets is not positive");
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

}  // namespace

std::vector<OpDef> TextOps() {
  return {
      Mapped("AsciiLower"),
      Mapped("AsciiStrip"),
      Mapped("AsciiUpper"),
      DragomanOp("CodePoint", "(x: str) -> (y: i32)", "")
          .Infer(SameShapeAsFirst)
          .Class(OpClass::kUnary)
          .Kernel({.header = kHeader, .types = "str"}),
      DragomanOp("CodePointText", "(x: T) -> (y: str)", "T: i32")
          .Infer(SameShapeAsFirst)
          .Class(OpClass::kUnary)
          .Kernel({.header = kHeader, .types = "T"}),
      DragomanOp("HashBucket", "(x: str) -> (y: i64)", "")
          .Attributes<rt::HashBucketParams>()
          .Infer(InferHashBucket)
          .Class(OpClass::kUnary)
          .Kernel({.header = kHeader, .types = "str"}),
      DragomanOp("JoinText", "(x: str, ends: i64, separator: str) -> (y: str)", "")
          .Infer(InferJoinText)
          .Kernel({.header = kHeader, .types = "str", .fallible = true}),
      DragomanOp("LetterCase", "(x: str) -> (y: str)", "")
          .Attributes<rt::LetterCaseParams>()
          .Infer(SameTypeAsFirst)
          .Class(OpClass::kUnary)
          .Kernel({.header = "runtime/kernels/letter_case.h", .types = "str"}),
      DragomanOp("RegexFullMatch", "(x: str, pattern: str) -> (y: bool)", "")
          .Infer(InferRegexFullMatch)
          .Class(OpClass::kUnary)
          .Kernel({.header = kHeader, .types = "str", .fallible = true}),
      DragomanOp("RegexReplace", "(x: str, pattern: str, rewrite: str) -> (y: str)", "")
          .Attributes<rt::RegexReplaceParams>()
          .Infer(InferRegexReplace)
          .Class(OpClass::kUnary)
          .Kernel({.header = kHeader, .types = "str", .fallible = true}),
      DragomanOp("SplitText", "(x: str, separator: str) -> (pieces: str, counts: i64)", "")
          .Attributes<rt::SplitTextParams>()
          .Infer(InferSplitText)
          .Kernel({.header = "runtime/kernels/split_text.h", .types = "str"}),
      Op("StringConcat", "(X: str, Y: str) -> (Z: str)", "")
          .Infer(BroadcastAll)
          .Class(OpClass::kBroadcast)
          .Kernel({.header = kHeader, .types = "str"}),
      DragomanOp("Substring", "(x: str, start: i64, length: i64) -> (y: str)", "")
          .Attributes<rt::TextUnitParams>()
          .Infer(BroadcastAll)
          .Class(OpClass::kBroadcast)
          .Kernel({.header = kHeader, .types = "str", .fallible = true}),
      DragomanOp("TextLength", "(x: str) -> (y: i64)", "")
          .Attributes<rt::TextUnitParams>()
          .Infer(SameShapeAsFirst)
          .Class(OpClass::kUnary)
          .Kernel({.header = kHeader, .types = "str"}),
  };
}

}  // namespace dragoman
