// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/random_check.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/analysis/inference.h"
#include "core/compare/tensor_differences.h"
#include "core/interpreter/interpreter.h"
#include "core/ir/element_text.h"
#include "core/rewrite/bound_states.h"
#include "core/rewrite/sequence_node.h"

namespace dragoman {
namespace {

constexpr int kEnoughDraws = 2;  // that can be run and show no difference
constexpr int kMostDraws = 8;
constexpr int kConfirmations = 2;  // draws that must differ
constexpr int kCalls = 2;          // per draw, so that states take part
constexpr std::int64_t kAssumedSize = 3;
constexpr std::int64_t kAssumedIterations = 8;
constexpr std::int64_t kMostNodes = 100'000;  // run in one call
constexpr std::size_t kMostInputBytes = std::size_t{1} << 24;

// Sums and products of sizes that stay below 2^62.
std::int64_t Bounded(double work) { return static_cast<std::int64_t>(std::min(work, 0x1p62)); }

double SizeOf(const Dim& dim) {
  return static_cast<double>(dim.known() ? dim.value() : kAssumedSize);
}

double ElementsOf(const Value* value) {
  if (value == nullptr || value->type().shape() == nullptr) return 1;
  double count = 1;
  for (const Dim& dim : *value->type().shape()) count *= SizeOf(dim);
  return count;
}

double SizeAt(const Value* value, int axis) {
  const Shape* shape = value != nullptr ? value->type().shape() : nullptr;
  const int rank = shape != nullptr ? static_cast<int>(shape->size()) : 0;
  if (axis < 0) axis += rank;
  return axis >= 0 && axis < rank ? std::max(1.0, SizeOf((*shape)[static_cast<std::size_t>(axis)]))
                                  : 1;
}

// Products that one element of the first result sums up. By name: each has its weights elsewhere.
double ProductsPerElement(const Node& node) {
  const Value* weight = node.num_operands() > 1 ? node.operand(1) : nullptr;
  if (IsRecurrent(node)) {
    return (ElementsOf(weight) + ElementsOf(node.operand(2))) / SizeAt(node.operand(2), -1);
  }
  if (node.Is("MatMul") || node.Is("Gemm") || node.Is("Einsum")) return SizeAt(node.operand(0), -1);
  if (node.IsDragoman("Linear") || node.Is("Conv")) return ElementsOf(weight) / SizeAt(weight, 0);
  if (node.Is("ConvTranspose")) return ElementsOf(weight) / SizeAt(weight, 1);
  return 1;
}

double WorkOf(const Graph& graph) {
  double work = 0;
  std::vector<std::pair<const Graph*, double>> open = {{&graph, 1.0}};  // and how often they run
  while (!open.empty()) {
    const auto [body, times] = open.back();
    open.pop_back();
    for (const Node& node : body->nodes()) {
      double own = 0;
      for (const Use& use : node.operands()) own += ElementsOf(use.value());
      if (node.num_results() > 0) own += ElementsOf(node.result()) * ProductsPerElement(node);
      work += own * times;
      const double iterations = node.Is("Loop") || node.Is("Scan") ? kAssumedIterations : 1;
      for (const Graph* inner : node.subgraphs()) open.emplace_back(inner, times * iterations);
    }
  }
  return work;
}

bool CanDraw(const Type& type) {
  if (!type.is_tensor() || type.shape() == nullptr) return false;
  const DType dtype = type.dtype();
  return IsFloating(dtype) || IsInteger(dtype) || dtype == DType::kBool;
}

// Inputs of one draw.
class Drawing {
 public:
  explicit Drawing(int number)
      : random_(static_cast<std::uint64_t>(number)), spread_(number % 2 == 0 ? 1 : 4) {}

