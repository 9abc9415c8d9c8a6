// SPDX-License-Identifier: Apache-2.0
#include "importers/tensorflow/lower/evaluator.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/ir/producer.h"
#include "core/support/findings.h"
#include "core/support/size_budget.h"
#include "importers/tensorflow/graph/called_nodes.h"
#include "importers/tensorflow/graph/calls.h"
#include "importers/tensorflow/graph/entries.h"
#include "importers/tensorflow/graph/graph_names.h"
#include "importers/tensorflow/graph/op_schema.h"
#include "importers/tensorflow/ops/call.h"
#include "importers/tensorflow/ops/op_table.h"

namespace dragoman::tf {
namespace {

// Operators that give their operands again, whatever these are.
bool PassesOperands(std::string_view type) {
  static constexpr std::string_view kTypes[] = {
      "Enter",         "Exit",     "Identity",       "IdentityN",   "LoopCond",
      "NextIteration", "RefEnter", "RefExit",        "RefIdentity", "RefNextIteration",
      "StopGradient",  "Snapshot", "PreventGradient"};
  return std::find(std::begin(kTypes), std::end(kTypes), type) != std::end(kTypes);
}

// Of a number that hangs on an array of version 1 or 2, and so is its flow: the array's handle.
const Value* ArrayOfFlow(const Node& constant) {
  const Attribute* value = constant.attribute("value");
  const Tensor* number = value != nullptr ? value->tensor() : nullptr;
  if (number == nullptr || number->dtype() != DType::kF32 || !number->sizes().empty())
    return nullptr;
  for (const Use& use : constant.operands()) {
    const Node* array = use.value() != nullptr ? use.value()->producer() : nullptr;
    if (array == nullptr) continue;
    const std::string& type = array->op().type;
    if (type == "TensorArray" || type == "TensorArrayV2") return array->result(0);
  }
  return nullptr;
}

bool IsPoisoned(const Abstract& value) {
  if (value.Is<Poison>()) return true;
  const auto* list = value.As<ListRef>();
  if (list == nullptr) return false;
  const auto& items = std::get<ListContents>(list->cell->contents).items;
  return std::any_of(items.begin(), items.end(),
                     [](const Abstract& item) { return item.Is<Poison>(); });
}

// Whether something that can be run reads `value`: an operator, or a function of the file.
bool IsReadWhereSupported(const Value& value, std::span<const std::string_view> supported) {
  for (const Use* use = value.first_use(); use != nullptr; use = use->next()) {
    if (use->user() == nullptr) return true;
    const std::string_view type = use->user()->op().type;
    if (FindOpSchema(type) == nullptr || std::ranges::binary_search(supported, type)) return true;
  }
  return false;
}

// The tensors of `node` after which a part can begin, as --cut-inputs takes them.
std::string TensorsRead(const Node& node, const std::string& path) {
  const std::vector<std::string_view> supported = SupportedOperators();
  std::string names;
  for (std::size_t i = 0; i < NumDataResults(node); ++i) {
    const Value* value = node.result(i);
    if (value == nullptr || !tf_reader::StatedType(node, i).is_tensor()) continue;
    if (!IsReadWhereSupported(*value, supported)) continue;
    names += (names.empty() ? "" : ",") + path + node.name();
    if (i > 0) names += ":" + std::to_string(i);
  }
  return names;
}

// The tensors that `node` reads, as --cut-outputs takes them.
std::string TensorsReadBy(const Node& node) {
  std::string names;
  for (std::size_t i = 0; i < NumDataOperands(node); ++i) {
    const Value* value = node.operand(i);
    if (value == nullptr || value->producer() == nullptr) continue;
    const Node& producer = *value->producer();
    if (producer.op().type == "Const") continue;
    names += (names.empty() ? "" : ",") + producer.name();
    if (value->index() > 0) names += ":" + std::to_string(value->index());
  }
  return names;
}

// `path`: the calls around the node; nullopt: a condition or loop is one of them.
Error NotSupported(const Node& node, const std::optional<std::string>& path) {
  const std::string& type = node.op().type;
  std::string message = "operator " + type;
  if (FindOpSchema(type) == nullptr) message += " is none of TensorFlow's and";
  message += FindOpSchema(type) == nullptr ? " not supported" : " is not supported";
  const bool in_main_graph = path && path->empty();
  const std::string names =
      path ? TensorsRead(node, in_main_graph ? "" : *path + "/") : std::string();
  if (!names.empty()) message += "; --cut-inputs " + names + " begins after it";
  const std::string read =
      in_main_graph && !AnyResultUsed(node) ? TensorsReadBy(node) : std::string();
  if (!read.empty()) message += "; --cut-outputs " + read + " ends before it";
  return Unsupported(std::move(message));
}

// Errors: more or fewer operands than the operator has.
Status CheckOperandCount(const Node& node) {
  const OpSchema* schema = FindOpSchema(node.op().type);
  if (schema == nullptr) return {};
  std::size_t expected = 0;
  for (const ArgSchema& arg : schema->inputs) {
    const std::optional<std::size_t> count = CountOf(node, arg);
    if (!count) return {};
    expected += *count;
  }
  const std::size_t found = NumDataOperands(node);
  if (found == expected) return {};
  return InvalidInput(fmt::format("there are {} operands, expected {}", found, expected));
}

}  // namespace

Evaluator::Evaluator(const Model& source, const Variables& variables, const Tables& tables,
                     Heap& heap, Graph& graph, Inference& inference)
    : source_(source),
      variables_(variables),
      tables_(tables),
      heap_(heap),
      entry_(heap, graph, inference) {
  for (const Function& function : source.functions) {
    if (function.op->domain.empty()) library_.emplace(function.op->type, &function);
  }
}

std::vector<Abstract> Evaluator::RunMain(std::span<const std::string> feeds,
                                         std::span<const Abstract> values,
                                         std::span<const std::string> fetches) {
  const Function* main = MainGraph(source_);
  Results results(fetches.size(), Poison());
  const auto fail = [&](std::string place, const Error& error) {
    for (Finding finding : error.findings()) {
      if (finding.place.empty()) finding.place = place;
      entry_.findings.push_back(std::move(finding));
    }
    return results;
  };
  if (main == nullptr) return fail("", InvalidInput("the model has no main graph"));
  const Graph& graph = *main->graph;
  std::unordered_map<std::string_view, const Node*> nodes;
  for (const Node& node : graph.nodes()) nodes.emplace(node.name(), &node);
  const auto find = [&](const std::string& text) -> const Value* {
    const TensorName name = ParseTensorName(text);
    const auto node = nodes.find(name.node);
    if (node == nodes.end() || name.index >= NumDataResults(*node->second)) return nullptr;
    return node->second->result(name.index);
  };
  Scope scope;
  std::unordered_set<const Value*> fed;
  for (std::size_t i = 0; i < feeds.size(); ++i) {
    const Value* value = find(feeds[i]);
    if (value == nullptr && feeds[i].find('/') != std::string::npos) {
      fed_in_calls_.push_back({feeds[i], values[i]});
      continue;
    }
    if (value == nullptr) return fail("", InvalidInput("there is no tensor '" + feeds[i] + "'"));
    scope.values[value] = values[i];
    fed.insert(value);
    // What waits for a fed placeholder does not run it; any other fed node is still run for that.
    const Node& node = *value->producer();
    if (IsPlaceholder(node)) fed.insert(node.result(node.num_results() - 1));
  }
  const Calls calls(source_);
  std::vector<const Value*> wanted;
  for (const std::string& fetch : fetches) {
    wanted.push_back(find(fetch));
    if (wanted.back() != nullptr) continue;
    const TensorName name = ParseTensorName(fetch);
    fetched_in_calls_.push_back({FindNode(calls, graph, name.node), name.index, std::nullopt});
    wanted.back() = WantedIn(fetched_in_calls_.back(), graph, scope);
    if (wanted.back() == nullptr)
      return fail("", InvalidInput("there is no tensor '" + fetch + "'"));
  }
  if (!fed_in_calls_.empty() || !fetched_in_calls_.empty()) {
    needed_ = NeededTensors(calls, graph, feeds, fetches);
    LeaveOut(graph, scope, fed);
  }
  const Result<Region> region = BuildRegions(graph, wanted, fed);
  if (!region.ok()) return fail("", region.error());
  if (RunRegion(*region, scope) == Flow::kRaised) {
    return fail("", Unsupported("it always fails for these inputs: " + entry_.raised));
  }
  for (const FedInCall& feed : fed_in_calls_) {
    if (!feed.used && entry_.findings.empty())
      return fail("", InvalidInput("there is no tensor '" + feed.tensor + "'"));
  }
  auto in_call = fetched_in_calls_.begin();
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const bool is_in_call = find(fetches[i]) == nullptr;
    const bool found = is_in_call ? in_call->value.has_value() : scope.values.contains(wanted[i]);
    if (!found && entry_.findings.empty())
      return fail("tensor '" + fetches[i] + "'",
                  Unsupported("it is computed under a condition only"));
    if (found) results[i] = is_in_call ? *in_call->value : Get(wanted[i], scope);
    if (is_in_call) ++in_call;
  }
  return results;
}

