// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/multiply_adds.h"
#include "core/interpreter/evaluate.h"
#include "core/ir/find_as.h"
#include "core/ir/producer.h"
#include "core/ir/weight_role.h"
#include "core/ops/op_def.h"
#include "core/rewrite/joined_parts.h"
#include "core/rewrite/passes.h"
#include "core/support/count_elements.h"

namespace dragoman {
namespace {

// What folding may make: any small result of operands that are not large; a large one only by
// moving elements, and not more than there were. So no large weight is computed from another, and
// none that rounds differently on another machine.
constexpr std::size_t kSmallBytes = std::size_t{64} << 10;

struct FoldLimits {
  std::size_t result_bytes;   // of what is more than moved
  std::size_t operand_bytes;  // that this is computed from
  std::size_t folded_bytes;   // in all, with what is drawn for time (DrawnFor)
};

constexpr FoldLimits kSmall = {kSmallBytes, std::size_t{1} << 20, std::size_t{64} << 20};
// For graphs that are compared and not written: as much as exporters fold, and more.
constexpr FoldLimits kLarge = {std::size_t{64} << 20, std::size_t{256} << 20,
                               std::size_t{512} << 20};
// For files of as few nodes as can be: what one of ONNX holds.
constexpr FoldLimits kFewestNodes = {std::size_t{512} << 20, std::size_t{512} << 20,
                                     std::size_t{1} << 30};

std::size_t BytesOf(const Type& type) {
  const auto sizes = type.shape() != nullptr ? KnownShape(*type.shape()) : std::nullopt;
  if (!sizes) return SIZE_MAX;
  const std::optional<std::int64_t> count = CountElements(*sizes);
  return count ? PackedBytes(type.dtype(), *count).value_or(SIZE_MAX) : SIZE_MAX;
}

bool MovesElements(const OpDef& def) { return def.kernel.types.starts_with("bits(T)"); }

bool IsFoldable(const Node& node) {
  const OpDef* def = FindOp(node);
  return def != nullptr && !def->kernel.types.empty() && !def->effect && !def->random &&
         !node.Is("Identity") && node.num_operands() > 0 && node.subgraphs().empty();
}

// Elements of the windows of a pool, each as often as one is read.
std::optional<std::int64_t> WindowElements(const Node& node) {
  const auto* sizes = FindAs<Attribute::Ints>(node.attributes(), "kernel_shape");
  if (sizes == nullptr) return 0;
  std::optional<std::int64_t> count = CountElements(node.result());
  for (const std::int64_t size : *sizes) {
    if (!count || __builtin_mul_overflow(*count, size, &*count)) return std::nullopt;
  }
  return count;
}

// Small constants may take long to compute: what the time draws on the bytes that are folded in
// all, so that those stand for a few seconds; SIZE_MAX: more than there is.
std::size_t DrawnFor(const Node& node, std::size_t operand_bytes) {
  constexpr std::size_t kOperationsPerByte = 32;
  if (MovesElements(*FindOp(node))) return 0;
  const std::optional<std::int64_t> products = MultiplyAdds(node);
  const std::optional<std::int64_t> windows = WindowElements(node);
  if (!products || !windows || *products < 0 || *windows < 0) return SIZE_MAX;
  const auto operations = static_cast<std::size_t>(std::max(*products, *windows));
  return std::max(operations, operand_bytes) / kOperationsPerByte;
}

bool FitsBudget(const Node& node, const PassContext& context, std::size_t operand_bytes,
                const FoldLimits& limits) {
  const std::size_t drawn = DrawnFor(node, operand_bytes);
  if (drawn > limits.folded_bytes) return false;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    if (node.result(i) == nullptr) continue;
    const std::size_t size = BytesOf(node.result(i)->type());
    if (size > limits.folded_bytes) return false;
    bytes += size;
  }
  if (context.folded_bytes + drawn + bytes > limits.folded_bytes) return false;
  if (MovesElements(*FindOp(node)) && bytes <= operand_bytes) return true;
  return bytes <= limits.result_bytes &&
         (operand_bytes <= limits.operand_bytes || MovesElements(*FindOp(node)));
}

// A weight or bias that is dequantised for a product with a dequantised operand.
bool BelongsToQuantizedProduct(const Node& node) {
  if (!node.Is("DequantizeLinear")) return false;
  for (const Use* use = node.result()->first_use(); use != nullptr; use = use->next()) {
    const Node* user = use->user();
    if (user == nullptr || use->index() == 0 || user->operand(0) == nullptr) continue;
    const Node* x = user->operand(0)->producer();
    if (x != nullptr && x->Is("DequantizeLinear")) return true;
  }
  return false;
}

// A Transpose of a large constant is left to fold-transposes, after it had its chance to become a
// part of dragoman.Linear; what quantised products consist of to use-integer-products.
bool IsLeftToOthers(const Node& node, std::size_t operand_bytes) {
  return (node.Is("Transpose") && operand_bytes > kSmallBytes) || BelongsToQuantizedProduct(node);
}

bool HasNoElements(const Type& type) {
  const Shape* shape = type.shape();
  return shape != nullptr && std::ranges::find(*shape, Dim(0)) != shape->end();
}

// Whether inference gives the sizes of the results of itself: those that a file declares are
// claims, which only the node checks. What it reads without elements is a constant by now, or an
// input, unless that is a claim.
bool HasProvenSizes(const Node& node, const Inference& inference) {
  if (!node.subgraphs().empty()) return false;
  Graph graph;
  Inference alone;
  ValueMap map;
  for (const Use& use : node.operands()) {
    const Value* value = use.value();
    if (value == nullptr || map.contains(value)) continue;
    if (const Tensor* tensor = ConstantOf(value)) {
      map[value] = graph.AddConstant(value->name(), *tensor);
      continue;
    }
    if (value->producer() != nullptr && HasNoElements(value->type())) return false;
    Value* input = map[value] = graph.AddInput(value->name(), value->type());
    if (std::optional<Elements> elements = inference.Know(value).elements)
      alone.Learn(input, *std::move(elements));
  }
  Node* copy = CloneNode(node, graph, nullptr, map);
  for (std::size_t i = 0; i < copy->num_results(); ++i) {
    if (copy->result(i) != nullptr) copy->result(i)->set_type({});
  }
  if (!alone.InferNode(*copy).ok()) return false;
  for (std::size_t i = 0; i < copy->num_results(); ++i) {
    if (copy->result(i) != nullptr && copy->result(i)->type() != node.result(i)->type())
      return false;
  }
  return true;
}

// Constants for the results of a node, where none of them has an element: it does not matter what
// they would be computed from. Runtimes compute on no elements what they like.
std::optional<std::vector<Tensor>> WithoutElements(const Node& node, const Inference& inference) {
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    const Value* result = node.result(i);
    const Shape* shape = result != nullptr ? result->type().shape() : nullptr;
    const auto sizes = shape != nullptr ? KnownShape(*shape) : std::nullopt;
    if (!sizes || std::ranges::find(*sizes, 0) == sizes->end()) return std::nullopt;
    Result<Tensor> none = Tensor::Full(result->type().dtype(), *sizes, 0);
    if (!none.ok()) return std::nullopt;
    tensors.push_back(*std::move(none));
  }
  if (!HasProvenSizes(node, inference)) return std::nullopt;
  return tensors;
}

