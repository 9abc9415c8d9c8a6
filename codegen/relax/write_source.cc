#include "codegen/relax/write_source.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "codegen/relax/attribute_text.h"
#include "codegen/relax/packed_functions.h"
#include "codegen/relax/relax_text.h"
#include "codegen/relax/write_npz.h"
#include "core/support/output_file.h"

namespace dragoman {
namespace relax {
namespace {

const Attribute* Extra(const dragoman::Extra* extra, std::string_view name) {
  return extra != nullptr ? Find(*extra, name) : nullptr;
}

std::string TextOf(const dragoman::Extra* extra, std::string_view name) {
  const Attribute* attribute = Extra(extra, name);
  const auto* text = attribute != nullptr ? attribute->As<std::string>() : nullptr;
  return text != nullptr ? *text : std::string();
}

Attribute::Strings TextsOf(const dragoman::Extra* extra, std::string_view name) {
  const Attribute* attribute = Extra(extra, name);
  const auto* texts = attribute != nullptr ? attribute->As<Attribute::Strings>() : nullptr;
  return texts != nullptr ? *texts : Attribute::Strings();
}

std::string AttributeText(const NamedAttribute& attribute) {
  const std::string text = TextOf(attribute.extra.get(), "relax.text");
  return text.empty() ? ValueText(attribute.value) : text;
}

class SourceWriter {
 public:
  // A function, indented as a member of the class.
  std::string Function(const Graph& graph) {
    Body(graph, 1);
    return std::move(text_);
  }
  std::vector<Finding>& findings() { return findings_; }

 private:
  // With the comment that stands behind the statement, if it is the first line of one.
  void Line(int depth, const std::string& line) {
    text_ += std::string(static_cast<std::size_t>(4 * depth), ' ') + line;
    if (!behind_.empty()) text_ += "  " + std::exchange(behind_, "");
    text_ += "\n";
  }

  void Lines(int depth, const Attribute::Strings& lines) {
    for (const std::string& line : lines) Line(depth, line);
  }

  void Body(const Graph& graph, int depth) {
    const dragoman::Extra* extra = graph.extra_if_any();
    Lines(depth, TextsOf(extra, "relax.comments"));
    for (const std::string& decorator : TextsOf(extra, "relax.decorators"))
      Line(depth, "@" + decorator);
    const Attribute::Strings sizes = TextsOf(extra, "relax.type_parameters");
    const std::string generic = sizes.empty() ? "" : fmt::format("[{}]", fmt::join(sizes, ", "));
    const std::string returns = TextOf(extra, "relax.returns");
    behind_ = TextOf(extra, "relax.comment");
    Line(depth, fmt::format("def {}{}({}){}:", graph.name(), generic,
                            fmt::join(Parameters(graph, !sizes.empty()), ", "),
                            returns.empty() ? "" : " -> " + returns));
    Nodes(graph, depth + 1);
    std::vector<std::string> results;
    for (const Use& output : graph.outputs()) results.push_back(OperandText(output.value()));
    const std::string joined = fmt::format("{}", fmt::join(results, ", "));
    const bool is_tuple = Extra(extra, "relax.returns_tuple") != nullptr;
    Lines(depth + 1, TextsOf(extra, "relax.return_comments"));
    behind_ = TextOf(extra, "relax.return_comment");
    Line(depth + 1,
         !is_tuple ? "return " + joined : "return (" + joined + (results.size() == 1 ? ",)" : ")"));
    Lines(depth + 1, TextsOf(extra, "relax.last_comments"));
  }

