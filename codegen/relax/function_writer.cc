// SPDX-License-Identifier: Apache-2.0
#include "codegen/relax/function_writer.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "codegen/relax/ops/runtime_sizes.h"
#include "core/ir/node_attributes.h"
#include "core/ops/op_def.h"

namespace dragoman::relax {
namespace {

// Names with a meaning in a module.
constexpr std::string_view kReserved[] = {"R", "T", "I", "cls", "Module", "float", "metadata"};

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

Type TypeOf(const FunctionResult& result) {
  const Type& type = result.value->type();
  if (result.form == FunctionResult::Form::kScalar) return Type::Tensor(type.dtype(), Shape{});
  return result.form == FunctionResult::Form::kRow ? AsRow(type) : type;
}

// A constant that has a literal. TVM writes those without elements into files that it cannot read.
std::string LiteralText(const Tensor& tensor) {
  if (tensor.size() > 0) return *ConstText(tensor);
  return fmt::format("R.zeros(R.shape([{}]), dtype=\"{}\")", fmt::join(tensor.sizes(), ", "),
                     RelaxDType(tensor.dtype()));
}

}  // namespace

Type AsRow(const Type& type) {
  if (type.shape() == nullptr) return Type::Tensor(type.dtype());
  Shape shape = *type.shape();
  shape.insert(shape.begin(), Dim(1));
  return Type::Tensor(type.dtype(), std::move(shape));
}

bool IsDeduced(const std::string& type) { return type.find("ndim=") == std::string::npos; }

FunctionWriter::FunctionWriter(std::string name, const Graph& graph, const Inference& inference,
                               ModuleParts& parts)
    : name_(std::move(name)), graph_(graph), outer_(nullptr), parts_(parts), inference_(inference) {
  for (std::string_view reserved : kReserved) {
    scope_.Reserve(reserved);
    parts_.weight_names.Reserve(reserved);
  }
  for (const auto& input : graph.inputs()) inputs_.push_back(input.get());
  for (const Use& output : graph.outputs()) results_.push_back({output.value()});
}

FunctionWriter::FunctionWriter(std::string name, const Graph& body, const BodyForm& form,
                               FunctionWriter& outer)
    : name_(std::move(name)),
      graph_(body),
      outer_(&outer),
      parts_(outer.parts_),
      inference_(outer.inference_),
      inputs_(form.inputs),
      captured_(CapturesOf(body)),
      results_(form.results) {
  for (std::string_view reserved : kReserved) scope_.Reserve(reserved);
  for (const auto& [value, expression] : form.given) names_[value] = expression;
}

// In the release for which the module is written.
bool FunctionWriter::HasType(const Type& type) const {
  return type.is_tensor() && !RelaxDType(type.dtype()).empty() &&
         InRelease(RelaxDType(type.dtype()), parts_.options.release).ok();
}

void FunctionWriter::Refuse(const std::string& place, const std::string& what) {
  findings_.push_back({ErrorKind::kUnsupported, {}, place, what});
}

// Symbols that stand alone as a size of a parameter; others have no definition in the signature.
void FunctionWriter::NameSymbols() {
  const auto name_those_of = [this](const Value& value) {
    if (value.type().shape() == nullptr) return;
    for (const Dim& dim : *value.type().shape()) {
      const std::string* symbol = dim.symbol();
      if (symbol == nullptr || symbols_.contains(*symbol)) continue;
      symbols_[*symbol] = scope_.Unique(Identifier(*symbol));
    }
  };
  for (const Value* input : inputs_) name_those_of(*input);
  for (const Value* captured : captured_) name_those_of(*captured);
}

// The other symbols of the function around that types of this body use.
void FunctionWriter::AddSizes() {
  if (outer_ == nullptr) return;
  std::set<std::string> used;
  const auto see = [&](const Value* value) {
    if (value == nullptr || value->type().shape() == nullptr) return;
    for (const Dim& dim : *value->type().shape()) {
      for (std::string& symbol : dim.Symbols()) used.insert(std::move(symbol));
    }
  };
  for (const Value* input : inputs_) see(input);
  for (const Value* captured : captured_) see(captured);
  ForEachGraph(graph_, [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) {
      for (std::size_t i = 0; i < node.num_results(); ++i) see(node.result(i));
    }
  });
  for (const std::string& symbol : used) {
    if (symbols_.contains(symbol) || !outer_->symbols_.contains(symbol)) continue;
    sizes_.push_back(symbol);
    symbols_[symbol] = scope_.Unique(Identifier(symbol));
  }
}

