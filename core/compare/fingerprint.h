// SPDX-License-Identifier: Apache-2.0
// Attributes as bytes: equal bytes for equal values, whatever their addresses.
#ifndef DRAGOMAN_CORE_COMPARE_FINGERPRINT_H_
#define DRAGOMAN_CORE_COMPARE_FINGERPRINT_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/compare/constant_table.h"

namespace dragoman::compare {

void AppendInt(std::string& out, std::uint64_t value);
void AppendText(std::string& out, std::string_view text);  // with its length
void AppendOp(std::string& out, const OpName& op);

// Appends an attribute's kind and value. Tensors stand as their class in `constants`; types,
// symbols and graphs as the hooks say, without a hook by their text, their name, and not at all.
class AttributeEncoder {
 public:
  explicit AttributeEncoder(ConstantTable& constants) : constants_(constants) {}

  std::function<std::string(const Type&)> type;
  std::function<std::string(const Symbol&)> symbol;
  std::function<std::uint64_t(const Graph&)> graph;

  void Append(const Attribute& attribute, std::string& out);

 private:
  void AppendLeaf(const Attribute& attribute, std::string& out);

  ConstantTable& constants_;
};

}  // namespace dragoman::compare

#endif  // DRAGOMAN_CORE_COMPARE_FINGERPRINT_H_
