// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/drawn_rewrites/drawing.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/ir/dtype.h"

namespace dragoman::drawn {
namespace {

std::string SizeText(std::int64_t size) {
  if (size >= 0) return std::to_string(size);
  return size == kN ? "n" : size == kM ? "m" : fmt::format("k{}", -size);
}

bool IsFloat(const std::string& dtype) { return dtype[0] == 'f' || dtype == "bf16"; }

std::string NumberText(const std::string& dtype, double number) {
  if (dtype == "bool") return number > 0 ? "true" : "false";
  if (dtype[0] == 'u') number = std::abs(number);
  if (!IsFloat(dtype)) return std::to_string(static_cast<std::int64_t>(number));
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
  if (number == 0) return std::signbit(number) ? "-0.0" : "0.0";
  return fmt::format("{}", static_cast<float>(number));
}

std::string Elements(const std::string& dtype, const Sizes& sizes, std::size_t axis,
                     const std::function<double()>& element) {
  if (axis == sizes.size()) return NumberText(dtype, element());
  std::string text = "[";
  for (std::int64_t i = 0; i < sizes[axis]; ++i) {
    text += (i > 0 ? ", " : "") + Elements(dtype, sizes, axis + 1, element);
  }
  return text + "]";
}

std::string Joined(const Names& names) { return fmt::format("{}", fmt::join(names, ", ")); }

}  // namespace

std::string List(const std::vector<std::int64_t>& values) {
  return fmt::format("{}", fmt::join(values, ", "));
}

std::string TypeText(const std::string& dtype, const Sizes& sizes) {
  std::string text;
  for (std::int64_t size : sizes) text += (text.empty() ? "" : ", ") + SizeText(size);
  return dtype + "[" + text + "]";
}

int TypeNumber(const std::string& dtype) {
  const std::optional<DType> found = DTypeFromName(dtype);
  return found ? static_cast<int>(*found) : 0;
}

std::int64_t Drawing::Between(std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(high - low + 1));
}

std::string Drawing::FloatType() { return Chance(75) ? "f32" : Of({"f64", "f16", "bf16"}); }

std::string Drawing::NumberType() {
  return Chance(60) ? FloatType() : Of({"i64", "i32", "i8", "u8"});
}

std::int64_t Drawing::KnownSize() { return Chance(4) ? 0 : Between(1, 3); }

std::int64_t Drawing::Size() { return Chance(25) ? (Chance(70) ? kN : kM) : KnownSize(); }

Sizes Drawing::AnySizes(int min_rank, int max_rank) {
  Sizes sizes(static_cast<std::size_t>(Between(min_rank, max_rank)));
  for (std::int64_t& size : sizes) size = Size();
  return sizes;
}

Sizes Drawing::KnownSizes(int min_rank, int max_rank) {
  Sizes sizes(static_cast<std::size_t>(Between(min_rank, max_rank)));
  for (std::int64_t& size : sizes) size = KnownSize();
  return sizes;
}

std::int64_t Drawing::Axis(std::size_t rank) {
  const auto count = static_cast<std::int64_t>(rank);
  if (count == 0) return 0;
  return Chance(30) ? -Between(1, count) : Between(0, count - 1);
}

std::string Drawing::Input(const std::string& dtype, const Sizes& sizes, InputData data) {
  Names& equal = known_[fmt::format("input {} {} {}", TypeText(dtype, sizes), data.low, data.high)];
  if (data.fixed.empty() && !equal.empty() && Chance(10)) return Of(equal);
  const std::string name = NewName();
  inputs_.push_back(name + ": " + TypeText(dtype, sizes));
  if (data.fixed.empty()) equal.push_back(name);
  data_[name.substr(1)] = std::move(data);
  return name;
}

std::string Drawing::Constant(const std::string& dtype, const Sizes& sizes,
                              const std::function<double()>& element) {
  const std::string name = NewName();
  lines_.push_back({fmt::format("const {}: {} = {}", name, TypeText(dtype, sizes),
                                Elements(dtype, sizes, 0, element)),
                    {name},
                    false});
  return name;
}

std::string Drawing::Numbers(const std::string& dtype, const Sizes& sizes) {
  Names& equal = known_["constant " + TypeText(dtype, sizes)];
  if (!equal.empty() && Chance(15)) return Of(equal);
  equal.push_back(Constant(dtype, sizes, [&] {
    return IsFloat(dtype) ? static_cast<double>(Between(-12, 12)) / 8 : Between(-3, 3);
  }));
  return equal.back();
}

std::string Drawing::Weight(const std::string& dtype, const Sizes& sizes) {
  const bool open = std::ranges::any_of(sizes, [](std::int64_t size) { return size < 0; });
  return open || Chance(8) ? Input(dtype, sizes) : Numbers(dtype, sizes);
}

