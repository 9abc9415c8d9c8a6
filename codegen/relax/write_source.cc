// SPDX-License-Identifier: Apache-2.0
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
#include "codegen/relax/source_expression.h"
#include "codegen/relax/write_npz.h"
#include "core/ir/find_as.h"
#include "core/support/output_file.h"

namespace dragoman {
namespace relax {
namespace {

class SourceWriter {
 public:
  // A function, indented as a member of the class.
  std::string Function(const Graph& graph) {
    Body(graph, 1);
    return std::move(text_);
  }
  std::vector<Finding>& findings() { return findings_; }

 private:
  // With the comment that stands after the statement, if it is the first line of one.
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
    const std::string returns = FindText(extra, "relax.returns");
    behind_ = FindText(extra, "relax.comment");
    Line(depth, fmt::format("def {}{}({}){}:", graph.name(), generic,
                            fmt::join(Parameters(graph, !sizes.empty()), ", "),
                            returns.empty() ? "" : " -> " + returns));
    Nodes(graph, depth + 1);
    std::vector<std::string> results;
    for (const Use& output : graph.outputs()) results.push_back(OperandText(output.value()));
    const std::string joined = fmt::format("{}", fmt::join(results, ", "));
    const bool is_tuple = FindIn(extra, "relax.returns_tuple") != nullptr;
    Lines(depth + 1, TextsOf(extra, "relax.return_comments"));
    behind_ = FindText(extra, "relax.return_comment");
    Line(depth + 1,
         !is_tuple ? "return " + joined : "return (" + joined + (results.size() == 1 ? ",)" : ")"));
    Lines(depth + 1, TextsOf(extra, "relax.last_comments"));
  }

  // Inputs and the parameters that are constants, in the order of the text.
  std::vector<std::string> Parameters(const Graph& graph, bool bare) {
    std::vector<std::string> parameters;
    for (const auto& input : graph.inputs()) parameters.push_back(Typed(*input, bare));
    for (const auto& constant : graph.constants()) {
      const Attribute* place = FindIn(constant->extra_if_any(), "relax.parameter");
      const auto* position = place != nullptr ? place->As<std::int64_t>() : nullptr;
      const auto index = position != nullptr && *position >= 0
                             ? std::min(static_cast<std::size_t>(*position), parameters.size())
                             : parameters.size();
      parameters.insert(parameters.begin() + static_cast<std::ptrdiff_t>(index),
                        Typed(*constant, bare));
    }
    return parameters;
  }

  // `value` with its type, of numbers alone if `bare`.
  static std::string Typed(const Value& value, bool bare) {
    std::string type = FindText(value.extra_if_any(), "relax.type");
    const Type& known = value.type();
    if (type.empty() && known.kind() == Type::Kind::kOpaque) type = known.opaque_name();
    if (type.empty() && known.is_tensor())
      type = bare ? TypeText(known, NamesIn(known)) : SignatureType(known, NamesIn(known));
    return type.empty() ? value.name() : value.name() + ": " + type;
  }

  void Nodes(const Graph& graph, int depth) {
    bool in_block = false;
    for (const Node& node : graph.nodes()) {
      if (StandsInline(node)) continue;
      if (!FitsBlocks(node, &in_block)) {
        findings_.push_back({ErrorKind::kInvalidInput,
                             {},
                             node.Describe(),
                             "relax." + node.op().type + " cannot stand here"});
        return;
      }
      Lines(depth, TextsOf(node.extra_if_any(), "relax.comments"));
      behind_ = FindText(node.extra_if_any(), "relax.comment");
      depth = Statement(node, depth);
    }
  }

  // Whether the statement may stand here; enters and leaves dataflow blocks.
  static bool FitsBlocks(const Node& node, bool* in_block) {
    const std::string& op = node.op().type;
    if (op == "output") return std::exchange(*in_block, false);
    if (op == "dataflow") return !std::exchange(*in_block, true);
    return op != "if" || (!*in_block && node.num_operands() > 0);
  }

  // The depth of what follows.
  int Statement(const Node& node, int depth) {
    const std::string& op = node.op().type;
    if (op == "dataflow") {
      Line(depth, "with R.dataflow():");
      return depth + 1;
    }
    if (op == "output") {
      if (FindIn(node.extra_if_any(), "relax.implied") == nullptr)
        Line(depth, "R.output(" + Outputs(node) + ")");
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
        items +=
            (items.empty() ? "" : ", ") + QuotedText(item.name) + ": " + SourceAttributeText(item);
      Line(depth, "R.func_attr({" + items + "})");
      return depth;
    }
    std::string targets;
    for (std::size_t i = 0; i < node.num_results(); ++i)
      targets +=
          (i > 0 ? ", " : "") + (node.result(i) != nullptr ? Typed(*node.result(i), true) : "_");
    Line(depth, (targets.empty() ? "" : targets + " = ") + SourceExpressionText(node, findings_));
    return depth;
  }

  std::string Outputs(const Node& node) {
    std::vector<std::string> names;
    for (const Use& use : node.operands()) names.push_back(OperandText(use.value()));
    return fmt::format("{}", fmt::join(names, ", "));
  }

  void Branch(const Node& node, std::string_view name, int depth) {
    const Attribute* body = node.attribute(name);
    if (body != nullptr && body->graph() != nullptr) Nodes(*body->graph(), depth);
  }

  std::string OperandText(const Value* value) { return SourceOperandText(value, findings_); }

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
  const std::string name = FindText(model.extra, "relax.name");
  const std::string decorator = FindText(model.extra, "relax.decorator");
  const std::string bases = FindText(model.extra, "relax.bases");
  std::string text =
      fmt::format("{}@{}\nclass {}{}:\n", FindText(model.extra, "relax.preamble"),
                  decorator.empty() ? "I.ir_module" : decorator, name.empty() ? "Module" : name,
                  bases.empty() ? "" : "(" + bases + ")");
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
