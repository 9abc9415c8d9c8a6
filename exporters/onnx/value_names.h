// SPDX-License-Identifier: Apache-2.0
// The names that values have in an ONNX file.
#ifndef DRAGOMAN_EXPORTERS_ONNX_VALUE_NAMES_H_
#define DRAGOMAN_EXPORTERS_ONNX_VALUE_NAMES_H_

#include <string>
#include <unordered_map>

#include "core/ir/graph.h"
#include "core/ir/model.h"
#include "core/support/text.h"

namespace dragoman::onnx_writer {

// A value keeps its name unless ONNX would take it for another's: two of one name in a graph, or in
// a subgraph the name of a value that is read there from outside. Such a value, and one without a
// name that needs one, gets a name that nothing else in the model has.
class ValueNames {
 public:
  explicit ValueNames(const Model& model);

  const std::string& Of(const Value& value) const;

 private:
  using Table = std::unordered_map<std::string, const Value*>;

  void NameValuesOf(const Graph& graph);
  void NameValue(const Value& value, Table* table);
  void NameCaptures(const Graph& graph);
  void RenameShadowsOf(const Value& value, const Graph& reader);

  NameScope taken_;
  std::unordered_map<const Value*, std::string> renamed_;
  std::unordered_map<const Graph*, Table> tables_;
};

}  // namespace dragoman::onnx_writer

#endif  // DRAGOMAN_EXPORTERS_ONNX_VALUE_NAMES_H_
