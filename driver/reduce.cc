// SPDX-License-Identifier: Apache-2.0
#include "driver/reduce.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/analysis/inference.h"
#include "core/ir/verify.h"
#include "driver/session.h"

namespace dragoman {
namespace {

// A kind of thing that can be taken away: how many a model has, and the removal of those from
// `begin` to `end`. The removal gives false where it cannot be done, or changes nothing.
struct Reduction {
  std::string_view name;
  std::size_t (*count)(const Model& model);
  bool (*remove)(Model& model, std::size_t begin, std::size_t end);
};

// All graphs of the first entry, outer ones first.
std::vector<Graph*> GraphsOf(Model& model) {
  std::vector<Graph*> graphs;
  ForEachGraph(model.main(), [&](Graph& graph) { graphs.push_back(&graph); });
  return graphs;
}

std::vector<Node*> NodesOf(Model& model) {
  std::vector<Node*> nodes;
  for (Graph* graph : GraphsOf(model)) {
    for (Node& node : graph->nodes()) nodes.push_back(&node);
  }
  return nodes;
}

std::vector<Value*> ConstantsOf(Model& model) {
  std::vector<Value*> constants;
  for (Graph* graph : GraphsOf(model)) {
    for (const auto& constant : graph->constants()) constants.push_back(constant.get());
  }
  return constants;
}

std::size_t CountNodes(const Model& model) {
  std::size_t count = 0;
  ForEachGraph(model.main(), [&](const Graph& graph) { count += graph.num_nodes(); });
  return count;
}

std::size_t CountConstants(const Model& model) {
  std::size_t count = 0;
  ForEachGraph(model.main(), [&](const Graph& graph) { count += graph.constants().size(); });
  return count;
}

// Where arguments and results have a structure, it goes with any of them.
void DropConvention(Entry& entry) {
  entry.arguments.clear();
  entry.results.clear();
}

bool IsBoundOutput(const Entry& entry, std::size_t index) {
  return std::ranges::any_of(entry.states,
                             [&](const StateBinding& b) { return b.output == index; });
}

bool IsBoundInput(const Entry& entry, std::size_t index) {
  return std::ranges::any_of(entry.states, [&](const StateBinding& b) { return b.input == index; });
}

void RemoveOutput(Entry& entry, std::size_t index) {
  entry.graph->RemoveOutput(index);
  for (StateBinding& binding : entry.states) binding.output -= binding.output > index ? 1 : 0;
}

void RemoveInput(Entry& entry, std::size_t index) {
  entry.graph->RemoveInput(index);
  for (StateBinding& binding : entry.states) binding.input -= binding.input > index ? 1 : 0;
}

// Constants that nothing reads are no part of any fault.
void EraseUnreadConstants(Model& model) {
  for (Graph* graph : GraphsOf(model))
    graph->EraseConstantsIf([](const Value& constant) { return !constant.used(); });
}

// A graph without outputs gets the results that nothing reads, of its last nodes.
bool GiveOutputs(Graph& graph) {
  for (Node* node = graph.last_node(); node != nullptr; node = node->prev()) {
    for (std::size_t i = 0; i < node->num_results(); ++i) {
      Value* const result = node->result(i);
      if (result != nullptr && !result->used()) graph.AddOutput(result);
    }
    if (graph.num_outputs() > 0) return true;
  }
  return false;
}

// Readers of what `node` gives read inputs of the entry instead, or do without if they are outputs
// of the entry.
bool DetachResults(Entry& entry, Node& node) {
  for (std::size_t r = 0; r < node.num_results(); ++r) {
    Value* const result = node.result(r);
    if (result == nullptr) continue;
    for (std::size_t i = entry.graph->num_outputs(); i-- > 0;) {
      if (entry.graph->output(i) != result) continue;
      if (IsBoundOutput(entry, i)) return false;
      RemoveOutput(entry, i);
    }
    if (!result->used()) continue;
    if (node.graph() != entry.graph.get() || result->type().dtype() == DType::kUnknown)
      return false;
    Value* const input = entry.graph->AddInput(result->name(), result->type());
    result->ReplaceAllUsesWith(input);
  }
  return true;
}

bool RemoveNodes(Model& model, std::size_t begin, std::size_t end) {
  Entry& entry = model.entries.front();
  const std::vector<Node*> nodes = NodesOf(model);
  DropConvention(entry);
  // Outer nodes come first, and take their bodies along: from the back.
  for (std::size_t i = end; i-- > begin;) {
    if (!DetachResults(entry, *nodes[i])) return false;
    nodes[i]->graph()->Erase(nodes[i]);
  }
  return entry.graph->num_outputs() > 0 || GiveOutputs(*entry.graph);
}

// Readers of single nodes read an operand of the same type instead.
bool BypassNodes(Model& model, std::size_t begin, std::size_t end) {
  const std::vector<Node*> nodes = NodesOf(model);
  bool changed = false;
  for (std::size_t i = begin; i < end; ++i) {
    Node& node = *nodes[i];
    Value* const result = node.result();
    if (node.num_results() != 1 || result == nullptr || !result->used()) continue;
    const auto fits = [&](const Use& use) {
      return use.value() != nullptr && use.value()->type() == result->type() &&
             use.value()->graph() == node.graph();
    };
    const auto use = std::ranges::find_if(node.operands(), fits);
    if (use == node.operands().end()) continue;
    result->ReplaceAllUsesWith(use->value());
    node.graph()->Erase(&node);
    changed = true;
  }
  return changed;
}

bool RemoveEntries(Model& model, std::size_t begin, std::size_t end) {
  if (end - begin == model.entries.size()) return false;
  const auto first = model.entries.begin();
  model.entries.erase(first + static_cast<std::ptrdiff_t>(begin),
                      first + static_cast<std::ptrdiff_t>(end));
  return true;
}

// A candidate in which one is still called has another fault.
bool RemoveFunctions(Model& model, std::size_t begin, std::size_t end) {
  const auto first = model.functions.begin();
  model.functions.erase(first + static_cast<std::ptrdiff_t>(begin),
                        first + static_cast<std::ptrdiff_t>(end));
  return true;
}

bool RemoveStates(Model& model, std::size_t, std::size_t) {
  for (Entry& entry : model.entries) {
    entry.states.clear();
    DropConvention(entry);
  }
  model.states.clear();
  return true;
}

bool RemoveOutputs(Model& model, std::size_t begin, std::size_t end) {
  Entry& entry = model.entries.front();
  if (end - begin == entry.graph->num_outputs()) return false;
  DropConvention(entry);
  for (std::size_t i = end; i-- > begin;) {
    if (IsBoundOutput(entry, i)) return false;
    RemoveOutput(entry, i);
  }
  return true;
}

bool RemoveInputs(Model& model, std::size_t begin, std::size_t end) {
  Entry& entry = model.entries.front();
  bool changed = false;
  for (std::size_t i = end; i-- > begin;) {
    if (entry.graph->input(i)->used() || IsBoundInput(entry, i)) continue;
    RemoveInput(entry, i);
    changed = true;
  }
  if (changed) DropConvention(entry);
  return changed;
}

std::size_t CountAttributes(const Model& model) {
  std::size_t count = 0;
  ForEachGraph(model.main(), [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) count += node.attributes().size();
  });
  return count;
}

bool HoldsGraphs(const Attribute& value) {
  return value.kind() == Attribute::Kind::kGraph || value.kind() == Attribute::Kind::kGraphs;
}

bool RemoveAttributes(Model& model, std::size_t begin, std::size_t end) {
  std::size_t index = 0;
  bool changed = false;
  for (Node* node : NodesOf(model)) {
    std::erase_if(node->attributes(), [&](const NamedAttribute& attribute) {
      const bool chosen = index >= begin && index < end && !HoldsGraphs(attribute.value);
      ++index;
      changed = changed || chosen;
      return chosen;
    });
  }
  return changed;
}

std::size_t CountTexts(const Model& model) {
  return model.metadata.size() + (model.extra.empty() ? 0 : 1);
}

bool RemoveTexts(Model& model, std::size_t, std::size_t) {
  model.metadata.clear();
  model.extra = {};
  return true;
}

bool ZeroConstants(Model& model, std::size_t begin, std::size_t end) {
  const std::vector<Value*> constants = ConstantsOf(model);
  bool changed = false;
  for (std::size_t i = begin; i < end; ++i) {
    const Tensor* const tensor = constants[i]->tensor();
    if (tensor == nullptr) continue;
    Result<Tensor> zeros = Tensor::Full(tensor->dtype(), tensor->sizes(), 0);
    if (!zeros.ok() || *zeros == *tensor) continue;
    constants[i]->set_data(*std::move(zeros));
    changed = true;
  }
  return changed;
}

constexpr Reduction kReductions[] = {
    {"entries", [](const Model& model) { return model.entries.size(); }, RemoveEntries},
    {"states", [](const Model& model) { return std::min<std::size_t>(1, model.states.size()); },
     RemoveStates},
    {"nodes", CountNodes, RemoveNodes},
    {"nodes by an operand", CountNodes, BypassNodes},
    {"functions", [](const Model& model) { return model.functions.size(); }, RemoveFunctions},
    {"outputs", [](const Model& model) { return model.main().num_outputs(); }, RemoveOutputs},
    {"inputs", [](const Model& model) { return model.main().num_inputs(); }, RemoveInputs},
    {"attributes", CountAttributes, RemoveAttributes},
    {"metadata", CountTexts, RemoveTexts},
    {"weights", CountConstants, ZeroConstants},
};

std::int64_t ElementsOf(const std::vector<std::int64_t>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
}

// The first elements of `tensor` along each axis of size `from`, `to` of them; nullopt where the
// elements of its type are not whole bytes.
std::optional<Tensor> Shortened(const Tensor& tensor, std::int64_t from, std::int64_t to) {
  const auto size = static_cast<std::size_t>(tensor.size());
  const std::size_t width = size == 0 ? 0 : tensor.bytes().size() / size;
  if (width == 0 || width * size != tensor.bytes().size()) return std::nullopt;
  std::vector<std::int64_t> sizes = tensor.sizes();
  std::ranges::replace(sizes, from, to);
  std::string bytes;
  std::vector<std::int64_t> position(sizes.size(), 0);
  for (std::int64_t left = ElementsOf(sizes); left > 0; --left) {
    std::size_t offset = 0;
    for (std::size_t axis = 0; axis < sizes.size(); ++axis)
      offset = offset * static_cast<std::size_t>(tensor.sizes()[axis]) +
               static_cast<std::size_t>(position[axis]);
    const auto* const element = reinterpret_cast<const char*>(tensor.bytes().data());
    bytes.append(element + offset * width, width);
    for (std::size_t axis = sizes.size(); axis-- > 0;) {
      if (++position[axis] < sizes[axis]) break;
      position[axis] = 0;
    }
  }
  Result<Tensor> made = Tensor::Make(tensor.dtype(), sizes, Buffer::Own(std::move(bytes)));
  return made.ok() ? std::optional(*std::move(made)) : std::nullopt;
}

// Results without a type get the one that lowering infers for a value of the same name: only where
// the type is known can a result become an input.
void InferTypes(Model& model) {
  if (model.level == Level::kCommon) {
    static_cast<void>(InferModel(model));
    return;
  }
  Result<Model> common = Session().Lower(model, {});
  if (!common.ok() || !InferModel(*common).ok()) return;
  const auto visit_results = [](Model& of, const std::function<void(Value&)>& visit) {
    for (Node& node : of.main().nodes()) {
      for (std::size_t i = 0; i < node.num_results(); ++i) {
        if (node.result(i) != nullptr) visit(*node.result(i));
      }
    }
  };
  std::unordered_map<std::string, Type> types;
  visit_results(*common, [&](Value& value) { types.emplace(value.name(), value.type()); });
  visit_results(model, [&](Value& value) {
    const auto found = types.find(value.name());
    if (!value.type().known() && found != types.end()) value.set_type(found->second);
  });
}

class Reducer {
 public:
  Reducer(Model model, const ReduceOptions& options)
      : model_(std::move(model)), options_(options) {}

