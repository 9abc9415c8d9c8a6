// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/images/jpeg.h"

#ifdef DRAGOMAN_RT_JPEG
#include <csetjmp>
#include <cstdint>
#include <cstdio>

#include <jpeglib.h>

#include <jerror.h>

namespace dragoman::rt {
namespace {

// The library leaves by longjmp: between setjmp and there nothing may need a destructor.
struct Decoder {
  jpeg_decompress_struct info;
  jpeg_error_mgr errors;
  jpeg_progress_mgr progress;
  std::jmp_buf failed;
  Status status;
};

[[noreturn]] void Fail(j_common_ptr info) {
  std::longjmp(static_cast<Decoder*>(info->client_data)->failed, 1);
}

// Warnings are of damage that can be covered up, save the end of a file that was cut off.
void Warn(j_common_ptr info, int level) {
  if (level < 0 && info->err->msg_code == JWRN_JPEG_EOF) Fail(info);
}

void Print(j_common_ptr) {}

// A file may state any number of scans, each of which passes over the whole image.
void LimitScans(j_common_ptr info) {
  constexpr int kMostScans = 500;
  if (reinterpret_cast<j_decompress_ptr>(info)->input_scan_number > kMostScans) Fail(info);
}

void Open(ByteSpan file, Decoder& decoder) {
  decoder.info.err = jpeg_std_error(&decoder.errors);
  decoder.info.client_data = &decoder;
  decoder.errors.error_exit = Fail;
  decoder.errors.emit_message = Warn;
  decoder.errors.output_message = Print;
  decoder.progress.progress_monitor = LimitScans;
  jpeg_create_decompress(&decoder.info);
  decoder.info.progress = &decoder.progress;
  jpeg_mem_src(&decoder.info, file.data, static_cast<unsigned long>(file.size));
}

// In place, from the end, as three bytes of a pixel lie before its four. Programs that state
// Adobe's marker store the complement.
void MixInks(const std::uint8_t* cmyk, bool complement, std::int64_t width, std::uint8_t* rgb) {
  for (std::int64_t x = 0; x < width; ++x, cmyk += 4, rgb += 3) {
    for (int c = 0; c < 3; ++c) {
      const int paper = complement ? cmyk[c] : 255 - cmyk[c];
      const int light = complement ? cmyk[3] : 255 - cmyk[3];
      rgb[c] = static_cast<std::uint8_t>((paper * light + 127) / 255);
    }
  }
}

void ReadRows(Decoder& decoder, Image& image) {
  jpeg_decompress_struct& info = decoder.info;
  const bool inks = info.out_color_space == JCS_CMYK;
  JSAMPARRAY buffer = (*info.mem->alloc_sarray)(reinterpret_cast<j_common_ptr>(&info), JPOOL_IMAGE,
                                                info.output_width * 4, 1);
  while (info.output_scanline < info.output_height) {
    std::uint8_t* rgb = image.row(info.output_scanline);
    JSAMPROW row = inks ? buffer[0] : rgb;
    jpeg_read_scanlines(&info, &row, 1);
    if (inks) MixInks(row, info.saw_Adobe_marker != 0, image.width, rgb);
  }
}

void Decode(ByteSpan file, Decoder& decoder, Image& image) {
  jpeg_decompress_struct& info = decoder.info;
  jpeg_read_header(&info, TRUE);
  const bool inks = info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK;
  info.out_color_space = inks ? JCS_CMYK : JCS_RGB;
  decoder.status = image.Place(info.image_height, info.image_width, file.size);
  if (!decoder.status.ok()) return;
  jpeg_start_decompress(&info);
  ReadRows(decoder, image);
  jpeg_finish_decompress(&info);
}

}  // namespace

Status DecodeJpeg(ByteSpan file, Image* image) {
  Decoder decoder = {};
  if (setjmp(decoder.failed) == 0) {
    Open(file, decoder);
    Decode(file, decoder, *image);
  } else {
    image->Clear();
  }
  jpeg_destroy_decompress(&decoder.info);
  return decoder.status;
}

}  // namespace dragoman::rt

#else

namespace dragoman::rt {

Status DecodeJpeg(ByteSpan, Image*) {
  return Status::Error("JPEG without libjpeg is not supported");
}

}  // namespace dragoman::rt

#endif
