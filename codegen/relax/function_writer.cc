#include "codegen/relax/function_writer.h"

#include <set>

#include <fmt/format.h>

#include "core/ops/op_def.h"

namespace dragoman::relax {
namespace {

// Constants of at most so many integers, and all scalars, stand in the text; others are parameters.
constexpr std::int64_t kMaxInlineElements = 64;
// Names with a meaning in a module, and Python's keywords.
constexpr const char* kReserved[] = {
    "R",     "T",      "I",    "cls",    "Module", "float",    "metadata", "False", "None",
    "True",  "and",    "as",   "assert", "async",  "await",    "break",    "class", "continue",
    "def",   "del",    "elif", "else",   "except", "finally",  "for",      "from",  "global",
    "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",      "or",    "pass",
    "raise", "return", "try",  "while",  "with",   "yield"};

bool IsSmall(const Tensor& tensor) {
  if (tensor.rank() == 0) return true;
  return !IsFloating(tensor.dtype()) && tensor.size() > 0 && tensor.size() <= kMaxInlineElements;
}

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Every word of `text` that could be a name.
void AddWords(const std::string& text, std::set<std::string>& words) {
  std::string word;
  for (char c : text) {
    if (IsNameCharacter(c)) {
      word += c;
    } else if (!word.empty()) {
      words.insert(std::move(word));
      word.clear();
    }
  }
  if (!word.empty()) words.insert(std::move(word));
}

}  // namespace

FunctionWriter::FunctionWriter(std::string name, Graph& graph, Access access, ModuleParts& parts)
    : name_(std::move(name)),
      graph_(graph),
      is_private_(access == Access::kPrivate),
      parts_(parts) {
  for (const char* reserved : kReserved) {
    scope_.Reserve(reserved);
    parts_.weight_names.Reserve(reserved);
  }
  segments_.emplace_back();
}

void FunctionWriter::Refuse(const std::string& place, const std::string& what) {
  findings_.push_back({ErrorKind::kUnsupported, {}, place, what});
}

// Symbols that stand alone as a size of an input; others have no definition in the signature.
void FunctionWriter::NameSymbols() {
  for (const auto& input : graph_.inputs()) {
    if (input->type().shape() == nullptr) continue;
    for (const Dim& dim : *input->type().shape()) {
      const std::string* symbol = dim.symbol();
      if (symbol == nullptr || symbols_.contains(*symbol)) continue;
      symbols_[*symbol] = scope_.Unique(Identifier(*symbol));
    }
  }
  signature_symbols_ = symbols_;
}

void FunctionWriter::AddInputs() {
  for (const auto& input : graph_.inputs()) {
    const Type& type = input->type();
    if (!type.is_tensor() || RelaxDType(type.dtype()).empty()) {
      Refuse("input '" + input->name() + "'", "Relax has no type " + type.ToString());
      continue;
    }
    const std::string name = scope_.Unique(Identifier(input->name()));
    if (!is_private_) parts_.weight_names.Reserve(name);
    names_[input.get()] = name;
    parameters_.push_back(fmt::format("{}: {}", name, SignatureType(type, symbols_)));
  }
}

void FunctionWriter::AddConstant(const Value& constant) {
  if (!constant.used() || names_.contains(&constant)) return;
  const Tensor* tensor = constant.tensor();
  if (tensor == nullptr || RelaxDType(tensor->dtype()).empty()) {
    Refuse("constant '" + constant.name() + "'",
           "Relax has no constants of type " + constant.type().ToString());
    return;
  }
  const bool in_text = IsSmall(*tensor) || (is_private_ && tensor->size() == 1);
  std::optional<std::string> literal = in_text ? ConstText(*tensor) : std::nullopt;
  if (literal) {
    names_[&constant] = std::move(*literal);
    return;
  }
  if (is_private_) {
    Refuse("constant '" + constant.name() + "'",
           "a body holds it, whose constants stand in Relax text; found " +
               std::to_string(tensor->size()) + " elements");
    return;
  }
  std::string name = parts_.weight_names.Unique(Identifier(constant.name()));
  while (!scope_.Reserve(name)) name = parts_.weight_names.Unique(name);
  names_[&constant] = name;
  parameters_.push_back(fmt::format("{}: {}", name, TypeText(tensor->type(), symbols_)));
  parts_.weights.emplace_back(name, *tensor);
}

// In the order in which nodes read them, then those that only bodies or outputs read.
void FunctionWriter::AddConstants(const Graph& graph) {
  for (const Node& node : graph.nodes()) {
    for (const Use& operand : node.operands()) {
      const Value* value = operand.value();
      if (value != nullptr && value->is_constant() && value->graph() == &graph) AddConstant(*value);
    }
  }
  for (const auto& constant : graph.constants()) AddConstant(*constant);
}

std::string FunctionWriter::NameOf(const Value* value) const {
  auto found = names_.find(value);
  return found != names_.end() ? found->second : "None";
}

std::string FunctionWriter::FreshVariable() {
  const int i = next_variable_++;
  return scope_.Unique(i == 0 ? "lv" : fmt::format("lv{}", i));
}

std::string FunctionWriter::FreshOutput() {
  const int i = next_output_++;
  return scope_.Unique(i == 0 ? "gv" : fmt::format("gv{}", i));
}

std::string FunctionWriter::ResultName(const Value* result) {
  for (const Use* use = result->first_use(); use != nullptr; use = use->next()) {
    if (use->user() == nullptr && use->graph() == &graph_) return FreshOutput();
  }
  return FreshVariable();
}

void FunctionWriter::AddLine(const std::string& line) {
  segments_.back().lines.push_back(std::string(static_cast<std::size_t>(4 * branches_), ' ') +
                                   line);
}

std::string FunctionWriter::Bind(const std::string& name, const std::string& expression,
                                 const Type& type) {
  const bool annotated = type.is_tensor() && !RelaxDType(type.dtype()).empty();
  AddLine(annotated ? fmt::format("{}: {} = {}", name, TypeText(type, symbols_), expression)
                    : fmt::format("{} = {}", name, expression));
  if (branches_ == 0) segments_.back().bound.push_back(name);
  return name;
}

Status FunctionWriter::Declare(const Type& type) {
  if (type.shape() == nullptr) return Unsupported("a rank is not known");
  if (branches_ > 0) return Unsupported("Relax cannot name a size within a branch");
  for (const Dim& dim : *type.shape()) {
    if (dim.unknown()) return Unsupported("a size has no name");
    for (const std::string& symbol : dim.Symbols()) {
      if (!symbols_.contains(symbol)) symbols_[symbol] = scope_.Unique(Identifier(symbol));
    }
  }
  return {};
}

Status FunctionWriter::EmitNode(const Node& node) {
  if (node.Is("If")) return EmitIf(node);
  if (node.IsDragoman("Fused")) return EmitFused(node);
  const OpDef* def = FindOp(node);
  const RelaxEmitter emitter = def != nullptr ? FindRelaxEmitter(def->Label()) : nullptr;
  if (emitter == nullptr) return Unsupported("Relax has no such operator").At(node.Describe());
  auto name_of = [this](const Value* value) { return NameOf(value); };
  auto bind = [this](const std::string& expression, const Type& type) {
    return Bind(FreshVariable(), expression, type);
  };
  auto declare = [this, &node](const Type& type) -> Status {
    Status status = Declare(type);
    if (!status.ok()) return std::move(status).error().At(node.Describe());
    return {};
  };
  RelaxOp op{node, inference_, symbols_, name_of, bind, declare};
  DRAGOMAN_ASSIGN(std::vector<std::string> expressions, emitter(op));
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    const Value* result = node.result(i);
    if (result != nullptr)
      names_[result] = Bind(ResultName(result), expressions[i], result->type());
  }
  return {};
}

