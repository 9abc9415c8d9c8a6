// SPDX-License-Identifier: Apache-2.0
// The printer behind write_source.h.
#ifndef DRAGOMAN_CODEGEN_RELAY_SOURCE_PRINTER_H_
#define DRAGOMAN_CODEGEN_RELAY_SOURCE_PRINTER_H_

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "codegen/relay/metadata.h"
#include "core/ir/model.h"
#include "core/support/result.h"
#include "core/support/text.h"

namespace dragoman::relay::emit {

class SourcePrinter {
 public:
  explicit SourcePrinter(const Model& model);

  Result<std::string> Run();
  // Inputs with contents, by the names that the text gives them.
  std::vector<std::pair<std::string, Tensor>> params;

 private:
  // "name[A](parameters, attributes) -> type {…}"
  std::string FunctionText(const Graph& graph, const Attribute::Dict& attributes, int depth,
                           bool is_entry);
  std::string Parameter(const Value& value, bool is_entry);
  // Bindings and the result, indented.
  std::string Block(const Graph& graph, int depth);
  void NameRemarked(const Graph& graph, const Attribute::Strings& remarks);
  std::string RemarksText(const Graph& graph, const Attribute::Strings& remarks);
  bool IsInline(const Node& node) const;
  bool IsResult(const Node& node) const;

  std::string Expression(const Node& node, int depth);
  std::string Special(const Node& node, int depth);
  std::string CallText(const std::string& callee, const Node& node, std::size_t first,
                       bool is_operator);
  std::string Attributes(const Node& node, bool is_operator);
  std::string IfText(const Node& node, int depth);
  std::string MatchText(const Node& node, int depth);
  std::string Pattern(const Attribute& pattern, const Graph& arm, std::size_t& next);
  std::string Comment(const Node& node);
  std::string Comment(const Extra* extra, const Type* type, const std::string& name);
  std::string TypeOf(const Type& type, const Extra* extra);

  std::string Reference(const Value* value, int depth);
  std::string ConstantText(const Value& value);
  std::string ArgumentReference(const Value* value);
  void Refuse(const Node& node, const std::string& what);

  const Model& model_;
  const bool transposes_;  // whether batch_matmul without attributes computes a · bᵀ
  MetadataWriter metadata_;
  std::unordered_map<const Value*, std::string> names_;      // looked up, never iterated
  std::unordered_map<const Value*, std::string> constants_;  // the same
  std::unordered_map<std::string, std::string> selves_;      // of recursive variables
  std::unordered_set<const Value*> remarked_;                // named by remarks on calls
  NameScope locals_;
  int next_variable_ = 0;
  std::vector<Finding> findings_;
};

}  // namespace dragoman::relay::emit

#endif  // DRAGOMAN_CODEGEN_RELAY_SOURCE_PRINTER_H_
