// SPDX-License-Identifier: Apache-2.0
// What passes and patterns work with: inference, names, and the few steps by which they change a
// graph.
#ifndef DRAGOMAN_CORE_REWRITE_PASS_CONTEXT_H_
#define DRAGOMAN_CORE_REWRITE_PASS_CONTEXT_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/analysis/inference.h"
#include "core/ir/graph.h"
#include "core/ir/node_attributes.h"
#include "core/rewrite/rewrite_sites.h"
#include "core/support/result.h"

namespace dragoman {

// One entry being rewritten.
struct PassContext {
  // Infers the types of all values of `entry` and learns the names of its values.
  static Result<PassContext> Make(Graph& entry, std::function<void(std::string_view)> explain);
  // The same without inference, for the graph of a file.
  static PassContext MakeUninferred(Graph& entry, std::function<void(std::string_view)> explain);

  Inference inference;
  // How many values of the entry and its bodies have a name: those of two branches may share one.
  std::unordered_map<std::string, std::size_t> names;
  // Of names that many values want, the number that the next one gets.
  std::unordered_map<std::string, std::size_t> numbers;
  // Of names that were taken, what was given instead and what was wanted.
  std::unordered_map<std::string, std::string> wanted_names;
  std::function<void(std::string_view)> explain;
  std::string_view rule;                // the pass or pattern at work, for explanations
  std::set<std::string_view> left_out;  // patterns that are not applied
  std::size_t folded_bytes = 0;         // that constant folding has made so far
  RewriteSites sites;                   // where checked passes may change the entry

  // "RULE: node 'conv1' (onnx.Conv): WHAT".
  void Explain(const Node& node, std::string_view what) const;

  // `wanted`, or if that is taken, wanted_2, …; taken from now on.
  std::string UniqueName(std::string_view wanted);
  // A value of that name is about to go.
  void ForgetName(const std::string& name);
  // A constant of `graph`, called `name` or, if that is taken, name_2, ….
  Value* AddConstant(Graph& graph, Tensor tensor, std::string_view name, OriginPtr origin);
  // A node of operator `label` ("Reshape", "dragoman.Linear") with `num_results` results, before
  // `position`, whose Origin it gets. Errors: operands that the operator refuses.
  Result<Node*> InsertNode(Node& position, std::string_view label, std::span<Value* const> operands,
                           std::vector<NamedAttribute> attributes, std::size_t num_results);
  // With one result.
  Result<Value*> Insert(Node& position, std::string_view label, std::span<Value* const> operands,
                        std::vector<NamedAttribute> attributes = {});

  // Whether every reader of `old` can read `by` instead: an output of an entry keeps its name, so
  // it needs a node result of that graph that is not an output yet; an output of a body needs a
  // value of the body.
  static bool CanReplace(const Value& old, const Value& by);
  // Readers of result i of `node` read by[i] from now on, and `node` goes. Entries for results
  // that nothing reads may be nullptr. Names of outputs, more precise types and Origins pass to
  // what replaces, also the Origins of nodes that only `node` read. CanReplace holds for each.
  void Replace(Node& node, std::span<Value* const> by);
  // Makes `by` fit for Replace: an Identity takes the place of a value that cannot replace its
  // result, or that replaces one before it too.
  Status InsertCopies(Node& node, std::span<Value*> by);
  // Replace if it can be done: else nothing happens and false is returned.
  bool ReplaceIfAllowed(Node& node, Value* by);

  // `node`, whose results nothing reads, goes.
  void Erase(Node& node);
};

// Adds `origin` to the Origins of the node or constant that yields `value`.
void AddOrigin(Value& value, const OriginPtr& origin);

struct Rule;

// A rewrite rooted at one node, by a function or by rules. It may insert nodes before that node and
// replace or change it; what it leaves unused is collected by the pass dce.
struct Pattern {
  std::string_view name;
  Result<bool> (*apply)(Node& node, PassContext& context) = nullptr;  // whether anything changed
  std::span<const Rule* const> rules = {};  // where there is no function: the first that matches
};

// Offers every node of `graph`, in order, to the patterns; the first that applies has it.
Result<bool> ApplyPatterns(Graph& graph, PassContext& context, std::span<const Pattern> patterns);

// The contents of a constant; nullptr for any other value, or none.
const Tensor* ConstantOf(const Value* value);
// Integers of a constant or of a value that inference knows.
std::optional<std::vector<std::int64_t>> IntsOf(const PassContext& context, const Value* value);
// The same of one element.
std::optional<std::int64_t> IntOf(const PassContext& context, const Value* value);
// Whether both have a known rank and sizes that are equal under every assignment of the symbols.
bool SameShape(const Value& a, const Value& b);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_PASS_CONTEXT_H_
