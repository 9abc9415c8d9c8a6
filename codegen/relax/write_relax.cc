#include "codegen/relax/write_relax.h"

#include "codegen/relax/function_writer.h"
#include "codegen/relax/relax_op.h"
#include "codegen/relax/write_npz.h"
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
  return label == "If" || relax::FindRelaxEmitter(label) != nullptr;
}

Result<RelaxModule> EmitRelax(const Model& model) {
  RelaxModule module;
  module.text = kHead;
  const Model copy = Clone(model);
  NameScope weight_names;
  std::vector<Finding> findings;
  for (const Entry& entry : copy.entries) {
    Result<std::string> function =
        relax::FunctionWriter(entry, module.weights, weight_names).Write();
    if (!function.ok()) {
      for (Finding& finding : function.error().findings()) findings.push_back(std::move(finding));
      continue;
    }
    module.text += (&entry == &copy.entries.front() ? "" : "\n") + *function;
  }
  if (!findings.empty()) return Error(std::move(findings));
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