const Abstract& Evaluator::Get(const Value* value, const Scope& scope) const {
  static const Abstract kNothing = Poison();
  const auto found = scope.values.find(value);
  return found != scope.values.end() ? found->second : kNothing;
}

Abstract Evaluator::Passed(const Node& node, std::size_t i, const Scope& scope) {
  const Abstract& given = Get(node.operand(i), scope);
  if (!variables_.IsVariable(given) || node.op().type.starts_with("Ref")) return given;
  const Attribute* type = ResolveAttribute(node, "T", scope.bound);
  if (type == nullptr || !AsDType(*type)) return given;
  const auto& variable = *given.As<TensorRef>();
  if (IsForgotten(std::get<StorageContents>(variable.storage->contents))) {
    Report(node, InvalidInput("variable '" + variable.storage->path + "' is not initialised"),
           scope);
    return Poison();
  }
  const Result<Value*> value = heap_.Read(builder(), variable);
  if (value.ok()) return heap_.NewTensor(*value);
  Report(node, value.error(), scope);
  return Poison();
}

std::vector<Abstract> Evaluator::Operands(const Node& node, const Scope& scope) const {
  std::vector<Abstract> operands;
  for (std::size_t i = 0; i < NumDataOperands(node); ++i)
    operands.push_back(Get(node.operand(i), scope));
  return operands;
}

