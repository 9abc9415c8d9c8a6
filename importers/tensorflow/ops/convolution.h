// SPDX-License-Identifier: Apache-2.0
// Operators with a window over spatial axes. The common dialect has channels at axis 1; tensors of
// other layouts are transposed around the operator.
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_CONVOLUTION_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_CONVOLUTION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "importers/tensorflow/ops/call.h"

namespace dragoman::tf {

// What sizes of windows, strides, dilations and pads are below, so that sums and products of two of
// them are numbers of 64 bits.
inline constexpr std::int64_t kMaxExtent = std::int64_t{1} << 31;
bool AreExtents(const Ints& values, std::int64_t least);

// Where attribute data_format puts things in a tensor of `spatial` + 2 axes.
struct Layout {
  int spatial = 2;
  bool channels_last = true;

  int channel_axis() const { return channels_last ? spatial + 1 : 1; }
  int spatial_axis(int i) const { return i + (channels_last ? 1 : 2); }
  // Of a list with an entry an axis, those of the spatial axes.
  Ints Spatial(const Ints& per_axis) const;
};

// Fails for one that is not supported, and for a list that has no entry an axis or other entries
// than 1 for batch and channels.
Layout TakeLayout(Call& c, int spatial);
Ints SpatialAttribute(Call& c, const Layout& layout, std::string_view name);
// The spatial entries of ksize or strides: an attribute, in the second version of an operator
// operand `operand`.
Ints PerSpatialAxis(Call& c, const Layout& layout, std::string_view name, std::size_t operand);

// From the layout to channels at axis 1 and back.
Value* ToChannelsFirst(Composer& c, const Layout& layout, Value* x);
Value* FromChannelsFirst(Composer& c, const Layout& layout, Value* x);

// How attribute padding extends the spatial axes.
struct WindowPads {
  Ints pads;          // those of the beginnings, then those of the ends; if not `same`
  bool same = false;  // sizes known only at run time: as many as keep ceil(size / stride)
};

// What an operator reads of its spatial axes.
struct Window {
  Ints kernel;
  Ints strides;
  Ints dilations;

  std::int64_t extent(std::size_t i) const { return (kernel[i] - 1) * dilations[i] + 1; }
};

// `x` has its channels at axis 1.
WindowPads TakePads(Call& c, const Layout& layout, Value* x, const Ints& kernel,
                    const Ints& strides, const Ints& dilations);
void AddPads(const WindowPads& pads, std::vector<NamedAttribute>& attributes);

// How far the last window along spatial axis `i` reaches beyond the end of `x`, with its channels
// at axis 1, where windows begin at every multiple of the stride; negative if elements are left
// over.
Value* Overhang(Call& c, Value* x, const Window& window, std::size_t i);

// `x`, with its channels at axis 1, and the elements that attribute padding has windows read beside
// it, which are `outside`.
struct PaddedOperand {
  Value* x = nullptr;
  std::vector<Value*> before;  // how many there are before each spatial axis
};
PaddedOperand PaddedForWindow(Call& c, Value* x, const Window& window, Value* outside);

// MaxPool of `x`, floating or bytes, with its channels at axis 1: the maxima and, as the second of
// `results`, if that is 2, where they lie, counted as MaxPool does.
std::vector<Value*> MaximaOfWindows(Call& c, const Layout& layout, Value* x, const Window& window,
                                    std::size_t results);

// The kernel's sizes, axes 0 and on of a filter with the spatial axes in front. Fails where they
// are unknown.
Ints KernelOf(Call& c, const Value* filter, int spatial);

struct Filter {
  Value* weight = nullptr;  // channels of the result, channels of a group, spatial axes
  std::int64_t groups = 1;
};

// From (spatial axes, channels of a group, channels of the result).
Value* FilterFirst(Call& c, Value* filter, int spatial);
// From (height, width, channels, multiplier): output channel c · multiplier + m.
Filter DepthwiseFilter(Call& c, Value* filter);

// Of integers: what stands for 0 in the operand and in the filter.
struct IntegerZeros {
  Value* x = nullptr;
  Value* filter = nullptr;
};

// As Conv2D convolves `x`, which has the layout, by its attributes strides, padding and dilations.
// Sums of integers are int32.
Value* Convolution2D(Call& c, const Layout& layout, Value* x, Value* filter,
                     const IntegerZeros& zeros = {}, bool depthwise = false);

}  // namespace dragoman::tf

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_CONVOLUTION_H_
