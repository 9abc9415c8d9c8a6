// SPDX-License-Identifier: Apache-2.0
#include "exporters/pt2/program_builder.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "core/compare/composed_node.h"
#include "core/ir/node_attributes.h"
#include "core/ir/weight_role.h"
#include "core/ops/expansion.h"
#include "core/ops/op_def.h"
#include "core/rewrite/forms/lower_sequences.h"
#include "core/rewrite/forms/resolve_axes.h"
#include "core/rewrite/forms/stack_sequences.h"
#include "core/rewrite/lower_factors.h"
#include "core/rewrite/lower_to_loops.h"
#include "core/rewrite/pass_context.h"
#include "core/rewrite/unroll.h"
#include "exporters/pt2/aten_graph.h"
#include "exporters/pt2/aten_op.h"
#include "exporters/pt2/call_tree.h"
#include "exporters/pt2/ops/recurrent.h"
#include "exporters/pt2/translate_graph.h"

namespace dragoman::pt2 {
namespace {

// Of a recurrence that is written step by step.
constexpr std::int64_t kMostSteps = 16;

// What the Python that torch makes of a program calls by name; none may be the name of a value.
constexpr std::string_view kNamesOfCode[] = {
    "NoneType", "_operator", "device", "fx_pytree", "getattr", "inf",   "math",
    "nan",      "operator",  "pytree", "self",      "slice",   "torch",
};

bool HasEmitter(std::string_view label) { return FindRow(label) != nullptr; }
bool Has(const Node& node) { return HasEmitter(FindOp(node)->Label()); }

bool IsForeign(const Node& node) { return IsRecurrence(node) && !HasTorchRecurrence(node); }
bool Changes(const Node& node) {
  const OpDef* def = FindOp(node);
  return def != nullptr && (!HasEmitter(def->Label()) || IsForeign(node));
}

// Statistics that a BatchNormalization reads are buffers of the module.
bool IsStatistic(const Value& constant) {
  constexpr std::size_t kMean = 3;
  for (const Use* use = constant.first_use(); use != nullptr; use = use->next()) {
    const Node* user = use->user();
    if (user != nullptr && user->Is("BatchNormalization") && use->index() >= kMean) return true;
  }
  return false;
}

WeightKind KindOf(const Value& constant) {
  const bool learns =
      IsFloating(constant.tensor()->dtype()) && Info(constant.tensor()->dtype()).bits >= 16 &&
      constant.tensor()->rank() > 0 && !IsStatistic(constant) && !IsBuffer(constant);
  return learns ? WeightKind::kParameter : WeightKind::kBuffer;
}

class ProgramBuilder {
 public:
  ProgramBuilder(const Model& model, Entry& entry)
      : model_(model), entry_(entry), graph_(scope_, nullptr) {
    for (std::string_view name : kNamesOfCode) scope_.names.Reserve(name);
  }

  Result<Program> Build() {
    DRAGOMAN_TRY(Prepare());
    scope_.parameter = [this](const Value& constant) {
      return weights_.Add(KindOf(constant), constant.name(), *constant.tensor(), scope_.names).term;
    };
    scope_.lifted = [this](const dragoman::Tensor& tensor) {
      return weights_.Add(WeightKind::kConstant, "lifted_tensor", tensor, scope_.names).term;
    };
    scope_.made = [this](const std::string& name, const dragoman::Tensor& tensor) {
      return weights_.Add(WeightKind::kParameter, name, tensor, scope_.names).term;
    };
    GraphTranslator translator(scope_, inference_);
    DRAGOMAN_TRY(AddInputs(translator));
    const Terms outputs = translator.Translate(*entry_.graph, graph_);
    for (const ComposedNode& composed : changed_) graph_.Remark(composed, 0);
    if (!translator.findings().empty()) return Error(std::vector<Finding>(translator.findings()));
    return Finish(outputs);
  }