void Evaluator::SetResults(const Node& node, Scope& scope, Results results) {
  for (std::size_t i = 0; i < NumDataResults(node); ++i) {
    if (node.result(i) == nullptr) continue;
    scope.values[node.result(i)] = i < results.size() ? std::move(results[i]) : Abstract(Poison());
  }
}

void Evaluator::Report(const Node& node, const Error& error, const Scope& scope) {
  for (Finding finding : error.findings()) {
    if (finding.place.empty()) finding.place = node.Describe();
    if (!scope.path.empty()) finding.place += " in " + scope.path;
    AddOnce(entry_.findings, std::move(finding));
  }
}

OriginPtr Evaluator::OriginOf(const Node& node, const Scope& scope) {
  OriginPtr& known = origins_[&node];
  if (known != nullptr && known->leaf() != nullptr && known->leaf()->scope == scope.path)
    return known;
  SourceOp op;
  op.op = node.op().ToString();
  op.name = node.name();
  op.scope = scope.path;
  op.attributes = node.attributes();
  known = Origin::Leaf(std::move(op));
  return known;
}

Flow Evaluator::RunRegion(const Region& region, Scope& scope) {
  if (exhausted_) return Flow::kNext;
  if (const Status status = TakeSteps(region.steps.size() + 1); !status.ok()) {
    exhausted_ = true;
    entry_.findings.push_back(status.error().findings().front());
    return Flow::kNext;
  }
  for (const Step& step : region.steps) {
    Flow flow = Flow::kNext;
    if (const auto* cond = std::get_if<std::shared_ptr<const CondStep>>(&step)) {
      flow = RunCond(**cond, scope);
    } else if (const auto* loop = std::get_if<std::shared_ptr<const LoopStep>>(&step)) {
      flow = RunFrame(**loop, scope);
    } else {
      const auto& plain = std::get<NodeStep>(step);
      if (plain.passes >= 0) {
        const Abstract value = Passed(*plain.node, static_cast<std::size_t>(plain.passes), scope);
        // Any result of a Switch; of a Merge, the place of what arrived too.
        Results results(std::max<std::size_t>(2, NumDataResults(*plain.node)), value);
        if (PlainType(*plain.node) == "Merge")
          results[1] = heap_.NewTensor(builder().Constant(
              Tensor::Of<std::int32_t>({}, std::vector<std::int32_t>{plain.passes})));
        SetResults(*plain.node, scope, std::move(results));
      } else {
        flow = RunNode(*plain.node, scope);
      }
    }
    if (flow == Flow::kRaised) return flow;
  }
  return Flow::kNext;
}