// Whether the node reads buffers, and beside them nothing that could learn.
bool ReadsBuffersAlone(const Node& node) {
  bool reads_buffers = false;
  for (const Use& use : node.operands()) {
    const Value* value = use.value();
    const Tensor* tensor = ConstantOf(value);
    if (tensor == nullptr) continue;
    if (!IsBuffer(*value) && IsFloating(tensor->dtype()) && tensor->rank() > 0) return false;
    reads_buffers = reads_buffers || IsBuffer(*value);
  }
  return reads_buffers;
}

// Whether the result is the weight with other strides, a factor or a bias. Elements in another
// order are given another shape, so that whoever replaces a weight by its name sees it.
bool IsStillTheWeight(const Node& node, const Value& weight, const Value& result) {
  const bool same_type = result.type() == weight.type();
  // By name: operators of scales and biases.
  if (node.Is("Mul") || node.Is("Add")) return same_type;
  if (node.Is("Div") || node.Is("Sub")) return same_type && node.operand(0) == &weight;
  return BytesOf(result.type()) == weight.tensor()->bytes().size() &&
         (KeepsOrder(node) || (OnlyMoves(node) && !same_type));
}

// What is still one weight is called as that.
const std::string& NameOfFolded(const Node& node, const Value& result) {
  const Value* weight = nullptr;
  for (const Use& use : node.operands()) {
    const Tensor* tensor = ConstantOf(use.value());
    if (tensor == nullptr || !IsFloating(tensor->dtype()) || tensor->size() < 2) continue;
    if (weight != nullptr) return result.name();
    weight = use.value();
  }
  if (weight == nullptr || node.num_results() != 1) return result.name();
  return IsStillTheWeight(node, *weight, result) ? weight->name() : result.name();
}

