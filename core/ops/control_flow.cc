// SPDX-License-Identifier: Apache-2.0
#include "core/ops/control_flow.h"

#include <algorithm>
#include <utility>

#include "core/ir/type_algebra.h"
#include "core/ops/elements.h"

namespace dragoman {
namespace {

bool KindsDiffer(const Type& a, const Type& b) {
  if (!a.known() || !b.known()) return false;
  if (a.kind() != b.kind()) {
    if (a.kind() == Type::Kind::kOptional) return KindsDiffer(a.element(), b);
    return b.kind() != Type::Kind::kOptional || KindsDiffer(a, b.element());
  }
  if (!a.is_tensor()) return a.elements().size() == 1 && KindsDiffer(a.element(), b.element());
  return a.dtype() != b.dtype() && a.dtype() != DType::kUnknown && b.dtype() != DType::kUnknown;
}

bool Visible(const Dim& dim, const std::set<std::string>& outer) {
  const std::vector<std::string> symbols = dim.Symbols();
  return std::ranges::all_of(symbols,
                             [&](const std::string& symbol) { return outer.contains(symbol); });
}

// A sequence's elements need not have one size: no symbol stands for it.
Type OuterElements(const Type& type, const std::set<std::string>& outer) {
  if (type.kind() == Type::Kind::kSequence)
    return Type::Sequence(OuterElements(type.element(), outer));
  if (type.kind() == Type::Kind::kOptional)
    return Type::Optional(OuterElements(type.element(), outer));
  if (type.shape() == nullptr) return type;
  Shape shape = *type.shape();
  for (Dim& dim : shape) {
    if (!Visible(dim, outer)) dim = Dim::Unknown();
  }
  return type.WithShape(std::move(shape));
}

}  // namespace

Result<bool> WidenCarried(std::vector<Type>& types, std::span<const Type> returned, int pass) {
  bool changed = false;
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (KindsDiffer(types[i], returned[i])) {
      return InvalidInput("carried value " + std::to_string(i) + " is " + types[i].ToString() +
                          " before the body and " + returned[i].ToString() + " after it");
    }
    Type wide = Generalize(types[i], returned[i]);
    if (wide == types[i]) continue;
    types[i] = pass == 0 ? std::move(wide) : WithoutShapes(wide);
    changed = true;
  }
  if (changed && pass + 1 >= kMaxLoopPasses) {
    for (Type& type : types) type = WithoutShapes(type);
  }
  return changed && pass <= kMaxLoopPasses;
}

Result<Graph*> BodyOf(const InferContext& context, std::string_view name, std::size_t inputs,
                      std::size_t outputs) {
  const Attribute* attribute = context.attribute(name);
  Graph* body = attribute != nullptr ? attribute->graph() : nullptr;
  if (body == nullptr) return context.Fail("attribute '" + std::string(name) + "' is not a body");
  if (body->num_inputs() == inputs && body->num_outputs() >= outputs) return body;
  return context.Fail("body '" + std::string(name) + "' has " + std::to_string(body->num_inputs()) +
                      " inputs and " + std::to_string(body->num_outputs()) + " outputs, expected " +
                      std::to_string(inputs) + " and " + std::to_string(outputs) + " or more");
}

std::set<std::string> OuterSymbols(const InferContext& context) {
  std::set<std::string> symbols;
  for (std::size_t i = 0; i < context.num_operands(); ++i) {
    AddSymbols(context.type(i), symbols);
    if (!context.operand(i).elements) continue;
    for (const Dim& element : *context.operand(i).elements) {
      for (std::string& symbol : element.Symbols()) symbols.insert(std::move(symbol));
    }
  }
  std::set<const Graph*> bodies;
  auto visit = [&](const Use& use) {
    const Value* value = use.value();
    if (value != nullptr && !bodies.contains(value->graph())) AddSymbols(value->type(), symbols);
  };
  for (const Graph* body : context.node().subgraphs()) {
    ForEachGraph(*body, [&](const Graph& graph) {
      bodies.insert(&graph);
      for (const Node& node : graph.nodes()) std::ranges::for_each(node.operands(), visit);
      std::ranges::for_each(graph.outputs(), visit);
    });
  }
  return symbols;
}

Shape OuterShape(InferContext& context, std::size_t i, const Shape& shape,
                 const std::set<std::string>& outer) {
  Shape seen = shape;
  for (Dim& dim : seen) {
    if (dim.unknown() || !Visible(dim, outer)) dim = context.FreshDim(i);
  }
  return seen;
}

Type OuterType(InferContext& context, std::size_t i, const Type& type,
               const std::set<std::string>& outer) {
  if (!type.is_tensor()) return OuterElements(type, outer);
  if (type.shape() == nullptr) return type;
  return type.WithShape(OuterShape(context, i, *type.shape(), outer));
}

bool KnownElements(const Elements& elements) {
  return std::ranges::all_of(elements, [](const Dim& element) { return element.known(); });
}

bool IsConstantBool(const Knowledge& knowledge, bool value) {
  return OnlyElement(knowledge) == Dim(value ? 1 : 0);
}

}  // namespace dragoman
