#include "codegen/relax/write_relax.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "codegen/relax/function_writer.h"
#include "codegen/relax/lower_sequences.h"
#include "codegen/relax/name_input_sizes.h"
#include "codegen/relax/relax_op.h"
#include "codegen/relax/write_npz.h"
#include "core/rewrite/lower_to_loops.h"
#include "core/support/output_file.h"
#include "core/support/text.h"

namespace dragoman {
namespace {

constexpr std::string_view kHead =
    "# from tvm.script import ir as I\n"
    "# from tvm.script import tir as T\n"
    "# from tvm.script import relax as R\n"
    "\n"
    "@I.ir_module\n"
    "class Module:\n";

// What stands in R.func_attr.
std::string AttributesOf(const Entry& entry, const Model& model) {
  std::string text = fmt::format("\"num_input\": {}", entry.graph->num_inputs());
  if (entry.states.empty()) return text;
  std::vector<std::string> states;
  for (const StateBinding& binding : entry.states) {
    states.push_back(fmt::format("{}: [{}, {}]",
                                 relax::QuotedText(model.states[binding.state].name), binding.input,
                                 binding.output));
  }
  return text + fmt::format(", \"states\": {{{}}}", fmt::join(states, ", "));
}

Result<relax::Weights> InitialStates(const Model& model) {
  relax::Weights initial;
  for (const State& state : model.states) {
    const Tensor* tensor = state.initial.tensor();
    if (tensor == nullptr)
      return Unsupported("Relax has no type " + state.type.ToString())
          .At("state '" + state.name + "'");
    initial.emplace_back(state.name, *tensor);
  }
  return initial;
}

std::vector<Finding> FindingsOf(Status status) {
  return status.ok() ? std::vector<Finding>() : status.error().findings();
}

}  // namespace

bool RelaxHasOp(std::string_view label) {
  constexpr std::string_view kElsewhere[] = {"GRU",
                                             "If",
                                             "LSTM",
                                             "Loop",
                                             "RNN",
                                             "Scan",
                                             "dragoman.Assert",
                                             "dragoman.Fused",
                                             "dragoman.LSTM",
                                             "dragoman.Print"};
  return std::ranges::count(kElsewhere, label) > 0 || relax::FindRelaxEmitter(label) != nullptr;
}

Result<RelaxModule> EmitRelax(const Model& model) {
  Model copy = Clone(model);
  for (Entry& entry : copy.entries) relax::NameInputSizes(*entry.graph);
  DRAGOMAN_TRY(relax::LowerSequences(copy));
  relax::ModuleParts parts;
  std::vector<std::string> functions;
  std::vector<Finding> findings = FindingsOf(LowerToLoops(copy));
  const std::vector<Finding> lowering = findings;
  std::vector<std::string> names;
  for (const Entry& entry : copy.entries) {
    const bool is_default = &entry == &copy.entries.front();
    names.push_back(parts.function_names.Unique(is_default ? "main" : Identifier(entry.name)));
  }
  for (std::size_t i = 0; i < copy.entries.size(); ++i) {
    const Entry& entry = copy.entries[i];
    Inference inference;
    DRAGOMAN_TRY(inference.InferGraph(*entry.graph));
    Result<std::string> function = relax::FunctionWriter(names[i], *entry.graph, inference, parts)
                                       .Write(AttributesOf(entry, model));
    if (function.ok()) {
      functions.push_back(std::move(*function));
      continue;
    }
    for (Finding& finding : function.error().findings()) {
      const auto is_same = [&](const Finding& other) { return other.place == finding.place; };
      if (std::ranges::none_of(lowering, is_same)) findings.push_back(std::move(finding));
    }
  }
  if (!findings.empty()) return Error(std::move(findings));
  std::ranges::move(parts.private_functions, std::back_inserter(functions));
  RelaxModule module;
  module.text = kHead;
  for (const std::string& function : functions)
    module.text += (&function == &functions.front() ? "" : "\n") + function;
  module.weights = std::move(parts.weights);
  DRAGOMAN_ASSIGN(module.states, InitialStates(model));
  return module;
}

Status WriteRelax(const Model& model, const std::string& path) {
  DRAGOMAN_ASSIGN(RelaxModule module, EmitRelax(model));
  const std::string stem = path.ends_with(".py") ? path.substr(0, path.size() - 3) : path;
  DRAGOMAN_ASSIGN(OutputFile text, OutputFile::Create(path));
  DRAGOMAN_TRY(text.Append(module.text));
  DRAGOMAN_TRY(WriteNpz(stem + ".npz", module.weights));
  if (!module.states.empty()) DRAGOMAN_TRY(WriteNpz(stem + ".states.npz", module.states));
  return text.Commit();
}

}  // namespace dragoman
