// SPDX-License-Identifier: Apache-2.0
// If, Loop, fused groups and effects: bodies become private functions, but for those of an If that
// names no size, which stand in place.
#include <algorithm>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "codegen/relax/attribute_text.h"
#include "codegen/relax/function_writer.h"
#include "codegen/relax/recursion.h"
#include "codegen/tvm/prepare.h"
#include "core/ir/element_text.h"
#include "core/ir/find_as.h"
#include "core/ir/node_attributes.h"
#include "core/ops/control_flow.h"
#include "core/ops/elements.h"
#include "core/ops/op_def.h"

namespace dragoman::relax {
namespace {

std::string Hint(const Node& node, const std::string& what) {
  return node.name().empty() ? what : what + "_" + Identifier(node.name());
}

BodyForm PlainForm(const std::string& hint, const Graph& body) {
  BodyForm form;
  form.hint = hint;
  for (const auto& input : body.inputs()) form.inputs.push_back(input.get());
  for (const Use& output : body.outputs()) form.results.push_back({output.value()});
  return form;
}

// The attributes of a group that was one before; nullptr: a rewrite made it.
const Attribute::Dict* KnownAttributes(const Node& node) {
  return FindAs<Attribute::Dict>(node.extra_if_any(), tvm::kGroupAttributes);
}

// A group records what its members were.
std::string GroupAttributes(const Node& node, const Graph& body) {
  const Attribute::Dict* known = KnownAttributes(node);
  Attribute::Dict attributes =
      known != nullptr ? *known
                       : Attribute::Dict{{"Composite", Attribute(std::string("dragoman.fused"))},
                                         {"Primitive", Attribute(true)}};
  if (Find(attributes, "members") == nullptr)
    attributes.push_back({"members", Attribute(tvm::MembersOf(body))});
  return ItemsText(attributes);
}

std::string GroupHint(const Node& node) {
  return KnownAttributes(node) != nullptr ? Identifier(node.name()) : Hint(node, "fused");
}

}  // namespace

// The value as a 0-d tensor, which Relax demands of conditions and counts.
std::string FunctionWriter::ScalarOf(const Value& value) {
  const Shape* shape = value.type().shape();
  if (shape == nullptr || shape->empty()) return NameOf(&value);
  return Bind(FreshVariable(), fmt::format("R.reshape({}, R.shape([]))", NameOf(&value)),
              Type::Tensor(value.type().dtype(), Shape{}));
}

Result<BodyFunction> FunctionWriter::WriteBody(const Graph& body, const BodyForm& form) {
  BodyFunction function;
  function.name = parts_.function_names.Unique(form.hint);
  FunctionWriter writer(function.name, body, form, *this);
  DRAGOMAN_ASSIGN(FunctionText text, writer.Write(form.attributes));
  parts_.private_functions.push_back(std::move(text));
  const auto begin = writer.parameters_.begin();
  const auto middle = begin + static_cast<std::ptrdiff_t>(form.inputs.size());
  function.inputs.assign(begin, middle);
  function.captured.assign(middle, writer.parameters_.end());
  for (const Value* value : writer.captured_) function.arguments.push_back(NameOf(value));
  if (!writer.sizes_.empty()) {
    std::vector<std::string> sizes;
    for (const std::string& symbol : writer.sizes_) sizes.push_back(symbols_.at(symbol));
    function.arguments.push_back(fmt::format("R.shape([{}])", fmt::join(sizes, ", ")));
  }
  function.results = writer.Head().results;
  function.sizes = writer.signature_symbols_;
  function.names = std::move(writer.scope_);
  function.pure = writer.pure_;
  return function;
}

// The elements of a tuple of `count` are the node's results.
void FunctionWriter::BindResults(const Node& node, const std::string& tuple, std::size_t count,
                                 const std::vector<bool>& deduced) {
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    if (node.result(i) != nullptr)
      BindResult(node.result(i), ElementText(tuple, i, count), deduced[i]);
  }
}