  // nullopt: its sizes contradict each other, or it is large.
  std::optional<RuntimeValue> Draw(const Type& type) {
    std::vector<std::int64_t> sizes;
    std::int64_t count = 1;
    for (const Dim& dim : *type.shape()) {
      for (const std::string& symbol : dim.Symbols()) {
        if (!symbols_.contains(symbol)) symbols_[symbol] = Between(1, 4);
      }
      const auto size = dim.unknown() ? Between(1, 4) : dim.Evaluate(symbols_);
      if (!size || *size < 0 || *size > static_cast<std::int64_t>(kMostInputBytes))
        return std::nullopt;
      sizes.push_back(*size);
      count *= *size;
      if (count > static_cast<std::int64_t>(kMostInputBytes)) return std::nullopt;
    }
    std::string bytes;
    for (std::int64_t i = 0; i < count; ++i) {
      const Result<Tensor> element = Tensor::Full(type.dtype(), {}, Number(type.dtype()));
      if (!element.ok()) return std::nullopt;
      bytes.append(reinterpret_cast<const char*>(element->bytes().data()), element->bytes().size());
    }
    const Result<Tensor> tensor =
        Tensor::Make(type.dtype(), std::move(sizes), Buffer::Own(std::move(bytes)));
    if (!tensor.ok()) return std::nullopt;
    Result<Array> array = Array::FromTensor(*tensor);
    if (!array.ok()) return std::nullopt;
    return RuntimeValue::Of(std::move(*array));
  }

  // "batch = 3, time = 2"
  std::string Sizes() const {
    std::string text;
    for (const auto& [symbol, size] : symbols_) {
      text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", symbol, size);
    }
    return text;
  }

 private:
  std::int64_t Between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }

  double Number(DType dtype) {
    if (dtype == DType::kBool) return static_cast<double>(Between(0, 1));
    if (IsInteger(dtype)) return static_cast<double>(Between(0, 4));
    return spread_ * (static_cast<double>(random_() >> 11) * 0x1p-52 - 1);
  }

  std::mt19937_64 random_;
  double spread_;
  std::map<std::string, std::int64_t> symbols_;
};

// How much of the largest element of a tensor may be due to another order of sums.
double ToleranceOf(DType dtype) {
  switch (dtype) {
    case DType::kF64:
      return 1e-6;
    case DType::kF32:
      return 1e-3;
    default:
      return IsFloating(dtype) ? 0.1 : 0;
  }
}

std::string PlaceOf(const Tensor& tensor, std::int64_t index) {
  std::string text;
  for (int axis = tensor.rank() - 1; axis >= 0; --axis) {
    const std::int64_t size = tensor.sizes()[static_cast<std::size_t>(axis)];
    text = fmt::format("{}{}{}", index % size, text.empty() ? "" : ", ", text);
    index /= size;
  }
  return "[" + text + "]";
}

enum class Verdict { kEqual, kDifferent, kInconclusive };

Verdict CompareTensors(const Tensor& before, const Tensor& after, std::string& what) {
  if (before.type() != after.type()) {
    what = fmt::format("is {}, was {}", after.type().ToString(), before.type().ToString());
    return Verdict::kDifferent;
  }
  if (before.dtype() == DType::kString || IsComplex(before.dtype())) {
    return before == after ? Verdict::kEqual : Verdict::kInconclusive;
  }
  const bool is_float = IsFloating(before.dtype());
  double largest = 1;
  for (std::int64_t i = 0; is_float && i < before.size(); ++i) {
    if (!std::isfinite(before.FloatAt(i))) return Verdict::kInconclusive;
    largest = std::max(largest, std::abs(before.FloatAt(i)));
  }
  const double tolerance = ToleranceOf(before.dtype()) * largest;
  const rt::ElementDifferences differences =
      compare::FindDifferences(after, before, {.absolute = tolerance});
  if (differences.outside == 0) return Verdict::kEqual;
  const std::int64_t i = differences.worst;
  what = fmt::format("is {} at {}, was {}", FormatElement(after, i), PlaceOf(after, i),
                     FormatElement(before, i));
  return Verdict::kDifferent;
}

Verdict CompareValues(const RuntimeValue& before, const RuntimeValue& after, std::string& what) {
  if (before.kind != RuntimeValue::Kind::kTensor || after.kind != RuntimeValue::Kind::kTensor) {
    return Verdict::kInconclusive;
  }
  return CompareTensors(before.array.ToTensor(), after.array.ToTensor(), what);
}

class Draw {
 public:
  Draw(const Model& before, const Model& after, int number)
      : before_(before), after_(after), drawing_(number) {}

