#include "importers/torchscript/append_assert.h"

namespace dragoman::torchscript {

Status AppendAssert(GraphBuilder& builder, Value* condition, const std::string& message) {
  Value* const operands[] = {condition};
  Result<Node*> made =
      builder.Append("dragoman.Assert", operands, {{"message", Attribute(message)}}, {});
  return made.ok() ? Status() : Status(std::move(made).error());
}

}  // namespace dragoman::torchscript
