// Attention becomes one step.
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

}  // namespace

Status PlanBuilder::BuildAttention(const Node& node, const Attention& attention, Block& block) {
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
  return {};
}

}  // namespace dragoman::onednn
