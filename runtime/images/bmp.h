// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Windows bitmaps, with or without a palette; not those of run lengths.
#ifndef DRAGOMAN_RUNTIME_IMAGES_BMP_H_
#define DRAGOMAN_RUNTIME_IMAGES_BMP_H_

#include "runtime/images/image.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

// As DecodeImage.
Status DecodeBmp(ByteSpan file, Image* image);

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_IMAGES_BMP_H_