Flow Evaluator::RunNode(const Node& node, Scope& scope) {
  struct Row {
    std::string_view type;
    Flow (Evaluator::*run)(const Node&, Scope&);
  };
  static constexpr Row kControl[] = {
      {"Case", &Evaluator::RunCase},
      {"If", &Evaluator::RunIf},
      {"StatelessCase", &Evaluator::RunCase},
      {"StatelessIf", &Evaluator::RunIf},
      {"StatelessWhile", &Evaluator::RunWhile},
      {"While", &Evaluator::RunWhile},
  };
  const std::string& type = node.op().type;
  GraphBuilder& present = builder();
  const OriginPtr outer = present.origin();
  present.set_origin(OriginOf(node, scope));
  Flow flow = Flow::kNext;
  const auto* row = std::find_if(std::begin(kControl), std::end(kControl),
                                 [&](const Row& r) { return r.type == type; });
  const bool is_function = library_.contains(type);
  const Status counted = is_function ? Status() : CheckOperandCount(node);
  if (!counted.ok()) {
    Report(node, counted.error(), scope);
    SetResults(node, scope, {});
  } else if (IsPartitionedCall(type) || is_function) {
    flow = RunPartitionedCall(node, scope);
  } else if (row != std::end(kControl)) {
    flow = (this->*row->run)(node, scope);
  } else {
    RunOperator(node, scope);
  }
  present.set_origin(outer);
  return flow;
}

void Evaluator::RunOperator(const Node& node, Scope& scope) {
  if (PassesOperands(node.op().type)) {
    Results passed;
    for (std::size_t i = 0; i < NumDataOperands(node); ++i)
      passed.push_back(Passed(node, i, scope));
    SetResults(node, scope, std::move(passed));
    return;
  }
  // Any result; sides that are not taken do not read their own.
  if (PlainType(node) == "Switch") {
    SetResults(node, scope, Results(NumDataResults(node), Passed(node, 0, scope)));
    return;
  }
  const std::vector<Abstract> operands = Operands(node, scope);
  const bool poisoned = std::any_of(operands.begin(), operands.end(), IsPoisoned);
  if (poisoned && FindOpRow(node.op().type) != nullptr) {
    SetResults(node, scope, {});
    return;
  }
  Result<Results> results = Lower(node, operands, scope);
  if (!results.ok()) {
    Report(node, results.error(), scope);
    SetResults(node, scope, {});
    return;
  }
  SetResults(node, scope, std::move(*results));
}

Result<Abstract> Evaluator::LowerConst(const Node& node, Scope& scope) {
  const auto known = constants_.find(&node);
  if (known != constants_.end()) return known->second;
  const Attribute* value = ResolveAttribute(node, "value", scope.bound);
  const Tensor* tensor = value != nullptr ? value->tensor() : nullptr;
  if (tensor == nullptr) return Unsupported("a constant without elements of a known type");
  const Attribute* declared = ResolveAttribute(node, "dtype", scope.bound);
  if (declared != nullptr && AsDType(*declared).value_or(tensor->dtype()) != tensor->dtype())
    return InvalidInput("its elements are not of attribute dtype");
  const CellPtr cell = heap_.NewCell(StorageContents{nullptr, *tensor});
  cell->path = node.name();
  Abstract made = TensorRef{cell, nullptr};
  const Attribute* own = node.attribute("value");
  if (own != nullptr && own->tensor() != nullptr) constants_.emplace(&node, made);
  return made;
}

