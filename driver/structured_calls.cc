// SPDX-License-Identifier: Apache-2.0
#include "driver/structured_calls.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "core/support/text.h"

namespace dragoman {
namespace {

const Value* FindArgument(const StructuredCalls& calls, const Entry& entry, std::string_view name) {
  for (std::size_t i = calls.first; i < entry.graph->num_inputs(); ++i) {
    if (entry.graph->input(i)->name() == name) return entry.graph->input(i);
  }
  return nullptr;
}

bool IsNumber(const Type& type) {
  return type.kind() == Type::Kind::kOpaque &&
         (type.opaque_name() == "int" || type.opaque_name() == "float" ||
          type.opaque_name() == "bool");
}

// The rank that the model or the user states for the argument of an array.
std::optional<std::size_t> DeclaredRank(const StructuredCalls& calls, const Entry& entry,
                                        const std::string& name, const Facts& facts) {
  for (const ShapeFact& fact : facts.shapes) {
    if (fact.input == name) return fact.dims.size();
  }
  const Value* argument = FindArgument(calls, entry, name);
  if (argument == nullptr) return std::nullopt;
  const bool optional = argument->type().kind() == Type::Kind::kOptional;
  if (IsNumber(optional ? argument->type().element() : argument->type())) return 0;
  const Type* type = calls.example(*argument);
  if (type == nullptr || type->shape() == nullptr) return std::nullopt;
  return type->shape()->size();
}

// The element type of an array, unless the file says that its bits stand for another one.
std::optional<DType> DTypeFact(const StructuredCalls& calls, const Entry& entry,
                               const NamedArray& array) {
  const Value* argument = FindArgument(calls, entry, array.name);
  const Type* example = argument != nullptr ? calls.example(*argument) : nullptr;
  const DType plain = PlainDType(array);
  if (example == nullptr || example->dtype() == plain) return plain;
  if (FromNpy(array.array, example->dtype()).ok()) return std::nullopt;
  return plain;
}

}  // namespace

const StructuredCalls* CallsOf(const Session& session, const Model& source) {
  const Format* format = FormatOfModel(session.formats, source);
  return format != nullptr ? format->calls : nullptr;
}

std::vector<Slot> GivenSlots(const Format* format, const Entry& entry) {
  if (format == nullptr || format->calls == nullptr) return InputSlots(entry);
  std::vector<Slot> slots;
  for (const auto& argument : entry.graph->inputs().subspan(format->calls->first))
    slots.push_back({argument->name(), argument->type()});
  return slots;
}

bool ChangesInputs(const Session& session, const Model& source) {
  const Format* format = FormatOfModel(session.formats, source);
  return format != nullptr && format->changes_inputs != nullptr && format->changes_inputs(source);
}

std::optional<std::string> ArgumentName(const StructuredCalls& calls, const Entry& entry,
                                        const std::string& name) {
  std::optional<std::string> argument = calls.canonical(*entry.graph, name);
  if (!argument && name.starts_with("i")) argument = calls.canonical(*entry.graph, name.substr(1));
  return argument;
}

std::vector<NamedArray> NameByArgument(const StructuredCalls& calls, const Entry& entry,
                                       std::vector<NamedArray> arrays) {
  for (NamedArray& array : arrays)
    array.name = ArgumentName(calls, entry, array.name).value_or(array.name);
  return arrays;
}

Facts FactsOfArrays(const StructuredCalls& calls, const Entry& entry,
                    const std::vector<NamedArray>& arrays, std::optional<std::int64_t> steps,
                    Facts facts) {
  for (ShapeFact& fact : facts.shapes)
    fact.input = calls.canonical(*entry.graph, fact.input).value_or(fact.input);
  std::vector<ShapeFact> made;
  for (const NamedArray& array : arrays) {
    ShapeFact fact;
    fact.input = array.name;
    fact.from_data = true;
    fact.dtype = DTypeFact(calls, entry, array);
    const std::vector<std::int64_t>& sizes = array.array.shape;
    const std::optional<std::size_t> rank = DeclaredRank(calls, entry, array.name, facts);
    const bool fits = rank ? sizes.size() == *rank + 1 : sizes.size() >= 2;
    const bool sliced = steps && fits && sizes.front() == *steps;
    for (std::size_t i = sliced ? 1 : 0; i < sizes.size(); ++i) fact.dims.emplace_back(sizes[i]);
    made.push_back(std::move(fact));
  }
  // What the user states stays, with the element type of the data.
  for (ShapeFact& fact : made) {
    const auto known = std::find_if(facts.shapes.begin(), facts.shapes.end(),
                                    [&](const ShapeFact& f) { return f.input == fact.input; });
    if (known == facts.shapes.end()) {
      facts.shapes.push_back(std::move(fact));
    } else if (!known->dtype) {
      known->dtype = fact.dtype;
    }
  }
  return facts;
}

Result<Facts> JoinFacts(const std::vector<Facts>& calls) {
  Facts joined = calls.front();
  std::map<std::vector<std::int64_t>, Dim> symbols;  // by the sizes in all calls
  for (std::size_t i = 0; i < joined.shapes.size(); ++i) {
    ShapeFact& fact = joined.shapes[i];
    if (!fact.from_data) continue;
    for (const Facts& call : calls) {
      const bool alike = call.shapes.size() == joined.shapes.size() &&
                         call.shapes[i].input == fact.input && call.shapes[i].dtype == fact.dtype &&
                         call.shapes[i].dims.size() == fact.dims.size();
      if (!alike) {
        return InvalidInput("the recorded calls differ in whether argument '" + fact.input +
                            "' is given, or in its rank or element type");
      }
    }
    for (std::size_t axis = 0; axis < fact.dims.size(); ++axis) {
      std::vector<std::int64_t> sizes;
      for (const Facts& call : calls) sizes.push_back(call.shapes[i].dims[axis]->value());
      if (std::ranges::count(sizes, sizes.front()) == std::ssize(sizes)) continue;
      const Dim symbol = Dim::Symbol(Identifier(fact.input) + "_" + std::to_string(axis));
      fact.dims[axis] = symbols.try_emplace(std::move(sizes), symbol).first->second;
    }
  }
  return joined;
}

}  // namespace dragoman
