// SPDX-License-Identifier: Apache-2.0
// The metadata section of Relay text: what has no literal in the text, as a graph of nodes in JSON
// that meta[KEY][i] names.
#ifndef DRAGOMAN_CODEGEN_RELAY_METADATA_H_
#define DRAGOMAN_CODEGEN_RELAY_METADATA_H_

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ir/attribute.h"
#include "core/ir/tensor.h"

namespace dragoman::relay::emit {

// A field of a class of attributes. Those of C++ types stand in their node as text, all others as
// the number of another node.
struct AttributeField {
  std::string_view name;
  bool is_node = false;
  std::string_view otherwise;  // the text, or for a node "None", "False", an integer or a string
};

// The class of attributes of an operator whose registration declares none (cumsum, trilu): its
// parser takes them from the metadata only.
struct AttributeClass {
  std::string_view op;
  std::string_view type_key;
  std::span<const AttributeField> fields;
};
const AttributeClass* FindAttributeClass(std::string_view op);

class MetadataWriter {
 public:
  MetadataWriter();

  // Each gives the name by which the text refers to what it added.
  std::string AddConstant(const Tensor& tensor);
  std::string AddSize(const std::string& symbol);
  std::string AddAttributes(const AttributeClass& row,
                            const std::vector<NamedAttribute>& attributes);

  bool empty() const { return root_.empty(); }
  // "#[metadata]" and the JSON.
  std::string Text() const;

 private:
  std::string Name(std::string_view key, std::size_t node);
  std::size_t AddNode(std::string_view key, const std::string& fields);
  std::size_t AddValue(const Attribute& value);

  std::vector<std::string> nodes_;
  std::vector<std::string> arrays_;
  std::map<std::string, std::vector<std::size_t>, std::less<>> root_;
  std::map<std::string, std::string, std::less<>> sizes_;
};

}  // namespace dragoman::relay::emit

#endif  // DRAGOMAN_CODEGEN_RELAY_METADATA_H_