Status FunctionWriter::EmitFused(const Node& node) {
  const Graph& body = *GraphAttribute(node, "body");
  BodyForm form = PlainForm(GroupHint(node), body);
  form.attributes = GroupAttributes(node, body);
  DRAGOMAN_ASSIGN(BodyFunction function, WriteBody(body, form));
  std::vector<std::string> arguments;
  for (const Use& use : node.operands()) arguments.push_back(NameOf(use.value()));
  arguments.insert(arguments.end(), function.arguments.begin(), function.arguments.end());
  const std::string call = fmt::format("cls.{}({})", function.name, fmt::join(arguments, ", "));
  calls_ = true;
  std::vector<bool> deduced;
  for (const std::string& type : function.results) deduced.push_back(IsDeduced(type));
  if (body.num_outputs() == 1 && function.pure) {
    BindResult(node.result(0), call, deduced.front());
    return {};
  }
  BindResults(node, BindCall(FreshVariable(), call, function.pure), body.num_outputs(), deduced);
  return {};
}

// Whether a node of `body`, or of a branch in it, has a size that nothing around it defines.
bool FunctionWriter::NamesSizes(const Graph& body) const {
  bool names = false;
  ForEachGraph(body, [&](const Graph& graph) {
    if (graph.parent() != body.parent() && !graph.parent()->Is("If")) return;
    for (const Node& node : graph.nodes()) {
      for (std::size_t i = 0; i < node.num_results(); ++i) {
        const Value* result = node.result(i);
        if (result == nullptr || result->type().shape() == nullptr) continue;
        names = names || !ShapeText(*result->type().shape(), symbols_);
      }
    }
  });
  return names;
}

// Whether TVM knows of a branch what the type of the If says of its results.
bool FunctionWriter::GivesStatedSizes(const Graph& body, const Node& node) const {
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    if (node.result(i) == nullptr || node.result(i)->type().shape() == nullptr) continue;
    const Type& given = body.output(i)->type();
    const Shape& stated = *node.result(i)->type().shape();
    if (given.shape() == nullptr ||
        ShapeText(*given.shape(), symbols_) != ShapeText(stated, symbols_))
      return false;
  }
  return true;
}

// The results of a body under one name: alone, or as a tuple.
void FunctionWriter::EmitBranchInPlace(const Graph& body, const std::string& name,
                                       const Node& node) {
  EmitNodes(body);
  std::vector<std::string> results;
  for (const Use& output : body.outputs()) results.push_back(NameOf(output.value()));
  const bool is_single = results.size() == 1 && node.result(0) != nullptr;
  const bool is_known = is_single && GivesStatedSizes(body, node);
  Bind(name, TupleText(results), is_known ? node.result(0)->type() : Type());
}

Status FunctionWriter::EmitBranch(const Graph& body, const std::string& name, const Node& node) {
  if (!NamesSizes(body)) {
    EmitBranchInPlace(body, name, node);
    return {};
  }
  DRAGOMAN_ASSIGN(BodyFunction function, WriteBody(body, PlainForm(Hint(node, "branch"), body)));
  calls_ = true;
  Bind(name, fmt::format("cls.{}({})", function.name, fmt::join(function.arguments, ", ")), {});
  return {};
}

Status FunctionWriter::EmitIf(const Node& node) {
  const Graph* then_branch = GraphAttribute(node, "then_branch");
  const Graph* else_branch = GraphAttribute(node, "else_branch");
  if (then_branch == nullptr || else_branch == nullptr)
    return Unsupported("an If without branches").At(node.Describe());
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    if (node.result(i) != nullptr && !node.result(i)->type().is_tensor())
      return Unsupported("Relax has only tensors as results of If").At(node.Describe());
  }
  const std::string condition = ScalarOf(*node.operand(0));
  const Value* single = node.num_results() == 1 ? node.result(0) : nullptr;
  const bool deduced = !NamesSizes(*then_branch) && !NamesSizes(*else_branch) &&
                       GivesStatedSizes(*then_branch, node) && GivesStatedSizes(*else_branch, node);
  const bool is_said =
      deduced && single != nullptr &&
      (single->type().shape() == nullptr || ShapeText(*single->type().shape(), symbols_));
  const std::string name = is_said ? ResultName(single) : FreshVariable();
  BeginOutside();
  AddLine(fmt::format("if {}:", condition));
  ++branches_;
  Status status = EmitBranch(*then_branch, name, node);
  --branches_;
  AddLine("else:");
  ++branches_;
  if (status.ok()) status = EmitBranch(*else_branch, name, node);
  --branches_;
  EndOutside();
  if (!status.ok()) return std::move(status).error().At(node.Describe());
  if (is_said) {
    names_[single] = name;
  } else {
    BindResults(node, name, then_branch->num_outputs(),
                std::vector<bool>(node.num_results(), deduced));
  }
  return {};
}