// Before symbols have names: those of inputs are the model's own wherever they can be.
void FunctionWriter::NameInputs() {
  const auto name_it = [this](const Value& value) {
    names_[&value] = scope_.Unique(Identifier(value.name()));
    if (outer_ == nullptr) parts_.weight_names.Reserve(names_[&value]);
  };
  for (const Value* input : inputs_) name_it(*input);
  for (const Value* captured : captured_) name_it(*captured);
}

void FunctionWriter::AddInputs() {
  const auto add = [this](const Value& value, std::string_view what) {
    const Type& type = value.type();
    if (!HasType(type)) {
      Refuse(fmt::format("{} '{}'", what, value.name()), "Relax has no type " + type.ToString());
      return;
    }
    parameters_.push_back({names_[&value], SignatureType(type, symbols_)});
  };
  for (const Value* input : inputs_) add(*input, "input");
  for (const Value* captured : captured_) add(*captured, "value");
  if (sizes_.empty()) return;
  std::vector<std::string> names;
  for (const std::string& symbol : sizes_) names.push_back(fmt::format("\"{}\"", symbols_[symbol]));
  parameters_.push_back(
      {scope_.Unique("sizes"), fmt::format("R.Shape([{}])", fmt::join(names, ", "))});
}

void FunctionWriter::AddWeight(const Value& constant) {
  const Tensor* tensor = constant.tensor();
  if (tensor == nullptr || !HasType(tensor->type())) {
    Refuse("constant '" + constant.name() + "'",
           "Relax has no constants of type " + constant.type().ToString());
    return;
  }
  std::string name = parts_.weight_names.Unique(Identifier(constant.name()));
  while (!scope_.Reserve(name)) name = parts_.weight_names.Unique(name);
  names_[&constant] = name;
  parameters_.push_back({name, TypeText(tensor->type(), symbols_)});
  parts_.weights.emplace_back(name, *tensor);
}

void FunctionWriter::AddWeights() {
  if (outer_ != nullptr) return;
  for (const Value* value : CapturesOf(graph_)) AddWeight(*value);
}

void FunctionWriter::CheckResults() {
  for (const FunctionResult& result : results_) {
    const Type& type = result.value->type();
    if (!HasType(type))
      Refuse("output '" + result.value->name() + "'", "Relax has no type " + type.ToString());
  }
}

