// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/drawn_rewrites/judge.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <utility>

#include <fmt/format.h>

#include "core/compare/tensor_differences.h"
#include "core/ir/element_text.h"

namespace dragoman::drawn {
namespace {

constexpr std::int64_t kMostNodes = 100'000;

using Symbols = std::map<std::string, std::int64_t>;

// The sizes of one run each; those of the last one are drawn.
Symbols SymbolsOf(int run, std::int64_t least, std::mt19937_64& random) {
  if (run == 0) return {{"n", 2}, {"m", 3}};
  if (run == 1) return {{"n", 1}, {"m", 1}};
  const auto draw = [&] { return least + static_cast<std::int64_t>(random() % 4); };
  return {{"n", draw()}, {"m", draw()}};
}

double EdgeOf(DType dtype, std::mt19937_64& random) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (IsFloating(dtype)) {
    constexpr double kEdges[] = {kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN(),
                                 -0.0,      0.0,        1e30,
                                 -1e-30,    1e-42,      65504};
    return kEdges[random() % std::size(kEdges)];
  }
  constexpr double kEdges[] = {0, 127, -128, 255, 2147483647.0, -2147483648.0};
  return kEdges[random() % std::size(kEdges)];
}

bool Holds(DType dtype, double number) {
  switch (dtype) {
    case DType::kI8:
      return number >= -128 && number <= 127;
    case DType::kU8:
      return number >= 0 && number <= 255;
    case DType::kI16:
      return number >= -32768 && number <= 32767;
    case DType::kU16:
      return number >= 0 && number <= 65535;
    default:
      return true;
  }
}

std::optional<RuntimeValue> DrawInput(const Type& type, const InputData& data,
                                      const Symbols& symbols, bool edges, std::mt19937_64& random) {
  std::vector<std::int64_t> sizes;
  std::int64_t count = 1;
  for (const Dim& dim : *type.shape()) {
    const auto size = dim.Evaluate(symbols);
    if (!size || *size < 0) return std::nullopt;
    sizes.push_back(*size);
    count *= *size;
  }
  std::string bytes;
  for (std::int64_t i = 0; i < count; ++i) {
    const double part = static_cast<double>(random() >> 11) * 0x1p-53;
    double number = data.low + (data.high - data.low) * part;
    if (type.dtype() == DType::kBool) number = part < 0.5 ? 0 : 1;
    if (IsInteger(type.dtype())) number = std::nearbyint(number);
    if (edges && data.IsAny() && random() % 5 == 0) number = EdgeOf(type.dtype(), random);
    if (!data.fixed.empty()) number = data.fixed[static_cast<std::size_t>(i)];
    if (!Holds(type.dtype(), number)) number = std::abs(std::fmod(number, 100));
    const Tensor element = Tensor::Full(type.dtype(), {}, number).value();
    bytes.append(reinterpret_cast<const char*>(element.bytes().data()), element.bytes().size());
  }
  const Tensor tensor =
      Tensor::Make(type.dtype(), std::move(sizes), Buffer::Own(std::move(bytes))).value();
  return RuntimeValue::Of(Array::FromTensor(tensor).value());
}

Result<std::vector<RuntimeValue>> Execute(const Model& model, std::vector<RuntimeValue> inputs) {
  DRAGOMAN_ASSIGN(Interpreter interpreter, Interpreter::Make(model));
  interpreter.set_node_limit(kMostNodes);
  return interpreter.Run(model.entries.front(), std::move(inputs));
}

double LargestOf(const Tensor& tensor) {
  double largest = 1;
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    const double size = std::abs(tensor.FloatAt(i));
    if (std::isfinite(size)) largest = std::max(largest, size);
  }
  return largest;
}

