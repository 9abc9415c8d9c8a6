// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ImageDecoder: the pixels of an image file.
#ifndef DRAGOMAN_RUNTIME_KERNELS_IMAGE_DECODER_H_
#define DRAGOMAN_RUNTIME_KERNELS_IMAGE_DECODER_H_

#include <cstdint>

#include "runtime/images/decode_image.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/image_decoder.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

// A file that cannot be decoded gives an image without rows.
template <class T>
Status ImageDecoderShape(const ImageDecoderParams& p, TensorView<const T> file, Shape* y) {
  Image image;
  DRAGOMAN_RT_TRY(DecodeImage({file.data, file.size()}, &image));
  *y = {image.height, image.width, Channels(p)};
  return Status();
}

// Grey is the brightness of ITU-R BT.601, in units of 1/65536, rounded to nearest.
template <class T>
Status ImageDecoder(const ImageDecoderParams& p, TensorView<const T> file, TensorView<T> y) {
  Image image;
  DRAGOMAN_RT_TRY(DecodeImage({file.data, file.size()}, &image));
  if (y.shape != Shape{image.height, image.width, Channels(p)})
    return Status::Error("the image has other sizes than the model states");
  const std::uint8_t* rgb = image.rgb.get();
  T* out = y.data;
  const std::int64_t pixels = image.height * image.width;
  for (std::int64_t i = 0; i < pixels; ++i, rgb += 3) {
    if (p.pixel_format == PixelFormat::kGrayscale) {
      const std::uint32_t level = rgb[0] * 19595u + rgb[1] * 38470u + rgb[2] * 7471u;
      *out++ = static_cast<T>((level + 0x8000) >> 16);
      continue;
    }
    const bool reversed = p.pixel_format == PixelFormat::kBGR;
    for (int c = 0; c < 3; ++c) *out++ = rgb[reversed ? 2 - c : c];
  }
  return Status();
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_IMAGE_DECODER_H_