// Every node that Relax cannot say is told, so emission goes on after a refusal.
void FunctionWriter::EmitNodes(const Graph& graph) {
  for (const Node& node : graph.nodes()) {
    Status status = EmitNode(node);
    if (status.ok()) continue;
    for (Finding& finding : status.error().findings()) findings_.push_back(std::move(finding));
  }
}

// The results of a body under one name: alone, or as a tuple.
void FunctionWriter::EmitBranch(const Graph& body, const std::string& name, const Node& node) {
  ++branches_;
  AddConstants(body);
  EmitNodes(body);
  std::vector<std::string> results;
  for (const Use& output : body.outputs()) results.push_back(NameOf(output.value()));
  if (results.size() == 1) {
    Bind(name, results.front(), node.result(0)->type());
  } else {
    Bind(name, fmt::format("({})", fmt::join(results, ", ")), {});
  }
  --branches_;
}

Status FunctionWriter::EmitIf(const Node& node) {
  const Attribute* then_branch = node.attribute("then_branch");
  const Attribute* else_branch = node.attribute("else_branch");
  if (node.num_results() == 0 || then_branch == nullptr || else_branch == nullptr)
    return Unsupported("Relax has no If without results").At(node.Describe());
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    if (node.result(i) != nullptr && !node.result(i)->type().is_tensor())
      return Unsupported("Relax has only tensors as results of If").At(node.Describe());
  }
  const bool single = node.num_results() == 1 && node.result(0) != nullptr;
  const std::string name = single ? ResultName(node.result(0)) : FreshVariable();
  if (branches_ == 0) segments_.push_back({.dataflow = false, .lines = {}, .bound = {}});
  AddLine(fmt::format("if {}:", NameOf(node.operand(0))));
  EmitBranch(*then_branch->graph(), name, node);
  AddLine("else:");
  EmitBranch(*else_branch->graph(), name, node);
  if (branches_ == 0) segments_.emplace_back();
  if (single) {
    names_[node.result(0)] = name;
  } else {
    BindResults(node, name);
  }
  return {};
}