rt::Closeness ClosenessFor(const Tensor& expected, Exactness exactness) {
  if (exactness == Exactness::kExact) return {};
  if (!IsFloating(expected.dtype()))
    return {.absolute = exactness == Exactness::kNearest ? 1.0 : 0};
  const double relative = expected.dtype() == DType::kF64   ? 1e-9
                          : expected.dtype() == DType::kF32 ? 1e-4
                                                            : 0.05;
  return {.absolute = relative * LargestOf(expected)};
}

std::string TensorDifference(const Tensor& found, const Tensor& expected, Exactness exactness) {
  if (found.type() != expected.type()) {
    return fmt::format("is {}, was {}", found.type().ToString(), expected.type().ToString());
  }
  if (expected.dtype() == DType::kString) return found == expected ? "" : "is another string";
  const rt::ElementDifferences differences =
      compare::FindDifferences(found, expected, ClosenessFor(expected, exactness));
  if (differences.outside == 0) return "";
  return fmt::format("is {} at {}, was {}", FormatElement(found, differences.worst),
                     differences.worst, FormatElement(expected, differences.worst));
}

std::string ValueDifference(const RuntimeValue& found, const RuntimeValue& expected,
                            Exactness exactness) {
  if (found.kind != expected.kind) return "is a value of another kind";
  if (found.kind != RuntimeValue::Kind::kTensor) return "";
  return TensorDifference(found.array.ToTensor(), expected.array.ToTensor(), exactness);
}

// How a value is other than its type says.
std::string TypeDifference(const RuntimeValue& value, const Type& type) {
  if (value.kind != RuntimeValue::Kind::kTensor || !type.is_tensor()) return "";
  const Tensor tensor = value.array.ToTensor();
  bool fits = type.dtype() == DType::kUnknown || type.dtype() == tensor.dtype();
  if (const Shape* shape = type.shape()) {
    fits = fits && shape->size() == tensor.sizes().size();
    for (std::size_t i = 0; fits && i < shape->size(); ++i) {
      fits = !(*shape)[i].known() || (*shape)[i].value() == tensor.sizes()[i];
    }
  }
  if (fits) return "";
  return fmt::format("is {}, though its type is {}", tensor.type().ToString(), type.ToString());
}

std::string TypesDifference(const std::vector<RuntimeValue>& outputs, const Graph& graph) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::string difference = TypeDifference(outputs[i], graph.output(i)->type());
    if (!difference.empty()) return fmt::format("output {} {}", i, difference);
  }
  return "";
}

}  // namespace

Judge::Judge(const Model& before, const Drawing& drawing, std::uint64_t seed,
             std::int64_t least_size, bool edges) {
  std::mt19937_64 random(seed);
  for (int i = 0; i < 3; ++i) {
    const Symbols symbols = SymbolsOf(i, least_size, random);
    Run run{fmt::format("n = {}, m = {}", symbols.at("n"), symbols.at("m")), {}, {}};
    for (const auto& input : before.main().inputs()) {
      auto drawn = DrawInput(input->type(), drawing.inputs().at(input->name()), symbols,
                             edges && i > 0, random);
      if (drawn) run.inputs.push_back(std::move(*drawn));
    }
    if (run.inputs.size() != before.main().num_inputs()) continue;
    auto outputs = Execute(before, run.inputs);
    if (!outputs.ok()) continue;
    run.outputs = std::move(*outputs);
    runs_.push_back(std::move(run));
  }
}

std::string Judge::FindDifference(const Model& after, Exactness exactness) const {
  for (const Run& run : runs_) {
    const auto found = Execute(after, run.inputs);
    if (!found.ok()) return fmt::format("for {} it fails: {}", run.sizes, found.error().ToString());
    for (std::size_t i = 0; i < run.outputs.size(); ++i) {
      const std::string difference = ValueDifference((*found)[i], run.outputs[i], exactness);
      if (!difference.empty()) return fmt::format("for {} output {} {}", run.sizes, i, difference);
    }
    const std::string typing = TypesDifference(*found, after.main());
    if (!typing.empty()) return fmt::format("for {} {}", run.sizes, typing);
  }
  return "";
}

}  // namespace dragoman::drawn
