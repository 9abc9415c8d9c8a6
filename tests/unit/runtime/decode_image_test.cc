// SPDX-License-Identifier: Apache-2.0
#include "runtime/images/decode_image.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/kernels/image_decoder.h"

namespace dragoman::rt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Bytes = std::vector<std::uint8_t>;

Status Decode(std::string_view file, Image* image) {
  const auto* data = reinterpret_cast<const std::uint8_t*>(file.data());
  return DecodeImage({data, static_cast<std::int64_t>(file.size())}, image);
}

// Height, width, and the bytes of all pixels.
Bytes Decoded(std::string_view file) {
  Image image;
  const Status status = Decode(file, &image);
  EXPECT_TRUE(status.ok()) << status.message();
  Bytes bytes = {static_cast<std::uint8_t>(image.height), static_cast<std::uint8_t>(image.width)};
  bytes.insert(bytes.end(), image.rgb.get(), image.rgb.get() + image.height * image.width * 3);
  return bytes;
}

std::string Little(std::uint32_t number, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(number >> (8 * i));
  return text;
}

// `after` holds masks, colours and pixels, the last of which begin at `at`.
std::string Bmp(int width, int height, int bits, int compression, int at,
                const std::string& behind) {
  std::string file = "BM" + Little(0, 8) + Little(static_cast<std::uint32_t>(at), 4);
  for (const int number : {40, width, height})
    file += Little(static_cast<std::uint32_t>(number), 4);
  file += Little(1, 2) + Little(static_cast<std::uint32_t>(bits), 2);
  file += Little(static_cast<std::uint32_t>(compression), 4) + Little(0, 20);
  return file + behind;
}

TEST(DecodeImageTest, RowsOfBitmapsBeginAtTheBottom) {
  const std::string below = std::string("\1\2\3\4\5\6", 6) + Little(0, 2);
  const std::string above = std::string("\7\10\11\12\13\14", 6) + Little(0, 2);
  EXPECT_THAT(Decoded(Bmp(2, 2, 24, 0, 54, below + above)),
              ElementsAre(2, 2, 9, 8, 7, 12, 11, 10, 3, 2, 1, 6, 5, 4));
  EXPECT_THAT(Decoded(Bmp(2, -2, 24, 0, 54, above + below)),
              ElementsAre(2, 2, 9, 8, 7, 12, 11, 10, 3, 2, 1, 6, 5, 4));
}

TEST(DecodeImageTest, BitmapsHavePalettesAndMasks) {
  const std::string colours = Little(0x102030, 4) + Little(0xff8000, 4);
  EXPECT_THAT(Decoded(Bmp(3, 1, 1, 0, 62, colours + Little(0x40, 4))),
              ElementsAre(1, 3, 0x10, 0x20, 0x30, 0xff, 0x80, 0, 0x10, 0x20, 0x30));
  const std::string masks = Little(0xf800, 4) + Little(0x7e0, 4) + Little(0x1f, 4);
  EXPECT_THAT(Decoded(Bmp(1, 1, 16, 3, 66, masks + Little(0xf81f, 4))),
              ElementsAre(1, 1, 255, 0, 255));
}

TEST(DecodeImageTest, AnymapsHaveTextOrBytes) {
  EXPECT_THAT(Decoded("P1\n# two\n2 1\n01"), ElementsAre(1, 2, 255, 255, 255, 0, 0, 0));
  EXPECT_THAT(Decoded("P2 2 1 15 15 3"), ElementsAre(1, 2, 255, 255, 255, 51, 51, 51));
  EXPECT_THAT(Decoded("P3 1 1 255 1 2 3"), ElementsAre(1, 1, 1, 2, 3));
  EXPECT_THAT(Decoded("P4 2 1\n\x40"), ElementsAre(1, 2, 255, 255, 255, 0, 0, 0));
  EXPECT_THAT(Decoded("P5 1 1 255\n\x7f"), ElementsAre(1, 1, 127, 127, 127));
  EXPECT_THAT(Decoded(std::string("P6 1 1 65535\n\xff\xff\0\0\x80\0", 19)),
              ElementsAre(1, 1, 255, 0, 128));
}

