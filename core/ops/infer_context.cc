// SPDX-License-Identifier: Apache-2.0
#include "core/ops/infer_context.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/ir/node_attributes.h"
#include "core/support/nearest_name.h"

namespace dragoman {
namespace {

Error BadOperand(const Node& node, std::size_t i, const Formal& formal, std::string message) {
  return InvalidInput("operand " + std::to_string(i) + " (" + formal.name + ") " +
                      std::move(message))
      .At(node.Describe());
}

// Binds the formal's type variable to `dtype`, or checks that it is bound to it.
Status Bind(const Node& node, const OpDef& def, const Formal& formal, std::size_t i,
            const Type& type, std::vector<DType>& bound) {
  if (!type.known()) return {};
  const Signature& signature = def.signature;
  if (formal.variable < 0) {
    if (type.dtype() == formal.fixed || type.dtype() == DType::kUnknown) return {};
    return BadOperand(
        node, i, formal,
        "has type " + type.ToString() + ", expected " + std::string(Name(formal.fixed)));
  }
  const auto& variable = signature.variables[static_cast<std::size_t>(formal.variable)];
  if (!type.is_tensor() && !variable.allowed.any_value) {
    return BadOperand(node, i, formal, "has type " + type.ToString() + ", expected a tensor");
  }
  if (!type.is_tensor() || type.dtype() == DType::kUnknown) return {};
  if (!variable.allowed.Has(type.dtype())) {
    return BadOperand(node, i, formal,
                      "has element type " + std::string(Name(type.dtype())) + ", expected one of " +
                          variable.allowed.ToString());
  }
  DType& slot = bound[static_cast<std::size_t>(formal.variable)];
  if (slot == DType::kUnknown || formal.heterogeneous) slot = type.dtype();
  if (slot == type.dtype()) return {};
  return BadOperand(node, i, formal,
                    "has element type " + std::string(Name(type.dtype())) + ", but " +
                        variable.name + " is " + std::string(Name(slot)));
}

Error TooMany(const Node& node, std::size_t count, std::string_view what, std::size_t most) {
  return InvalidInput("has " + std::to_string(count) + " " + std::string(what) +
                      ", expected at most " + std::to_string(most))
      .At(node.Describe());
}

Status BindOperands(const Node& node, const OpDef& def, const std::vector<Knowledge>& operands,
                    std::vector<DType>& bound) {
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Formal* formal = def.signature.Operand(i);
    if (formal == nullptr)
      return TooMany(node, operands.size(), "operands", def.signature.operands.size());
    if (node.operand(i) != nullptr) {
      DRAGOMAN_TRY(Bind(node, def, *formal, i, operands[i].type, bound));
    } else if (!formal->optional) {
      return BadOperand(node, i, *formal, "is missing");
    }
  }
  for (std::size_t i = operands.size(); i < def.signature.operands.size(); ++i) {
    const Formal& formal = def.signature.operands[i];
    if (!formal.optional && !(formal.variadic && i > 0))
      return BadOperand(node, i, formal, "is missing");
  }
  return {};
}

Error UnknownAttribute(const Node& node, const OpDef& def, const std::string& name) {
  std::vector<std::string> known;
  for (const AttributeDef& attribute : def.attributes) known.push_back(attribute.name);
  return InvalidInput("has no attribute '" + name + "'" + DidYouMean(name, known))
      .At(node.Describe());
}

Status CheckAttributes(const Node& node, const OpDef& def) {
  for (const NamedAttribute& attribute : node.attributes()) {
    const bool known = std::ranges::find(def.attributes, attribute.name, &AttributeDef::name) !=
                       def.attributes.end();
    if (!known) return UnknownAttribute(node, def, attribute.name);
  }
  for (const AttributeDef& attribute : def.attributes) {
    if (attribute.required && node.attribute(attribute.name) == nullptr)
      return InvalidInput("attribute '" + attribute.name + "' is missing").At(node.Describe());
  }
  return {};
}

Status CheckResults(const Node& node, const Signature& signature) {
  const auto missing = [&](std::size_t i, const Formal& formal) {
    return InvalidInput("result " + std::to_string(i) + " (" + formal.name + ") is missing")
        .At(node.Describe());
  };
  for (std::size_t i = node.num_results(); i < signature.results.size(); ++i) {
    const Formal& formal = signature.results[i];
    if (!formal.optional && !formal.variadic) return missing(i, formal);
  }
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    const Formal* formal = signature.ResultAt(i);
    if (formal == nullptr)
      return TooMany(node, node.num_results(), "results", signature.results.size());
    if (node.result(i) == nullptr && !formal->optional) return missing(i, *formal);
  }
  return {};
}

