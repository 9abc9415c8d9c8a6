// SPDX-License-Identifier: Apache-2.0
#include "exporters/onnx/export_onnx.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/ir/domain.h"
#include "core/ir/for_each_value.h"
#include "core/ir/print.h"
#include "core/ops/expansion.h"
#include "core/ops/op_def.h"
#include "core/rewrite/drop_effects.h"
#include "core/rewrite/lower_factors.h"
#include "core/support/text.h"
#include "exporters/onnx/complete_results.h"
#include "exporters/onnx/extension_text.h"
#include "exporters/onnx/guard_empty_sequences.h"
#include "exporters/onnx/inline_groups.h"
#include "exporters/onnx/lower_doubles.h"
#include "exporters/onnx/lower_opset.h"
#include "exporters/onnx/outline_fused.h"
#include "exporters/onnx/outline_sequences.h"
#include "exporters/onnx/respell.h"
#include "exporters/onnx/restore_maps.h"
#include "exporters/onnx/scalar_conditions.h"
#include "exporters/onnx/spell_doubles.h"
#include "exporters/onnx/transpose_weight.h"
#include "exporters/onnx/widen_elements.h"
#include "exporters/onnx/write_model.h"
#include "proto/onnx/extra.h"

namespace dragoman {
namespace {

// Effects go, each with a warning.
Status OmitEffects(Graph& graph, const ExportOptions& options) {
  for (const std::string& node : DropEffects(graph)) {
    if (options.strict)
      return Unsupported("ONNX has no such effect, and --strict forbids omitting it").At(node);
    if (options.warn) options.warn(node + " is omitted: ONNX has no such effect");
  }
  return {};
}

// Whether nodes of `op` are written as calls of a function of the file.
bool IsOutlined(const OpName& op) {
  return op.dialect == "dragoman" && (op.type == "Fused" || op.type == "LSTM");
}

// Whether `node` is of ai.onnx at `opset`, or our way of writing a function.
bool BelongsToOnnx(const Node& node, const OpDef* def, std::int64_t opset) {
  if (IsOutlined(node.op())) return true;
  if (node.op().dialect != "onnx") return false;
  const OpVersions* versions = FindOpVersions(node);
  return def == nullptr || !def->expand || versions == nullptr || versions->first <= opset;
}

// Our operators, and those that ONNX has in a later opset only, become others. One of ours that is
// not made of others, or not this node, stays as it is if that is allowed: only Dragoman runs the
// file then.
Status ExpandOperators(Graph& graph, std::int64_t opset, const ExportOptions& options,
                       std::vector<Finding>& findings) {
  for (Node& node : graph.nodes()) {
    for (Graph* body : node.subgraphs())
      DRAGOMAN_TRY(ExpandOperators(*body, opset, options, findings));
    const OpDef* def = FindOp(node);
    if (BelongsToOnnx(node, def, opset)) continue;
    std::string refusal =
        "ONNX has no such operator, and it has no expansion into operators of ONNX";
    if (def != nullptr && def->expand) {
      Value* const weight = node.IsDragoman("Linear") ? node.operand(1) : nullptr;
      const Status expanded = ReplaceByExpansion(node);
      if (expanded.ok()) TransposeWeight(weight);
      if (expanded.ok()) continue;
      refusal = expanded.error().findings().front().message;
    }
    const bool ours = def != nullptr && node.op().dialect == "dragoman";
    if (ours && (WriteAsExtension(node) || options.own_domain)) continue;
    if (ours) refusal += "; with --allow-domain dragoman it is written for Dragoman alone";
    findings.push_back({ErrorKind::kUnsupported, {}, node.Describe(), std::move(refusal)});
  }
  return {};
}

// The checker of onnx takes an attribute without elements for one without a value: axes and
// directions of a Scan that has nothing to scan, or no list of results.
void DropEmptyLists(Graph& entry) {
  ForEachGraph(entry, [](Graph& graph) {
    for (Node& node : graph.nodes()) {
      if (!node.Is("Scan")) continue;
      std::erase_if(node.attributes(), [](const NamedAttribute& attribute) {
        const auto* ints = attribute.value.As<Attribute::Ints>();
        return ints != nullptr && ints->empty();
      });
    }
  });
}

// Where a Loop has no condition, ONNX disregards what an iteration says of the next one, and its
// reference evaluator runs none. In the common dialect that is a condition that holds at first.
void SpellOmittedConditions(Graph& entry) {
  const bool holds = true;
  ForEachGraph(entry, [&](Graph& graph) {
    for (Node& node : graph.nodes()) {
      if (!node.Is("Loop")) continue;
      while (node.num_operands() < 2) node.AddOperand(nullptr);
      if (node.operand(1) == nullptr)
        node.set_operand(1,
                         graph.AddConstant("starts", Tensor::Of<bool>({}, std::span(&holds, 1))));
    }
  });
}

// ONNX wants every graph to have a name.
void NameGraphs(Model& model) {
  ForEachGraph(model, [](Graph& graph) {
    if (graph.parent() == nullptr && graph.name().empty()) graph.set_name("main");
    for (Node& node : graph.nodes()) {
      for (const NamedAttribute& attribute : node.attributes()) {
        Graph* body = attribute.value.graph();
        if (body != nullptr && body->name().empty()) body->set_name(attribute.name);
      }
    }
  });
}

// What the body of a Loop or Scan is given: some runtimes overwrite it from iteration to iteration,
// others take one that is given back as it is for a further input.
bool IsGivenToIterations(const Value& value) {
  if (value.kind() != Value::Kind::kInput) return false;
  const Node* owner = value.graph()->parent();
  return owner != nullptr && (owner->Is("Scan") || owner->Is("Loop"));
}

// ONNX distinguishes outputs by name: a value that is an output already gets a copy, and so does
// one that a body must not give back as it is.
void SeparateOutputs(Model& model) {
  NameScope names;
  ForEachGraph(std::as_const(model), [&](const Graph& graph) {
    ForEachValue(graph, [&](const Value& value) { names.Reserve(value.name()); });
  });
  ForEachGraph(model, [&](Graph& graph) {
    std::set<const Value*> given;
    for (std::size_t i = 0; i < graph.num_outputs(); ++i) {
      Value* value = graph.output(i);
      if (value == nullptr || (given.insert(value).second && !IsGivenToIterations(*value)))
        continue;
      std::string name = names.Unique(value->name() + "_copy");
      Value* const operands[] = {value};
      Node* copy = graph.Append(InternOp("onnx", "Identity"), operands);
      graph.SetOutput(i, copy->AddResult(std::move(name), value->type()));
    }
  });
}

// Runtimes refuse a graph in which two nodes have one name; nodes that stand for the same one do.
void SeparateNodes(Model& model) {
  ForEachGraph(model, [](Graph& graph) {
    NameScope names;
    std::vector<Node*> others;  // of a name that one before has
    for (Node& node : graph.nodes()) {
      if (!node.name().empty() && !names.Reserve(node.name())) others.push_back(&node);
    }
    for (Node* node : others) node->set_name(names.Unique(node->name()));
  });
}

// Whether a tensor in it lacks its element type, which a TypeProto cannot leave open.
bool IsPartial(const Type& type) {
  switch (type.kind()) {
    case Type::Kind::kTensor:
    case Type::Kind::kSparseTensor:
      return type.dtype() == DType::kUnknown;
    case Type::Kind::kSequence:
    case Type::Kind::kOptional:
      return !type.element().known() || IsPartial(type.element());
    default:
      return false;
  }
}

// A value without type is what runtimes infer, one with a type of element type 0 what they refuse.
void DropPartialTypes(Model& model) {
  ForEachGraph(model, [](Graph& graph) {
    ForEachValue(graph, [](Value& value) {
      if (IsPartial(value.type())) value.set_type(Type());
    });
  });
}

// The next value of the state at input "hidden" is called "hidden_out", unless it is another output
// too. One that is an input or a constant gets a copy: the name of another state's input would
// state something else.
void NameStateOutputs(Entry& entry) {
  Graph& graph = *entry.graph;
  std::set<std::string> taken;
  ForEachGraph(graph, [&](const Graph& inner) {
    ForEachValue(inner, [&](const Value& value) { taken.insert(value.name()); });
  });
  std::unordered_map<const Value*, int> outputs;  // that it is
  for (const Use& use : graph.outputs()) ++outputs[use.value()];
  for (const StateBinding& binding : entry.states) {
    Value* value = graph.output(binding.output);
    const std::string wanted = graph.input(binding.input)->name() + "_out";
    if (value->name() == wanted) continue;
    if (outputs[value] > 1) continue;
    std::string name = wanted;
    for (int k = 2; !taken.insert(name).second; ++k) name = wanted + "_" + std::to_string(k);
    if (value->producer() != nullptr) {
      value->set_name(std::move(name));
      continue;
    }
    Value* const operands[] = {value};
    Node* copy = graph.Append(InternOp("onnx", "Identity"), operands);
    graph.SetOutput(binding.output, copy->AddResult(std::move(name), value->type()));
  }
}

// The metadata entry kStatesKey of `entry`. Names are escaped: they need not be UTF-8.
std::string StateRecord(const Model& model, const Entry& entry) {
  nlohmann::ordered_json record = nlohmann::ordered_json::array();
  for (const StateBinding& binding : entry.states) {
    const State& state = model.states[binding.state];
    record.push_back({{"name", Escape(state.name)},
                      {"input", Escape(entry.graph->input(binding.input)->name())},
                      {"output", Escape(entry.graph->output(binding.output)->name())},
                      {"initial", PrintAttribute(state.initial)}});
  }
  return record.dump();
}

void LiftStates(Model& model, const ExportOptions& options) {
  for (Entry& entry : model.entries) {
    NameStateOutputs(entry);
    if (!entry.states.empty() && !options.lift_state) {
      model.metadata.emplace_back(onnx_extra::kStatesKey, StateRecord(model, entry));
    }
    entry.states.clear();
  }
  model.states.clear();
}

void SetOpset(Model& model, std::int64_t opset) {
  std::erase_if(model.opsets,
                [](const OpsetImport& import) { return IsDefaultDomain(import.domain); });
  model.opsets.insert(model.opsets.begin(), {"", opset});
}

// Readers want an import for each domain, also where the source had none.
void ImportForeignDomains(Model& model) {
  std::set<std::string> missing;
  ForEachGraph(std::as_const(model), [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) {
      const std::string& domain = node.op().domain;
      if (!domain.empty() && !model.OpsetVersion(domain)) missing.insert(domain);
    }
  });
  for (const std::string& domain : missing) model.opsets.push_back({domain, 1});
}

// `model` in the form that is written for `opset`.
Result<Model> PrepareFor(std::int64_t opset, const Model& model, const ExportOptions& options) {
  Model copy = Clone(model);
  std::vector<Finding> findings;
  for (Entry& entry : copy.entries) {
    DRAGOMAN_TRY(OmitEffects(*entry.graph, options));
    DRAGOMAN_TRY(GuardEmptySequences(*entry.graph));
    MakeConditionsScalar(*entry.graph);
    DropEmptyLists(*entry.graph);
    // An ONNX file's operators on float64 and bfloat16 are for a runtime that has them.
    const bool is_onnx = options.kept_opset && *options.kept_opset <= opset;
    if (!is_onnx) DRAGOMAN_TRY(LowerDoubles(*entry.graph));
    DRAGOMAN_TRY(RespellForRuntimes(*entry.graph, opset));
    DRAGOMAN_TRY(GiveLstmBodies(*entry.graph));
    DRAGOMAN_TRY(LowerFactors(*entry.graph, [](std::string_view label) { return label == "Det"; }));
    DRAGOMAN_TRY(ExpandOperators(*entry.graph, opset, options, findings));
    SpellDoubles(*entry.graph, opset);
    WidenElements(*entry.graph, is_onnx ? BFloat16::kKept : BFloat16::kWidened);
    LowerOpset(*entry.graph, opset, options.kept_opset, findings);
    SpellOmittedConditions(*entry.graph);
    CompleteResults(*entry.graph);
    RestoreMaps(entry, findings);
  }
  if (!findings.empty()) return Error(std::move(findings));
  if (!options.functions) DRAGOMAN_TRY(InlineGroups(copy));
  OutlineFused(copy, opset);
  NameGraphs(copy);
  SeparateOutputs(copy);
  SeparateNodes(copy);
  DropPartialTypes(copy);
  LiftStates(copy, options);
  SetOpset(copy, opset);
  ImportForeignDomains(copy);
  return copy;
}

// What `model` lacks at `opset`; no error if it can be written.
Status FitsOpset(std::int64_t opset, const Model& model, ExportOptions options) {
  options.warn = nullptr;  // what is left out is reported once the opset is chosen
  options.strict = false;
  const Result<Model> prepared = PrepareFor(opset, model, options);
  return prepared.ok() ? Status() : prepared.error();
}

Status WarnOfOpset(std::int64_t kept, std::int64_t opset, const Status& why,
                   const ExportOptions& options) {
  std::string message =
      "the operator set rises from " + std::to_string(kept) + " to " + std::to_string(opset) + ": ";
  if (why.ok()) {
    message += "older ones than " + std::to_string(kMinExportOpset) + " are not written";
  } else {
    const std::vector<Finding>& findings = why.error().findings();
    message += findings.front().place + " " + findings.front().message;
    if (findings.size() > 1) message += " (and " + std::to_string(findings.size() - 1) + " more)";
  }
  if (options.strict) return Unsupported(std::move(message));
  if (options.warn) options.warn(message);
  return {};
}

// The lowest opset above `low`, which does not express the model, that does; `high` if none below
// does. What one expresses, newer ones do too.
std::int64_t LowestAbove(std::int64_t low, std::int64_t high, const Model& model,
                         const ExportOptions& options) {
  while (low + 1 < high) {
    const std::int64_t middle = low + (high - low) / 2;
    (FitsOpset(middle, model, options).ok() ? high : low) = middle;
  }
  return high;
}

// The lowest opset from that of the file on whose operators express the model.
Result<std::int64_t> KeptOpset(const Model& model, const ExportOptions& options) {
  const std::int64_t kept = *options.kept_opset;
  if (kept >= kMaxKeptOpset) return kMaxKeptOpset;
  const std::int64_t low = std::max(kept, kMinExportOpset);
  const Status why = FitsOpset(low, model, options);
  if (why.ok() && low == kept) return kept;
  if (!why.ok() && !FitsOpset(kMaxKeptOpset, model, options).ok()) return kMaxKeptOpset;
  const std::int64_t opset = why.ok() ? low : LowestAbove(low, kMaxKeptOpset, model, options);
  DRAGOMAN_TRY(WarnOfOpset(kept, opset, why, options));
  return opset;
}

// The lowest opset that has every operator of the model as it is. Younger forms of operators mostly
// admit further element types, and runtimes lack some of them.
std::int64_t UsualOpset(const Model& model, const ExportOptions& options) {
  std::int64_t opset = kUsualOpset;
  ForEachGraph(model, [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) {
      if (node.op().dialect != "onnx" || !IsDefaultDomain(node.op().domain)) continue;
      const OpVersions* versions = FindOpVersions(node);
      if (versions != nullptr && versions->first <= kCommonOpset)
        opset = std::max(opset, versions->first);
    }
  });
  if (opset >= kCommonOpset || FitsOpset(opset, model, options).ok()) return opset;
  return LowestAbove(opset, kCommonOpset, model, options);
}

