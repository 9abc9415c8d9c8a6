// SPDX-License-Identifier: Apache-2.0
#include "runtime/params/einsum.h"

#include <map>
#include <string>

#include "core/ops/movement.h"
#include "core/ops/op_list.h"

namespace dragoman {
namespace {

Result<Params> FillEquation(const Node& node) {
  const Attribute* attribute = node.attribute("equation");
  const auto* equation = attribute != nullptr ? attribute->As<std::string>() : nullptr;
  if (equation == nullptr)
    return InvalidInput("attribute 'equation' is not a string").At(node.Describe());
  rt::EinsumParams params;
  const rt::Status status =
      rt::ParseEinsum(equation->data(), static_cast<std::int64_t>(equation->size()), &params);
  if (!status.ok()) return InvalidInput(status.message()).At(node.Describe());
  return Params::Of(params, ParamsToCpp(params));
}

// The sizes of axes by the names that EinsumSpace gives them.
using AxisSizes = std::map<std::int64_t, Dim>;

Status CollectSizes(const InferContext& context, int operand, AxisSizes& sizes) {
  const Shape& shape = *context.shape(static_cast<std::size_t>(operand));
  if (shape.size() > static_cast<std::size_t>(rt::kMaxRank))
    return context.Fail("the rank is too high");
  rt::Shape axes;
  DRAGOMAN_TRY(context.Check(rt::EinsumOperandAxes(context.params<rt::EinsumParams>(), operand,
                                                   static_cast<int>(shape.size()), &axes)));
  for (int i = 0; i < axes.size(); ++i) {
    auto [found, is_new] = sizes.try_emplace(axes[i], shape[static_cast<std::size_t>(i)]);
    if (!is_new) found->second = Broadcast(found->second, shape[static_cast<std::size_t>(i)]);
  }
  return {};
}

Status InferSymbolicEinsum(InferContext& context) {
  const auto& params = context.params<rt::EinsumParams>();
  AxisSizes sizes;
  for (std::size_t i = 0; i < context.num_operands(); ++i)
    DRAGOMAN_TRY(CollectSizes(context, static_cast<int>(i), sizes));
  Shape output;
  for (std::int64_t label : params.output) {
    if (label != rt::kEinsumEllipsis) {
      output.push_back(sizes[label]);
      continue;
    }
    for (int i = rt::kMaxRank - 1; i >= 0; --i) {
      const auto found = sizes.find(rt::EinsumSpace::kEllipsisAxis + i);
      if (found != sizes.end()) output.push_back(found->second);
    }
  }
  context.SetShape(0, std::move(output));
  return {};
}

Status InferEinsum(InferContext& context) {
  const auto& params = context.params<rt::EinsumParams>();
  const auto count = static_cast<std::int64_t>(context.num_operands());
  if (count != params.operand_labels.size())
    return context.Fail("the equation has another number of operands");
  for (std::size_t i = 0; i < context.num_operands(); ++i) {
    if (context.shape(i) == nullptr) return {};
  }
  const std::optional<std::vector<rt::Shape>> known = RuntimeShapes(context);
  if (!known) return InferSymbolicEinsum(context);
  rt::Shape output;
  DRAGOMAN_TRY(context.Check(rt::EinsumShape(params, known->data(), count, &output)));
  context.SetShape(0, output);
  return {};
}

}  // namespace

std::vector<OpDef> EinsumOps() {
  return {
      Op("Einsum", {12, 12}, "(Inputs: T*) -> (Output: T)", "T: int f16 f32 f64")
          .Attribute("equation", Attribute::Kind::kString)
          .Required("equation")
          .FillWith(FillEquation)
          .Infer(InferEinsum)
          .Sizes(
              {.function = "EinsumShape", .header = "runtime/params/einsum.h", .arguments = "p S"})
          .Kernel({.header = "runtime/kernels/einsum.h", .types = "T", .fallible = true})};
}

}  // namespace dragoman
