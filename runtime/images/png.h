// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PNG, by libpng.
#ifndef DRAGOMAN_RUNTIME_IMAGES_PNG_H_
#define DRAGOMAN_RUNTIME_IMAGES_PNG_H_

#include "runtime/images/image.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

// As DecodeImage.
Status DecodePng(ByteSpan file, Image* image);

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_IMAGES_PNG_H_