  Model Run() {
    bool changed = true;
    while (changed) {
      changed = false;
      InferTypes(model_);
      for (const Reduction& reduction : kReductions) changed = RemoveOf(reduction) || changed;
      changed = ReduceSizes() || changed;
    }
    return std::move(model_);
  }

 private:
  // Keeps the candidate if it shows the fault.
  bool Keep(Model candidate) {
    EraseUnreadConstants(candidate);
    if (!Verify(candidate).ok() || !options_.shows(candidate)) return false;
    model_ = std::move(candidate);
    return true;
  }

  // Takes ever smaller runs of such things away.
  bool RemoveOf(const Reduction& reduction) {
    const std::size_t before = reduction.count(model_);
    bool changed = false;
    for (std::size_t run = before; run > 0; run /= 2) {
      for (std::size_t begin = 0; begin < reduction.count(model_);) {
        const std::size_t count = reduction.count(model_);
        const std::size_t end = std::min(begin + run, count);
        Model candidate = Clone(model_);
        const bool kept = reduction.remove(candidate, begin, end) && Keep(std::move(candidate));
        changed = changed || kept;
        if (!kept || reduction.count(model_) >= count) begin = end;
      }
    }
    if (changed && options_.report) {
      options_.report(fmt::format("{}: {} of {} left; nodes: {}", reduction.name,
                                  reduction.count(model_), before, CountNodes(model_)));
    }
    return changed;
  }