  // Inputs and the parameters that are constants, in the order of the text.
  std::vector<std::string> Parameters(const Graph& graph, bool bare) {
    std::vector<std::string> parameters;
    for (const auto& input : graph.inputs()) parameters.push_back(Parameter(*input, bare));
    for (const auto& constant : graph.constants()) {
      const Attribute* place = Extra(constant->extra_if_any(), "relax.parameter");
      const auto* position = place != nullptr ? place->As<std::int64_t>() : nullptr;
      const auto index = position != nullptr && *position >= 0
                             ? std::min(static_cast<std::size_t>(*position), parameters.size())
                             : parameters.size();
      parameters.insert(parameters.begin() + static_cast<std::ptrdiff_t>(index),
                        Parameter(*constant, bare));
    }
    return parameters;
  }

  static std::string Parameter(const Value& value, bool bare) {
    std::string type = TextOf(value.extra_if_any(), "relax.type");
    const Type& known = value.type();
    if (type.empty() && known.kind() == Type::Kind::kOpaque) type = known.opaque_name();
    if (type.empty() && known.is_tensor())
      type = bare ? TypeText(known, NamesIn(known)) : SignatureType(known, NamesIn(known));
    return type.empty() ? value.name() : value.name() + ": " + type;
  }

  void Nodes(const Graph& graph, int depth) {
    for (const Node& node : graph.nodes()) {
      if (Extra(node.extra_if_any(), "relax.inline") != nullptr) continue;
      Lines(depth, TextsOf(node.extra_if_any(), "relax.comments"));
      behind_ = TextOf(node.extra_if_any(), "relax.comment");
      depth = Statement(node, depth);
    }
  }

  // The depth of what follows.
  int Statement(const Node& node, int depth) {
    const std::string& op = node.op().type;
    if (op == "dataflow") {
      Line(depth, "with R.dataflow():");
      return depth + 1;
    }
    if (op == "output") {
      if (Extra(node.extra_if_any(), "relax.implied") == nullptr)
        Line(depth, "R.output(" + Operands(node) + ")");
      return depth - 1;
    }
    if (op == "if") {
      Line(depth, "if " + OperandText(node.operand(0)) + ":");
      Branch(node, "then_branch", depth + 1);
      Line(depth, "else:");
      Branch(node, "else_branch", depth + 1);
      return depth;
    }
    if (op == "function") {
      const Attribute* body = node.attribute("body");
      if (body != nullptr && body->graph() != nullptr) Body(*body->graph(), depth);
      return depth;
    }
    if (op == "func_attr") {
      std::string items;
      for (const NamedAttribute& item : node.attributes())
        items += (items.empty() ? "" : ", ") + QuotedText(item.name) + ": " + AttributeText(item);
      Line(depth, "R.func_attr({" + items + "})");
      return depth;
    }
    std::string targets;
    for (std::size_t i = 0; i < node.num_results(); ++i)
      targets += (i > 0 ? ", " : "") + Target(*node.result(i));
    Line(depth, (targets.empty() ? "" : targets + " = ") + ExpressionText(node));
    return depth;
  }

  void Branch(const Node& node, std::string_view name, int depth) {
    const Attribute* body = node.attribute(name);
    if (body != nullptr && body->graph() != nullptr) Nodes(*body->graph(), depth);
  }

  static std::string Target(const Value& value) {
    std::string type = TextOf(value.extra_if_any(), "relax.type");
    const Type& known = value.type();
    if (type.empty() && known.kind() == Type::Kind::kOpaque) type = known.opaque_name();
    if (type.empty() && known.is_tensor()) type = TypeText(known, NamesIn(known));
    return type.empty() ? value.name() : value.name() + ": " + type;
  }

  std::string OperandText(const Value* value) {
    if (value == nullptr) return "None";
    const Node* node = value->producer();
    const bool in_place = node != nullptr && Extra(node->extra_if_any(), "relax.inline") != nullptr;
    return in_place ? ExpressionText(*node) : value->name();
  }

  std::string Operands(const Node& node, std::size_t first = 0) {
    std::string text;
    for (std::size_t i = first; i < node.num_operands(); ++i)
      text += (i > first ? ", " : "") + OperandText(node.operand(i));
    return text;
  }

