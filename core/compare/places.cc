// SPDX-License-Identifier: Apache-2.0
#include "core/compare/places.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/ir/element_text.h"
#include "core/support/text.h"

namespace dragoman::compare {
namespace {

constexpr std::size_t kMaxElements = 8;
constexpr std::size_t kMaxText = 80;
constexpr std::size_t kFirstSteps = 4;
constexpr std::size_t kLastSteps = 8;
constexpr std::size_t kMaxOrigins = 3;

template <class List, class Format>
std::string DescribeList(const List& list, Format format) {
  std::string text = "[";
  for (std::size_t i = 0; i < std::min(list.size(), kMaxElements); ++i) {
    text += (i > 0 ? ", " : "") + format(list[i]);
  }
  if (list.size() > kMaxElements) text += fmt::format(", … ({} in all)", list.size());
  return text + "]";
}

std::string DescribeText(const std::string& text) {
  if (text.size() <= kMaxText) return Quote(text);
  return Quote(text.substr(0, kMaxText)) + fmt::format("… ({} bytes)", text.size());
}

std::string DescribeTensor(const Tensor& tensor) {
  std::string text = "tensor " + tensor.type().ToString();
  const bool numeric = !IsComplex(tensor.dtype()) && tensor.dtype() != DType::kString;
  if (tensor.size() != 1 || !numeric) return text;
  return text + " " + FormatElement(tensor, 0);
}

std::string DescribeSparse(const SparseTensor& tensor) {
  const Shape shape(tensor.sizes.begin(), tensor.sizes.end());
  return fmt::format("{}, elements {}, indices {}",
                     Type::SparseTensor(tensor.values.dtype(), shape).ToString(),
                     DescribeTensor(tensor.values), DescribeTensor(tensor.indices));
}

}  // namespace

std::string_view NameOf(const Node& node) {
  if (!node.name().empty() || node.num_results() == 0 || node.result(0) == nullptr) {
    return node.name();
  }
  return node.result(0)->name();
}

std::string Describe(const Value* value) {
  if (value == nullptr) return "nothing";
  std::string name = "'" + Escape(value->name()) + "' ";
  switch (value->kind()) {
    case Value::Kind::kConstant:
      return "constant " + name + value->type().ToString();
    case Value::Kind::kInput:
      return "input " + name + value->type().ToString();
    case Value::Kind::kResult:
      return fmt::format("result {} {}of {}", value->index(), name, value->producer()->Describe());
  }
  return name;
}

std::string Describe(const Attribute& attribute) {
  using Kind = Attribute::Kind;
  const auto list = [](const auto& values, auto format) { return DescribeList(values, format); };
  switch (attribute.kind()) {
    case Kind::kInt:
      return std::to_string(*attribute.As<std::int64_t>());
    case Kind::kFloat:
      return FormatFloat(*attribute.As<float>());
    case Kind::kDouble:
      return FormatDouble(*attribute.As<double>());
    case Kind::kBool:
      return *attribute.As<bool>() ? "true" : "false";
    case Kind::kString:
      return DescribeText(*attribute.As<std::string>());
    case Kind::kTensor:
      return DescribeTensor(*attribute.tensor());
    case Kind::kSparseTensor:
      return DescribeSparse(*attribute.sparse_tensor());
    case Kind::kType:
      return attribute.As<Type>()->ToString();
    case Kind::kSymbol:
      return "@" + attribute.As<Symbol>()->name;
    case Kind::kRef:
      return "reference to attribute '" + attribute.As<AttributeRef>()->name + "'";
    case Kind::kInts:
      return list(*attribute.As<Attribute::Ints>(), [](auto v) { return std::to_string(v); });
    case Kind::kFloats:
      return list(*attribute.As<Attribute::Floats>(), FormatFloat);
    case Kind::kDoubles:
      return list(*attribute.As<Attribute::Doubles>(), FormatDouble);
    case Kind::kStrings:
      return list(*attribute.As<Attribute::Strings>(), DescribeText);
    case Kind::kTensors:
      return list(*attribute.As<Attribute::Tensors>(), DescribeTensor);
    case Kind::kSparseTensors:
      return list(*attribute.As<Attribute::SparseTensors>(), DescribeSparse);
    case Kind::kGraphs:
      return fmt::format("list of {} graphs", attribute.As<Attribute::Graphs>()->size());
    case Kind::kTypes:
      return list(*attribute.As<Attribute::Types>(), [](const Type& t) { return t.ToString(); });
    default:
      return std::string(Name(attribute.kind()));
  }
}

std::string DescribeOrigin(const OriginPtr& origin) {
  std::string text;
  const std::vector<const SourceOp*> leaves = Flatten(origin);
  for (std::size_t i = 0; i < std::min(leaves.size(), kMaxOrigins); ++i) {
    text += (i > 0 ? ", " : "") + leaves[i]->op + " '" + leaves[i]->name + "'";
    if (!leaves[i]->location.empty()) text += " " + leaves[i]->location;
  }
  if (leaves.size() > kMaxOrigins) {
    text += " and " + std::to_string(leaves.size() - kMaxOrigins) + " more";
  }
  return text;
}

std::string FormatNumber(double value) { return fmt::format("{:.6g}", value); }

std::vector<std::string> ShortenPath(std::vector<std::string> path) {
  if (path.size() <= kFirstSteps + kLastSteps + 1) return path;
  const std::size_t left_out = path.size() - kFirstSteps - kLastSteps;
  const auto first = path.begin() + kFirstSteps;
  path.erase(first + 1, first + static_cast<std::ptrdiff_t>(left_out));
  *first = fmt::format("… ({} more steps)", left_out);
  return path;
}

}  // namespace dragoman::compare
