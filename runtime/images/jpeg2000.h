// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// JPEG 2000, in boxes or bare, by OpenJPEG.
#ifndef DRAGOMAN_RUNTIME_IMAGES_JPEG2000_H_
#define DRAGOMAN_RUNTIME_IMAGES_JPEG2000_H_

#include "runtime/images/image.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

// As DecodeImage.
Status DecodeJpeg2000(ByteSpan file, Image* image);

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_IMAGES_JPEG2000_H_
