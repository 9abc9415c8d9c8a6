// SPDX-License-Identifier: Apache-2.0
// Texts that hold the bytes of numbers, or of image files.
#include "importers/tensorflow/ops/op_rows.h"

#include <climits>
#include <string>
#include <string_view>
#include <vector>

#include "core/lowering/bits.h"
#include "importers/tensorflow/ops/quantized_form.h"

namespace dragoman::tf {
namespace {

std::string Named(Call& c, std::string_view message) {
  return "'" + c.node().name() + "': " + std::string(message);
}

// (…, size) bytes of the texts (…), as numbers (…, size / width) of the attribute `out_type`.
Value* NumbersOfBytes(Call& c, Value* texts, Value* size) {
  const DType type = StoredTypeAttribute(c, "out_type");
  const bool little = c.BoolAttribute("little_endian");
  if (c.failed()) return nullptr;
  Value* bytes = c.Op("dragoman.TextBytes", {texts, size});
  if (type == DType::kU8) return bytes;
  if (Info(type).bits == 8)
    return type == DType::kBool ? c.Cast(bytes, type) : BitsAs(c, bytes, type);
  const std::int64_t width = Info(type).bits / 8;
  const int rank = c.Rank(texts);
  Value* count = c.Vector(c.Div(size, c.Int(width)));
  bytes = c.Reshape(bytes, c.ConcatSizes({c.Shape(texts), count, c.Ints({width})}));
  if (!little) bytes = c.Slice(bytes, rank + 1, -1, INT64_MIN, -1);
  return BitsAs(c, bytes, type);
}

// The texts are of one length.
Value* LowerDecodeRaw(Call& c) {
  Value* texts = c.Tensor(0);
  Value* lengths = c.Flatten(c.Op("dragoman.TextLength", {texts}));
  Value* longest = c.ReduceAll("ReduceMax", c.Concat({lengths, c.Ints({0})}, 0));
  Value* shortest = c.ReduceAll("ReduceMin", c.Concat({lengths, c.Vector(longest)}, 0));
  c.Assert(c.Equal(shortest, longest), Named(c, "texts of different lengths"));
  return NumbersOfBytes(c, texts, longest);
}

// Longer texts are cut, shorter ones end in zeros.
Value* LowerDecodePaddedRaw(Call& c) { return NumbersOfBytes(c, c.Tensor(0), c.IndexNumber(1)); }

// How JPEG files are decoded: as libjpeg does unless asked otherwise.
void CheckJpeg(Call& c) {
  if (c.Has("ratio") && c.IntAttribute("ratio") != 1) c.Fail("ratio other than 1");
  if (c.Has("fancy_upscaling") && !c.BoolAttribute("fancy_upscaling"))
    c.Fail("fancy_upscaling = false");
  if (c.Has("dct_method") && c.TextAttribute("dct_method") == "INTEGER_FAST")
    c.Fail("dct_method INTEGER_FAST");
}

// The only channel of images without colours.
Value* Grey(Call& c, Value* image) {
  Value* red = c.Slice(image, 2, 0, 1);
  const auto differs = [&](Value* other) {
    return c.ReduceAll("ReduceMax", c.Flatten(c.Cast(c.NotEqual(red, other), DType::kI32)));
  };
  Value* rest = c.Slice(image, 2, 1, 3);
  c.Assert(c.Equal(differs(rest), 0),
           Named(c,
                 "an image of colours, of which channels = 1 makes grey values in a way that is "
                 "not supported"));
  return red;
}

// (height, width, channels)
Value* Decoded(Call& c) {
  const std::int64_t channels = c.IntAttribute("channels");
  if (channels != 1 && channels != 3)
    return c.Fail("channels = " + std::to_string(channels) + "; 1 and 3 are supported");
  CheckJpeg(c);
  Value* file = c.Tensor(0);
  if (!c.failed() && c.Rank(file) != 0) c.Fail(InvalidInput("more than one image"));
  Value* size = c.Op("dragoman.TextLength", {file});
  Value* image =
      c.Op("ImageDecoder", {c.Op("dragoman.TextBytes", {file, size})}, {{"pixel_format", "RGB"}});
  c.Assert(c.Greater(c.Size(image, 0), 0), Named(c, "no image, or one that is damaged"));
  return channels == 1 ? Grey(c, image) : image;
}

Value* LowerDecodeImage(Call& c) {
  const DType type = c.Has("dtype") ? c.TypeAttribute("dtype") : DType::kU8;
  if (!c.failed() && type != DType::kU8 && type != DType::kF32)
    return c.Fail("dtype " + std::string(Name(type)));
  Value* image = Decoded(c);
  return type == DType::kU8 ? image : c.Div(c.Cast(image, type), 255);
}

// The second operand is the part: its first row and column, its height and width.
Value* LowerDecodeAndCropJpeg(Call& c) {
  Value* image = Decoded(c);
  Value* part = c.Index(1);
  const auto number = [&](int i) { return c.Slice(part, 0, i, i + 1); };
  for (int axis = 0; axis < 2; ++axis) {
    Value* end = c.Add(number(axis), number(axis + 2));
    c.Assert(c.ReduceAll("ReduceMin", c.LessOrEqual(end, c.Size(image, axis))),
             Named(c, "a part that lies beyond the image"));
    image = c.Slice(image, axis, number(axis), end, c.Ints({1}));
  }
  return image;
}

}  // namespace

std::span<const OpRow> EncodedRows() {
  static constexpr OpRow kRows[] = {
      {"DecodeAndCropJpeg", LowerDecodeAndCropJpeg},
      {"DecodeBmp", LowerDecodeImage},
      {"DecodeImage", LowerDecodeImage},
      {"DecodeJpeg", LowerDecodeImage},
      {"DecodePaddedRaw", LowerDecodePaddedRaw},
      {"DecodePng", LowerDecodeImage},
      {"DecodeRaw", LowerDecodeRaw},
  };
  return kRows;
}

}  // namespace dragoman::tf