namespace {

// A Loop as a function of its iteration.
struct LoopForm {
  bool has_condition = false;  // some iteration may be the last by it
  bool may_stop = false;       // there may be no iteration
  std::size_t num_carried = 0;
  std::vector<std::size_t>
      results;  // of the node: what is carried, then what is collected and read
  BodyForm body;
};

bool IsRead(const Value* result) { return result != nullptr && result->used(); }

LoopForm FormOf(const Node& node, const Graph& body, const Inference& inference) {
  LoopForm form;
  const bool starts =
      node.operand(1) == nullptr || IsConstantBool(inference.Know(node.operand(1)), true);
  form.has_condition = !starts || !IsConstantBool(inference.Know(body.output(0)), true);
  form.may_stop =
      form.has_condition || RangeOf(OnlyElement(inference.Know(node.operand(0)))).lower < 1;
  form.num_carried = body.num_inputs() - 2;
  form.body.hint = Hint(node, "loop") + "_step";
  for (std::size_t i = 0; i < body.num_inputs(); ++i) {
    if (i != 1 || form.has_condition) form.body.inputs.push_back(body.input(i));
  }
  if (!form.has_condition) form.body.given = {{body.input(1), "R.const(True, \"bool\")"}};
  using Form = FunctionResult::Form;
  for (std::size_t i = form.has_condition ? 0 : 1; i < body.num_outputs(); ++i) {
    const Form as = i == 0 ? Form::kScalar : i <= form.num_carried ? Form::kAsIs : Form::kRow;
    if (as == Form::kRow && !IsRead(node.result(i - 1))) continue;
    if (i > 0) form.results.push_back(i - 1);
    form.body.results.push_back({body.output(i), as});
  }
  return form;
}

// Those of `inner` that also stand outside, where they are the same in every iteration.
SymbolNames Lasting(const SymbolNames& inner, const SymbolNames& outer) {
  SymbolNames lasting;
  for (const auto& [symbol, name] : inner) {
    if (outer.contains(symbol)) lasting[symbol] = name;
  }
  return lasting;
}

}  // namespace

// The call of the function that makes all iterations.
std::string FunctionWriter::LoopCall(const Node& node, const std::string& name, bool has_condition,
                                     const std::vector<std::string>& fixed) {
  constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();
  std::vector<std::string> arguments = {"R.const(0, \"int64\")"};
  const Value* count = node.operand(0);
  arguments.push_back(count != nullptr ? ScalarOf(*count)
                                       : fmt::format("R.const({}, \"int64\")", kUnlimited));
  const Value* condition = node.operand(1);
  if (has_condition)
    arguments.push_back(condition != nullptr ? ScalarOf(*condition) : "R.const(True, \"bool\")");
  for (std::size_t i = 2; i < node.num_operands(); ++i)
    arguments.push_back(NameOf(node.operand(i)));
  arguments.insert(arguments.end(), fixed.begin(), fixed.end());
  return fmt::format("cls.{}({})", name, fmt::join(arguments, ", "));
}