TEST(DecodeImageTest, DamagedFilesHoldNoImage) {
  const std::string bitmap = Bmp(2, 1, 24, 0, 54, std::string("\1\2\3\4\5\6\0\0", 8));
  for (const std::string& whole :
       {bitmap, std::string("P6 1 1 255\n123"), std::string("P1 1 1 1")}) {
    EXPECT_EQ(Decoded(whole)[0], 1);
    EXPECT_EQ(Decoded(std::string_view(whole).substr(0, whole.size() - 1))[0], 0) << whole;
  }
  for (const char* file : {"", "GIF89a", "P7", "P5 0 1 255 ", "P5 1 1 70000 12", "P2 1 1 9 x"})
    EXPECT_EQ(Decoded(file)[0], 0) << file;
}

TEST(DecodeImageTest, MorePixelsThanTheFileCanHoldAreRefused) {
  Image image;
  EXPECT_TRUE(image.Place(4096, 4096, 30).ok());
  EXPECT_THAT(image.Place(4097, 4096, 30).message(), HasSubstr("more pixels"));
  EXPECT_TRUE(image.Place(4097, 4096, 3000).ok());
  EXPECT_THAT(image.Place(1 << 30, 1 << 30, 1 << 30).message(), HasSubstr("more pixels"));
}

// Of two pixels, red, green, blue and opacity.
constexpr std::uint8_t kPng[] = {
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44,
    0x52, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x01, 0x08, 0x06, 0x00, 0x00, 0x00, 0xf4,
    0x22, 0x7f, 0x8a, 0x00, 0x00, 0x00, 0x11, 0x49, 0x44, 0x41, 0x54, 0x78, 0xda, 0x63, 0xe0,
    0x12, 0x91, 0x63, 0x38, 0x91, 0x62, 0xf4, 0x1f, 0x00, 0x07, 0x48, 0x02, 0x9a, 0xb2, 0xfa,
    0xc3, 0xe2, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};

TEST(DecodeImageTest, LibrariesReadOtherFormats) {
  const std::string_view file(reinterpret_cast<const char*>(kPng), sizeof kPng);
  Image image;
  const std::string message = Decode(file, &image).message();
  if (!message.empty()) GTEST_SKIP() << message;
  EXPECT_THAT(Decoded(file), ElementsAre(1, 2, 10, 20, 30, 200, 100, 50));
  for (std::size_t size = 8; size < file.size(); size += 7)
    EXPECT_EQ(Decoded(file.substr(0, size))[0], 0) << size;
}

TEST(ImageDecoderTest, PixelsHaveTheFormatAskedFor) {
  const std::string_view text = "P3 1 1 255 200 100 50";
  TensorView<const std::uint8_t> file{reinterpret_cast<const std::uint8_t*>(text.data()),
                                      {static_cast<std::int64_t>(text.size())}};
  const auto pixels = [&](PixelFormat format) {
    const ImageDecoderParams params{format};
    Shape shape;
    EXPECT_TRUE(ImageDecoderShape(params, file, &shape).ok());
    Bytes bytes(static_cast<std::size_t>(NumElements(shape)));
    EXPECT_TRUE(ImageDecoder<std::uint8_t>(params, file, {bytes.data(), shape}).ok());
    return bytes;
  };
  EXPECT_THAT(pixels(PixelFormat::kRGB), ElementsAre(200, 100, 50));
  EXPECT_THAT(pixels(PixelFormat::kBGR), ElementsAre(50, 100, 200));
  EXPECT_THAT(pixels(PixelFormat::kGrayscale), ElementsAre(124));
}

}  // namespace
}  // namespace dragoman::rt
