// SPDX-License-Identifier: Apache-2.0
// The printer behind print.h. Internal.
#ifndef DRAGOMAN_CORE_IR_TEXT_PRINTER_H_
#define DRAGOMAN_CORE_IR_TEXT_PRINTER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/ir/model.h"
#include "core/ir/origin_table.h"
#include "core/ir/print.h"

namespace dragoman {

class TextPrinter {
 public:
  // `origins` is nullptr if none are printed.
  TextPrinter(const PrintOptions& options, const OriginTable* origins)
      : options_(options), origins_(origins) {}

  void PrintModel(const Model& model);
  void PrintSubgraph(const Graph& graph);
  void PrintValueOf(const Attribute& attribute);
  std::string Take() { return std::move(out_); }

 private:
  // model
  void PrintEntry(const Entry& entry);
  void PrintFunction(const Function& function);
  void PrintOrigins();
  void PrintOpset(const OpsetImport& opset);
  void PrintStructures(std::string_view clause, const std::vector<Structure>& structures);
  void PrintStructure(const Structure& structure);

  // graph
  void NameValues(const Graph& graph);
  void ForgetNames(const Graph& graph);
  void PrintSignature(const Graph& graph);
  void PrintBody(const Graph& graph);
  void PrintNode(const Node& node);
  void PrintResults(const Node& node);
  void PrintReference(const Value* value);
  void PrintDefinition(const Value& value);
  void PrintOrigin(const Origin* origin);
  void PrintExtra(std::string_view before, const Extra* extra);
  void NewLine();

  // attributes
  void PrintAttributes(const std::vector<NamedAttribute>& attributes);
  void Print(Attribute::None) { out_ += "none"; }
  void Print(std::int64_t v);
  void Print(float v);
  void Print(double v);
  void Print(bool v) { out_ += v ? "true" : "false"; }
  void Print(const std::string& v);
  void Print(const Attribute::TensorPtr& v) { PrintTensor(*v); }
  void Print(const Attribute::SparseTensorPtr& v) { PrintSparseTensor(*v); }
  void Print(const Attribute::GraphPtr& v) { PrintSubgraph(*v); }
  void Print(const Type& v);
  void Print(const Symbol& v);
  void Print(const AttributeRef& v);
  void Print(const Attribute::Complex& v);
  void Print(const Attribute::Ints& v) { PrintList(v.empty() ? "ints " : "", v); }
  void Print(const Attribute::Floats& v) { PrintList(v.empty() ? "floats " : "", v); }
  void Print(const Attribute::Doubles& v) { PrintList("doubles ", v); }
  void Print(const Attribute::Strings& v) { PrintList(v.empty() ? "strings " : "", v); }
  void Print(const Attribute::Tensors& v) { PrintList("tensors ", v); }
  void Print(const Attribute::SparseTensors& v) { PrintList("sparse_tensors ", v); }
  void Print(const Attribute::Graphs& v) { PrintList("graphs ", v); }
  void Print(const Attribute::Types& v) { PrintList("types ", v); }
  void Print(const Attribute::List& v) { PrintList("list ", v); }
  void Print(const Attribute::Dict& v) { PrintAttributes(v); }

  // One element of a list, without the words that the list's kind makes needless.
  void PrintItem(std::int64_t v) { Print(v); }
  void PrintItem(float v) { Print(v); }
  void PrintItem(double v);
  void PrintItem(const std::string& v) { Print(v); }
  void PrintItem(const Tensor& v) { PrintTensor(v); }
  void PrintItem(const SparseTensor& v) { PrintSparseTensor(v); }
  void PrintItem(const Attribute::GraphPtr& v) { PrintSubgraph(*v); }
  void PrintItem(const Type& v) { out_ += v.ToString(); }
  void PrintItem(const Attribute& v) { PrintValueOf(v); }
  template <class List>
  void PrintList(std::string_view kind, const List& list);

  // tensors
  void PrintTensor(const Tensor& tensor);
  void PrintTensorBody(const Tensor& tensor);
  void PrintElements(const Tensor& tensor);
  void PrintSparseTensor(const SparseTensor& tensor);
  void PrintSizes(const std::vector<std::int64_t>& sizes);

  const PrintOptions& options_;
  const OriginTable* origins_;
  std::string out_;
  std::size_t indent_ = 0;
  // How many visible values have each name, and the place of a value among those of its name, if
  // not 0.
  std::unordered_map<std::string_view, std::uint32_t> counts_;
  std::unordered_map<const Value*, std::uint32_t> ordinals_;
};

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_IR_TEXT_PRINTER_H_