std::string Drawing::FixedInts(const std::vector<std::int64_t>& values, bool scalar) {
  const Sizes sizes = scalar ? Sizes{} : Sizes{static_cast<std::int64_t>(values.size())};
  if (Chance(5)) {
    return Input("i64", sizes, {.low = 0, .high = 0, .fixed = {values.begin(), values.end()}});
  }
  const std::string text = scalar ? std::to_string(values.front()) : "[" + List(values) + "]";
  const std::string name = NewName();
  lines_.push_back(
      {fmt::format("const {}: {} = {}", name, TypeText("i64", sizes), text), {name}, false});
  return Chance(4) ? Node("Identity", {name}) : name;
}

std::string Drawing::Ints(const std::vector<std::int64_t>& values) {
  return FixedInts(values, false);
}

std::string Drawing::Int(std::int64_t value) { return FixedInts({value}, true); }

Names Drawing::Nodes(const std::string& type, const Names& operands, const std::string& attributes,
                     std::size_t count) {
  Line line;
  for (std::size_t i = 0; i < count; ++i) line.results.push_back(NewName());
  Names read;
  for (const std::string& operand : operands) {
    read.push_back(operand.empty() ? "_" : operand);
    ++reads_[operand];
  }
  const std::string label = type.find('.') == std::string::npos ? "onnx." + type : type;
  line.text = fmt::format("{}{}{}({}){}", Joined(line.results), count == 0 ? "" : " = ", label,
                          Joined(read), attributes.empty() ? "" : " {" + attributes + "}");
  lines_.push_back(line);
  return line.results;
}

std::string Drawing::Node(const std::string& type, const Names& operands,
                          const std::string& attributes) {
  return Nodes(type, operands, attributes, 1).front();
}

std::string Drawing::Hidden(const std::string& type, const Names& operands,
                            const std::string& attributes) {
  const std::string name = Node(type, operands, attributes);
  lines_.back().may_be_output = false;
  return name;
}

std::string Drawing::MaybeRead(const std::string& value) {
  return Chance(60) ? Node("Mul", {value, value}) : value;
}

// Other nodes that read what is computed.
void Drawing::AddReaders() {
  Names read;
  for (const Line& line : lines_) {
    for (const std::string& result : line.results) {
      if (line.may_be_output && Chance(5)) read.push_back(result);
    }
  }
  for (const std::string& value : read) Node("Identity", {value});
}

Names Drawing::ChooseOutputs() {
  Names outputs;
  for (const Line& line : lines_) {
    if (!line.may_be_output) continue;
    for (const std::string& result : line.results) {
      if (Chance(reads_.contains(result) ? 6 : 97)) outputs.push_back(result);
    }
  }
  return outputs;
}

// Lines from a random one on become a branch of an If, or the body of a Loop whose turns all give
// the same.
void Drawing::MoveIntoBody(Names& outputs) {
  const auto begin = lines_.begin() + Between(0, static_cast<std::int64_t>(lines_.size()) - 1);
  std::string body;
  Names inner, outer;
  for (auto line = begin; line != lines_.end(); ++line) {
    body += line->text + "\n";
    for (const std::string& result : line->results) {
      if (std::ranges::find(outputs, result) == outputs.end()) continue;
      inner.push_back(result);
      outer.push_back(NewName());
    }
  }
  if (inner.empty()) return;
  std::string text;
  if (Chance(60)) {
    const std::string condition = Input("bool", {});
    const std::string branch = fmt::format("() -> ({}) {{\n{}}}", Joined(inner), body);
    text =
        fmt::format("{} = onnx.If({}) {{then_branch = graph then{}, else_branch = graph other{}}}",
                    Joined(outer), condition, branch, branch);
  } else {
    const std::string turn = NewName(), go = NewName(), next = NewName(), turns = NewName();
    text = fmt::format(
        "const {}: i64[] = 2\n{} = onnx.Loop({}, _) {{body = graph body({}: i64[], {}: bool[]) -> "
        "({}, {}) {{\n{} = onnx.Identity({})\n{}}}}}",
        turns, Joined(outer), turns, turn, go, next, Joined(inner), next, go, body);
  }
  for (std::size_t i = 0; i < inner.size(); ++i) {
    *std::ranges::find(outputs, inner[i]) = outer[i];
  }
  lines_.erase(begin, lines_.end());
  lines_.push_back({text, outer, true});
}

std::string Drawing::Text() {
  if (lines_.empty()) Node("Identity", {"%" + data_.begin()->first});
  AddReaders();
  Names outputs = ChooseOutputs();
  if (outputs.empty()) outputs.push_back(lines_.back().results.front());
  if (Chance(25)) MoveIntoBody(outputs);
  if (Chance(8)) MoveIntoBody(outputs);
  std::string text = fmt::format("graph main({}) -> ({}) {{\n", Joined(inputs_), Joined(outputs));
  for (const Line& line : lines_) text += line.text + "\n";
  return text + "}\n";
}

}  // namespace dragoman::drawn
