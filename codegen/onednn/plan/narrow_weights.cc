// SPDX-License-Identifier: Apache-2.0
// Weights that programs of less than f32 precision keep in half of the size.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "codegen/onednn/plan/build.h"
#include "core/rewrite/sequence_node.h"
#include "runtime/kernels/float16.h"

namespace dragoman::onednn {
namespace {

constexpr float kLargestHalf = 65504.0f;

// By name: their kernels of runtime/fast take weights in a smaller element type.
bool IsWeightProduct(const Node& node) {
  return node.Is("Conv") || node.Is("ConvTranspose") || node.Is("Gemm") || node.Is("MatMul") ||
         node.IsDragoman("Linear") || IsRecurrent(node);
}

template <class T>
Tensor Narrowed(const Tensor& wide, DType dtype) {
  std::string bytes;
  bytes.reserve(static_cast<std::size_t>(wide.size()) * sizeof(T));
  for (const float value : wide.data<float>()) {
    const std::uint16_t bits = T(value).bits;
    bytes.append(reinterpret_cast<const char*>(&bits), sizeof bits);
  }
  return *Tensor::Make(dtype, wide.sizes(), dragoman::Buffer::Own(std::move(bytes)));
}

bool FitsHalf(const Tensor& wide) {
  return std::ranges::all_of(wide.data<float>(), [](float value) {
    return std::isnan(value) || std::fabs(value) <= kLargestHalf;
  });
}

void AddProducers(const Node& node, std::vector<const Node*>& producers) {
  for (const Use& use : node.operands()) {
    if (use.value() != nullptr) producers.push_back(use.value()->producer());
  }
}

// Those among `left` (null: none) and what they are computed from; what is after a product is not
// looked at if it `ends` there.
std::set<const Node*> ProductsBehind(std::vector<const Node*> left, bool ends) {
  std::set<const Node*> products, seen;
  while (!left.empty()) {
    const Node* node = left.back();
    left.pop_back();
    if (node == nullptr || !seen.insert(node).second) continue;
    const bool is_product = IsWeightProduct(*node);
    if (is_product) products.insert(node);
    if (!is_product || !ends) AddProducers(*node, left);
  }
  return products;
}

}  // namespace

// The last layers: products from which an output is computed without another one in between, and
// that no other such product uses. By way of residual sums, those of all blocks reach the output.
// Recurrent operators give states, which are bounded.
std::set<const Node*> LastProducts(const Graph& graph) {
  std::vector<const Node*> left;
  for (std::size_t i = 0; i < graph.num_outputs(); ++i) left.push_back(graph.output(i)->producer());
  std::set<const Node*> last = ProductsBehind(left, true);
  left.clear();
  for (const Node* product : last) AddProducers(*product, left);
  for (const Node* used : ProductsBehind(left, false)) last.erase(used);
  std::erase_if(last, [](const Node* product) { return IsRecurrent(*product); });
  std::size_t products = 0;
  for (const Node& node : graph.nodes()) products += IsWeightProduct(node) ? 1 : 0;
  return last.size() < products ? last : std::set<const Node*>();
}

BufferId PlanBuilder::GetWeights(const Node& node, std::size_t operand) {
  const Value* value = node.operand(operand);
  const bool half = plan_.precision == rt::Precision::kF16;
  const bool stays = plan_.precision == rt::Precision::kF32 || last_products_.contains(&node) ||
                     value->tensor() == nullptr;  // the constructor computes it
  if (stays || (half && !FitsHalf(*value->tensor()))) return Get(value);
  plan_.has_narrow_weights = true;
  const auto [at, is_new] = narrowed_.try_emplace(value, kAbsent);
  if (!is_new) return at->second;
  const Tensor& wide = *value->tensor();
  const Tensor narrow =
      half ? Narrowed<rt::Half>(wide, DType::kF16) : Narrowed<rt::BFloat16>(wide, DType::kBF16);
  at->second = AddConstant(value->name(), narrow);
  plan_.headers.insert("runtime/kernels/float16.h");
  return at->second;
}

}  // namespace dragoman::onednn