Result<std::vector<Abstract>> Evaluator::Lower(const Node& node, std::span<const Abstract> operands,
                                               Scope& scope) {
  const std::string& type = node.op().type;
  if (type == "Const") {
    if (const Value* array = ArrayOfFlow(node)) {
      const auto* handle = Get(array, scope).As<Tuple>();
      return Results{handle != nullptr ? handle->items->front() : Abstract(Poison())};
    }
    DRAGOMAN_ASSIGN(Abstract value, LowerConst(node, scope));
    return Results{std::move(value)};
  }
  if (IsVariable(node)) {
    DRAGOMAN_ASSIGN(Abstract variable, variables_.Of(node));
    return Results{std::move(variable)};
  }
  if (IsTable(node)) return Results{tables_.Of(node)};
  if (IsPlaceholder(node)) {
    if (!tf_reader::HoldsElements(tf_reader::StatedType(node, 0)))
      return Unsupported("it stands for a table or another resource that only the caller has");
    return InvalidInput("the placeholder is needed, but is not an input of the entry");
  }
  const OpRow* row = FindOpRow(type);
  if (row == nullptr) {
    return NotSupported(node, scope.in_calls ? std::optional(scope.path) : std::nullopt);
  }
  Call call(heap_, builder(), node, scope.bound, operands, row->target);
  call.CheckTypes();
  DRAGOMAN_TRY(call.status());
  return row->lower(call);
}

Flow Evaluator::RunPartitionedCall(const Node& node, Scope& scope) {
  std::optional<FuncRef> callee;
  if (library_.contains(node.op().type)) {
    callee = FuncRef{node.op().type, &node.attributes()};
  } else {
    callee = FunctionAttribute(node, "f", scope);
  }
  Results results;
  Flow flow = Flow::kNext;
  if (!callee) {
    Report(node, InvalidInput("attribute f names no function"), scope);
  } else {
    flow = CallFunction(node, *callee, Operands(node, scope), scope, results);
  }
  SetResults(node, scope, std::move(results));
  return flow;
}

Result<std::shared_ptr<const Region>> Evaluator::RegionOf(
    const Graph& graph, const std::unordered_set<const Value*>& fed, const Scope& scope) {
  std::vector<const Value*> wanted;
  for (const FetchedInCall& fetch : fetched_in_calls_) {
    if (const Value* value = WantedIn(fetch, graph, scope)) wanted.push_back(value);
  }
  std::shared_ptr<const Region> none;
  std::shared_ptr<const Region>& region = fed.empty() && wanted.empty() ? regions_[&graph] : none;
  if (region != nullptr) return region;
  // Of a call whose results nobody needs, effects are left out, too.
  const auto result = needed_.lower_bound(scope.path + ":");
  if (wanted.empty() || (result != needed_.end() && result->starts_with(scope.path + ":"))) {
    for (const Use& use : graph.outputs()) wanted.push_back(use.value());
  }
  DRAGOMAN_ASSIGN(Region made, BuildRegions(graph, wanted, fed));
  region = std::make_shared<const Region>(std::move(made));
  return region;
}

std::unordered_set<const Value*> Evaluator::FeedCall(const Graph& body, Scope& scope) {
  std::unordered_set<const Value*> fed;
  bool is_opened = std::any_of(
      fetched_in_calls_.begin(), fetched_in_calls_.end(),
      [&](const FetchedInCall& fetch) { return WantedIn(fetch, body, scope) != nullptr; });
  for (FedInCall& feed : fed_in_calls_) {
    if (!scope.in_calls || !feed.tensor.starts_with(scope.path + "/")) continue;
    is_opened = true;
    const TensorName tensor = ParseTensorName(feed.tensor.substr(scope.path.size() + 1));
    for (const Node& node : body.nodes()) {
      if (node.name() != tensor.node || tensor.index >= NumDataResults(node)) continue;
      scope.values[node.result(tensor.index)] = feed.value;
      fed.insert(node.result(tensor.index));
      feed.used = true;
    }
  }
  if (is_opened) LeaveOut(body, scope, fed);
  return fed;
}

