// SPDX-License-Identifier: Apache-2.0
#include "exporters/pt2/aten_value.h"

#include <algorithm>

namespace dragoman::pt2 {
namespace {

struct DTypeNumber {
  DType dtype;
  std::int64_t number;
};
// torch/_export/serde/schema.py.
constexpr DTypeNumber kDTypeNumbers[] = {
    {DType::kU8, 1},          {DType::kI8, 2},          {DType::kI16, 3},
    {DType::kI32, 4},         {DType::kI64, 5},         {DType::kF16, 6},
    {DType::kF32, 7},         {DType::kF64, 8},         {DType::kC64, 10},
    {DType::kC128, 11},       {DType::kBool, 12},       {DType::kBF16, 13},
    {DType::kU16, 28},        {DType::kF8E4M3FN, 29},   {DType::kF8E5M2, 30},
    {DType::kF8E4M3FNUZ, 31}, {DType::kF8E5M2FNUZ, 32}, {DType::kF8E8M0, 33},
    {DType::kU32, 34},        {DType::kU64, 35},
};

Json Named(const std::string& name) { return {{"name", name}}; }

Json OptionalTensor(const std::optional<Term>& term) {
  if (!term) return {{"as_none", true}};
  return {{"as_tensor", Named(term->name)}};
}

Json SizeJson(const Size& size) {
  if (size.name.empty()) return {{"as_int", size.number}};
  return {{"as_name", size.name}};
}

}  // namespace

std::optional<std::int64_t> NumberOfDType(DType dtype) {
  const auto* found = std::ranges::find(kDTypeNumbers, dtype, &DTypeNumber::dtype);
  if (found == std::end(kDTypeNumbers)) return std::nullopt;
  return found->number;
}

std::optional<DType> DTypeOfNumber(std::int64_t number) {
  const auto* found = std::ranges::find(kDTypeNumbers, number, &DTypeNumber::number);
  if (found == std::end(kDTypeNumbers)) return std::nullopt;
  return found->dtype;
}

ArgumentValue::ArgumentValue(const Term& term)
    : json{{"as_tensor", Named(term.name)}}, reads{term.name} {}

ArgumentValue::ArgumentValue(const std::optional<Term>& term) : json(OptionalTensor(term)) {
  if (term) reads.push_back(term->name);
}

ArgumentValue::ArgumentValue(const Terms& terms) {
  Json names = Json::array();
  for (const Term& term : terms) {
    names.push_back(Named(term.name));
    reads.push_back(term.name);
  }
  json = {{"as_tensors", std::move(names)}};
}

ArgumentValue::ArgumentValue(const std::vector<std::optional<Term>>& terms) {
  Json items = Json::array();
  for (const std::optional<Term>& term : terms) {
    items.push_back(OptionalTensor(term));
    if (term) reads.push_back(term->name);
  }
  json = {{"as_optional_tensors", std::move(items)}};
}

ArgumentValue::ArgumentValue(const Size& size) {
  if (size.name.empty()) {
    json = {{"as_int", size.number}};
    return;
  }
  json = {{"as_sym_int", SizeJson(size)}};
  reads.push_back(size.name);
}

ArgumentValue::ArgumentValue(const Sizes& sizes) {
  Json items = Json::array();
  Json numbers = Json::array();
  for (const Size& size : sizes) {
    items.push_back(SizeJson(size));
    numbers.push_back(size.number);
    if (!size.name.empty()) reads.push_back(size.name);
  }
  if (reads.empty()) {
    json = {{"as_ints", std::move(numbers)}};
  } else {
    json = {{"as_sym_ints", std::move(items)}};
  }
}

ArgumentValue::ArgumentValue(const std::vector<std::int64_t>& ints) : json{{"as_ints", ints}} {}

ArgumentValue::ArgumentValue(const std::vector<double>& floats) {
  Json items = Json::array();
  for (double value : floats) items.push_back(FloatJson(value));
  json = {{"as_floats", std::move(items)}};
}

Json DeviceJson() { return {{"type", "cpu"}, {"index", nullptr}}; }

ArgumentValue::ArgumentValue(DType dtype)
    : json{{"as_scalar_type", NumberOfDType(dtype).value_or(0)}} {}

ArgumentValue ArgumentValue::Device() {
  ArgumentValue value;
  value.json = {{"as_device", DeviceJson()}};
  return value;
}

ArgumentValue ArgumentValue::Graph(const std::string& name, Json graph) {
  ArgumentValue value;
  value.json = {{"as_graph", {{"name", name}, {"graph", std::move(graph)}}}};
  return value;
}

}  // namespace dragoman::pt2
