// SPDX-License-Identifier: Apache-2.0
#include "codegen/relax/write_relax.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "codegen/relax/entry_border.h"
#include "codegen/relax/function_writer.h"
#include "codegen/relax/name_input_sizes.h"
#include "codegen/relax/name_result_sizes.h"
#include "codegen/relax/packed_functions.h"
#include "codegen/relax/relax_op.h"
#include "codegen/relax/write_npz.h"
#include "codegen/tvm/prepare.h"
#include "codegen/tvm/widen_constants.h"
#include "core/ops/expansion.h"
#include "core/ops/op_def.h"
#include "core/rewrite/forms/lower_sequences.h"
#include "core/rewrite/forms/resolve_axes.h"
#include "core/rewrite/forms/stack_sequences.h"
#include "core/rewrite/lower_factors.h"
#include "core/rewrite/lower_to_loops.h"
#include "core/support/findings.h"
#include "core/support/output_file.h"
#include "core/support/text.h"

namespace dragoman {
namespace {

constexpr std::string_view kHead =
    "\n"
    "@I.ir_module\n"
    "class Module:\n";

// What stands in R.func_attr.
std::string AttributesOf(const Entry& entry, const Model& model, const relax::EntryBorder& border) {
  std::string text = fmt::format("\"num_input\": {}", entry.graph->num_inputs());
  text += relax::AttributesOf(border);
  if (entry.states.empty()) return text;
  std::vector<std::string> states;
  for (const StateBinding& binding : entry.states) {
    states.push_back(fmt::format("{}: [{}, {}]",
                                 relax::QuotedText(model.states[binding.state].name), binding.input,
                                 border.OutputPlace(binding.output)));
  }
  return text + fmt::format(", \"states\": {{{}}}", fmt::join(states, ", "));
}

// Whether nodes of the operator of that label are written as they are, or by a part of the writer
// that needs them. By name: each has such a part, or is replaced before.
bool HasOp(std::string_view label) {
  constexpr std::string_view kElsewhere[] = {"Bernoulli",
                                             "GRU",
                                             "If",
                                             "LSTM",
                                             "Loop",
                                             "Multinomial",
                                             "RNN",
                                             "RandomNormal",
                                             "RandomNormalLike",
                                             "RandomUniform",
                                             "Scan",
                                             "RandomUniformLike",
                                             "dragoman.Assert",
                                             "dragoman.LSTM",
                                             "dragoman.ComplexToReal",
                                             "dragoman.Fused",
                                             "dragoman.Print",
                                             "dragoman.RealToComplex"};
  return std::ranges::count(kElsewhere, label) > 0 || relax::FindRow(label) != nullptr;
}
bool Has(const Node& node) {
  const std::string label = FindOp(node)->Label();
  const relax::Row* row = relax::FindRow(label);
  return HasOp(label) && (row == nullptr || tvm::Takes(*row, node));
}
bool HasOpOrPacked(std::string_view label) {
  return HasOp(label) || relax::HasPackedFunction(label.substr(label.rfind('.') + 1));
}

// Whether what is done to an entry before it is written makes other operators of it.
bool ChangesBefore(const Node& node) {
  const OpDef* def = FindOp(node);
  return def == nullptr || relax::FindRow(def->Label()) == nullptr || !Has(node) ||
         HasComputedAxes(node);
}

class Emitter {
 public:
  Emitter(const Model& model, const RelaxOptions& options, const RelaxNote& note)
      : model_(Clone(model)), note_(note) {
    parts_.options = options;
  }

  Result<RelaxModule> Run() {
    std::vector<std::string> names = {parts_.function_names.Unique("main")};
    for (std::size_t i = 1; i < model_.entries.size(); ++i)
      names.push_back(parts_.function_names.Unique(Identifier(model_.entries[i].name)));
    for (std::size_t i = 0; i < model_.entries.size(); ++i) {
      Entry& entry = model_.entries[i];
      relax::ModuleParts before = parts_;
      Result<relax::FunctionText> function = WriteEntry(entry, names[i]);
      if (function.ok()) {
        functions_.push_back(std::move(*function));
        emitted_.push_back(&entry);
        continue;
      }
      if (i == 0) return std::move(function).error();
      parts_ = std::move(before);
      if (note_) note_("entry '" + entry.name + "' is left out: " + Summary(function.error()));
    }
    return Module();
  }