  // An operand of an operator sign.
  std::string Wrapped(const Value* value) {
    const Node* node = value != nullptr ? value->producer() : nullptr;
    const std::string text = OperandText(value);
    const bool is_sign = node != nullptr && text != value->name() &&
                         (node->op().type == "binary" || node->op().type == "unary");
    return is_sign ? "(" + text + ")" : text;
  }

  std::string AttributeOf(const Node& node, std::string_view name) {
    for (const NamedAttribute& attribute : node.attributes()) {
      if (attribute.name == name) return AttributeText(attribute);
    }
    findings_.push_back({ErrorKind::kInvalidInput,
                         {},
                         node.Describe(),
                         fmt::format("the attribute '{}' is missing", name)});
    return "None";
  }

  std::string ExpressionText(const Node& node) {
    const std::string& op = node.op().type;
    if (op == "alias") return OperandText(node.operand(0));
    if (op == "literal") return AttributeOf(node, "value");
    if (op == "module") {
      const Attribute* name = node.attribute("name");
      const auto* text = name != nullptr ? name->As<std::string>() : nullptr;
      return text != nullptr ? *text : "Module";
    }
    if (op == "const" && node.attribute("value") != nullptr &&
        node.attribute("value")->tensor() != nullptr)
      return AttributeOf(node, "value");
    if (op == "List") return "[" + Operands(node) + "]";
    if (op == "Tuple") return "(" + Operands(node) + (node.num_operands() == 1 ? ",)" : ")");
    if (op == "TupleGetItem")
      return Wrapped(node.operand(0)) + "[" + AttributeOf(node, "index") + "]";
    if (op == "metadata")
      return "metadata[" + AttributeOf(node, "type") + "][" + AttributeOf(node, "index") + "]";
    const Attribute* sign = node.attribute("operator");
    const auto* symbol = sign != nullptr ? sign->As<std::string>() : nullptr;
    if (op == "binary" && symbol != nullptr && node.num_operands() == 2)
      return fmt::format("{} {} {}", Wrapped(node.operand(0)), *symbol, Wrapped(node.operand(1)));
    if (op == "unary" && symbol != nullptr && node.num_operands() == 1)
      return *symbol + (*symbol == "not" ? " " : "") + Wrapped(node.operand(0));
    return CallText(node);
  }

  std::string CallText(const Node& node) {
    const std::string& op = node.op().type;
    std::size_t operand = 0;
    std::string callee = op.starts_with("T.") || op.starts_with("I.") ? op : "R." + op;
    std::string_view skipped;
    if (op == "call") {
      std::string alias = TextOf(node.extra_if_any(), "relax.alias");
      callee = (alias.empty() ? "cls" : alias) + "." + AttributeOf(node, "callee");
      skipped = "callee";
    }
    if (op == "call_value") callee = OperandText(node.operand(operand++));
    std::vector<std::string> arguments;
    if (Extra(node.extra_if_any(), "relax.arguments") == nullptr) {
      for (; operand < node.num_operands(); ++operand)
        arguments.push_back(OperandText(node.operand(operand)));
      for (const NamedAttribute& attribute : node.attributes()) {
        if (attribute.name != skipped)
          arguments.push_back(attribute.name + "=" + AttributeText(attribute));
      }
    }
    for (const std::string& item : TextsOf(node.extra_if_any(), "relax.arguments")) {
      if (item.empty()) {
        arguments.push_back(OperandText(node.operand(operand++)));
      } else if (item.ends_with('=')) {
        arguments.push_back(item + OperandText(node.operand(operand++)));
      } else if (item.starts_with('#')) {
        arguments.push_back(AttributeOf(node, item.substr(1)));
      } else {
        arguments.push_back(item + "=" + AttributeOf(node, item));
      }
    }
    return fmt::format("{}({})", callee, fmt::join(arguments, ", "));
  }