Status FunctionWriter::EmitLoop(const Node& node) {
  const Graph& body = *GraphAttribute(node, "body");
  const LoopForm form = FormOf(node, body, inference_);
  const std::size_t kept = form.num_carried + (form.has_condition ? 1 : 0);
  Recursion recursion;
  recursion.name = parts_.function_names.Unique(Hint(node, "loop"));
  Result<BodyFunction> step = WriteBody(body, form.body);
  if (!step.ok()) return std::move(step).error().At(node.Describe());
  recursion.step = step->name;
  recursion.index = step->inputs.front();
  recursion.carried.assign(step->inputs.begin() + 1, step->inputs.end());
  const SymbolNames lasting = Lasting(step->sizes, symbols_);
  for (std::size_t i = 1; i < form.body.inputs.size(); ++i)
    recursion.carried_results.push_back(SignatureType(form.body.inputs[i]->type(), lasting));
  recursion.fixed = step->captured;
  for (std::size_t i = kept; i < form.body.results.size(); ++i)
    recursion.collected.push_back(AsRow(form.body.results[i].value->type()));
  recursion.symbols = step->sizes;
  recursion.has_condition = form.has_condition;
  recursion.may_stop = form.may_stop;
  recursion.pure = step->pure;
  std::optional<std::vector<std::string>> texts =
      WriteRecursion(recursion, std::move(step->names), parts_.function_names);
  if (!texts) return Unsupported("a loop that collects what has no known size").At(node.Describe());
  for (std::string& text : *texts) parts_.private_functions.push_back({.head = std::move(text)});
  const std::string call = LoopCall(node, recursion.name, form.has_condition, step->arguments);
  const std::string tuple = BindCall(FreshVariable(), call, recursion.pure);
  const std::size_t first = form.has_condition ? 1 : 0;
  for (std::size_t i = 0; i < form.results.size(); ++i) {
    const Value* result = node.result(form.results[i]);
    const bool deduced = first + i < recursion.carried_results.size() &&
                         IsDeduced(recursion.carried_results[first + i]);
    if (result != nullptr)
      BindResult(result, ElementText(tuple, first + i, form.body.results.size()), deduced);
  }
  return {};
}

// The message with each {} replaced by one of the data; the rest of them follows.
Result<std::string> FunctionWriter::FormatOf(const Node& node, std::size_t first,
                                             std::vector<std::string>& arguments) {
  const std::string message = TextAttribute(node, "message", "");
  std::string_view rest = message;
  std::string format;
  const auto copy = [&format](std::string_view text) {
    for (const char c : text)
      format += c == '{' || c == '}' ? std::string(2, c) : std::string(1, c);
  };
  for (std::size_t i = first; i < node.num_operands(); ++i) {
    const std::size_t place = rest.find("{}");
    copy(rest.substr(0, place));
    if (place == std::string_view::npos && !format.empty()) format += " ";
    rest.remove_prefix(place == std::string_view::npos ? rest.size() : place + 2);
    const Value* value = node.operand(i);
    if (value == nullptr) continue;
    const bool is_text = value->tensor() != nullptr && value->type().dtype() == DType::kString;
    if (is_text && value->tensor()->size() == 1) {
      copy(FormatElement(*value->tensor(), 0));
      continue;
    }
    if (!value->type().is_tensor() || RelaxDType(value->type().dtype()).empty())
      return Unsupported("Relax cannot print " + value->type().ToString()).At(node.Describe());
    arguments.push_back(NameOf(value));
    format += "{}";
  }
  copy(rest);
  return format;
}

Status FunctionWriter::EmitEffect(const Node& node) {
  const bool asserts = node.IsDragoman("Assert");
  std::vector<std::string> arguments;
  DRAGOMAN_ASSIGN(std::string format, FormatOf(node, asserts ? 1 : 0, arguments));
  if (asserts) {
    const std::string condition = ScalarOf(*node.operand(0));
    AddOutside(fmt::format("R.assert_op({}, [{}], format={})", condition,
                           fmt::join(arguments, ", "), QuotedText(format)));
  } else {
    arguments.push_back("format=" + QuotedText(format));
    AddOutside(fmt::format("R.print({})", fmt::join(arguments, ", ")));
  }
  return {};
}

}  // namespace dragoman::relax
