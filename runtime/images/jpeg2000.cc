// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/images/jpeg2000.h"

#ifdef DRAGOMAN_RT_JPEG2000
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>

#include <openjpeg.h>

namespace dragoman::rt {
namespace {

struct Source {
  ByteSpan file;
  std::int64_t at = 0;
};

constexpr OPJ_SIZE_T kEnd = static_cast<OPJ_SIZE_T>(-1);

OPJ_SIZE_T Read(void* bytes, OPJ_SIZE_T count, void* user) {
  auto& source = *static_cast<Source*>(user);
  const auto left = static_cast<OPJ_SIZE_T>(source.file.size - source.at);
  const OPJ_SIZE_T most = std::min(count, left);
  if (most == 0) return kEnd;
  std::memcpy(bytes, source.file.data + source.at, most);
  source.at += static_cast<std::int64_t>(most);
  return most;
}

OPJ_BOOL Seek(OPJ_OFF_T offset, void* user) {
  auto& source = *static_cast<Source*>(user);
  if (offset < 0 || offset > source.file.size) return OPJ_FALSE;
  source.at = offset;
  return OPJ_TRUE;
}

OPJ_OFF_T Skip(OPJ_OFF_T count, void* user) {
  auto& source = *static_cast<Source*>(user);
  if (count < 0 || count > source.file.size - source.at) return -1;
  source.at += count;
  return count;
}

void Close(void*) {}

template <auto Destroy>
struct Freeing {
  template <class T>
  void operator()(T* object) const {
    Destroy(object);
  }
};
using Stream = std::unique_ptr<opj_stream_t, Freeing<opj_stream_destroy>>;
using Codec = std::unique_ptr<opj_codec_t, Freeing<opj_destroy_codec>>;
using Decoded = std::unique_ptr<opj_image_t, Freeing<opj_image_destroy>>;

Stream Open(Source& source) {
  Stream stream(opj_stream_default_create(OPJ_TRUE));
  if (stream == nullptr) return stream;
  opj_stream_set_user_data(stream.get(), &source, Close);
  opj_stream_set_user_data_length(stream.get(), static_cast<OPJ_UINT64>(source.file.size));
  opj_stream_set_read_function(stream.get(), Read);
  opj_stream_set_seek_function(stream.get(), Seek);
  opj_stream_set_skip_function(stream.get(), Skip);
  return stream;
}

// Components of one size, at most 16 bits each, that are grey or red, green and blue, or what the
// first three mean where they are a brightness and two differences. Opacity may follow.
Status CheckLayout(const opj_image_t& image) {
  if (image.numcomps == 0) return Status();
  const opj_image_comp_t& first = image.comps[0];
  for (OPJ_UINT32 i = 0; i < image.numcomps; ++i) {
    const opj_image_comp_t& component = image.comps[i];
    const bool alike = component.w == first.w && component.h == first.h;
    if (!alike || component.dx != first.dx || component.dy != first.dy || component.prec > 16)
      return Status::Error("the layout of a JPEG 2000 image is not supported");
  }
  const bool inks = image.color_space == OPJ_CLRSPC_CMYK || image.color_space == OPJ_CLRSPC_EYCC;
  return inks ? Status::Error("the colours of a JPEG 2000 image are not supported") : Status();
}

// A sample in eight bits.
int Level(const opj_image_comp_t& component, std::size_t i) {
  const int bits = static_cast<int>(component.prec);
  const std::int64_t offset = component.sgnd != 0 ? std::int64_t{1} << (bits - 1) : 0;
  const std::int64_t sample = component.data[i] + offset;
  const std::int64_t level = bits > 8 ? sample >> (bits - 8) : sample * (1 << (8 - bits));
  return static_cast<int>(std::clamp<std::int64_t>(level, 0, 255));
}

void ToRgb(int y, int blue, int red, std::uint8_t* rgb) {
  const double levels[] = {y + 1.402 * (red - 128),
                           y - 0.344136 * (blue - 128) - 0.714136 * (red - 128),
                           y + 1.772 * (blue - 128)};
  for (int c = 0; c < 3; ++c)
    rgb[c] = static_cast<std::uint8_t>(std::lround(std::clamp(levels[c], 0.0, 255.0)));
}

void TakePixels(const opj_image_t& decoded, Image& image) {
  const bool grey = decoded.numcomps < 3;
  const bool differences = !grey && decoded.color_space == OPJ_CLRSPC_SYCC;
  std::uint8_t* rgb = image.rgb.get();
  for (std::int64_t i = 0; i < image.width * image.height; ++i, rgb += 3) {
    int levels[3];
    for (int c = 0; c < 3; ++c)
      levels[c] = Level(decoded.comps[grey ? 0 : c], static_cast<std::size_t>(i));
    if (differences) {
      ToRgb(levels[0], levels[1], levels[2], rgb);
    } else {
      std::copy(levels, levels + 3, rgb);
    }
  }
}

bool Holds(const opj_image_t& decoded, const Image& image) {
  for (OPJ_UINT32 i = 0; i < decoded.numcomps; ++i) {
    const opj_image_comp_t& component = decoded.comps[i];
    if (component.data == nullptr || component.w != image.width || component.h != image.height)
      return false;
  }
  return true;
}

}  // namespace

Status DecodeJpeg2000(ByteSpan file, Image* image) {
  Source source{file};
  const Stream stream = Open(source);
  const bool bare = file.data[0] == 0xff;
  const Codec codec(opj_create_decompress(bare ? OPJ_CODEC_J2K : OPJ_CODEC_JP2));
  if (stream == nullptr || codec == nullptr) return Status::Error("out of memory");
  opj_dparameters_t parameters;
  opj_set_default_decoder_parameters(&parameters);
  opj_image_t* header = nullptr;
  const bool known = opj_setup_decoder(codec.get(), &parameters) != 0 &&
                     opj_read_header(stream.get(), codec.get(), &header) != 0;
  const Decoded decoded(header);
  if (!known || decoded == nullptr || decoded->numcomps == 0) return Status();
  DRAGOMAN_RT_TRY(CheckLayout(*decoded));
  DRAGOMAN_RT_TRY(image->Place(decoded->comps[0].h, decoded->comps[0].w, file.size));
  const bool whole = image->height > 0 &&
                     opj_decode(codec.get(), stream.get(), decoded.get()) != 0 &&
                     opj_end_decompress(codec.get(), stream.get()) != 0;
  // What the boxes of a palette made of the components.
  if (whole) DRAGOMAN_RT_TRY(CheckLayout(*decoded));
  if (!whole || !Holds(*decoded, *image)) {
    image->Clear();
    return Status();
  }
  TakePixels(*decoded, *image);
  return Status();
}

}  // namespace dragoman::rt

#else

namespace dragoman::rt {

Status DecodeJpeg2000(ByteSpan, Image*) {
  return Status::Error("JPEG 2000 without OpenJPEG is not supported");
}

}  // namespace dragoman::rt

#endif