  // Sizes above 1 of inputs and constants, largest first.
  std::vector<std::int64_t> Sizes() {
    std::set<std::int64_t, std::greater<>> sizes;
    for (const auto& input : model_.main().inputs()) {
      const Shape* const shape = input->type().shape();
      for (std::size_t axis = 0; shape != nullptr && axis < shape->size(); ++axis) {
        if ((*shape)[axis].known()) sizes.insert((*shape)[axis].value());
      }
    }
    for (const Value* constant : ConstantsOf(model_)) {
      if (constant->tensor() == nullptr) continue;
      sizes.insert(constant->tensor()->sizes().begin(), constant->tensor()->sizes().end());
    }
    std::erase_if(sizes, [](std::int64_t size) { return size <= 1; });
    return {sizes.begin(), sizes.end()};
  }

  bool ReduceSizes() {
    bool changed = false;
    for (const std::int64_t from : Sizes()) {
      for (std::int64_t to = 1; to < from; to *= 2) {
        if (!TrySize(from, to, false) && !TrySize(from, to, true)) continue;
        changed = true;
        break;
      }
    }
    if (changed && options_.report) options_.report("sizes: smaller");
    return changed;
  }

  // Every axis of size `from` gets size `to`; numbers in integer constants as well, if they are
  // asked for.
  bool TrySize(std::int64_t from, std::int64_t to, bool also_numbers) {
    Model candidate = Clone(model_);
    for (Graph* graph : GraphsOf(candidate)) {
      for (const auto& input : graph->inputs()) Resize(*input, from, to);
      for (Node& node : graph->nodes()) {
        for (std::size_t i = 0; i < node.num_results(); ++i) {
          if (node.result(i) != nullptr) node.result(i)->set_type({});
        }
      }
    }
    for (Value* constant : ConstantsOf(candidate)) {
      if (constant->tensor() == nullptr) continue;
      if (also_numbers) ReplaceNumber(*constant, from, to);
      if (!ShortenConstant(*constant, from, to)) return false;
    }
    InferTypes(candidate);
    return Keep(std::move(candidate));
  }

