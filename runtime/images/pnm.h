// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Portable bitmaps, graymaps and pixmaps, P1 to P6.
#ifndef DRAGOMAN_RUNTIME_IMAGES_PNM_H_
#define DRAGOMAN_RUNTIME_IMAGES_PNM_H_

#include "runtime/images/image.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

// As DecodeImage.
Status DecodePnm(ByteSpan file, Image* image);

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_IMAGES_PNM_H_