// What the signature alone says about a result.
Knowledge DeclaredResult(const Signature& signature, const Formal& formal,
                         const std::vector<DType>& bound) {
  bool tensor = true;
  DType dtype = formal.fixed;
  if (formal.variable >= 0) {
    const auto variable = static_cast<std::size_t>(formal.variable);
    dtype = bound[variable];
    tensor = dtype != DType::kUnknown || !signature.variables[variable].allowed.any_value;
  }
  Knowledge result;
  if (tensor) result.type = Type::Tensor(dtype);
  return result;
}

constexpr std::size_t kMaxListed = 8;  // operands, and elements of one

// ": A f32[2, 3], shape i64[2] [4, 5]"
std::string OperandsText(const InferContext& context) {
  std::string text;
  for (std::size_t i = 0; i < context.num_operands(); ++i) {
    if (!context.has(i)) continue;
    text += text.empty() ? ": " : ", ";
    if (i >= kMaxListed) return text + "…";
    text += context.def().signature.Operand(i)->name + " " + context.type(i).ToString();
    const std::optional<Elements>& elements = context.elements(i);
    if (!elements || elements->size() > kMaxListed) continue;
    std::vector<std::string> numbers;
    for (const Dim& element : *elements) numbers.push_back(element.ToString());
    text += fmt::format(" [{}]", fmt::join(numbers, ", "));
  }
  return text;
}

}  // namespace

Result<InferContext> InferContext::Make(const Node& node, const OpDef& def,
                                        std::vector<Knowledge> operands,
                                        SubgraphInference infer_subgraph,
                                        SymbolSource fresh_symbol) {
  std::vector<DType> bound(def.signature.variables.size(), DType::kUnknown);
  DRAGOMAN_TRY(BindOperands(node, def, operands, bound));
  DRAGOMAN_TRY(CheckAttributes(node, def));
  InferContext context;
  context.node_ = &node;
  context.def_ = &def;
  if (def.fill_params) {
    DRAGOMAN_ASSIGN(context.params_, def.fill_params(node));
  }
  context.operands_ = std::move(operands);
  context.infer_subgraph_ = std::move(infer_subgraph);
  context.fresh_symbol_ = std::move(fresh_symbol);
  DRAGOMAN_TRY(CheckResults(node, def.signature));
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    const Formal& formal = *def.signature.ResultAt(i);
    context.results_.push_back(DeclaredResult(def.signature, formal, bound));
  }
  return context;
}

const Knowledge& InferContext::operand(std::size_t i) const {
  static const Knowledge kNothing;
  return i < operands_.size() ? operands_[i] : kNothing;
}

std::optional<std::vector<std::int64_t>> InferContext::ints(std::size_t i) const {
  const std::optional<Elements>& known = elements(i);
  if (!known) {
    const Tensor* contents = tensor(i);
    if (contents == nullptr ||
        !(IsInteger(contents->dtype()) || contents->dtype() == DType::kBool)) {
      return std::nullopt;
    }
    return contents->ToInts();
  }
  std::vector<std::int64_t> values;
  for (const Dim& element : *known) {
    if (!element.known()) return std::nullopt;
    values.push_back(element.value());
  }
  return values;
}

