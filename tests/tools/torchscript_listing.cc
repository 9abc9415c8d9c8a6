// SPDX-License-Identifier: Apache-2.0
// Prints the graphs of a TorchScript archive, calls inlined, one line a node: for comparison with
// torch's own (tests/e2e/torchscript_graph_test.py).
//
// Usage: torchscript_listing MODEL...
//
// Values are numbered as they are defined; constants stand where they are used.
#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/ir/find_as.h"
#include "core/ir/model.h"
#include "importers/torch/script/graph_queries.h"
#include "importers/torch/script/inline.h"
#include "importers/torch/script/read_model.h"

namespace dragoman {
namespace {

using torch::IsPrim;

class Listing {
 public:
  void Print(const Entry& entry) {
    fmt::print("method {}({})\n", entry.name, Define(entry.graph->inputs()));
    PrintBlock(*entry.graph, 1);
  }

 private:
  std::string Define(std::span<const std::unique_ptr<Value>> values) {
    std::string text;
    for (const auto& value : values) {
      numbers_.emplace(value.get(), numbers_.size());
      text += (text.empty() ? "%" : ", %") + std::to_string(numbers_.size() - 1);
    }
    return text;
  }

  void PrintBlock(const Graph& block, int depth) {
    const std::string indent(static_cast<std::size_t>(2 * depth), ' ');
    for (const Node& node : block.nodes()) {
      if (IsPrim(node, "Constant")) continue;
      std::vector<std::string> operands;
      for (const Use& use : node.operands()) operands.push_back(Show(use.value()));
      std::string results;
      for (std::size_t i = 0; i < node.num_results(); ++i) {
        numbers_.emplace(node.result(i), numbers_.size());
        results += (i == 0 ? "%" : ", %") + std::to_string(numbers_.size() - 1);
      }
      if (!results.empty()) results += " = ";
      const OpName& op = node.op();
      const std::string overload = op.overload.empty() ? "" : "." + op.overload;
      fmt::print("{}{}{}::{}{}({}){}\n", indent, results, op.dialect, op.type, overload,
                 fmt::join(operands, ", "), Name(node));
      for (const Graph* body : node.subgraphs()) {
        fmt::print("{} block({})\n", indent, Define(body->inputs()));
        PrintBlock(*body, depth + 1);
      }
    }
    std::vector<std::string> outputs;
    for (const Use& use : block.outputs()) outputs.push_back(Show(use.value()));
    fmt::print("{}-> ({})\n", indent, fmt::join(outputs, ", "));
  }

  static std::string Name(const Node& node) {
    const auto* text = FindAs<std::string>(node.attributes(), "name");
    return text == nullptr ? "" : " " + *text;
  }

  std::string Show(const Value* value) const {
    const auto found = numbers_.find(value);
    if (found != numbers_.end()) return "%" + std::to_string(found->second);
    const Attribute* known = torch::KnownValue(value);
    return known == nullptr ? "None" : ShowConstant(*known);
  }

  static std::string ShowConstant(const Attribute& value) {
    if (const auto* v = value.As<std::int64_t>()) return fmt::format("{}", *v);
    if (const auto* v = value.As<double>()) return fmt::format("float {:.17g}", *v);
    if (const auto* v = value.As<bool>()) return *v ? "True" : "False";
    if (const auto* v = value.As<std::string>()) return fmt::format("'{}'", *v);
    if (const auto* v = value.As<Attribute::Ints>())
      return fmt::format("[{}]", fmt::join(*v, ", "));
    if (const auto* v = value.As<Attribute::Complex>()) {
      return fmt::format("complex {:.17g} {:.17g}", v->real(), v->imag());
    }
    if (const auto* items = value.As<Attribute::List>()) {
      std::vector<std::string> shown;
      for (const Attribute& item : *items) shown.push_back(ShowConstant(item));
      return fmt::format("[{}]", fmt::join(shown, ", "));
    }
    if (value.kind() == Attribute::Kind::kNone) return "None";
    return value.kind() == Attribute::Kind::kSymbol ? "symbol" : "tensor";
  }

  std::unordered_map<const Value*, std::size_t> numbers_;
};

int Run(int count, char** paths) {
  for (int i = 1; i < count; ++i) {
    fmt::print("file {}\n", paths[i]);
    const auto source = ReadTorchScript(paths[i]);
    const auto model = source.ok() ? InlineCalls(*source) : Result<Model>(source.error());
    if (!model.ok()) {
      fmt::print("error {}\n", model.error().ToString());
      continue;
    }
    for (const Entry& entry : model->entries) Listing().Print(entry);
  }
  return 0;
}

}  // namespace
}  // namespace dragoman

int main(int argc, char** argv) { return dragoman::Run(argc, argv); }
