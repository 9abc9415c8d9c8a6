// SPDX-License-Identifier: Apache-2.0
#include "importers/onnx/op_composer.h"

#include <utility>

namespace dragoman {

Value* OpComposer::NamedCast(Value* value, DType dtype, std::string_view name) {
  return Op("Cast", {value}, {{"to", static_cast<std::int64_t>(dtype)}}, name);
}

Result<std::vector<Value*>> OpComposer::Finish(std::vector<Value*> results) const {
  if (failed()) return status().error().At(source_.Describe());
  return results;
}

}  // namespace dragoman
