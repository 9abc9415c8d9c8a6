// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/images/pnm.h"

#include <cstdint>

namespace dragoman::rt {
namespace {

bool IsSpace(std::uint8_t byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

// Reads numbers and samples from front to back.
class Reader {
 public:
  explicit Reader(ByteSpan file) : file_(file) {}

  bool failed() const { return failed_; }
  std::int64_t left() const { return file_.size - at_; }
  // A single byte of space ends the header of a binary file.
  void Skip() { ++at_; }

  // A number in decimals, after space and comments.
  std::int64_t Decimal() {
    SkipSpace();
    std::int64_t number = 0;
    const std::int64_t begin = at_;
    for (; at_ < file_.size && file_.data[at_] >= '0' && file_.data[at_] <= '9'; ++at_) {
      number = number * 10 + (file_.data[at_] - '0');
      if (number > kMost) failed_ = true;
      if (failed_) return 0;
    }
    failed_ = failed_ || at_ == begin;
    return number;
  }
  // One digit: those of a bitmap need no space between them.
  std::int64_t Digit() {
    SkipSpace();
    const std::int64_t digit = at_ < file_.size ? file_.data[at_++] - '0' : -1;
    failed_ = failed_ || digit < 0 || digit > 1;
    return digit;
  }
  std::int64_t Byte() {
    failed_ = failed_ || at_ >= file_.size;
    return failed_ ? 0 : file_.data[at_++];
  }

 private:
  static constexpr std::int64_t kMost = 1 << 28;

  void SkipSpace() {
    bool comment = false;
    for (; at_ < file_.size; ++at_) {
      const std::uint8_t byte = file_.data[at_];
      if (byte == '#') comment = true;
      if (byte == '\n' || byte == '\r') comment = false;
      if (!comment && !IsSpace(byte)) return;
    }
  }

  ByteSpan file_;
  std::int64_t at_ = 2;
  bool failed_ = false;
};

struct Layout {
  bool bitmap = false;  // black is 1
  bool binary = false;
  int channels = 1;
  std::int64_t most = 1;
};

std::int64_t Sample(const Layout& layout, Reader& reader) {
  if (!layout.binary) return layout.bitmap ? reader.Digit() : reader.Decimal();
  const std::int64_t byte = reader.Byte();
  return layout.most < 256 ? byte : byte * 256 + reader.Byte();
}

void ReadSamples(const Layout& layout, Reader& reader, Image& image) {
  std::uint8_t* rgb = image.row(0);
  for (std::int64_t i = 0; i < image.height * image.width && !reader.failed(); ++i, rgb += 3) {
    for (int c = 0; c < 3; ++c) {
      if (c >= layout.channels) {
        rgb[c] = rgb[0];
        continue;
      }
      const std::int64_t sample = Sample(layout, reader);
      const std::int64_t level = layout.bitmap ? 1 - sample : sample;
      const std::int64_t scaled = (level * 255 * 2 + layout.most) / (2 * layout.most);
      rgb[c] = static_cast<std::uint8_t>(scaled > 255 ? 255 : scaled);
    }
  }
}

// Eight pixels a byte; a row ends with a byte.
void ReadBits(Reader& reader, Image& image) {
  for (std::int64_t y = 0; y < image.height && !reader.failed(); ++y) {
    std::uint8_t* rgb = image.row(y);
    std::int64_t byte = 0;
    for (std::int64_t x = 0; x < image.width; ++x, rgb += 3) {
      if (x % 8 == 0) byte = reader.Byte();
      const bool black = (byte >> (7 - x % 8) & 1) != 0;
      rgb[0] = rgb[1] = rgb[2] = black ? 0 : 255;
    }
  }
}

}  // namespace

Status DecodePnm(ByteSpan file, Image* image) {
  const int kind = file.data[1] - '0';
  Layout layout;
  layout.bitmap = kind == 1 || kind == 4;
  layout.binary = kind >= 4;
  layout.channels = kind == 3 || kind == 6 ? 3 : 1;
  Reader reader(file);
  const std::int64_t width = reader.Decimal();
  const std::int64_t height = reader.Decimal();
  if (!layout.bitmap) layout.most = reader.Decimal();
  reader.Skip();
  if (reader.failed() || width == 0 || height == 0) return Status();
  if (layout.most < 1 || layout.most > 65535) return Status();
  const std::int64_t row_bytes = layout.bitmap && layout.binary ? (width + 7) / 8 : width;
  if (row_bytes > reader.left() / height) return Status();
  DRAGOMAN_RT_TRY(image->Place(height, width, file.size));
  if (layout.bitmap && layout.binary) {
    ReadBits(reader, *image);
  } else {
    ReadSamples(layout, reader, *image);
  }
  if (reader.failed()) image->Clear();
  return Status();
}

}  // namespace dragoman::rt
