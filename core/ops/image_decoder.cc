// SPDX-License-Identifier: Apache-2.0
#include "runtime/params/image_decoder.h"

#include "core/ops/infer_context.h"
#include "core/ops/op_list.h"

namespace dragoman {
namespace {

Status InferImageDecoder(InferContext& context) {
  const Shape* file = context.shape(0);
  if (file != nullptr && file->size() != 1) return context.Fail("the file is not of rank 1");
  const auto& params = context.params<rt::ImageDecoderParams>();
  const Dim height = context.FreshDim(0);
  context.SetShape(0, Shape{height, context.FreshDim(0), Dim(rt::Channels(params))});
  return {};
}

}  // namespace

std::vector<OpDef> ImageDecoderOps() {
  return {
      Op("ImageDecoder", {20, 20}, "(encoded_stream: u8) -> (image: u8)", "")
          .Attributes<rt::ImageDecoderParams>()
          .Infer(InferImageDecoder)
          .Sizes({.function = "ImageDecoderShape",
                  .header = "runtime/kernels/image_decoder.h",
                  .arguments = "p x0",
                  .types = "u8"})
          .Kernel({.header = "runtime/kernels/image_decoder.h", .types = "u8", .fallible = true})};
}

}  // namespace dragoman
