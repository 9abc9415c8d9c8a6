// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/images/png.h"

#ifdef DRAGOMAN_RT_PNG
#include <csetjmp>
#include <cstdint>
#include <cstring>

#include <png.h>

namespace dragoman::rt {
namespace {

// The library leaves by longjmp: between setjmp and there nothing may need a destructor.
struct Decoder {
  png_structp png = nullptr;
  png_infop info = nullptr;
  ByteSpan file;
  std::int64_t at = 0;
  Status status;
};

[[noreturn]] void Fail(png_structp png, png_const_charp) { png_longjmp(png, 1); }

void Ignore(png_structp, png_const_charp) {}

void Read(png_structp png, png_bytep bytes, std::size_t count) {
  auto& decoder = *static_cast<Decoder*>(png_get_io_ptr(png));
  if (count > static_cast<std::size_t>(decoder.file.size - decoder.at))
    png_error(png, "the file is cut off");
  std::memcpy(bytes, decoder.file.data + decoder.at, count);
  decoder.at += static_cast<std::int64_t>(count);
}

// Any layout becomes three bytes a pixel; opacity is left out, gamma does not count.
void AskForRgb(Decoder& decoder) {
  png_structp png = decoder.png;
  const int type = png_get_color_type(png, decoder.info);
  if (type == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png);
  if (type == PNG_COLOR_TYPE_GRAY) png_set_expand_gray_1_2_4_to_8(png);
  png_set_strip_16(png);
  png_set_strip_alpha(png);
  if ((type & PNG_COLOR_MASK_COLOR) == 0) png_set_gray_to_rgb(png);
}

void Decode(Decoder& decoder, Image& image) {
  png_structp png = decoder.png;
  png_set_read_fn(png, &decoder, Read);
  png_read_info(png, decoder.info);
  decoder.status = image.Place(png_get_image_height(png, decoder.info),
                               png_get_image_width(png, decoder.info), decoder.file.size);
  if (!decoder.status.ok()) return;
  AskForRgb(decoder);
  const int passes = png_set_interlace_handling(png);
  png_read_update_info(png, decoder.info);
  if (png_get_rowbytes(png, decoder.info) != static_cast<std::size_t>(image.width * 3))
    png_error(png, "the layout is not known");
  for (int pass = 0; pass < passes; ++pass) {
    for (std::int64_t y = 0; y < image.height; ++y) png_read_row(png, image.row(y), nullptr);
  }
  png_read_end(png, nullptr);
}

}  // namespace

Status DecodePng(ByteSpan file, Image* image) {
  Decoder decoder;
  decoder.file = file;
  decoder.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, Fail, Ignore);
  if (decoder.png == nullptr) return Status::Error("out of memory");
  decoder.info = png_create_info_struct(decoder.png);
  if (setjmp(png_jmpbuf(decoder.png)) == 0) {
    if (decoder.info == nullptr) png_error(decoder.png, "out of memory");
    Decode(decoder, *image);
  } else {
    image->Clear();
  }
  png_destroy_read_struct(&decoder.png, &decoder.info, nullptr);
  return decoder.status;
}

}  // namespace dragoman::rt

#else

namespace dragoman::rt {

Status DecodePng(ByteSpan, Image*) { return Status::Error("PNG without libpng is not supported"); }

}  // namespace dragoman::rt

#endif
