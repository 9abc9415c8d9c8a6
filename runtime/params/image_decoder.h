// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes and sizes of ImageDecoder.
#ifndef DRAGOMAN_RUNTIME_PARAMS_IMAGE_DECODER_H_
#define DRAGOMAN_RUNTIME_PARAMS_IMAGE_DECODER_H_

#include <cstdint>

namespace dragoman::rt {

enum class PixelFormat { kRGB, kBGR, kGrayscale };

constexpr const char* Name(PixelFormat format) {
  constexpr const char* kNames[] = {"kRGB", "kBGR", "kGrayscale"};
  return kNames[static_cast<int>(format)];
}

struct ImageDecoderParams {
  PixelFormat pixel_format = PixelFormat::kRGB;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("pixel_format", self.pixel_format);
  }
};

// The last of three axes: height, width, channels.
constexpr std::int64_t Channels(const ImageDecoderParams& p) {
  return p.pixel_format == PixelFormat::kGrayscale ? 1 : 3;
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_IMAGE_DECODER_H_
