#include "codegen/relax/write_relax.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "codegen/relax/function_writer.h"
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

}  // namespace

bool RelaxHasOp(std::string_view label) {
  constexpr std::string_view kElsewhere[] = {
      "GRU",           "If", "LSTM", "Loop", "RNN", "Scan", "dragoman.Assert", "dragoman.Fused",
      "dragoman.Print"};
  return std::ranges::count(kElsewhere, label) > 0 || relax::FindRelaxEmitter(label) != nullptr;
}

Result<RelaxModule> EmitRelax(const Model& model) {
  Model copy = Clone(model);
  DRAGOMAN_TRY(LowerToLoops(copy));
  relax::ModuleParts parts;
  std::vector<std::string> functions;
  std::vector<Finding> findings;
  std::vector<std::string> names;
  for (const Entry& entry : copy.entries) {
    const bool is_default = &entry == &copy.entries.front();
    names.push_back(parts.function_names.Unique(is_default ? "main" : Identifier(entry.name)));
  }
  for (std::size_t i = 0; i < copy.entries.size(); ++i) {
    const Entry& entry = copy.entries[i];
    Inference inference;
    DRAGOMAN_TRY(inference.InferGraph(*entry.graph));
    if (!entry.states.empty()) return Unsupported("Relax functions have no states");
    Result<std::string> function =
        relax::FunctionWriter(names[i], *entry.graph, inference, parts)
            .Write(fmt::format("\"num_input\": {}", entry.graph->num_inputs()));
    if (function.ok()) {
      functions.push_back(std::move(*function));
      continue;
    }
    for (Finding& finding : function.error().findings()) findings.push_back(std::move(finding));
  }
  if (!findings.empty()) return Error(std::move(findings));
  std::ranges::move(parts.private_functions, std::back_inserter(functions));
  RelaxModule module;
  module.text = kHead;
  for (const std::string& function : functions)
    module.text += (&function == &functions.front() ? "" : "\n") + function;
  module.weights = std::move(parts.weights);
  return module;
}

Status WriteRelax(const Model& model, const std::string& path) {
  DRAGOMAN_ASSIGN(RelaxModule module, EmitRelax(model));
  const std::string stem = path.ends_with(".py") ? path.substr(0, path.size() - 3) : path;
  DRAGOMAN_ASSIGN(OutputFile text, OutputFile::Create(path));
  DRAGOMAN_TRY(text.Append(module.text));
  DRAGOMAN_TRY(WriteNpz(stem + ".npz", module.weights));
  return text.Commit();
}

}  // namespace dragoman
