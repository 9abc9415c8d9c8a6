// SPDX-License-Identifier: Apache-2.0
// Attention, rotary embeddings and products by packed matrices become one step each.
#include "codegen/onednn/plan/build.h"
#include "codegen/onednn/plan/size_text.h"
#include "codegen/onednn/plan/value_queries.h"
#include "core/ops/params.h"

namespace dragoman::onednn {
namespace {

// Parameters of fusions as text; `plan` knows the names of sizes.
std::string Text(const Plan& plan, const StridedPlace& place) {
  return "{" + SizeText(plan, place.offset) + ", " + ShapeText(plan, place.strides) + "}";
}

std::string Text(const Plan& plan, const AttentionMasking& mask) {
  if (mask.kind == rt::AttentionMask::Kind::kNone) return "{}";
  return std::string("{rt::AttentionMask::Kind::") + Name(mask.kind) + ", " + CppFloat(mask.fill) +
         ", " + Text(plan, mask.matrix.place) + "}";
}

std::string Text(const Plan& plan, const Attention& a) {
  std::string masks;
  for (const AttentionMasking& mask : a.masks)
    masks += (masks.empty() ? "" : ", ") + Text(plan, mask);
  return "{/*batch=*/" + ShapeText(plan, a.batch) + ", /*queries=*/" + SizeText(plan, a.queries) +
         ", /*keys=*/" + SizeText(plan, a.keys) + ", /*depth=*/" + std::to_string(a.depth) +
         ", /*features=*/" + std::to_string(a.features) + ", /*scale=*/" + CppFloat(a.scale) +
         ", /*q=*/" + Text(plan, a.q.place) + ", /*k=*/" + Text(plan, a.k.place) + ", /*v=*/" +
         Text(plan, a.v.place) + ", /*y=*/" + Text(plan, a.y.place) + ", /*masks=*/{" + masks +
         "}, /*zeros=*/rt::AttentionZeros::" + Name(a.zeros) + "}";
}

std::string Text(const Plan& plan, const Rotary& rotary) {
  return "{/*batch=*/" + ShapeText(plan, rotary.batch) + ", /*pairs=*/" +
         std::to_string(rotary.pairs) + ", /*interleaved=*/" +
         (rotary.interleaved ? "true" : "false") + ", /*whole_tables=*/" +
         (rotary.whole_tables ? "true" : "false") + ", /*x=*/" + Text(plan, rotary.x_place) +
         ", /*cos=*/" + Text(plan, rotary.cos_place) + ", /*sin=*/" + Text(plan, rotary.sin_place) +
         "}";
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
  std::string operands =
      Label(attention.q.base) + ", " + Label(attention.k.base) + ", " + Label(attention.v.base);
  std::vector<const Value*> inputs = {attention.q.base, attention.k.base, attention.v.base};
  for (const AttentionMasking& mask : attention.masks) {
    inputs.push_back(mask.matrix.base);
    if (mask.matrix.base != nullptr) operands += ", mask " + Label(mask.matrix.base);
  }
  FusedCall call = {"attention", operands, inputs, "Attention", Text(plan_, attention)};
  if (!attention.v_sizes.empty()) {
    call.checked = attention.v.base;
    call.expected = attention.v_sizes;
  }
  AddFusion(node, call, block);
}

void PlanBuilder::BuildRotary(const Node& node, const Rotary& rotary, Block& block) {
  const std::string operands =
      Label(rotary.x) + ", " + Label(rotary.cos) + ", " + Label(rotary.sin);
  AddFusion(node,
            {"rotary embedding",
             operands,
             {rotary.x, rotary.cos, rotary.sin},
             "Rotary",
             Text(plan_, rotary)},
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
  call.header = "runtime/fast/block_product.h";
  call.fallible = true;
  for (const BufferId id : {Get(product.x), AddConstant(name + "_packed", packed.matrix),
                            AddConstant(name + "_scales", packed.scales),
                            constant(packed.zeros, "_zeros"), constant(packed.bias, "_bias")})
    call.operands.push_back({.buffers = {id}});
  call.outputs.push_back({.buffers = {Make(*node.result())}});
  step.action = std::move(call);
  FinishResults(node, step);
  block.steps.push_back(std::move(step));
}

void PlanBuilder::AddFusion(const Node& node, const FusedCall& call, Block& block) {
  Step step = NewStep(node);
  step.comment =
      call.name + ": " + call.operands + " -> " + Label(node.result()) + SourcePlace(node);
  bool known = IsStatic(node.result());
  for (const Value* input : call.inputs) {
    step.inputs.push_back(Get(input));
    known = known && IsStatic(input);
  }
  plan_.step_names.back() = "node '" + node.name() + "' (" + call.name + ")";
  Make(*node.result());
  if (call.checked != nullptr) {
    OperandCheck& check = step.checks.emplace_back();
    check.function = "CheckOperand";
    check.buffer = Get(call.checked);
    check.sizes = call.expected;
  }
  Prepared prepared;
  if (known) {
    prepared.type = "rt::Prepared" + call.type;
    prepared.header = call.type == "Rotary" ? "runtime/fast/rotary.h" : "runtime/fast/attention.h";
    prepared.init = call.sizes;
  } else {
    prepared.type = "rt::Dynamic" + call.type;
    prepared.header = "runtime/fast/dynamic_attention.h";
    prepared.is_dynamic = true;
    if (!IsStatic(node.result())) step.sizes.kind = SizeRule::Kind::kDims;
  }
  PreparedStep& prepared_step = AddPrepared(node, std::move(prepared), step);
  if (!known) prepared_step.sizes = "rt::" + call.type + "Sizes" + call.sizes;
  block.steps.push_back(std::move(step));
}

}  // namespace dragoman::onednn
