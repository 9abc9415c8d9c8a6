// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// JPEG, by libjpeg.
#ifndef DRAGOMAN_RUNTIME_IMAGES_JPEG_H_
#define DRAGOMAN_RUNTIME_IMAGES_JPEG_H_

#include "runtime/images/image.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

// As DecodeImage.
Status DecodeJpeg(ByteSpan file, Image* image);

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_IMAGES_JPEG_H_