 private:
  Status Prepare() {
    PreparedOperators prepared(*entry_.graph, Changes);
    DRAGOMAN_TRY(ResolveAxes(*entry_.graph));
    ExpandOperators(*entry_.graph, Has);
    std::vector<ListOutput> lists;
    DRAGOMAN_TRY(LowerSequences(*entry_.graph, entry_.states.empty() ? &lists : nullptr));
    if (!lists.empty()) entry_.results.clear();  // their leaves are other outputs now
    DRAGOMAN_TRY(StackSequences(*entry_.graph));
    DRAGOMAN_TRY(LowerFactors(*entry_.graph, HasEmitter));
    DRAGOMAN_TRY(LowerRecurrences());
    ExpandOperators(*entry_.graph, Has);  // of cells
    changed_ = prepared.Take();
    return inference_.InferGraph(*entry_.graph);
  }

  // Recurrences that torch has no operator for: short ones step by step, others as loops.
  Status LowerRecurrences() {
    std::vector<Node*> foreign;
    ForEachGraph(*entry_.graph, [&](Graph& graph) {
      for (Node& node : graph.nodes()) {
        if (IsForeign(node)) foreign.push_back(&node);
      }
    });
    if (foreign.empty()) return {};
    DRAGOMAN_ASSIGN(PassContext context, PassContext::Make(*entry_.graph, {}));
    for (Node* node : foreign) {
      const Shape* shape = node->operand(0)->type().shape();
      const bool is_batch_first = IntAttribute(*node, "layout", 0) != 0;
      const Dim steps = shape != nullptr && shape->size() == 3 ? (*shape)[is_batch_first ? 1 : 0]
                                                               : Dim::Unknown();
      const bool is_short = steps.known() && steps.value() > 0 && steps.value() <= kMostSteps;
      DRAGOMAN_TRY(is_short ? UnrollSequence(*node, context) : LowerSequence(*node, context));
    }
    return {};
  }

  bool IsStateInput(std::size_t i) const {
    return std::ranges::any_of(entry_.states, [&](const auto& s) { return s.input == i; });
  }
  bool IsStateOutput(std::size_t i) const {
    return std::ranges::any_of(entry_.states, [&](const auto& s) { return s.output == i; });
  }

  Status AddInputs(GraphTranslator& translator) {
    Graph& graph = *entry_.graph;
    for (const StateBinding& binding : entry_.states) {
      const State& state = model_.states[binding.state];
      if (state.initial.tensor() == nullptr)
        return Unsupported("PyTorch has no buffer of type " + state.type.ToString())
            .At("state '" + state.name + "'");
      const Weight& weight =
          weights_.Add(WeightKind::kBuffer, state.name, *state.initial.tensor(), scope_.names);
      states_.push_back(weight.path);
      graph_.Bind(graph.input(binding.input), graph_.Import(weight.term));
    }
    inputs_.resize(graph.num_inputs());
    for (std::size_t i = 0; i < graph.num_inputs(); ++i) {
      const Value& input = *graph.input(i);
      if (IsStateInput(i) || !translator.CheckInput(input)) continue;
      inputs_[i] =
          graph_.AddInput(input.name(), {input.type().dtype(), *input.type().shape()}, true);
      graph_.Bind(&input, inputs_[i]);
    }
    return {};
  }

  // Results have the names that the source gave them, where they are new tensors.
  void NameOutputs(const std::vector<std::size_t>& flat_outputs, Terms& outputs) {
    for (std::size_t i : flat_outputs) {
      const std::string name = scope_.names.Unique(Identifier(entry_.graph->output(i)->name()));
      const std::string old = outputs[i].name;
      if (!graph_.Rename(old, name)) continue;
      for (Term& output : outputs) {
        if (output.name == old) output.name = name;
      }
    }
  }

