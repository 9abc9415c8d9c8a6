// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first image of a TIFF file, by libtiff.
#ifndef DRAGOMAN_RUNTIME_IMAGES_TIFF_H_
#define DRAGOMAN_RUNTIME_IMAGES_TIFF_H_

#include "runtime/images/image.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

// As DecodeImage.
Status DecodeTiff(ByteSpan file, Image* image);

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_IMAGES_TIFF_H_
