// SPDX-License-Identifier: Apache-2.0
#include "codegen/tvm/source_extra.h"

namespace dragoman::tvm {

const Attribute* SourceExtra(const Extra* extra, std::string_view name) {
  return extra != nullptr ? Find(*extra, name) : nullptr;
}

std::string ExtraText(const Extra* extra, std::string_view name) {
  const Attribute* attribute = SourceExtra(extra, name);
  const auto* text = attribute != nullptr ? attribute->As<std::string>() : nullptr;
  return text != nullptr ? *text : std::string();
}

}  // namespace dragoman::tvm
