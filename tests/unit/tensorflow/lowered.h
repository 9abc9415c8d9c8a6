// SPDX-License-Identifier: Apache-2.0
// What a source text of TensorFlow lowers to.
#ifndef DRAGOMAN_TESTS_UNIT_TENSORFLOW_LOWERED_H_
#define DRAGOMAN_TESTS_UNIT_TENSORFLOW_LOWERED_H_

#include <regex>
#include <string>

#include "core/ir/parse.h"
#include "core/ir/print.h"
#include "importers/tensorflow/lower/lower.h"

namespace dragoman {

inline constexpr char kHead[] = R"(dragoman 1 source tf
opset "tf" 27
)";

// The common text after its header, without origins; or the error.
inline std::string Lowered(const std::string& source) {
  Result<Model> model = ParseText(kHead + source);
  if (!model.ok()) return model.error().ToString();
  Result<Model> common = LowerTensorFlow(*model);
  if (!common.ok()) return common.error().ToString();
  std::string text = PrintText(*common);
  text.erase(0, text.find("opset"));
  text.erase(0, text.find('\n') + 1);
  text = text.substr(0, text.find("\norigins {"));
  return std::regex_replace(text, std::regex(" ![0-9]+"), "");
}

}  // namespace dragoman

#endif  // DRAGOMAN_TESTS_UNIT_TENSORFLOW_LOWERED_H_
