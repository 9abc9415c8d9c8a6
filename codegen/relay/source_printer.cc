// SPDX-License-Identifier: Apache-2.0
#include "codegen/relay/source_printer.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "codegen/relay/check_source.h"
#include "codegen/relay/composed.h"
#include "codegen/relay/nd_array.h"
#include "codegen/relay/relay_text.h"
#include "core/compare/composed_text.h"
#include "core/ir/find_as.h"
#include "core/ir/node_attributes.h"

namespace dragoman::relay::emit {
namespace {

std::string Indent(int depth) { return std::string(static_cast<std::size_t>(2 * depth), ' '); }

bool IsNode(const Node& node, std::string_view type) {
  return node.op().domain.empty() && node.op().type == type;
}

// Atoms stand wherever they are read.
bool IsAtom(const Node& node) {
  return IsNode(node, "GlobalVar") || IsNode(node, "Self") || IsNode(node, "Constructor") ||
         IsNode(node, "Operator");
}

std::string OperatorText(const OpName& op) {
  return op.domain.empty() ? op.type : op.domain + "." + op.type;
}

bool IsOldText(const Model& model) { return FindText(model.extra, "relay.version") == "0.0.4"; }

// Puts `item` after the items of `list`.
void Join(std::string& list, std::string_view item) {
  if (!list.empty() && !item.empty()) list += ", ";
  list += item;
}

}  // namespace

SourcePrinter::SourcePrinter(const Model& model) : model_(model), transposes_(IsOldText(model)) {}

void SourcePrinter::Refuse(const Node& node, const std::string& what) {
  findings_.push_back({ErrorKind::kUnsupported, {}, node.Describe(), what});
}

Result<std::string> SourcePrinter::Run() {
  DRAGOMAN_TRY(CheckSource(model_));
  std::string text = "#[version = \"0.0.5\"]\n";
  if (const Attribute* types = Find(model_.extra, "relay.types")) {
    const auto* definitions = types->As<Attribute::Strings>();
    for (const std::string& type : definitions != nullptr ? *definitions : Attribute::Strings())
      text += type + "\n\n";
  }
  const auto define = [&](const std::string& name, const Graph& graph, bool is_entry) {
    locals_ = NameScope();
    selves_.clear();
    text += fmt::format("def @{}{}\n\n", name, FunctionText(graph, PartsOf(graph), 0, is_entry));
  };
  for (const Function& function : model_.functions)
    define(function.op->type, *function.graph, false);
  for (const Entry& entry : model_.entries)
    define(LocalName(entry.name), *entry.graph, &entry == &model_.entries.front());
  text.pop_back();
  if (!metadata_.empty()) text += "\n" + metadata_.Text();
  if (!findings_.empty()) return Error(std::move(findings_));
  return text;
}

std::string SourcePrinter::TypeOf(const Type& type, const Extra* extra) {
  const std::string text = FindText(extra, "relay.type");
  if (!text.empty()) return text;
  return TypeText(type, [this](const std::string& symbol) { return metadata_.AddSize(symbol); })
      .value_or("");
}

std::string SourcePrinter::Parameter(const Value& value, bool is_entry) {
  const std::string name = locals_.Unique(LocalName(value.name()));
  names_[&value] = "%" + name;
  if (is_entry && value.tensor() != nullptr) params.emplace_back(name, *value.tensor());
  const std::string type = TypeOf(value.type(), value.extra_if_any());
  return "%" + name + (type.empty() ? "" : ": " + type) +
         Comment(value.extra_if_any(), nullptr, "");
}

std::string SourcePrinter::FunctionText(const Graph& graph, const Attribute::Dict& attributes,
                                        int depth, bool is_entry) {
  std::string head;
  if (const Attribute* names = Find(attributes, "type_params")) {
    if (const auto* texts = names->As<Attribute::Strings>())
      head = fmt::format("[{}]", fmt::join(*texts, ", "));
  }
  std::string list;
  for (const auto& input : graph.inputs()) Join(list, Parameter(*input, is_entry));
  if (const Attribute* given = Find(attributes, "attrs")) {
    const auto* dict = given->As<Attribute::Dict>();
    for (const NamedAttribute& item : dict != nullptr ? *dict : Attribute::Dict()) {
      if (item.name == kComposed) continue;
      if (const auto text = AttributeText(item.value)) Join(list, item.name + "=" + *text);
    }
  }
  std::string returns;
  const Attribute::Strings remarks = is_entry ? RemarksOf(attributes) : Attribute::Strings();
  NameRemarked(graph, remarks);
  const std::string block = Block(graph, depth + 1);
  Join(list, RemarksText(graph, remarks));
  if (const Attribute* type = Find(attributes, "ret_type")) {
    if (const auto* text = type->As<std::string>()) returns = *text;
    if (const auto* known = type->As<Type>()) returns = TypeOf(*known, nullptr);
  }
  return fmt::format("{}({}){} {{\n{}{}}}", head, list, returns.empty() ? "" : " -> " + returns,
                     block, Indent(depth));
}

// What remarks name gets a variable.
void SourcePrinter::NameRemarked(const Graph& graph, const Attribute::Strings& remarks) {
  if (remarks.empty()) return;
  std::unordered_map<std::string, const Value*> values;
  for (const Node& node : graph.nodes()) {
    if (node.result() != nullptr) values.emplace(node.result()->name(), node.result());
  }
  for (const std::string& remark : remarks) {
    const std::optional<ComposedText> text = SplitComposed(remark);
    if (!text) continue;
    for (const auto* names : {&text->results, &text->operands}) {
      for (const std::string& name : *names) {
        if (const auto found = values.find(name); found != values.end())
          remarked_.insert(found->second);
      }
    }
  }
}

// composed=["%4|Hardmax|%x|{}|5c0a…"], of what has been printed.
std::string SourcePrinter::RemarksText(const Graph& graph, const Attribute::Strings& remarks) {
  if (remarks.empty()) return "";
  std::unordered_map<std::string, std::string> printed;
  for (const auto& input : graph.inputs()) printed.emplace(input->name(), names_[input.get()]);
  for (const Node& node : graph.nodes()) {
    if (remarked_.contains(node.result()) && names_.contains(node.result()))
      printed.emplace(node.result()->name(), names_[node.result()]);
  }
  Attribute::Strings renamed;
  for (const std::string& remark : remarks) {
    renamed.push_back(RenameComposed(remark, [&](const std::string& name) {
      const auto found = printed.find(name);
      return found != printed.end() ? found->second : name;
    }));
  }
  return fmt::format("{}={}", kComposed, *AttributeText(Attribute(renamed)));
}

// The value of a `let` stands in it.
bool SourcePrinter::IsInline(const Node& node) const {
  if (IsAtom(node)) return true;
  if (remarked_.contains(node.result())) return false;
  const Value* value = node.result();
  if (value == nullptr || !value->HasOneUse()) return false;
  const Node* user = value->first_use()->user();
  return user != nullptr && user->graph() == node.graph() && IsNode(*user, "Let") &&
         !IsNode(node, "Let");
}

bool SourcePrinter::IsResult(const Node& node) const {
  const Value* value = node.result();
  return value != nullptr && !remarked_.contains(value) && value->HasOneUse() &&
         value->first_use()->user() == nullptr && node.next() == nullptr && !IsNode(node, "Let");
}

std::string SourcePrinter::Block(const Graph& graph, int depth) {
  std::string text;
  const std::string indent = Indent(depth);
  for (const Node& node : graph.nodes()) {
    if (IsInline(node)) continue;
    if (IsResult(node)) return text + indent + Expression(node, depth) + Comment(node) + "\n";
    if (IsNode(node, "Let")) {
      const std::string given = TextAttribute(node, "name", "_");
      const std::string name = given == "_" ? given : locals_.Unique(LocalName(given));
      const std::string self = TextAttribute(node, "recursive", "");
      if (!self.empty()) selves_[self] = "%" + name;
      names_[node.result()] = "%" + name;
      const std::string type = TypeOf(node.result()->type(), node.extra_if_any());
      text += fmt::format("{}let %{}{} = {};\n", indent, name, type.empty() ? "" : ": " + type,
                          Reference(node.operand(0), depth));
      continue;
    }
    std::string expression = Expression(node, depth) + Comment(node);
    const std::string name = fmt::format("%{}", next_variable_++);
    if (node.result() != nullptr) names_[node.result()] = name;
    text += fmt::format("{}{} = {};\n", indent, name, expression);
  }
  return text + indent + Reference(graph.output(0), depth) + "\n";
}

// A variable, a literal, or the expression itself where it stands here only.
std::string SourcePrinter::Reference(const Value* value, int depth) {
  if (value == nullptr) return "_";
  const auto named = names_.find(value);
  if (named != names_.end()) return named->second;
  if (value->is_constant()) return ConstantText(*value);
  const Node* node = value->producer();
  if (node == nullptr) return "%" + value->name();
  if (IsInline(*node)) return Expression(*node, depth) + Comment(*node);
  Refuse(*node, "is read before it is computed, or outside of its function");
  return "_";
}

std::string SourcePrinter::ConstantText(const Value& value) {
  std::string& text = constants_[&value];
  if (!text.empty()) return text;
  const Tensor* tensor = value.tensor();
  if (tensor == nullptr || RelayDType(tensor->dtype()).empty()) {
    findings_.push_back({ErrorKind::kUnsupported,
                         {},
                         "constant '" + value.name() + "'",
                         "Relay has no constants of type " + value.type().ToString()});
    return text = "0";
  }
  const std::optional<std::string> scalar = ScalarText(*tensor);
  text = scalar ? *scalar : metadata_.AddConstant(*tensor);
  return text += Comment(value.extra_if_any(), nullptr, "");
}

// Where the text must refer to an operand: constants by their metadata.
std::string SourcePrinter::ArgumentReference(const Value* value) {
  if (value == nullptr || !value->is_constant() || value->tensor() == nullptr)
    return Reference(value, 0);
  return metadata_.AddConstant(*value->tensor());
}

std::string SourcePrinter::Comment(const Extra* extra, const Type* type, const std::string& name) {
  std::string text;
  if (type != nullptr && type->known()) {
    const std::string shown = TypeOf(*type, extra);
    if (!shown.empty()) text = " ty=" + shown;
  }
  const std::string span = FindText(extra, "relay.span");
  if (!span.empty() || !name.empty())
    text += " span=" + (span.empty() ? SpanText(name) : SpanText(span));
  return text.empty() ? "" : " /*" + text + " */";
}

std::string SourcePrinter::Comment(const Node& node) {
  if (IsAtom(node) || node.result() == nullptr) return "";
  return Comment(node.extra_if_any(), &node.result()->type(), "");
}

std::string SourcePrinter::Attributes(const Node& node, bool is_operator) {
  const std::string op = OperatorText(node.op());
  if (is_operator && FindAttributeClass(op) != nullptr)
    return metadata_.AddAttributes(*FindAttributeClass(op), node.attributes());
  std::string list;
  for (const NamedAttribute& item : node.attributes()) {
    const auto* symbol = item.value.As<Symbol>();
    std::optional<std::string> text =
        symbol != nullptr ? std::optional(symbol->name) : AttributeText(item.value);
    // The operands again.
    if (op == "arange" && node.num_operands() == 3) {
      constexpr std::string_view kOperands[] = {"start", "stop", "step"};
      const auto* place = std::ranges::find(kOperands, item.name);
      if (place != std::end(kOperands))
        text = ArgumentReference(node.operand(static_cast<std::size_t>(place - kOperands)));
    }
    if (!text || text->starts_with("meta[relay.Call]") || text->starts_with("meta[Virtual")) {
      if (node.op().type != "on_device" && node.op().type != "device_copy")
        Refuse(node, "attribute " + item.name + " has no text");
      continue;
    }
    Join(list, item.name + "=" + *text);
  }
  if (transposes_ && op == "nn.batch_matmul" && node.attributes().empty())
    return "transpose_a=False, transpose_b=True";
  return list;
}

std::string SourcePrinter::CallText(const std::string& callee, const Node& node, std::size_t first,
                                    bool is_operator) {
  std::string list;
  for (std::size_t i = first; i < node.num_operands(); ++i)
    Join(list, Reference(node.operand(i), 0));
  Join(list, Attributes(node, is_operator));
  return fmt::format("{}({})", callee, list);
}

std::string SourcePrinter::IfText(const Node& node, int depth) {
  std::string text = fmt::format("if ({}) {{\n", Reference(node.operand(0), depth));
  text += Block(*GraphAttribute(node, "then_branch"), depth + 1);
  text += Indent(depth) + "} else {\n";
  text += Block(*GraphAttribute(node, "else_branch"), depth + 1);
  return text + Indent(depth) + "}";
}

// Variables are the parameters of the arm, in order.
std::string SourcePrinter::Pattern(const Attribute& pattern, const Graph& arm, std::size_t& next) {
  const auto list = [&](const Attribute& items) {
    std::string text;
    if (const auto* ints = items.As<Attribute::Ints>(); ints != nullptr && ints->empty())
      return text;
    const auto* elements = items.As<Attribute::List>();
    for (const Attribute& item : elements != nullptr ? *elements : Attribute::List())
      Join(text, Pattern(item, arm, next));
    return text.empty() ? text : "(" + text + ")";
  };
  if (pattern.As<std::string>() != nullptr && next < arm.num_inputs())
    return Parameter(*arm.input(next++), false);
  if (const auto* dict = pattern.As<Attribute::Dict>()) {
    const Attribute* name = Find(*dict, "constructor");
    const Attribute* fields = Find(*dict, "fields");
    const auto* text = name != nullptr ? name->As<std::string>() : nullptr;
    return (text != nullptr ? *text : "_") + (fields != nullptr ? list(*fields) : "");
  }
  if (pattern.As<Attribute::List>() != nullptr) return list(pattern);
  return "_";
}

std::string SourcePrinter::MatchText(const Node& node, int depth) {
  const auto* is_complete = FindAs<bool>(node.attributes(), "complete");
  std::string text =
      fmt::format("{} ({}) {{\n", is_complete == nullptr || *is_complete ? "match" : "match?",
                  Reference(node.operand(0), depth));
  const auto* list = FindAs<Attribute::List>(node.attributes(), "patterns");
  const auto* graphs = FindAs<Attribute::Graphs>(node.attributes(), "arms");
  for (std::size_t i = 0; graphs != nullptr && i < graphs->size(); ++i) {
    std::size_t next = 0;
    const Graph& arm = *(*graphs)[i];
    const Attribute any;
    const std::string pattern =
        Pattern(list != nullptr && i < list->size() ? (*list)[i] : any, arm, next);
    text += fmt::format("{}{} => {{\n{}{}}},\n", Indent(depth + 1), pattern, Block(arm, depth + 2),
                        Indent(depth + 1));
  }
  return text + Indent(depth) + "}";
}

// What is not an operator.
std::string SourcePrinter::Special(const Node& node, int depth) {
  const std::string& type = node.op().type;
  if (type == "GlobalVar") return "@" + TextAttribute(node, "name", "");
  if (type == "Constructor" || type == "Operator") return TextAttribute(node, "name", "");
  if (type == "Self") return selves_[TextAttribute(node, "name", "")];
  if (type == "If") return IfText(node, depth);
  if (type == "Match") return MatchText(node, depth);
  if (type == "Call") return CallText(Reference(node.operand(0), depth), node, 1, false);
  if (type == "RefCreate") return CallText("ref", node, 0, false);
  if (type == "RefRead") return CallText("ref_read", node, 0, false);
  if (type == "RefWrite") return CallText("ref_write", node, 0, false);
  if (type == "TupleGetItem")
    return fmt::format("{}.{}", Reference(node.operand(0), depth), IntAttribute(node, "index", 0));
  if (type == "Tuple") {
    const std::string items = CallText("", node, 0, false);
    return node.num_operands() == 1 ? items.substr(0, items.size() - 1) + ",)" : items;
  }
  if (type == "Construct") {
    std::string list;
    for (const Use& use : node.operands()) Join(list, Reference(use.value(), depth));
    return fmt::format("{}({})", TextAttribute(node, "constructor", ""), list);
  }
  if (type == "Function") {
    const Graph* body = GraphAttribute(node, "body");
    return "fn " + FunctionText(*body, node.attributes(), depth, false);
  }
  return "";
}

std::string SourcePrinter::Expression(const Node& node, int depth) {
  if (node.op().dialect != "relay") {
    Refuse(node, "Relay has no such operator");
    return "_";
  }
  std::string special = node.op().domain.empty() ? Special(node, depth) : "";
  return special.empty() ? CallText(OperatorText(node.op()), node, 0, true) : special;
}

}  // namespace dragoman::relay::emit
