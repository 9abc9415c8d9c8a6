// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/images/webp.h"

#ifdef DRAGOMAN_RT_WEBP
#include <cstddef>
#include <cstdint>

#include <webp/decode.h>

namespace dragoman::rt {

Status DecodeWebp(ByteSpan file, Image* image) {
  const auto size = static_cast<std::size_t>(file.size);
  WebPBitstreamFeatures features;
  if (WebPGetFeatures(file.data, size, &features) != VP8_STATUS_OK) return Status();
  if (features.has_animation != 0) return Status::Error("an animated WebP is not supported");
  DRAGOMAN_RT_TRY(image->Place(features.height, features.width, file.size));
  const std::int64_t stride = image->width * 3;
  const auto bytes = static_cast<std::size_t>(stride * image->height);
  if (WebPDecodeRGBInto(file.data, size, image->rgb.get(), bytes, static_cast<int>(stride)) ==
      nullptr) {
    image->Clear();
  }
  return Status();
}

}  // namespace dragoman::rt

#else

namespace dragoman::rt {

Status DecodeWebp(ByteSpan, Image*) {
  return Status::Error("WebP without libwebp is not supported");
}

}  // namespace dragoman::rt

#endif
