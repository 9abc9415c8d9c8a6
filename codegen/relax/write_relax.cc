#include "codegen/relax/write_relax.h"

#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "codegen/relax/relax_op.h"
#include "codegen/relax/relax_text.h"
#include "codegen/relax/write_npz.h"
#include "core/support/output_file.h"
#include "core/support/text.h"

namespace dragoman {
namespace {

using relax::SymbolNames;

// Constants of at most so many integers, and all scalars, stand in the text; others are parameters.
constexpr std::int64_t kMaxInlineElements = 64;

std::string PackageComment() {
  return "# from tvm.script import ir as I\n"
         "# from tvm.script import tir as T\n"
         "# from tvm.script import relax as R\n\n";
}

// One function of the module, from the graph of one entry.
class FunctionWriter {
 public:
  FunctionWriter(const Entry& entry, RelaxModule& module)
      : entry_(entry), graph_(*entry.graph), module_(module) {
    for (const char* reserved : {"R", "T", "I", "cls", "Module", "float", "metadata"})
      scope_.Reserve(reserved);
  }

  Result<std::string> Write();

 private:
  Status NameSymbols();
  Status AddInputs();
  Status AddConstants();
  Status EmitNodes();
  Status EmitNode(const Node& node);
  std::string Signature() const;
  std::string Body();
  std::string Bind(const std::string& name, const std::string& expression, const Type& type);
  std::string FreshVariable() {
    return scope_.Unique(next_++ == 0 ? "lv" : fmt::format("lv{}", next_ - 1));
  }
  bool IsOutput(const Value* value) const;

