// SPDX-License-Identifier: Apache-2.0
// Attention, rotary embeddings and products by packed matrices become one step each.
#include "codegen/onednn/plan/build.h"
#include "codegen/onednn/plan/value_queries.h"
#include "core/ops/params.h"

namespace dragoman::onednn {
namespace {

std::string Text(const rt::Strided& strided) {
  return "{" + std::to_string(strided.offset) + ", " + SizesText(strided.strides) + "}";
}

std::string Text(const rt::AttentionMask& mask) {
  if (mask.kind == rt::AttentionMask::Kind::kNone) return "{}";
  return std::string("{rt::AttentionMask::Kind::") + Name(mask.kind) + ", " + CppFloat(mask.fill) +
         ", " + Text(mask.matrix) + "}";
}

std::string Text(const rt::AttentionSizes& sizes) {
  std::string masks;
  for (const rt::AttentionMask& mask : sizes.masks)
    masks += (masks.empty() ? "" : ", ") + Text(mask);
  return "{/*batch=*/" + SizesText(sizes.batch) + ", /*queries=*/" + std::to_string(sizes.queries) +
         ", /*keys=*/" + std::to_string(sizes.keys) + ", /*depth=*/" + std::to_string(sizes.depth) +
         ", /*features=*/" + std::to_string(sizes.features) + ", /*scale=*/" +
         CppFloat(sizes.scale) + ", /*q=*/" + Text(sizes.q) + ", /*k=*/" + Text(sizes.k) +
         ", /*v=*/" + Text(sizes.v) + ", /*y=*/" + Text(sizes.y) + ", /*masks=*/{" + masks +
         "}, /*zeros=*/rt::AttentionZeros::" + Name(sizes.zeros) + "}";
}

std::string Text(const rt::RotarySizes& sizes) {
  return "{/*batch=*/" + SizesText(sizes.batch) + ", /*pairs=*/" + std::to_string(sizes.pairs) +
         ", /*interleaved=*/" + (sizes.interleaved ? "true" : "false") + ", /*whole_tables=*/" +
         (sizes.whole_tables ? "true" : "false") + ", /*x=*/" + Text(sizes.x) + ", /*cos=*/" +
         Text(sizes.cos) + ", /*sin=*/" + Text(sizes.sin) + "}";
}

std::string Text(const rt::BlockProductParams& p) {
  return "{/*inputs=*/" + std::to_string(p.inputs) + ", /*outputs=*/" + std::to_string(p.outputs) +
         ", /*bits=*/" + std::to_string(p.bits) + ", /*block=*/" + std::to_string(p.block) +
         ", /*zero=*/" + CppFloat(p.zero) + "}";
}

}  // namespace

bool PlanBuilder::BuildFusion(const Node& node, Block& block) {
  if (const auto found = fusions_.attentions.find(&node); found != fusions_.attentions.end()) {
    BuildAttention(node, found->second, block);
  } else if (const auto turn = fusions_.rotaries.find(&node); turn != fusions_.rotaries.end()) {
    BuildRotary(node, turn->second, block);
  } else if (const auto product = fusions_.products.find(&node);
             product != fusions_.products.end()) {
    BuildBlockProduct(node, product->second, block);
  } else {
    return false;
  }
  return true;
}

void PlanBuilder::BuildAttention(const Node& node, const Attention& attention, Block& block) {
  std::string operands = Label(attention.q) + ", " + Label(attention.k) + ", " + Label(attention.v);
  std::vector<const Value*> inputs = {attention.q, attention.k, attention.v};
  for (const Value* mask : attention.masks) {
    inputs.push_back(mask);
    if (mask != nullptr) operands += ", mask " + Label(mask);
  }
  AddFusion(node, "attention", operands, inputs,
            {.type = "rt::PreparedAttention",
             .header = "runtime/fast/attention.h",
             .init = Text(attention.sizes)},
            block);
}

void PlanBuilder::BuildRotary(const Node& node, const Rotary& rotary, Block& block) {
  AddFusion(
      node, "rotary embedding",
      Label(rotary.x) + ", " + Label(rotary.cos) + ", " + Label(rotary.sin),
      {rotary.x, rotary.cos, rotary.sin},
      {.type = "rt::PreparedRotary", .header = "runtime/fast/rotary.h", .init = Text(rotary.sizes)},
      block);
}

// Of any number of rows: the sizes of the result are those of x.
void PlanBuilder::BuildBlockProduct(const Node& node, const BlockProduct& product, Block& block) {
  const BlockMatrix packed = PackBlocks(product);
  const std::string& name = product.weight->name();
  const auto constant = [&](const std::optional<Tensor>& tensor, std::string_view suffix) {
    return tensor ? AddConstant(name + std::string(suffix), *tensor) : kAbsent;
  };
  Step step = NewStep(node);
  step.params = Text(packed.params);
  if (!IsStatic(node.result())) step.sizes.kind = SizeRule::Kind::kDims;
  KernelStep call;
  call.function = "BlockProduct";
  call.fallible = true;
  for (const BufferId id : {Get(product.x), AddConstant(name + "_packed", packed.matrix),
                            AddConstant(name + "_scales", packed.scales),
                            constant(packed.zeros, "_zeros"), constant(packed.bias, "_bias")})
    call.operands.push_back({.buffers = {id}});
  call.outputs.push_back({.buffers = {Make(*node.result())}});
  step.action = std::move(call);
  plan_.headers.insert("runtime/fast/block_product.h");
  FinishResults(node, step);
  block.steps.push_back(std::move(step));
}

void PlanBuilder::AddFusion(const Node& node, const std::string& name, const std::string& operands,
                            const std::vector<const Value*>& inputs, Prepared prepared,
                            Block& block) {
  Step step = NewStep(node);
  step.comment = name + ": " + operands + " -> " + Label(node.result());
  for (const Value* input : inputs) step.inputs.push_back(Get(input));
  plan_.step_names.back() = "node '" + node.name() + "' (" + name + ")";
  Make(*node.result());
  AddPrepared(node, std::move(prepared), step);
  block.steps.push_back(std::move(step));
}

}  // namespace dragoman::onednn