// `model` in the form that is written.
Result<Model> Prepare(const Model& model, const ExportOptions& options) {
  if (model.level != Level::kCommon) return Internal("only a common model is exported");
  if (options.opset) {
    DRAGOMAN_TRY(CheckOpset(*options.opset));
    return PrepareFor(*options.opset, model, options);
  }
  if (!options.kept_opset) return PrepareFor(UsualOpset(model, options), model, options);
  DRAGOMAN_ASSIGN(const std::int64_t opset, KeptOpset(model, options));
  return PrepareFor(opset, model, options);
}

}  // namespace

Status ExportOnnx(const Model& model, const std::string& path, const ExportOptions& options) {
  DRAGOMAN_ASSIGN(const Model prepared, Prepare(model, options));
  if (options.show && !options.show(prepared)) return {};
  WriteOnnxOptions file = options.file;
  file.strict = options.strict;
  file.warn = options.warn;
  return WriteOnnx(prepared, path, file);
}

Status CheckExport(const Model& model, const ExportOptions& options) {
  DRAGOMAN_ASSIGN(const Model prepared, Prepare(model, options));
  return CheckOnnx(prepared);
}

OpSupport OnnxSupport(const OpDef& def) {
  if (def.name->dialect == "onnx") return {OpSupport::Kind::kNative};
  if (def.expand || IsFactorisation(def.Label()) || IsOutlined(*def.name))
    return {OpSupport::Kind::kComposed};
  if (def.effect) return {OpSupport::Kind::kNone, "ONNX has no effects: it is omitted"};
  return {OpSupport::Kind::kNone,
          "ONNX has no such operator; --allow-domain dragoman writes it for Dragoman alone"};
}

}  // namespace dragoman