std::optional<std::vector<float>> InferContext::floats(std::size_t i) const {
  const Tensor* contents = tensor(i);
  if (contents == nullptr || !IsFloating(contents->dtype())) return std::nullopt;
  std::vector<float> values;
  for (std::int64_t k = 0; k < contents->size(); ++k)
    values.push_back(static_cast<float>(contents->FloatAt(k)));
  return values;
}

std::int64_t InferContext::IntAttribute(std::string_view name, std::int64_t value) const {
  return dragoman::IntAttribute(*node_, name, value);
}

void InferContext::SetShape(std::size_t i, std::optional<Shape> shape) {
  if (i >= results_.size()) return;
  results_[i].type = Type::Tensor(results_[i].type.dtype(), std::move(shape));
}

void InferContext::SetShape(std::size_t i, const rt::Shape& shape) {
  SetShape(i, FromRuntimeShape(shape));
}

void InferContext::SetType(std::size_t i, Type type) {
  if (i < results_.size()) results_[i].type = std::move(type);
}

void InferContext::SetElements(std::size_t i, Elements elements) {
  if (i >= results_.size() || elements.size() > static_cast<std::size_t>(kMaxElements)) return;
  results_[i].elements = std::move(elements);
}

Dim InferContext::FreshDim(std::size_t i) {
  const Value* result = node_->result(i);
  return fresh_symbol_(result != nullptr ? result->name() : node_->name());
}

Error InferContext::Fail(std::string message) const {
  return InvalidInput(std::move(message)).At(node_->Describe());
}

Status InferContext::Check(rt::Status status) const {
  if (status.ok()) return {};
  return Fail(status.message() + OperandsText(*this));
}

Status SameTypeAsFirst(InferContext& context) {
  context.SetType(0, context.type(0));
  return {};
}

Status SameShapeAsFirst(InferContext& context) {
  if (const Shape* shape = context.shape(0)) context.SetShape(0, *shape);
  return {};
}

Status BroadcastAll(InferContext& context) {
  std::vector<const Shape*> shapes;
  for (std::size_t i = 0; i < context.num_operands(); ++i) {
    if (context.has(i)) shapes.push_back(context.shape(i));
  }
  Result<std::optional<Shape>> shape = BroadcastShapes(shapes);
  if (!shape.ok()) return std::move(shape).error().At(context.node().Describe());
  context.SetShape(0, std::move(*shape));
  return {};
}

Status UnknownShapes(InferContext&) { return {}; }

Result<std::optional<Shape>> BroadcastShapes(std::span<const Shape* const> shapes) {
  std::size_t rank = 0;
  for (const Shape* shape : shapes) {
    if (shape == nullptr) return std::optional<Shape>();
    rank = std::max(rank, shape->size());
  }
  Shape result(rank, Dim(1));
  for (const Shape* shape : shapes) {
    const std::size_t offset = rank - shape->size();
    for (std::size_t i = 0; i < shape->size(); ++i) {
      Dim& dim = result[offset + i];
      const Dim& other = (*shape)[i];
      if (dim.known() && other.known() && dim.value() != 1 && other.value() != 1 &&
          dim.value() != other.value()) {
        return InvalidInput("sizes " + dim.ToString() + " and " + other.ToString() +
                            " cannot be broadcast together");
      }
      dim = Broadcast(dim, other);
    }
  }
  return std::optional<Shape>(std::move(result));
}

Result<int> NormalizeAxis(const InferContext& context, std::int64_t axis, int rank) {
  if (axis < -rank || axis >= rank) {
    return context.Fail("axis " + std::to_string(axis) + " is out of range for rank " +
                        std::to_string(rank));
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

std::optional<rt::Shape> ToRuntimeShape(const Shape* shape) {
  if (shape == nullptr || shape->size() > static_cast<std::size_t>(rt::kMaxRank))
    return std::nullopt;
  rt::Shape sizes;
  for (const Dim& dim : *shape) {
    if (!dim.known()) return std::nullopt;
    sizes.push_back(dim.value());
  }
  return sizes;
}

Shape FromRuntimeShape(const rt::Shape& shape) { return Shape(shape.begin(), shape.end()); }

}  // namespace dragoman
