// SPDX-License-Identifier: Apache-2.0
#include "importers/onnx/ops/extension_text.h"

#include <cstdint>
#include <optional>
#include <vector>

#include "importers/onnx/op_composer.h"

namespace dragoman {

LoweredResults LowerStringLength(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0}));
  return op.EmitOne("dragoman.TextLength", {op.operand(0)}, {{"utf8", std::int64_t{1}}});
}

// The pattern and what replaces it are tensors of one element, of any rank.
LoweredResults LowerStringRegexReplace(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0, 1, 2}));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> all, op.TakeInt("global_replace"));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> ignores_case, op.TakeInt("ignore_case"));
  if (ignores_case.value_or(0) != 0) return op.Unsupported("ignore_case is not 0");
  OpComposer f(op);
  const auto scalar = [&](std::size_t i) {
    Value* text = op.operand(i);
    return text->type().rank() == 0 ? text : f.Op("Reshape", {text, f.Ints({})});
  };
  return f.Finish({f.Op("dragoman.RegexReplace", {op.operand(0), scalar(1), scalar(2)},
                        {{"all", all.value_or(1)}})});
}

}  // namespace dragoman
