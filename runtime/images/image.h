// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A decoded image, and how large one may be.
#ifndef DRAGOMAN_RUNTIME_IMAGES_IMAGE_H_
#define DRAGOMAN_RUNTIME_IMAGES_IMAGE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "runtime/params/status.h"

namespace dragoman::rt {

// The bytes of a file.
struct ByteSpan {
  const std::uint8_t* data = nullptr;
  std::int64_t size = 0;

  bool StartsWith(const char* bytes, std::int64_t count, std::int64_t at = 0) const {
    for (std::int64_t i = 0; i < count; ++i) {
      if (at + i >= size || data[at + i] != static_cast<std::uint8_t>(bytes[i])) return false;
    }
    return true;
  }
};

// Rows from top to bottom, three bytes a pixel: red, green, blue. Without a height there is none.
struct Image {
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::unique_ptr<std::uint8_t[]> rgb;

  std::uint8_t* row(std::int64_t y) { return rgb.get() + y * width * 3; }

  // Makes room for the sizes that a file of `bytes` states, all black. More than 16 million pixels
  // need a file that grows with them: no compression of those read here packs more pixels in a
  // byte, save images of one colour.
  Status Place(std::int64_t rows, std::int64_t columns, std::int64_t bytes) {
    constexpr std::int64_t kAlways = std::int64_t{1} << 24;
    constexpr std::int64_t kMost = std::int64_t{1} << 28;
    constexpr std::int64_t kAByte = 8 * 1032;  // of Deflate, at one bit a pixel
    Clear();
    if (rows <= 0 || columns <= 0) return Status();
    const bool fits = rows <= kMost / columns;
    if (!fits || (rows * columns > kAlways && rows * columns / kAByte > bytes)) {
      return Status::Error("an image has more pixels than its file can hold");
    }
    rgb.reset(new (std::nothrow) std::uint8_t[static_cast<std::size_t>(rows * columns * 3)]());
    if (rgb == nullptr) return Status::Error("out of memory");
    height = rows;
    width = columns;
    return Status();
  }

  void Clear() {
    height = width = 0;
    rgb.reset();
  }
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_IMAGES_IMAGE_H_