void FunctionWriter::BindResults(const Node& node, const std::string& tuple) {
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    const Value* result = node.result(i);
    if (result == nullptr) continue;
    names_[result] = Bind(ResultName(result), fmt::format("{}[{}]", tuple, i), result->type());
  }
}

Status FunctionWriter::EmitFused(const Node& node) {
  const std::string hint = node.name().empty() ? "fused" : "fused_" + Identifier(node.name());
  const std::string name = parts_.function_names.Unique(hint);
  Graph& body = *node.attribute("body")->graph();
  DRAGOMAN_ASSIGN(std::string text, FunctionWriter(name, body, Access::kPrivate, parts_).Write());
  parts_.private_functions.push_back(std::move(text));
  calls_ = true;
  std::vector<std::string> arguments;
  for (const Use& use : node.operands()) arguments.push_back(NameOf(use.value()));
  const std::string call = fmt::format("cls.{}({})", name, fmt::join(arguments, ", "));
  if (body.num_outputs() > 1) {
    BindResults(node, Bind(FreshVariable(), call, {}));
  } else if (const Value* result = node.result(0)) {
    names_[result] = Bind(ResultName(result), call, result->type());
  }
  return {};
}

std::string FunctionWriter::Signature() const {
  std::vector<std::string> results;
  for (const Use& use : graph_.outputs())
    results.push_back(SignatureType(use.value()->type(), signature_symbols_));
  const std::string result =
      results.size() == 1 ? results.front() : fmt::format("R.Tuple({})", fmt::join(results, ", "));
  return fmt::format("    @R.function{}\n    def {}({}) -> {}:\n",
                     is_private_ ? "(private=True)" : "", name_, fmt::join(parameters_, ", "),
                     result);
}

// The statements, where a block gives out what later ones read. Bindings of a block that nothing
// reads (sizes that the text states) are left out; a match_cast stays, since it names sizes.
std::string FunctionWriter::Blocks(const std::string& result) const {
  std::set<std::string> read;
  AddWords(result, read);
  std::vector<std::string> texts;
  for (auto segment = segments_.rbegin(); segment != segments_.rend(); ++segment) {
    std::vector<std::string> given;
    for (const std::string& name : segment->bound) {
      if (read.contains(name)) given.push_back(name);
    }
    const std::string indent(segment->dataflow ? 12 : 8, ' ');
    std::vector<std::string> lines;
    if (segment->dataflow) lines.push_back(fmt::format("R.output({})", fmt::join(given, ", ")));
    for (auto line = segment->lines.rbegin(); line != segment->lines.rend(); ++line) {
      const std::string target = line->substr(0, line->find_first_of(": "));
      const bool casts = line->find("R.match_cast(") != std::string::npos;
      if (segment->dataflow && !casts && !read.contains(target)) continue;
      AddWords(*line, read);
      lines.push_back(*line);
    }
    if (lines.size() == (segment->dataflow ? 1u : 0u)) continue;
    std::string text = segment->dataflow ? "        with R.dataflow():\n" : "";
    for (auto line = lines.rbegin(); line != lines.rend(); ++line) text += indent + *line + "\n";
    texts.push_back(std::move(text));
  }
  return fmt::format("{}", fmt::join(texts.rbegin(), texts.rend(), ""));
}

std::string FunctionWriter::Body() {
  // An output that is no binding of this function, or is one twice, gets one.
  std::vector<std::string> outputs;
  std::set<std::string> bound;
  for (const Use& use : graph_.outputs()) {
    std::string name = NameOf(use.value());
    if (use.value()->kind() != Value::Kind::kResult || !bound.insert(name).second)
      name = Bind(FreshOutput(), name, use.value()->type());
    outputs.push_back(name);
  }
  std::string text;
  if (!is_private_)
    text += fmt::format("        R.func_attr({{\"num_input\": {}}})\n", graph_.num_inputs());
  if (calls_) text += "        cls = Module\n";
  for (const auto& [symbol, name] : symbols_) text += fmt::format("        {} = T.int64()\n", name);
  const std::string result =
      outputs.size() == 1 ? outputs.front() : fmt::format("({})", fmt::join(outputs, ", "));
  return text + Blocks(result) + fmt::format("        return {}\n", result);
}

Result<std::string> FunctionWriter::Write() {
  DRAGOMAN_TRY(inference_.InferGraph(graph_));
  NameSymbols();
  AddInputs();
  AddConstants(graph_);
  EmitNodes(graph_);
  if (!findings_.empty()) return Error(std::move(findings_));
  const std::string body = Body();
  return Signature() + body;
}

}  // namespace dragoman::relax