  std::string text_;
  std::string behind_;
  std::vector<Finding> findings_;
};

// Functions of the model by name; of two with one name the entry counts.
std::unordered_map<std::string_view, const Graph*> FunctionsOf(const Model& model) {
  std::unordered_map<std::string_view, const Graph*> functions;
  for (const Entry& entry : model.entries) functions.emplace(entry.name, entry.graph.get());
  for (const dragoman::Function& function : model.functions) {
    functions.emplace(function.op->type, function.graph.get());
  }
  return functions;
}

// "@0": the text of foreign definition or statement 0; else the name of a function.
Attribute::Strings OrderOf(const Model& model) {
  Attribute::Strings order = TextsOf(&model.extra, "relax.order");
  std::unordered_set<std::string> known(order.begin(), order.end());
  const auto add = [&](const std::string& name) {
    if (known.insert(name).second) order.push_back(name);
  };
  for (const Entry& entry : model.entries) add(entry.name);
  for (const dragoman::Function& function : model.functions) add(function.op->type);
  return order;
}

}  // namespace
}  // namespace relax

Result<std::string> PrintRelaxSource(const Model& model) {
  if (model.level != Level::kSource || model.dialect != "relax")
    return Unsupported("the model was not read from a Relax module");
  const std::string name = relax::TextOf(&model.extra, "relax.name");
  const std::string decorator = relax::TextOf(&model.extra, "relax.decorator");
  std::string text =
      fmt::format("{}@{}\nclass {}:\n", relax::TextOf(&model.extra, "relax.preamble"),
                  decorator.empty() ? "I.ir_module" : decorator, name.empty() ? "Module" : name);
  const Attribute::Strings foreign = relax::TextsOf(&model.extra, "relax.foreign");
  std::vector<Finding> findings;
  const auto functions = relax::FunctionsOf(model);
  bool first = true;
  for (const std::string& item : relax::OrderOf(model)) {
    if (!std::exchange(first, false)) text += "\n";
    if (item.starts_with('@')) {
      const std::size_t index = std::strtoul(item.c_str() + 1, nullptr, 10);
      if (index < foreign.size()) text += "    " + foreign[index] + "\n";
      continue;
    }
    const auto function = functions.find(item);
    if (function == functions.end()) continue;
    relax::SourceWriter writer;
    text += writer.Function(*function->second);
    std::ranges::move(writer.findings(), std::back_inserter(findings));
  }
  for (const std::string& comment : relax::TextsOf(&model.extra, "relax.last_comments"))
    text += "    " + comment + "\n";
  if (!findings.empty()) return Error(std::move(findings));
  return text;
}

Status WriteRelaxSource(const Model& model, const std::string& path) {
  DRAGOMAN_ASSIGN(const std::string text, PrintRelaxSource(model));
  std::vector<std::pair<std::string, Tensor>> weights;
  std::vector<std::pair<std::string, Tensor>> states;
  std::unordered_set<std::string_view> names;
  for (const Entry& entry : model.entries) {
    for (const auto& constant : entry.graph->constants()) {
      if (constant->tensor() != nullptr && names.insert(constant->name()).second)
        weights.emplace_back(constant->name(), *constant->tensor());
    }
  }
  for (const State& state : model.states) {
    if (state.initial.tensor() != nullptr) states.emplace_back(state.name, *state.initial.tensor());
  }
  const std::string stem = path.ends_with(".py") ? path.substr(0, path.size() - 3) : path;
  DRAGOMAN_ASSIGN(OutputFile file, OutputFile::Create(path));
  DRAGOMAN_TRY(file.Append(text));
  if (!weights.empty()) DRAGOMAN_TRY(WriteNpz(stem + ".npz", weights));
  if (!states.empty()) DRAGOMAN_TRY(WriteNpz(stem + ".states.npz", states));
  if (text.find("R.call_pure_packed(\"dragoman.") != std::string::npos)
    DRAGOMAN_TRY(relax::WritePackedFunctions(stem));
  return file.Commit();
}

}  // namespace dragoman
