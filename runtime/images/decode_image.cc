// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/images/decode_image.h"

#include "runtime/images/bmp.h"
#include "runtime/images/jpeg.h"
#include "runtime/images/jpeg2000.h"
#include "runtime/images/png.h"
#include "runtime/images/pnm.h"
#include "runtime/images/tiff.h"
#include "runtime/images/webp.h"

namespace dragoman::rt {
namespace {

// What a file begins with, and who reads it.
struct Format {
  const char* begin;
  std::int64_t length;
  Status (*decode)(ByteSpan file, Image* image);
};

constexpr Format kFormats[] = {
    {"BM", 2, DecodeBmp},
    {"P1", 2, DecodePnm},
    {"P2", 2, DecodePnm},
    {"P3", 2, DecodePnm},
    {"P4", 2, DecodePnm},
    {"P5", 2, DecodePnm},
    {"P6", 2, DecodePnm},
    {"\xff\xd8\xff", 3, DecodeJpeg},
    {"\xff\x4f\xff\x51", 4, DecodeJpeg2000},
    {"\0\0\0\x0cjP  \r\n\x87\n", 12, DecodeJpeg2000},
    {"\x89PNG\r\n\x1a\n", 8, DecodePng},
    {"II*\0", 4, DecodeTiff},
    {"MM\0*", 4, DecodeTiff},
    {"II+\0", 4, DecodeTiff},
    {"MM\0+", 4, DecodeTiff},
    {"RIFF", 4, DecodeWebp},
};

}  // namespace

Status DecodeImage(ByteSpan file, Image* image) {
  image->Clear();
  for (const Format& format : kFormats) {
    if (file.StartsWith(format.begin, format.length)) return format.decode(file, image);
  }
  return Status();
}

}  // namespace dragoman::rt