  const Entry& entry_;
  const Graph& graph_;
  RelaxModule& module_;
  Inference inference_;
  NameScope scope_;
  SymbolNames symbols_;
  std::unordered_map<const Value*, std::string> names_;  // looked up, never iterated
  std::vector<std::string> parameters_;                  // "x: R.Tensor(…)"
  std::vector<std::string> lines_;                       // of the dataflow block
  std::vector<Finding> findings_;
  int next_ = 0;
  int next_output_ = 0;
};

bool FunctionWriter::IsOutput(const Value* value) const {
  for (const Use* use = value->first_use(); use != nullptr; use = use->next()) {
    if (use->user() == nullptr && use->graph() == &graph_) return true;
  }
  return false;
}

// Symbols that stand alone as a size of an input; others have no definition in the signature.
Status FunctionWriter::NameSymbols() {
  for (const auto& input : graph_.inputs()) {
    if (input->type().shape() == nullptr) continue;
    for (const Dim& dim : *input->type().shape()) {
      const std::string* symbol = dim.symbol();
      if (symbol == nullptr || symbols_.contains(*symbol)) continue;
      symbols_[*symbol] = scope_.Unique(Identifier(*symbol));
    }
  }
  return {};
}

Status FunctionWriter::AddInputs() {
  for (const auto& input : graph_.inputs()) {
    const Type& type = input->type();
    if (!type.is_tensor() || relax::RelaxDType(type.dtype()).empty()) {
      findings_.push_back({ErrorKind::kUnsupported,
                           {},
                           "input '" + input->name() + "'",
                           "Relax has no type " + type.ToString()});
      continue;
    }
    names_[input.get()] = scope_.Unique(Identifier(input->name()));
    parameters_.push_back(
        fmt::format("{}: {}", names_[input.get()], relax::SignatureType(type, symbols_)));
  }
  return {};
}

Status FunctionWriter::AddConstants() {
  for (const auto& constant : graph_.constants()) {
    if (!constant->used()) continue;
    const Tensor* tensor = constant->tensor();
    if (tensor == nullptr || relax::RelaxDType(tensor->dtype()).empty()) {
      findings_.push_back({ErrorKind::kUnsupported,
                           {},
                           "constant '" + constant->name() + "'",
                           "Relax has no constants of type " + constant->type().ToString()});
      continue;
    }
    const bool small =
        tensor->rank() == 0 || (!IsFloating(tensor->dtype()) &&
                                tensor->size() <= kMaxInlineElements && tensor->size() > 0);
    std::optional<std::string> literal = small ? relax::ConstText(*tensor) : std::nullopt;
    if (literal) {
      names_[constant.get()] = std::move(*literal);
      continue;
    }
    const std::string name = scope_.Unique(Identifier(constant->name()));
    names_[constant.get()] = name;
    parameters_.push_back(fmt::format("{}: {}", name, relax::TypeText(tensor->type(), symbols_)));
    module_.weights.emplace_back(name, *tensor);
  }
  return {};
}

std::string FunctionWriter::Bind(const std::string& name, const std::string& expression,
                                 const Type& type) {
  const bool annotated = type.is_tensor() && !relax::RelaxDType(type.dtype()).empty();
  lines_.push_back(
      annotated ? fmt::format("{}: {} = {}", name, relax::TypeText(type, symbols_), expression)
                : fmt::format("{} = {}", name, expression));
  return name;
}

Status FunctionWriter::EmitNode(const Node& node) {
  const OpDef* def = FindOp(node);
  const relax::RelaxEmitter emitter =
      def != nullptr ? relax::FindRelaxEmitter(def->Label()) : nullptr;
  if (emitter == nullptr) return Unsupported("Relax has no such operator").At(node.Describe());
  auto name_of = [this](const Value* value) {
    auto found = names_.find(value);
    return found != names_.end() ? found->second : std::string("None");
  };
  auto bind = [this](const std::string& expression, const Type& type) {
    return Bind(FreshVariable(), expression, type);
  };
  relax::RelaxOp op{node, inference_, symbols_, name_of, bind};
  DRAGOMAN_ASSIGN(std::vector<std::string> expressions, emitter(op));
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    const Value* result = node.result(i);
    if (result == nullptr) continue;
    std::string name;
    if (IsOutput(result)) {
      name = scope_.Unique(next_output_ == 0 ? "gv" : fmt::format("gv{}", next_output_));
      ++next_output_;
    } else {
      name = FreshVariable();
    }
    names_[result] = Bind(name, expressions[i], result->type());
  }
  return {};
}

// Every node that Relax cannot say is told, so emission goes on after a refusal.
Status FunctionWriter::EmitNodes() {
  for (const Node& node : graph_.nodes()) {
    Status status = EmitNode(node);
    if (status.ok()) continue;
    for (Finding& finding : status.error().findings()) findings_.push_back(std::move(finding));
  }
  if (!findings_.empty()) return Error(std::move(findings_));
  return {};
}

std::string FunctionWriter::Signature() const {
  std::vector<std::string> results;
  for (const Use& use : graph_.outputs())
    results.push_back(relax::SignatureType(use.value()->type(), symbols_));
  const std::string result =
      results.size() == 1 ? results.front() : fmt::format("R.Tuple({})", fmt::join(results, ", "));
  const std::string name =
      entry_.name == "main" || IsIdentifier(entry_.name) ? entry_.name : Identifier(entry_.name);
  return fmt::format("    @R.function\n    def {}({}) -> {}:\n", name, fmt::join(parameters_, ", "),
                     result);
}

std::string FunctionWriter::Body() {
  // An output that is no binding of the block gets one.
  std::vector<std::string> outputs;
  std::set<std::string> bound;
  for (const Use& use : graph_.outputs()) {
    std::string name = names_[use.value()];
    if (use.value()->kind() != Value::Kind::kResult || use.value()->graph() != &graph_) {
      name = Bind(scope_.Unique(next_output_ == 0 ? "gv" : fmt::format("gv{}", next_output_)), name,
                  use.value()->type());
      ++next_output_;
    }
    outputs.push_back(name);
    bound.insert(name);
  }
  std::string text =
      fmt::format("        R.func_attr({{\"num_input\": {}}})\n", graph_.num_inputs());
  for (const auto& [symbol, name] : symbols_) text += fmt::format("        {} = T.int64()\n", name);
  text += "        with R.dataflow():\n";
  for (const std::string& line : lines_) text += "            " + line + "\n";
  text += fmt::format("            R.output({})\n", fmt::join(bound, ", "));
  const std::string result =
      outputs.size() == 1 ? outputs.front() : fmt::format("({})", fmt::join(outputs, ", "));
  return text + fmt::format("        return {}\n", result);
}

Result<std::string> FunctionWriter::Write() {
  if (!entry_.states.empty()) return Unsupported("Relax functions have no states");
  DRAGOMAN_TRY(inference_.InferGraph(*entry_.graph));
  DRAGOMAN_TRY(NameSymbols());
  DRAGOMAN_TRY(AddInputs());
  DRAGOMAN_TRY(AddConstants());
  DRAGOMAN_TRY(EmitNodes());
  const std::string body = Body();
  return Signature() + body;
}

}  // namespace

bool RelaxHasOp(std::string_view label) { return relax::FindRelaxEmitter(label) != nullptr; }

Result<RelaxModule> EmitRelax(const Model& model) {
  RelaxModule module;
  module.text = PackageComment() + "@I.ir_module\nclass Module:\n";
  const Model copy = Clone(model);
  bool first = true;
  for (const Entry& entry : copy.entries) {
    FunctionWriter writer(entry, module);
    DRAGOMAN_ASSIGN(std::string function, writer.Write());
    module.text += (first ? "" : "\n") + function;
    first = false;
  }
  return module;
}

Status WriteRelax(const Model& model, const std::string& path) {
  DRAGOMAN_ASSIGN(RelaxModule module, EmitRelax(model));
  const std::string stem = path.ends_with(".py") ? path.substr(0, path.size() - 3) : path;
  DRAGOMAN_TRY(WriteNpz(stem + ".npz", module.weights));
  return WriteFile(path, module.text);
}

}  // namespace dragoman
