// SPDX-License-Identifier: Apache-2.0
#include "codegen/onednn/emit/int8_text.h"

#include <cmath>

#include "core/support/text.h"

namespace dragoman::onednn {
namespace {

std::string Number(float value) {
  if (!std::isinf(value)) return FormatFloat(value) + "f";
  return std::string(value < 0 ? "-" : "") + "std::numeric_limits<float>::infinity()";
}

std::string View(const Plan& plan, BufferId id) {
  return id == kAbsent ? "{}" : plan.buffer(id).name;
}

std::string Text(const rt::Int8Limits& limits) {
  return "{" + Number(limits.low) + ", " + Number(limits.high) + "}";
}

std::string Text(const rt::Int8Grid& grid) {
  if (!grid.present()) return "{}";
  return "{/*scale=*/" + Number(grid.scale) + ", /*zero=*/" + std::to_string(grid.zero) + ", " +
         std::to_string(grid.low) + ", " + std::to_string(grid.high) + "}";
}

std::string EpilogueText(const Plan& plan, const Int8Post& post) {
  const rt::Int8Epilogue& rest = post.rest;
  if (post.w_scale == kAbsent && post.sum_bias == kAbsent) return "rt::Int8Epilogue{}";
  std::string text = "rt::Int8Epilogue{/*sum_bias=*/" + View(plan, post.sum_bias);
  if (post.w_scale == kAbsent) return text + "}";
  text += ", /*x_scale=*/" + Number(rest.x_scale) + ", /*w_scale=*/" + View(plan, post.w_scale) +
          ", /*y_scale=*/" + Number(rest.y_scale) + ", /*bias=*/" + View(plan, post.bias) +
          ", /*limits=*/" + Text(rest.limits) + ", /*through=*/" + Text(rest.through) +
          ", /*through_scale=*/" + Number(rest.through_scale) + ", /*residual=*/" +
          Text(rest.residual) + ", /*sum_limits=*/" + Text(rest.sum_limits) + ", /*result=*/" +
          Text(rest.result) + (rest.scaled_at_run ? ", /*scaled_at_run=*/true" : "");
  return text + "}";
}

std::string LastText(const Plan& plan, const std::string& name, BufferId id) {
  return "/*" + name + "=*/" + (plan.buffer(id).channels_last ? "true" : "false");
}

}  // namespace

std::vector<std::string> Int8Arguments(const Plan& plan, const Step& step,
                                       const Prepared& prepared) {
  std::vector<std::string> arguments;
  if (prepared.int8)
    arguments = {View(plan, prepared.int8->w_zero), EpilogueText(plan, *prepared.int8)};
  const BufferId x = step.inputs.front(), y = step.results.front();
  if (prepared.takes_channels_last &&
      (plan.buffer(x).channels_last || plan.buffer(y).channels_last))
    arguments.push_back("rt::ChannelsLast{" + LastText(plan, "x", x) + ", " +
                        LastText(plan, "y", y) + "}");
  return arguments;
}

}  // namespace dragoman::onednn
