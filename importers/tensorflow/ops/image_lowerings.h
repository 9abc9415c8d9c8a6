// SPDX-License-Identifier: Apache-2.0
// The lowering functions of images, as lowerings.h lists the others.
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_IMAGE_LOWERINGS_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_IMAGE_LOWERINGS_H_

#include <vector>

#include "importers/tensorflow/ops/call.h"

namespace dragoman::tf {

// images.cc
Value* LowerCropAndResize(Call& c);
Value* LowerResizeArea(Call& c);
std::vector<Value*> LowerMaxPoolWithArgmax(Call& c);
Value* LowerExtractImagePatches(Call& c);
Value* LowerDilation2D(Call& c);
Value* LowerRgbToHsv(Call& c);
Value* LowerHsvToRgb(Call& c);
Value* LowerAdjustContrast(Call& c);
Value* LowerAdjustSaturation(Call& c);
Value* LowerAdjustHue(Call& c);

// resampling.cc
Value* LowerScaleAndTranslate(Call& c);
Value* LowerFusedPadConv2D(Call& c);
Value* LowerFusedResizeAndPadConv2D(Call& c);

// projective.cc
Value* LowerImageProjectiveTransform(Call& c);

// encoded.cc
Value* LowerDecodeImage(Call& c);
Value* LowerDecodeAndCropJpeg(Call& c);

// bicubic.cc
Value* LowerResizeBicubic(Call& c);

}  // namespace dragoman::tf

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_IMAGE_LOWERINGS_H_
