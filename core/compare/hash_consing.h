// SPDX-License-Identifier: Apache-2.0
// Classes of nodes over both models, and equality by them: up to duplication of pure nodes and,
// with `commute`, up to the order of commutative operands.
#ifndef DRAGOMAN_CORE_COMPARE_HASH_CONSING_H_
#define DRAGOMAN_CORE_COMPARE_HASH_CONSING_H_

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/compare/constant_table.h"
#include "core/compare/equal.h"
#include "core/compare/fingerprint.h"
#include "core/compare/symbol_map.h"
#include "core/compare/traits.h"
#include "core/support/result.h"

namespace dragoman::compare {

// Numbers byte strings: equal ones get equal numbers.
class ClassTable {
 public:
  std::uint32_t Intern(std::string key);

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

// Classes of the nodes of one model. A class stands for what a node computes: op, attributes,
// result types, and classes of operands and subgraphs, inputs standing by depth and position.
// Ordered and random nodes have a class each: equal ones are counted in order of the walk, which
// goes through each graph from its ordered nodes and then from its outputs.
class NodeClasses {
 public:
  NodeClasses(const Model& model, const CompareOptions& options, ClassTable& classes,
              ConstantTable& constants, TraitTable& traits);

  // Errors: a cycle among nodes or functions.
  Status Build();

  std::uint32_t Of(const Node& node) const { return nodes_.at(&node); }
  std::uint32_t Of(const Function& function) const { return functions_.at(function.op); }
  // Kind, index and class in one number; 0 for an omitted operand.
  std::uint64_t CodeOf(const Value* value) const;
  // The codes of a node's operands as they are compared: commutative ones in order of their codes.
  std::vector<std::uint64_t> OperandCodes(const Node& node) const;
  // Everything of the node but operands, results' types and subgraphs, as bytes.
  std::string LocalKey(const Node& node) const;
  std::string AttributeKey(const Attribute& attribute) const;
  // Types of inputs or results, defaults of inputs, as bytes.
  std::string InputKey(const Graph& graph) const;
  std::string ResultKey(const Node& node) const;
  std::span<const Node* const> Ordered(const Graph& graph) const;

 private:
  enum class State : std::uint8_t { kOpen, kDone };

  Result<std::vector<std::size_t>> FunctionOrder() const;
  Status Visit(const Graph& root);
  Status VisitFrom(const Node* node);
  void PushDependencies(const Node& node, std::vector<std::pair<const Node*, bool>>& stack) const;
  void Close(const Node& node);
  std::uint32_t GraphClass(const Graph& graph) const;
  std::uint32_t FunctionClass(const Function& function) const;
  std::uint64_t DepthOf(const Graph& graph) const;

  const Model& model_;
  const CompareOptions& options_;
  ClassTable& classes_;
  ConstantTable& constants_;
  TraitTable& traits_;
  mutable SymbolNumbers symbols_;  // numbered as met
  std::unordered_map<const Node*, std::uint32_t> nodes_;
  std::unordered_map<const Node*, State> states_;
  std::unordered_map<std::uint32_t, std::uint32_t> repetitions_;
  std::unordered_map<const OpName*, std::uint32_t> functions_;
  std::unordered_map<const Graph*, OrderedNodes> ordered_;  // by the graph of an entry or function
};

// CompareModels under `commute` or `modulo_sharing`.
Result<std::optional<Difference>> CompareByClasses(const Model& a, const Model& b,
                                                   const CompareOptions& options);

}  // namespace dragoman::compare

#endif  // DRAGOMAN_CORE_COMPARE_HASH_CONSING_H_
