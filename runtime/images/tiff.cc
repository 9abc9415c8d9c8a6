// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/images/tiff.h"

#ifdef DRAGOMAN_RT_TIFF
#include <tiffio.h>
#endif

// Older releases report errors through functions that the whole process shares.
#if defined(DRAGOMAN_RT_TIFF) && TIFFLIB_VERSION >= 20221213
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

namespace dragoman::rt {
namespace {

struct Source {
  ByteSpan file;
  std::int64_t at = 0;
};

int Silent(TIFF*, void*, const char*, const char*, va_list) { return 1; }

tmsize_t Read(thandle_t handle, void* bytes, tmsize_t count) {
  auto& source = *static_cast<Source*>(handle);
  if (source.at < 0 || source.at > source.file.size) return 0;
  const tmsize_t most = std::min<tmsize_t>(count, source.file.size - source.at);
  std::memcpy(bytes, source.file.data + source.at, static_cast<std::size_t>(most));
  source.at += most;
  return most;
}

toff_t Seek(thandle_t handle, toff_t offset, int whence) {
  auto& source = *static_cast<Source*>(handle);
  const std::int64_t from = whence == SEEK_CUR ? source.at : source.file.size;
  source.at = static_cast<std::int64_t>(offset) + (whence == SEEK_SET ? 0 : from);
  return static_cast<toff_t>(source.at);
}

tmsize_t Write(thandle_t, void*, tmsize_t) { return 0; }
int Close(thandle_t) { return 0; }
toff_t Size(thandle_t handle) {
  return static_cast<toff_t>(static_cast<Source*>(handle)->file.size);
}

struct Closing {
  void operator()(TIFF* tiff) const { TIFFClose(tiff); }
};
using Tiff = std::unique_ptr<TIFF, Closing>;

Tiff Open(Source& source) {
  TIFFOpenOptions* options = TIFFOpenOptionsAlloc();
  if (options == nullptr) return nullptr;
  TIFFOpenOptionsSetMaxSingleMemAlloc(options, tmsize_t{1} << 30);
  TIFFOpenOptionsSetErrorHandlerExtR(options, Silent, nullptr);
  TIFFOpenOptionsSetWarningHandlerExtR(options, Silent, nullptr);
  // m: no mapping of files.
  Tiff tiff(TIFFClientOpenExt("image", "rm", &source, Read, Write, Seek, Close, Size, nullptr,
                              nullptr, options));
  TIFFOpenOptionsFree(options);
  return tiff;
}

// Colours that say to be multiplied with their opacity are not multiplied with it.
void KeepColours(TIFF* tiff) {
  std::uint16_t count = 0, *kinds = nullptr;
  if (TIFFGetField(tiff, TIFFTAG_EXTRASAMPLES, &count, &kinds) == 0 || count != 1) return;
  const std::uint16_t multiplied = EXTRASAMPLE_ASSOCALPHA;
  TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &multiplied);
}

Status ReadPixels(TIFF* tiff, Image* image) {
  const auto count = static_cast<std::size_t>(image->width * image->height);
  const std::unique_ptr<std::uint32_t[]> raster(new (std::nothrow) std::uint32_t[count]);
  if (raster == nullptr) return Status::Error("out of memory");
  if (TIFFReadRGBAImageOriented(tiff, static_cast<std::uint32_t>(image->width),
                                static_cast<std::uint32_t>(image->height), raster.get(),
                                ORIENTATION_TOPLEFT, 1) == 0) {
    image->Clear();
    return Status();
  }
  std::uint8_t* rgb = image->rgb.get();
  for (std::size_t i = 0; i < count; ++i, rgb += 3) {
    rgb[0] = static_cast<std::uint8_t>(TIFFGetR(raster[i]));
    rgb[1] = static_cast<std::uint8_t>(TIFFGetG(raster[i]));
    rgb[2] = static_cast<std::uint8_t>(TIFFGetB(raster[i]));
  }
  return Status();
}

}  // namespace

Status DecodeTiff(ByteSpan file, Image* image) {
  Source source{file};
  const Tiff tiff = Open(source);
  if (tiff == nullptr) return Status();
  std::uint32_t width = 0, height = 0;
  if (TIFFGetField(tiff.get(), TIFFTAG_IMAGEWIDTH, &width) == 0 ||
      TIFFGetField(tiff.get(), TIFFTAG_IMAGELENGTH, &height) == 0) {
    return Status();
  }
  char why[1024];
  if (TIFFRGBAImageOK(tiff.get(), why) == 0)
    return Status::Error("the layout of a TIFF is not supported");
  DRAGOMAN_RT_TRY(image->Place(height, width, file.size));
  if (image->height == 0) return Status();
  KeepColours(tiff.get());
  return ReadPixels(tiff.get(), image);
}

}  // namespace dragoman::rt

#else

namespace dragoman::rt {

Status DecodeTiff(ByteSpan, Image*) {
  return Status::Error("TIFF without libtiff 4.5 is not supported");
}

}  // namespace dragoman::rt

#endif