  Verdict Run(std::string& what) {
    auto first = Interpreter::Make(before_);
    auto second = Interpreter::Make(after_);
    if (!first.ok()) return Verdict::kInconclusive;
    if (!second.ok()) {
      what = "it cannot be run any more: " + second.error().ToString();
      return Verdict::kDifferent;
    }
    for (Interpreter* interpreter : {&*first, &*second}) {
      interpreter->set_line_sink([](std::string_view) {});
      interpreter->set_node_limit(kMostNodes);
    }
    for (int call = 0; call < kCalls; ++call) {
      const Verdict verdict = Call(*first, *second, what);
      if (verdict != Verdict::kEqual) return verdict;
    }
    return Verdict::kEqual;
  }

  std::string Sizes() const { return drawing_.Sizes(); }

 private:
  Verdict Call(Interpreter& first, Interpreter& second, std::string& what) {
    const Entry& entry = before_.entries.front();
    std::vector<RuntimeValue> inputs;
    for (std::size_t i = 0; i < NumFreeInputs(entry); ++i) {
      auto input = drawing_.Draw(entry.graph->input(i)->type());
      if (!input) return Verdict::kInconclusive;
      inputs.push_back(std::move(*input));
    }
    const auto expected = first.Run(entry, inputs);
    if (!expected.ok()) return Verdict::kInconclusive;
    const auto found = second.Run(after_.entries.front(), std::move(inputs));
    if (!found.ok()) {
      what = "it fails: " + found.error().ToString();
      return Verdict::kDifferent;
    }
    for (std::size_t i = 0; i < expected->size(); ++i) {
      const Verdict verdict = CompareValues((*expected)[i], (*found)[i], what);
      if (verdict == Verdict::kDifferent) {
        what = fmt::format("output '{}' {}", entry.graph->output(i)->name(), what);
      }
      if (verdict != Verdict::kEqual) return verdict;
    }
    for (std::size_t i = 0; i < first.states().size(); ++i) {
      const Verdict verdict = CompareValues(first.states()[i], second.states()[i], what);
      if (verdict == Verdict::kDifferent) {
        what = fmt::format("state '{}' {}", before_.states[i].name, what);
      }
      if (verdict != Verdict::kEqual) return verdict;
    }
    return Verdict::kEqual;
  }

  const Model& before_;
  const Model& after_;
  Drawing drawing_;
};

Model OneEntry(const Model& model, const Entry& entry, const Graph& graph) {
  Model copy;
  copy.level = model.level;
  copy.dialect = model.dialect;
  copy.states = model.states;
  copy.opsets = model.opsets;
  copy.entries.push_back(
      {entry.name, std::make_unique<Graph>(), entry.arguments, entry.results, entry.states});
  ValueMap map;
  CloneInto(graph, *copy.entries.front().graph, map);
  return copy;
}

}  // namespace

std::optional<RandomCheck> RandomCheck::Make(const Model& model, const Entry& entry,
                                             std::int64_t max_work) {
  const Graph& graph = *entry.graph;
  for (const auto& input : graph.inputs()) {
    if (!CanDraw(input->type())) return std::nullopt;
  }
  for (const Node& node : graph.nodes()) {
    if (IsRandom(node)) return std::nullopt;
  }
  if (Bounded(WorkOf(graph)) > max_work || !UnsupportedNodes(graph).empty()) return std::nullopt;
  return RandomCheck(OneEntry(model, entry, graph));
}

std::string RandomCheck::FindDifference(const Graph& after) const {
  // A pass may leave the types of what it inserts to the inference after it.
  Model changed = OneEntry(before_, before_.entries.front(), after);
  if (const Status status = InferModel(changed); !status.ok()) {
    return "it is not well-typed: " + status.error().ToString();
  }
  std::string first;
  int equal = 0;
  int different = 0;
  for (int i = 0; i < kMostDraws; ++i) {
    Draw draw(before_, changed, i);
    std::string what;
    const Verdict verdict = draw.Run(what);
    equal += verdict == Verdict::kEqual ? 1 : 0;
    if (verdict == Verdict::kDifferent) {
      const std::string sizes = draw.Sizes();
      if (first.empty()) first = what + (sizes.empty() ? "" : ", for " + sizes);
      if (++different == kConfirmations) return first;
    }
    if (different == 0 && equal == kEnoughDraws) return {};
  }
  return {};
}

}  // namespace dragoman
