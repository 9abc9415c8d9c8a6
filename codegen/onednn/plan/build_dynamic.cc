// Products of f32 for sizes that only the run tells, by oneDNN in place of the plain kernel.
#include <string>

#include "codegen/onednn/plan/build.h"
#include "codegen/onednn/plan/value_queries.h"

namespace dragoman::onednn {
namespace {

constexpr std::string_view kProductHeader = "runtime/fast/dynamic_product.h";
constexpr std::string_view kConvHeader = "runtime/fast/dynamic_conv.h";

// Of a rank that oneDNN's convolutions have, whose weights stay the same from call to call.
bool SuitsConv(const Node& node) {
  const std::optional<int> rank = node.operand(0)->type().rank();
  return rank && *rank >= 3 && *rank <= 5 && IsConstant(node.operand(1)) &&
         (node.operand(2) == nullptr || IsConstant(node.operand(2)));
}

}  // namespace

void PlanBuilder::UseDynamicProduct(const Node& node, Step& step) {
  auto* call = step.As<KernelStep>();
  if (call == nullptr || !IsF32(node.operand(0))) return;
  if (node.Is("Conv") && SuitsConv(node)) {
    Prepared conv;
    conv.type = "rt::DynamicConv";
    conv.header = kConvHeader;
    conv.name = names_.Unique(plan_.buffer(buffers_.at(node.result())).name + "_op");
    call->member = conv.name;
    plan_.prepared.push_back(std::move(conv));
    plan_.headers.insert(std::string(kConvHeader));
  } else if (node.Is("MatMul") || node.IsDragoman("Linear")) {
    call->function = node.Is("MatMul") ? "DynamicMatMul" : "DynamicLinear";
    plan_.headers.insert(std::string(kProductHeader));
  } else {
    return;
  }
  call->fallible = true;
}

}  // namespace dragoman::onednn