std::string FunctionWriter::NameOf(const Value* value) const {
  auto found = names_.find(value);
  if (found != names_.end()) return found->second;
  const bool is_literal = value != nullptr && value->is_constant() && IsLiteral(*value);
  return is_literal ? LiteralText(*value->tensor()) : "None";
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

// As the release has it for which the module is written; what it lacks is reported.
std::string FunctionWriter::InOwnRelease(const std::string& expression) {
  Result<std::string> said = InRelease(expression, parts_.options.release);
  if (said.ok()) return *std::move(said);
  const std::string& why = said.error().findings().front().message;
  const std::string place = node_ != nullptr ? node_->Describe() : "function '" + name_ + "'";
  const bool is_known = !findings_.empty() && findings_.back().place == place;
  if (!is_known) Refuse(place, why);
  return expression;
}

std::string FunctionWriter::Bind(const std::string& name, const std::string& expression,
                                 const Type& type) {
  const bool annotated = type.is_tensor() && !RelaxDType(type.dtype()).empty();
  const std::string said = InOwnRelease(expression);
  AddLine(annotated ? fmt::format("{}: {} = {}", name, TypeText(type, symbols_), said)
                    : fmt::format("{} = {}", name, said));
  if (branches_ == 0) segments_.back().bound.push_back(name);
  return name;
}

// Of a node's result: what run time alone knows of its sizes, or TVM does not deduce of the
// expression, is named by a cast.
void FunctionWriter::BindResult(const Value* result, const std::string& expression, bool deduced) {
  const std::string name = ResultName(result);
  const Type& type = result->type();
  names_[result] = name;
  const bool said = type.shape() == nullptr || ShapeText(*type.shape(), symbols_).has_value();
  const bool known = type.shape() == nullptr || (said && deduced);
  if (known || (!said && !Declare(type).ok())) {
    Bind(name, expression, type);
    return;
  }
  const std::string whole = Bind(FreshVariable(), expression, {});
  Bind(name, fmt::format("R.match_cast({}, {})", whole, TypeText(type, symbols_)), type);
}

// Functions with effects are called between dataflow blocks.
std::string FunctionWriter::BindCall(const std::string& name, const std::string& call, bool pure) {
  calls_ = true;
  if (!pure) BeginOutside();
  Bind(name, call, {});
  if (!pure) EndOutside();
  return name;
}

void FunctionWriter::BeginOutside() {
  if (branches_ == 0) segments_.push_back({.dataflow = false, .lines = {}, .bound = {}});
}

void FunctionWriter::EndOutside() {
  if (branches_ == 0) segments_.emplace_back();
}

void FunctionWriter::AddOutside(const std::string& line) {
  BeginOutside();
  AddLine(line);
  EndOutside();
}

Status FunctionWriter::Declare(const Type& type) {
  if (type.shape() == nullptr) return Unsupported("a rank is not known");
  if (branches_ > 0) return Unsupported("Relax cannot name a size within a branch");
  for (const Dim& dim : *type.shape()) {
    if (dim.unknown()) return Unsupported("a size has no name");
  }
  for (const Dim& dim : *type.shape()) {
    for (const std::string& symbol : dim.Symbols()) {
      if (!symbols_.contains(symbol)) symbols_[symbol] = scope_.Unique(Identifier(symbol));
    }
  }
  return {};
}

Status FunctionWriter::EmitNode(const Node& node) {
  pure_ = pure_ && !HasEffect(node);
  node_ = &node;
  if (node.Is("If")) return EmitIf(node);
  if (node.Is("Loop")) return EmitLoop(node);
  if (node.IsDragoman("Fused")) return EmitFused(node);
  if (node.IsDragoman("Assert") || node.IsDragoman("Print")) return EmitEffect(node);
  return EmitOperatorOrPacked(node);
}

Status FunctionWriter::EmitOperator(const Node& node) {
  const OpDef* def = FindOp(node);
  const Row* row = def != nullptr ? FindRow(def->Label()) : nullptr;
  if (row == nullptr && def != nullptr && def->random)
    return Unsupported("random numbers in a loop, or of sizes that only run time knows")
        .At(node.Describe());
  if (row == nullptr) return Unsupported("Relax has no such operator").At(node.Describe());
  // TVM compiles no operator on what has no known rank.
  for (const Use& use : node.operands()) {
    const bool is_open = use.value() != nullptr && use.value()->type().is_tensor() &&
                         use.value()->type().shape() == nullptr;
    if (is_open)
      return Unsupported(
                 "Relax cannot express it: a rank is not known; state the inputs' sizes "
                 "with --shape")
          .At(node.Describe());
  }
  std::unordered_map<const Value*, std::string> fitted;  // operands, looked up
  std::unordered_set<const Value*> asked;
  auto name_of = [this, &fitted, &asked](const Value* value) {
    asked.insert(value);
    const auto found = fitted.find(value);
    return found != fitted.end() ? found->second : NameOf(value);
  };
  auto bind = [this](const std::string& expression, const Type& type) {
    return Bind(FreshVariable(), expression, type);
  };
  auto declare = [this, &node](const Type& type) -> Status {
    Status status = Declare(type);
    if (!status.ok()) return std::move(status).error().At(node.Describe());
    return {};
  };
  const std::size_t lines = segments_.back().lines.size();
  RelaxOp op{{node, inference_, "Relax", bounded_},
             symbols_,
             parts_.options.release,
             name_of,
             bind,
             declare};
  if (def->op_class == OpClass::kBroadcast || node.Is("Where")) {
    DRAGOMAN_ASSIGN(const std::vector<std::string> operands, FitOperands(op));
    for (std::size_t i = 0; i < operands.size(); ++i) fitted[node.operand(i)] = operands[i];
  }
  if (!tvm::Takes(*row, node)) return op.Refuse(tvm::kNoForm);
  DRAGOMAN_ASSIGN(std::vector<std::string> expressions, row->emit(op));
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    if (node.result(i) != nullptr) BindResult(node.result(i), expressions[i]);
  }
  if (IsComposed(node, lines, asked)) RemarkOn(*AsComposed(node));
  return {};
}

