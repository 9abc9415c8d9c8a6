// SPDX-License-Identifier: Apache-2.0
#include "importers/relax/lower/border.h"

#include <optional>
#include <utility>

namespace dragoman::tvmscript {
namespace {

// The items of a list that the text states.
Attribute::List ItemsOf(const Attribute* attribute) {
  Attribute::List items;
  if (attribute == nullptr) return items;
  if (const auto* list = attribute->As<Attribute::List>()) return *list;
  if (const auto* ints = attribute->As<Attribute::Ints>()) {
    for (const std::int64_t value : *ints) items.emplace_back(value);
  }
  return items;
}

std::optional<std::size_t> PlaceOf(const Attribute& attribute) {
  const auto* place = attribute.As<std::int64_t>();
  if (place == nullptr || *place < 0) return std::nullopt;
  return static_cast<std::size_t>(*place);
}

std::set<std::size_t> PlacesOf(const Attribute& attribute) {
  std::set<std::size_t> places;
  for (const Attribute& item : ItemsOf(&attribute)) {
    if (const auto place = PlaceOf(item)) places.insert(*place);
  }
  return places;
}

// [input, distribution, its two parameters, a seed if it has one]
void AddDrawn(const Attribute& attribute, Border& border) {
  const Attribute::List items = ItemsOf(&attribute);
  const auto place = items.size() >= 4 && items.size() <= 5 ? PlaceOf(items[0]) : std::nullopt;
  const auto* distribution = place ? items[1].As<std::string>() : nullptr;
  if (distribution == nullptr || (*distribution != "normal" && *distribution != "uniform")) return;
  const bool normal = *distribution == "normal";
  const std::string_view names[] = {normal ? "mean" : "low", normal ? "scale" : "high", "seed"};
  Drawn drawn{normal ? "RandomNormal" : "RandomUniform", {}};
  for (std::size_t i = 2; i < items.size(); ++i) {
    const auto* number = items[i].As<double>();
    if (number == nullptr) return;
    drawn.attributes.push_back({std::string(names[i - 2]), Attribute(static_cast<float>(*number))});
  }
  border.drawn.emplace(*place, std::move(drawn));
}

// [first, count, "sequence" or "optional"], after the lists before it.
void AddList(const Attribute& attribute, Border& border) {
  const Attribute::List items = ItemsOf(&attribute);
  const auto first = items.size() == 3 ? PlaceOf(items[0]) : std::nullopt;
  const auto count = first ? PlaceOf(items[1]) : std::nullopt;
  const auto* kind = count ? items[2].As<std::string>() : nullptr;
  if (kind == nullptr || (*kind != "sequence" && *kind != "optional")) return;
  const ListOutput* last = border.lists.empty() ? nullptr : &border.lists.back();
  if (last != nullptr && *first < last->first + last->count) return;
  border.lists.push_back({*first, *count, *kind == "optional"});
}

}  // namespace

const Attribute* FunctionAttribute(const Graph& function, std::string_view name) {
  for (const Node& node : function.nodes()) {
    if (node.op().type == "func_attr") return node.attribute(name);
  }
  return nullptr;
}

Border BorderOf(const Graph& function) {
  Border border;
  for (const Attribute& item : ItemsOf(FunctionAttribute(function, "random")))
    AddDrawn(item, border);
  for (const Attribute& item : ItemsOf(FunctionAttribute(function, "lists"))) AddList(item, border);
  const Attribute::List complex = ItemsOf(FunctionAttribute(function, "complex"));
  if (complex.size() != 2) return border;
  border.complex_inputs = PlacesOf(complex[0]);
  border.complex_outputs = PlacesOf(complex[1]);
  return border;
}

}  // namespace dragoman::tvmscript