const Value* Evaluator::WantedIn(const FetchedInCall& fetch, const Graph& graph,
                                 const Scope& scope) {
  if (!scope.in_calls) return nullptr;
  std::string path;
  for (const Node* node : fetch.path) {
    if (node->graph() == &graph && path == scope.path) {
      if (node == fetch.path.back())
        return fetch.index < NumDataResults(*node) ? node->result(fetch.index) : nullptr;
      for (std::size_t i = 0; i < node->num_results(); ++i) {
        if (node->result(i) != nullptr) return node->result(i);
      }
    }
    path += (path.empty() ? "" : "/") + node->name();
  }
  return nullptr;
}

void Evaluator::LeaveOut(const Graph& graph, Scope& scope, std::unordered_set<const Value*>& fed) {
  const std::string path = scope.path.empty() ? "" : scope.path + "/";
  std::unordered_set<const Node*> wanted;
  for (const FetchedInCall& fetch : fetched_in_calls_) {
    if (const Value* value = WantedIn(fetch, graph, scope)) wanted.insert(value->producer());
  }
  for (const Node& node : graph.nodes()) {
    if (wanted.contains(&node)) continue;
    for (std::size_t i = 0; i < NumDataResults(node); ++i) {
      const Value* value = node.result(i);
      if (value == nullptr || needed_.contains(FullTensorName(path + node.name(), i))) continue;
      scope.values[value] = Poison();
      fed.insert(value);
    }
  }
}

Flow Evaluator::CallFunction(const Node& node, const FuncRef& callee,
                             std::vector<Abstract> arguments, const Scope& scope,
                             Results& results) {
  const auto found = library_.find(callee.name);
  if (found == library_.end()) {
    Report(node, InvalidInput("function '" + callee.name + "' is not in the file"), scope);
    return Flow::kNext;
  }
  const Function& function = *found->second;
  if (std::find(calls_.begin(), calls_.end(), &function) != calls_.end()) {
    Report(node, Unsupported("function '" + callee.name + "' calls itself"), scope);
    return Flow::kNext;
  }
  if (calls_.size() >= kMaxCallDepth) {
    Report(node, Unsupported("calls nest too deep"), scope);
    return Flow::kNext;
  }
  const Graph& graph = *function.graph;
  if (arguments.size() != graph.num_inputs()) {
    Report(node,
           InvalidInput(fmt::format("function '{}' takes {} arguments, not {}", callee.name,
                                    graph.num_inputs(), arguments.size())),
           scope);
    return Flow::kNext;
  }
  Scope inner;
  inner.path = scope.path.empty() ? node.name() : scope.path + "/" + node.name();
  inner.in_calls =
      scope.in_calls && (IsPartitionedCall(node.op().type) || &node.op() == function.op);
  const Result<std::shared_ptr<const Region>> running =
      RegionOf(graph, FeedCall(graph, inner), inner);
  if (!running.ok()) {
    Report(node, running.error(), scope);
    return Flow::kNext;
  }
  if (callee.attributes != nullptr) {
    for (const NamedAttribute& attribute : *callee.attributes) {
      const auto* reference = attribute.value.As<AttributeRef>();
      if (reference == nullptr) {
        inner.bound.push_back(attribute);
        continue;
      }
      for (const NamedAttribute& outer : scope.bound) {
        if (outer.name == reference->name) inner.bound.emplace_back(attribute.name, outer.value);
      }
    }
  }
  for (std::size_t i = 0; i < arguments.size(); ++i)
    inner.values[graph.input(i)] = std::move(arguments[i]);
  calls_.push_back(&function);
  const Flow flow = RunRegion(**running, inner);
  calls_.pop_back();
  if (flow == Flow::kRaised) return flow;
  for (FetchedInCall& fetch : fetched_in_calls_) {
    const Value* value = WantedIn(fetch, graph, inner);
    if (value != nullptr && value->producer() == fetch.path.back() && inner.values.contains(value))
      fetch.value = Get(value, inner);
  }
  for (std::size_t i = 0; i < NumDataOutputs(graph); ++i)
    results.push_back(Get(graph.output(i), inner));
  return flow;
}

}  // namespace dragoman::tf
