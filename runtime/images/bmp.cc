// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/images/bmp.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>

namespace dragoman::rt {
namespace {

// Where the bits of a colour lie in a pixel of 16 or 32 bits.
struct Channel {
  std::uint32_t mask = 0;

  std::uint8_t Of(std::uint32_t pixel) const {
    if (mask == 0) return 0;
    const std::uint32_t unit = mask & (~mask + 1);
    const std::uint64_t most = mask / unit;
    return static_cast<std::uint8_t>((pixel & mask) / unit * std::uint64_t{255} / most);
  }
};

struct Header {
  std::int64_t pixels = 0;  // where they begin
  std::int64_t size = 0;    // of the second header
  std::int64_t width = 0;
  std::int64_t height = 0;
  bool top_down = false;
  std::int64_t bits = 0;
  std::uint32_t compression = 0;
  std::int64_t colours = 0;
  Channel red, green, blue;

  // The first header holds 14 bytes; that of OS/2 has colours of three bytes.
  bool old() const { return size == 12; }
  std::int64_t palette() const {
    // The masks of the shortest header stand after it.
    return 14 + size + (size == 40 && compression == kMasks ? 12 : 0);
  }
  // Rows end at a multiple of four bytes.
  std::int64_t stride() const { return (width * bits + 31) / 32 * 4; }

  static constexpr std::uint32_t kPlain = 0;
  static constexpr std::uint32_t kRunLengths8 = 1;
  static constexpr std::uint32_t kRunLengths4 = 2;
  static constexpr std::uint32_t kMasks = 3;
};

// Little-endian; 0 after the end.
std::uint32_t Number(ByteSpan file, std::int64_t at, int bytes) {
  std::uint32_t number = 0;
  for (int i = 0; i < bytes && at + i < file.size; ++i) {
    number |= std::uint32_t{file.data[at + i]} << (8 * i);
  }
  return number;
}

void ReadChannels(ByteSpan file, Header& header) {
  if (header.compression == Header::kMasks) {
    header.red.mask = Number(file, 54, 4);
    header.green.mask = Number(file, 58, 4);
    header.blue.mask = Number(file, 62, 4);
    return;
  }
  const int bits = header.bits == 16 ? 5 : 8;
  header.blue.mask = (1u << bits) - 1;
  header.green.mask = header.blue.mask << bits;
  header.red.mask = header.green.mask << bits;
}

// False: this is not a bitmap.
bool ReadHeader(ByteSpan file, Header& header) {
  header.pixels = Number(file, 10, 4);
  header.size = Number(file, 14, 4);
  if (header.old()) {
    header.width = Number(file, 18, 2);
    header.height = Number(file, 20, 2);
    header.bits = Number(file, 24, 2);
  } else {
    header.width = static_cast<std::int32_t>(Number(file, 18, 4));
    header.height = static_cast<std::int32_t>(Number(file, 22, 4));
    header.top_down = header.height < 0;
    header.height = std::abs(header.height);
    header.bits = Number(file, 28, 2);
    header.compression = Number(file, 30, 4);
    header.colours = Number(file, 46, 4);
  }
  if (header.size != 12 && header.size < 40) return false;
  if (header.bits <= 8 && header.colours == 0) header.colours = std::int64_t{1} << header.bits;
  ReadChannels(file, header);
  const std::int64_t all[] = {1, 4, 8, 16, 24, 32};
  return std::find(std::begin(all), std::end(all), header.bits) != std::end(all);
}

void ReadRow(ByteSpan file, const Header& header, std::int64_t at, std::int64_t y, Image& image) {
  std::uint8_t* rgb = image.row(y);
  for (std::int64_t x = 0; x < header.width; ++x, rgb += 3) {
    if (header.bits <= 8) {
      const std::int64_t bit = x * header.bits;
      const int shift = static_cast<int>(8 - header.bits - bit % 8);
      const std::int64_t mask = (1 << header.bits) - 1;
      const std::int64_t colour = (file.data[at + bit / 8] >> shift) & mask;
      if (colour >= header.colours) continue;
      const std::int64_t entry = header.palette() + colour * (header.old() ? 3 : 4);
      for (int c = 0; c < 3; ++c)
        rgb[c] = static_cast<std::uint8_t>(Number(file, entry + 2 - c, 1));
      continue;
    }
    const int bytes = static_cast<int>(header.bits / 8);
    const std::uint32_t pixel = Number(file, at + x * bytes, bytes);
    rgb[0] = header.red.Of(pixel);
    rgb[1] = header.green.Of(pixel);
    rgb[2] = header.blue.Of(pixel);
  }
}

}  // namespace

Status DecodeBmp(ByteSpan file, Image* image) {
  Header header;
  if (!ReadHeader(file, header)) return Status();
  if (header.compression == Header::kRunLengths8 || header.compression == Header::kRunLengths4) {
    return Status::Error("a bitmap of run lengths is not supported");
  }
  const bool masked = header.compression == Header::kMasks && header.bits >= 16;
  if (header.compression != Header::kPlain && !masked) return Status();
  if (header.width <= 0 || header.height <= 0) return Status();
  if (header.pixels > file.size || header.height > (file.size - header.pixels) / header.stride()) {
    return Status();
  }
  DRAGOMAN_RT_TRY(image->Place(header.height, header.width, file.size));
  for (std::int64_t y = 0; y < header.height; ++y) {
    const std::int64_t at = header.pixels + y * header.stride();
    ReadRow(file, header, at, header.top_down ? y : header.height - 1 - y, *image);
  }
  return Status();
}

}  // namespace dragoman::rt