 private:
  Result<relax::FunctionText> WriteEntry(Entry& entry, const std::string& name) {
    DRAGOMAN_TRY(tvm::RefuseMaps(*entry.graph));
    tvm::WidenConstants(*entry.graph);
    PreparedOperators prepared(*entry.graph, ChangesBefore);
    relax::NameInputSizes(*entry.graph);
    DRAGOMAN_TRY(ResolveAxes(*entry.graph));
    ExpandOperators(*entry.graph, Has);
    DRAGOMAN_TRY(LowerFactors(*entry.graph, parts_.options.packed ? HasOpOrPacked : HasOp));
    relax::EntryBorder border;
    DRAGOMAN_TRY(relax::PairComplex(*entry.graph, border));
    DRAGOMAN_ASSIGN(border.drawn, relax::DrawAtEntry(*entry.graph));
    DRAGOMAN_TRY(LowerSequences(*entry.graph, &border.lists));
    for (std::size_t& output : border.complex_outputs) output = border.OutputPlace(output);
    DRAGOMAN_TRY(StackSequences(*entry.graph));
    std::vector<Finding> findings = tvm::FindingsOf(LowerToLoops(*entry.graph));
    ExpandOperators(*entry.graph, Has);
    const std::vector<ComposedNode> changed = prepared.Take();
    DRAGOMAN_ASSIGN(const Inference inference, relax::NameResultSizes(*entry.graph));
    Result<relax::FunctionText> text = relax::FunctionWriter(name, *entry.graph, inference, parts_)
                                           .Write(AttributesOf(entry, model_, border), changed);
    if (findings.empty()) return text;
    return tvm::Joined(std::move(findings), text.ok() ? Status() : text.error());
  }

  Result<RelaxModule> Module() {
    std::ranges::move(parts_.private_functions, std::back_inserter(functions_));
    RelaxModule module;
    DRAGOMAN_ASSIGN(module.text, Text());
    module.weights = std::move(parts_.weights);
    module.has_packed = parts_.has_packed;
    DRAGOMAN_ASSIGN(module.states, InitialStates());
    return module;
  }

  // With remarks on statements, if someone computes their digests.
  Result<std::string> Text() const {
    const auto text_of = [this](const auto& print) {
      std::string text(kHead);
      for (const relax::FunctionText& function : functions_)
        text += (&function == &functions_.front() ? "" : "\n") + print(function);
      return relax::Imports(text, parts_.options.release) + text;
    };
    const bool has_remarks = std::ranges::any_of(
        functions_, [](const relax::FunctionText& f) { return !f.composed.empty(); });
    RelaxDigests digests;
    if (has_remarks && parts_.options.digests) {
      DRAGOMAN_ASSIGN(digests, parts_.options.digests(
                                   text_of([](const auto& f) { return f.TextWithoutDigests(); })));
    }
    return text_of([&](const auto& f) { return f.Text(digests[f.name]); });
  }

  // Of the states that the module's functions have.
  Result<relax::Weights> InitialStates() const {
    std::vector<bool> used(model_.states.size());
    for (const Entry* entry : emitted_) {
      for (const StateBinding& binding : entry->states) used[binding.state] = true;
    }
    relax::Weights initial;
    for (std::size_t i = 0; i < used.size(); ++i) {
      if (!used[i]) continue;
      const State& state = model_.states[i];
      const Tensor* tensor = state.initial.tensor();
      if (tensor == nullptr)
        return Unsupported("Relax has no type " + state.type.ToString())
            .At("state '" + state.name + "'");
      initial.emplace_back(state.name, *tensor);
    }
    return initial;
  }

  Model model_;
  const RelaxNote& note_;
  relax::ModuleParts parts_;
  std::vector<relax::FunctionText> functions_;
  std::vector<const Entry*> emitted_;
};

}  // namespace

OpSupport RelaxSupport(const OpDef& def) {
  if (HasOp(def.Label())) return {OpSupport::Kind::kNative};
  const OpSupport support = tvm::SupportWithoutEmitter(def);
  if (!support.works() && relax::HasPackedFunction(def.name->type))
    return {OpSupport::Kind::kPacked};
  return support;
}

Result<RelaxModule> EmitRelax(const Model& model, const RelaxOptions& options,
                              const RelaxNote& note) {
  return Emitter(model, options, note).Run();
}

Status WriteRelax(const RelaxModule& module, const std::string& path) {
  const std::string stem = path.ends_with(".py") ? path.substr(0, path.size() - 3) : path;
  DRAGOMAN_ASSIGN(OutputFile text, OutputFile::Create(path));
  DRAGOMAN_TRY(text.Append(module.text));
  DRAGOMAN_TRY(WriteNpz(stem + ".npz", module.weights));
  if (!module.states.empty()) DRAGOMAN_TRY(WriteNpz(stem + ".states.npz", module.states));
  if (module.has_packed) DRAGOMAN_TRY(relax::WritePackedFunctions(stem));
  return text.Commit();
}

}  // namespace dragoman