  static void Resize(Value& input, std::int64_t from, std::int64_t to) {
    const Shape* const shape = input.type().shape();
    if (shape == nullptr) return;
    Shape sizes = *shape;
    for (Dim& dim : sizes) {
      if (dim.known() && dim.value() == from) dim = Dim(to);
    }
    input.set_type(input.type().WithShape(std::move(sizes)));
  }

  static bool ShortenConstant(Value& constant, std::int64_t from, std::int64_t to) {
    const Tensor& tensor = *constant.tensor();
    if (std::ranges::find(tensor.sizes(), from) == tensor.sizes().end()) return true;
    std::optional<Tensor> shorter = Shortened(tensor, from, to);
    if (!shorter) return false;
    constant.set_type(shorter->type());
    constant.set_data(*std::move(shorter));
    return true;
  }

  static void ReplaceNumber(Value& constant, std::int64_t from, std::int64_t to) {
    constexpr std::int64_t kMaxNumbers = 64;  // more of them are data, not sizes
    const Tensor& tensor = *constant.tensor();
    if (tensor.dtype() != DType::kI64 || tensor.size() > kMaxNumbers) return;
    std::vector<std::int64_t> numbers = tensor.ToInts();
    std::ranges::replace(numbers, from, to);
    constant.set_data(Tensor::Ints(numbers).Reshaped(tensor.sizes()));
  }

  Model model_;
  const ReduceOptions& options_;
};

}  // namespace

Model Reduce(Model model, const ReduceOptions& options) {
  return Reducer(std::move(model), options).Run();
}

}  // namespace dragoman
