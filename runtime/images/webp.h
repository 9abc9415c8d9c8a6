// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// WebP without animation, by libwebp.
#ifndef DRAGOMAN_RUNTIME_IMAGES_WEBP_H_
#define DRAGOMAN_RUNTIME_IMAGES_WEBP_H_

#include "runtime/images/image.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

// As DecodeImage.
Status DecodeWebp(ByteSpan file, Image* image);

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_IMAGES_WEBP_H_