  // What the program gives, and its specifications: first states that change.
  Terms Given(const Terms& outputs, const std::vector<std::size_t>& flat_outputs, Json& specs) {
    Terms given;
    for (std::size_t i = 0; i < entry_.states.size(); ++i) {
      const Term& next = outputs.at(entry_.states[i].output);
      specs.push_back(
          {{"buffer_mutation", {{"arg", {{"name", next.name}}}, {"buffer_name", states_[i]}}}});
      given.push_back(next);
    }
    for (std::size_t i : flat_outputs) {
      specs.push_back({{"user_output", {{"arg", ArgumentValue(outputs.at(i)).json}}}});
      given.push_back(outputs.at(i));
    }
    return given;
  }

  // What the program takes, and its specifications: first weights that are read.
  Terms Taken(const std::vector<Weight>& weights, const std::vector<std::size_t>& flat_inputs,
              Json& specs) {
    Terms taken;
    for (const Weight& weight : weights) {
      specs.push_back(InputSpecOf(weight));
      taken.push_back(weight.term);
    }
    for (std::size_t i : flat_inputs) {
      specs.push_back({{"user_input", {{"arg", ArgumentValue(inputs_.at(i)).json}}}});
      taken.push_back(inputs_.at(i));
    }
    return taken;
  }

  std::vector<Weight> WeightsRead() const {
    std::vector<Weight> read;
    for (WeightKind kind : {WeightKind::kParameter, WeightKind::kBuffer, WeightKind::kConstant}) {
      std::ranges::copy_if(weights_.all(), std::back_inserter(read), [&](const Weight& weight) {
        return weight.kind == kind && IsRead(weight);
      });
    }
    return read;
  }

  Result<Program> Finish(Terms outputs) {
    Program program;
    DRAGOMAN_ASSIGN(Json call, CallSignature(
                                   entry_, [this](std::size_t i) { return !IsStateInput(i); },
                                   [this](std::size_t i) { return !IsStateOutput(i); },
                                   program.inputs, program.outputs));
    NameOutputs(program.outputs, outputs);
    Json output_specs = Json::array();
    const Terms given = Given(outputs, program.outputs, output_specs);
    Json body = graph_.Body(given);
    DRAGOMAN_ASSIGN(const std::string body_text, JsonText(body));
    Json ranges = scope_.symbols.RangeConstraints(body_text);
    program.weights = WeightsRead();
    for (const Weight& weight : program.weights)
      body["tensor_values"][weight.term.name]["requires_grad"] =
          weight.kind == WeightKind::kParameter;
    Json input_specs = Json::array();
    const Terms taken = Taken(program.weights, program.inputs, input_specs);
    body["inputs"] = Json::array();
    body["outputs"] = Json::array();
    for (const Term& term : taken) body["inputs"].push_back(ArgumentValue(term).json);
    for (const Term& term : given) body["outputs"].push_back(ArgumentValue(term).json);
    program.json = {
        {"graph_module",
         {{"graph", std::move(body)},
          {"signature",
           {{"input_specs", std::move(input_specs)}, {"output_specs", std::move(output_specs)}}},
          {"module_call_graph", Json::array({Json{{"fqn", ""}, {"signature", std::move(call)}}})},
          {"metadata", Json::object()},
          {"treespec_namedtuple_fields", Json::object()}}},
        {"range_constraints", std::move(ranges)},
        {"guards_code", Json::array()}};
    return program;
  }

  bool IsRead(const Weight& weight) const {
    return graph_.Reads(weight.term.name) || std::ranges::count(states_, weight.path) > 0;
  }

  const Model& model_;
  Entry& entry_;
  ProgramScope scope_;
  Weights weights_;
  AtenGraph graph_;
  Inference inference_;
  std::vector<ComposedNode> changed_;  // operators that became others
  Terms inputs_;                       // by input of the entry; none for those of states
  std::vector<std::string> states_;    // paths of their buffers, by binding
};

}  // namespace

Result<Program> BuildProgram(const Model& model, Entry& entry) {
  return ProgramBuilder(model, entry).Build();
}

}  // namespace dragoman::pt2