Result<bool> PutConstants(Node& node, std::vector<Tensor> tensors, PassContext& context) {
  std::vector<Value*> constants(node.num_results(), nullptr);
  const bool of_buffers = ReadsBuffersAlone(node);
  for (std::size_t i = 0; i < node.num_results() && i < tensors.size(); ++i) {
    if (node.result(i) == nullptr) continue;
    context.folded_bytes += tensors[i].bytes().size();
    constants[i] = context.AddConstant(*node.graph(), std::move(tensors[i]),
                                       NameOfFolded(node, *node.result(i)), node.origin());
    if (of_buffers && IsFloating(constants[i]->type().dtype())) MarkBuffer(*constants[i]);
  }
  DRAGOMAN_TRY(context.InsertCopies(node, constants));
  context.Replace(node, constants);
  return true;
}

Result<bool> FoldWithin(const FoldLimits& limits, Node& node, PassContext& context) {
  if (!IsFoldable(node)) return false;
  if (std::optional<std::vector<Tensor>> none = WithoutElements(node, context.inference)) {
    context.Explain(node, "has no elements");
    return PutConstants(node, *std::move(none), context);
  }
  std::vector<const Tensor*> operands;
  std::size_t operand_bytes = 0;
  for (const Use& use : node.operands()) {
    const Tensor* tensor = ConstantOf(use.value());
    if (tensor == nullptr && use.value() != nullptr) return false;
    if (tensor != nullptr) operand_bytes += tensor->bytes().size();
    operands.push_back(tensor);
  }
  if (!FitsBudget(node, context, operand_bytes, limits) || IsLeftToOthers(node, operand_bytes)) {
    context.Explain(node, "not folded, since that would make or read much data");
    return false;
  }
  Result<std::vector<Tensor>> tensors = EvaluateOnTensors(node, operands);
  if (!tensors.ok()) {
    context.Explain(node, "not folded: " + tensors.error().ToString());
    return false;
  }
  context.folded_bytes += DrawnFor(node, operand_bytes);
  context.Explain(node, "computed");
  return PutConstants(node, *std::move(tensors), context);
}

Result<bool> Fold(Node& node, PassContext& context) { return FoldWithin(kSmall, node, context); }

// What is dequantised stays as small as it is.
Result<bool> FoldForNodes(Node& node, PassContext& context) {
  if (node.Is("DequantizeLinear")) return false;
  return FoldWithin(kFewestNodes, node, context);
}

Result<bool> FoldLarge(Node& node, PassContext& context) {
  return FoldWithin(kLarge, node, context);
}

// The elements of the first of `size` equal parts along `axis`, of which the others are the same;
// nullopt: they differ.
std::optional<Tensor> FirstOfEqualParts(const Tensor& tensor, std::size_t axis) {
  const std::size_t width = static_cast<std::size_t>(Info(tensor.dtype()).bits) / 8;
  std::size_t outer = 1, inner = width;
  for (std::size_t i = 0; i < axis; ++i) outer *= static_cast<std::size_t>(tensor.sizes()[i]);
  for (std::size_t i = axis + 1; i < tensor.sizes().size(); ++i)
    inner *= static_cast<std::size_t>(tensor.sizes()[i]);
  const auto size = static_cast<std::size_t>(tensor.sizes()[axis]);
  const std::span<const std::byte> bytes = tensor.bytes();
  std::string kept;
  for (std::size_t i = 0; i < outer; ++i) {
    const std::span<const std::byte> whole = bytes.subspan(i * size * inner, size * inner);
    // Equal parts are what is equal to itself, moved on by one.
    if (!std::ranges::equal(whole.subspan(inner), whole.first(whole.size() - inner)))
      return std::nullopt;
    kept.append(reinterpret_cast<const char*>(whole.data()), inner);
  }
  std::vector<std::int64_t> sizes = tensor.sizes();
  sizes[axis] = 1;
  Result<Tensor> first =
      Tensor::Make(tensor.dtype(), std::move(sizes), Buffer::Own(std::move(kept)));
  return first.ok() ? std::optional(*std::move(first)) : std::nullopt;
}