// Whether the statements since there were `lines` of them say less than the node: several of them,
// a call of another operator, or one that does not read every operand. Rewrites find linear layers
// again, whoever wrote them.
bool FunctionWriter::IsComposed(const Node& node, std::size_t lines,
                                const std::unordered_set<const Value*>& asked) const {
  if (branches_ > 0 || node.IsDragoman("Linear")) return false;
  const auto goes_unsaid = [&](const Use& use) {
    return use.value() != nullptr && !use.value()->is_constant() && !asked.contains(use.value());
  };
  return segments_.back().lines.size() > lines + 1 ||
         FindRow(FindOp(node)->Label())->says_otherwise ||
         std::ranges::any_of(node.operands(), goes_unsaid) ||
         node.attribute("output_shape") != nullptr ||
         TextAttribute(node, "auto_pad", "NOTSET") != "NOTSET";
}

void FunctionWriter::RemarkOn(const ComposedNode& node) {
  const auto has_name = [this](const Value* value) {
    return value == nullptr || names_.contains(value) ||
           (value->is_constant() && IsLiteral(*value));
  };
  if (!std::ranges::all_of(node.operands, has_name) || !std::ranges::all_of(node.results, has_name))
    return;
  composed_.push_back(RemarkText(node, [this](const Value* value) { return NameOf(value); }));
}

// Every node that Relax cannot express is reported, so emission goes on after a refusal.
void FunctionWriter::EmitNodes(const Graph& graph) {
  for (const Node& node : graph.nodes()) {
    Status status = EmitNode(node);
    if (status.ok()) continue;
    for (Finding& finding : status.error().findings()) findings_.push_back(std::move(finding));
  }
}

FunctionHead FunctionWriter::Head() const {
  FunctionHead head{name_, outer_ != nullptr, pure_, parameters_, {}};
  for (const FunctionResult& result : results_) {
    head.results.push_back(SignatureType(TypeOf(result), signature_symbols_));
  }
  return head;
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

// A result that is not a binding of this function, or is one twice, gets one.
std::string FunctionWriter::ReturnValue() {
  std::vector<std::string> results;
  std::set<std::string> bound;
  for (const FunctionResult& result : results_) {
    const Value* value = result.value;
    const bool is_row = result.form == FunctionResult::Form::kRow;
    std::string name = NameOf(value);
    if (is_row) name = fmt::format("R.expand_dims({}, axis=[0])", name);
    if (result.form == FunctionResult::Form::kScalar) name = ScalarOf(*value);
    const bool is_own = value->kind() == Value::Kind::kResult && value->graph() == &graph_;
    if (is_row || !is_own || bound.contains(name)) name = Bind(FreshOutput(), name, TypeOf(result));
    bound.insert(name);
    results.push_back(name);
  }
  return TupleText(results);
}

std::string FunctionWriter::Declarations() const {
  std::string text;
  if (calls_) text += "        cls = Module\n";
  for (const auto& [symbol, name] : symbols_) text += fmt::format("        {} = T.int64()\n", name);
  return text;
}

Result<FunctionText> FunctionWriter::Write(const std::string& attributes,
                                           const std::vector<ComposedNode>& changed) {
  bounded_ = tvm::BoundedOf(changed);
  NameInputs();
  NameSymbols();
  AddSizes();
  AddInputs();
  signature_symbols_ = symbols_;
  AddWeights();
  CheckResults();
  EmitNodes(graph_);
  // First those that others are parts of.
  std::vector<std::string> parts = std::exchange(composed_, {});
  for (const ComposedNode& node : changed) RemarkOn(node);
  std::ranges::move(parts, std::back_inserter(composed_));
  if (!findings_.empty()) return Error(std::move(findings_));
  const std::string result = ReturnValue();
  return FunctionText{name_, Head().Text(), attributes, std::move(composed_),
                      Declarations() + Blocks(result) + fmt::format("        return {}\n", result)};
}

}  // namespace dragoman::relax
