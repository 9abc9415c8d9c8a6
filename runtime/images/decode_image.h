// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Image files as pixels.
#ifndef DRAGOMAN_RUNTIME_IMAGES_DECODE_IMAGE_H_
#define DRAGOMAN_RUNTIME_IMAGES_DECODE_IMAGE_H_

#include "runtime/images/image.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

// The image in a file of BMP, PNM, JPEG, JPEG 2000, PNG, TIFF or WebP. Of a file of another format,
// or one that is damaged, `image` has no height. Errors: a format, or a form of it, that is not
// supported here; more pixels than fit.
Status DecodeImage(ByteSpan file, Image* image);

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_IMAGES_DECODE_IMAGE_H_