// The same tensor with one element along axes, but the last `kept` ones, along which all are equal;
// without such axes in front. nullopt: there are none.
std::optional<Tensor> WithoutRepetition(const Tensor& tensor, std::ptrdiff_t kept) {
  if (tensor.dtype() == DType::kString || Info(tensor.dtype()).bits < 8 || tensor.size() == 0)
    return std::nullopt;
  std::optional<Tensor> narrow;
  for (std::size_t axis = 0; axis + static_cast<std::size_t>(kept) < tensor.sizes().size();
       ++axis) {
    const Tensor& now = narrow ? *narrow : tensor;
    if (now.sizes()[axis] == 1) continue;
    if (auto first = FirstOfEqualParts(now, axis)) narrow = std::move(first);
  }
  const Tensor& now = narrow ? *narrow : tensor;
  const auto end = now.sizes().end();
  const auto begin =
      std::find_if(now.sizes().begin(), end - kept, [](auto size) { return size != 1; });
  if (begin != now.sizes().begin() && begin != end) return now.Reshaped({begin, end});
  return narrow;
}

// x + c = x + c', where c repeats elements of c' along axes of x; other operators likewise, MatMul
// where c repeats matrices
Result<bool> NarrowConstant(Node& node, PassContext& context) {
  // By name: operators of two operands whose constants masks and tables are.
  const bool multiplies = node.Is("MatMul");
  if (!multiplies && !node.Is("Add") && !node.Is("Mul") && !node.Is("And")) return false;
  for (std::size_t i = 0; i < 2; ++i) {
    const Tensor* tensor = ConstantOf(node.operand(i));
    const std::ptrdiff_t kept = multiplies ? 2 : 0;
    const Value& other = *node.operand(1 - i);
    if (tensor == nullptr || tensor->rank() <= kept || ConstantOf(&other) != nullptr ||
        !(multiplies ? HasLeadingSizesOf(other, *node.result()) : SameShape(other, *node.result())))
      continue;
    std::optional<Tensor> narrow = WithoutRepetition(*tensor, kept);
    if (!narrow) continue;
    const OriginPtr origin = node.operand(i)->origin();
    node.set_operand(
        i, context.AddConstant(*node.graph(), *std::move(narrow), node.operand(i)->name(), origin));
    return true;
  }
  return false;
}

// MatMul(c, y · s) = MatMul(c · s, y), for a constant matrix and a number; MatMul(c, Transpose(y ·
// s)) likewise
Result<bool> FoldFactor(Node& node, PassContext& context) {
  const Tensor* matrix = node.Is("MatMul") ? ConstantOf(node.operand(0)) : nullptr;
  const Node* transpose = matrix != nullptr ? ProducerOf(node.operand(1), "Transpose") : nullptr;
  const Node* product =
      matrix != nullptr
          ? ProducerOf(transpose != nullptr ? transpose->operand(0) : node.operand(1), "Mul")
          : nullptr;
  const Tensor* factor = product != nullptr ? ConstantOf(product->operand(1)) : nullptr;
  if (factor == nullptr || factor->size() != 1 || !IsFloating(factor->dtype()) ||
      !SameShape(*product->operand(0), *product->result()))
    return false;
  const double number = std::abs(factor->FloatAt(0));
  if (!(number <= 1 && number >= 1e-6)) return false;
  DRAGOMAN_ASSIGN(Value * scaled,
                  context.Insert(node, "Mul", {{node.operand(0), product->operand(1)}}));
  Value* other = product->operand(0);
  if (transpose != nullptr) {
    DRAGOMAN_ASSIGN(other, context.Insert(node, "Transpose", {{other}}, transpose->attributes()));
  }
  DRAGOMAN_ASSIGN(Value * y, context.Insert(node, "MatMul", {{scaled, other}}));
  return context.ReplaceIfAllowed(node, y);
}

}  // namespace

std::span<const Pattern> ConstantPatterns() {
  static constexpr Pattern kPatterns[] = {{"fold-constants", Fold}};
  return kPatterns;
}

std::span<const Pattern> WeightPatterns() {
  static constexpr Pattern kPatterns[] = {{"fold-weight", FoldForNodes}};
  return kPatterns;
}

std::span<const Pattern> LargeConstantPatterns() {
  static constexpr Pattern kPatterns[] = {{"fold-large-constants", FoldLarge},
                                          {"narrow-constant", NarrowConstant},
                                          {"fold-factor", FoldFactor}};
  return kPatterns;
}

}  // namespace dragoman
