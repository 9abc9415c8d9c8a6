#include "codegen/relax/composed.h"

#include <algorithm>

#include <fmt/format.h>

#include "codegen/relax/function_writer.h"
#include "codegen/relax/relax_op.h"
#include "codegen/relax/relax_text.h"
#include "core/ir/print.h"
#include "core/ops/op_def.h"

namespace dragoman::relax {
namespace {

std::string ListOf(const std::vector<std::string>& texts) {
  std::vector<std::string> quoted;
  for (const std::string& text : texts) quoted.push_back(QuotedText(text));
  return fmt::format("[{}]", fmt::join(quoted, ", "));
}

bool IsPlain(const Value* value) {
  return value == nullptr || (value->type().is_tensor() && !RelaxDType(value->type().dtype()).empty());
}

// Whether what is done to an entry before it is written makes other operators of it.
bool ChangesBefore(const Node& node) {
  std::vector<const Value*> values;
  for (const Use& use : node.operands()) values.push_back(use.value());
  for (std::size_t i = 0; i < node.num_results(); ++i) values.push_back(node.result(i));
  const OpDef* def = FindOp(node);
  if (def == nullptr || def->random || HasEffect(node) || !std::ranges::all_of(values, IsPlain))
    return false;
  if (FindRelaxEmitter(def->Label()) == nullptr) return true;
  for (std::size_t i = 1; i < node.num_operands(); ++i) {
    const Value* operand = node.operand(i);
    const bool is_open = operand != nullptr && !operand->is_constant() &&
                         operand->type().dtype() == DType::kI64 && operand->type().rank() == 1;
    if (is_open) return true;
  }
  return false;
}

std::string Assembled(const FunctionText& function, const std::vector<std::string>& remarks) {
  std::string attributes = function.attributes;
  if (!remarks.empty())
    attributes += fmt::format("{}\"composed\": [{}]", attributes.empty() ? "" : ", ",
                              fmt::join(remarks, ", "));
  const std::string line =
      attributes.empty() ? "" : fmt::format("        R.func_attr({{{}}})\n", attributes);
  return function.head + line + function.body;
}

}  // namespace

std::string FunctionText::Text(const std::vector<std::string>& digests) const {
  std::vector<std::string> remarks;
  for (std::size_t i = 0; i < composed.size() && i < digests.size(); ++i) {
    if (!digests[i].empty())
      remarks.push_back(fmt::format("[{}, {}]", composed[i], QuotedText(digests[i])));
  }
  return Assembled(*this, remarks);
}

std::string FunctionText::TextWithoutDigests() const {
  std::vector<std::string> remarks;
  for (const std::string& remark : composed) remarks.push_back("[" + remark + "]");
  return Assembled(*this, remarks);
}

std::optional<ComposedNode> AsComposed(const Node& node) {
  ComposedNode composed;
  composed.label =
      node.op().domain.empty() ? node.op().type : node.op().domain + "." + node.op().type;
  for (const NamedAttribute& attribute : node.attributes()) {
    if (attribute.value.graph() != nullptr) return std::nullopt;
    composed.attributes.push_back(attribute);
  }
  for (const Use& use : node.operands()) composed.operands.push_back(use.value());
  for (std::size_t i = 0; i < node.num_results(); ++i) composed.results.push_back(node.result(i));
  return composed;
}

std::string RemarkText(const ComposedNode& node,
                       const std::function<std::string(const Value*)>& name_of) {
  std::vector<std::string> operands, results;
  for (const Value* value : node.operands) {
    const bool is_literal = value != nullptr && value->is_constant() && IsLiteral(*value);
    operands.push_back(value == nullptr ? ""
                       : is_literal     ? PrintAttribute(Attribute(*value->tensor()))
                                        : name_of(value));
  }
  for (const Value* value : node.results)
    results.push_back(value != nullptr ? name_of(value) : "");
  return fmt::format("{}, {}, {}, {}", ListOf(results), QuotedText(node.label), ListOf(operands),
                     QuotedText(PrintAttribute(Attribute(node.attributes))));
}

PreparedOperators::PreparedOperators(Graph& entry)
    : entry_(entry), num_outputs_(entry.num_outputs()) {
  for (const Node& node : entry.nodes()) {
    std::optional<ComposedNode> composed = ChangesBefore(node) ? AsComposed(node) : std::nullopt;
    if (!composed) continue;
    Place place{*std::move(composed), {}, {}};
    for (const Use& use : node.operands()) {
      const bool moves = use.value() != nullptr && !use.value()->is_constant();
      place.operands.push_back(moves ? std::optional(Track(use.value())) : std::nullopt);
    }
    for (std::size_t i = 0; i < node.num_results(); ++i) {
      Value* result = node.result(i);
      const bool is_read = result != nullptr && result->used();
      place.results.push_back(is_read ? std::optional(Track(result)) : std::nullopt);
      if (!is_read) place.node.results[i] = nullptr;
    }
    places_.push_back(std::move(place));
  }
}

std::size_t PreparedOperators::Track(Value* value) {
  const auto [at, is_new] = outputs_.emplace(value, entry_.num_outputs());
  if (is_new) entry_.AddOutput(value);
  return at->second;
}

std::vector<ComposedNode> PreparedOperators::Take() {
  std::vector<ComposedNode> changed;
  for (Place& place : places_) {
    const auto renew = [this](const auto& outputs, auto& values) {
      for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (outputs[i]) values[i] = entry_.output(*outputs[i]);
      }
    };
    renew(place.operands, place.node.operands);
    renew(place.results, place.node.results);
    const auto is_same = [&](const Value* result) {
      const Node* maker = result != nullptr ? result->producer() : nullptr;
      return maker != nullptr && maker->op().type == place.node.label;
    };
    if (std::ranges::none_of(place.node.results, is_same)) changed.push_back(std::move(place.node));
  }
  while (entry_.num_outputs() > num_outputs_) entry_.RemoveOutput(entry_.num_outputs() - 1);
  return changed;
}

}  // namespace dragoman::relax
