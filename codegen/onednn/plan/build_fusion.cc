// Attention and rotary embeddings become one step each.
#include "codegen/onednn/plan/build.h"
#include "codegen/onednn/plan/value_queries.h"
#include "core/ops/params.h"

namespace dragoman::onednn {
namespace {

std::string Text(const rt::AttentionMatrix& matrix) {
  return "{" + std::to_string(matrix.offset) + ", " + SizesText(matrix.strides) + "}";
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
         "}, /*nan_to_zero=*/" + (sizes.nan_to_zero ? "true" : "false") + "}";
}

std::string Text(const rt::RotaryRows& rows) {
  return "{" + std::to_string(rows.offset) + ", " + SizesText(rows.strides) + "}";
}

std::string Text(const rt::RotarySizes& sizes) {
  return "{/*batch=*/" + SizesText(sizes.batch) + ", /*pairs=*/" + std::to_string(sizes.pairs) +
         ", /*interleaved=*/" + (sizes.interleaved ? "true" : "false") + ", /*whole_tables=*/" +
         (sizes.whole_tables ? "true" : "false") + ", /*x=*/" + Text(sizes.x) + ", /*cos=*/" +
         Text(sizes.cos) + ", /*sin=*/" + Text(sizes.sin) + "}";
}

}  // namespace

bool PlanBuilder::BuildFusion(const Node& node, Block& block) {
  if (const auto found = fusions_.attentions.find(&node); found != fusions_.attentions.end()) {
    BuildAttention(node, found->second, block);
  } else if (const auto turn = fusions_.rotaries.find(&node); turn != fusions_.rotaries.end()) {
    BuildRotary(node, turn->second, block);
  } else {
    return false;
  }
  return true;
}

void PlanBuilder::BuildAttention(const Node& node, const Attention& attention, Block& block) {
  Step step = NewStep(node, Step::Kind::kPrepared);
  step.comment =
      "attention: " + Label(attention.q) + ", " + Label(attention.k) + ", " + Label(attention.v);
  step.inputs = {Get(attention.q), Get(attention.k), Get(attention.v)};
  for (const Value* mask : attention.masks) {
    step.inputs.push_back(Get(mask));
    if (mask != nullptr) step.comment += ", mask " + Label(mask);
  }
  step.comment += " -> " + Label(node.result());
  plan_.step_names.back() = "node '" + node.name() + "' (attention)";
  Make(*node.result());
  Prepared prepared;
  prepared.type = "rt::PreparedAttention";
  prepared.header = "runtime/fast/attention.h";
  prepared.init = Text(attention.sizes);
  AddPrepared(node, std::move(prepared), step);
  block.steps.push_back(std::move(step));
}

void PlanBuilder::BuildRotary(const Node& node, const Rotary& rotary, Block& block) {
  Step step = NewStep(node, Step::Kind::kPrepared);
  step.comment = "rotary embedding: " + Label(rotary.x) + ", " + Label(rotary.cos) + ", " +
                 Label(rotary.sin) + " -> " + Label(node.result());
  step.inputs = {Get(rotary.x), Get(rotary.cos), Get(rotary.sin)};
  plan_.step_names.back() = "node '" + node.name() + "' (rotary embedding)";
  Make(*node.result());
  Prepared prepared;
  prepared.type = "rt::PreparedRotary";
  prepared.header = "runtime/fast/rotary.h";
  prepared.init = Text(rotary.sizes);
  AddPrepared(node, std::move(prepared), step);
  block.steps.push_back(std::move(step));
}

}  // namespace dragoman::onednn
