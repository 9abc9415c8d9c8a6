// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/program/npy.h"

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>

#include "runtime/program/error.h"
#include "runtime/program/sizes.h"
#include "runtime/program/utf8.h"

namespace dragoman::rt {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::int64_t kMaxEmptyStrings = 1 << 16;

std::uint64_t Number(std::string_view bytes) {
  std::uint64_t number = 0;
  std::memcpy(&number, bytes.data(), bytes.size());
  return number;
}

// The text after `'key':` in the header, a Python dict.
std::string_view Field(std::string_view header, const std::string& key) {
  const std::size_t at = header.find("'" + key + "'");
  const std::size_t colon = at == std::string_view::npos ? at : header.find(':', at);
  if (colon == std::string_view::npos) throw Error("the header has no '" + key + "'");
  const std::size_t start = header.find_first_not_of(' ', colon + 1);
  return start == std::string_view::npos ? std::string_view() : header.substr(start);
}

Shape ParseSizes(std::string_view text) {
  const std::size_t end = text.find(')');
  if (text.empty() || text[0] != '(' || end == std::string_view::npos)
    throw Error("the header has no sizes");
  Shape shape;
  const char* at = text.data() + 1;
  const char* last = text.data() + end;
  while (at < last) {
    std::int64_t size = 0;
    const auto [next, problem] = std::from_chars(at, last, size);
    if (problem == std::errc() && shape.size() == kMaxRank) throw Error("the rank is too high");
    if (problem == std::errc()) shape.push_back(size);
    if (problem != std::errc() && std::string_view(" ,L").find(*at) == std::string_view::npos)
      throw Error("a size in the header is not an integer");
    at = problem == std::errc() ? next : at + 1;
  }
  return shape;
}

// Elements of column-major order, reordered.
std::string RowMajor(std::string_view bytes, const Shape& shape, std::size_t item) {
  std::string ordered(bytes.size(), '\0');
  Shape position = Shape::Filled(shape.size(), 0);
  const Shape strides = Strides(shape);
  for (std::size_t from = 0; from < bytes.size(); from += item) {
    std::int64_t to = 0;
    for (int i = 0; i < shape.size(); ++i) to += position[i] * strides[i];
    std::memcpy(&ordered[static_cast<std::size_t>(to) * item], bytes.data() + from, item);
    for (int i = 0; i < shape.size() && ++position[i] == shape[i]; ++i) position[i] = 0;
  }
  return ordered;
}

void ParseType(std::string_view descr, NpyArray& array) {
  if (descr.size() < 5 || (descr[0] != '\'' && descr[0] != '"'))
    throw Error("records are not read");
  array.kind = descr[2];
  const auto [end, problem] =
      std::from_chars(descr.data() + 3, descr.data() + descr.size(), array.item_bytes);
  const bool known = std::strchr("biufcSUV", array.kind) != nullptr && array.kind != '\0';
  if (problem != std::errc() || end == descr.data() + descr.size() || *end != descr[0] || !known ||
      array.item_bytes < 0 || array.item_bytes > (1 << 24)) {
    throw Error("arrays of type " + std::string(descr.substr(0, 6)) + " are not read");
  }
  if (array.kind == 'U') array.item_bytes *= 4;
  if (descr[1] == '>' && array.kind != 'S' && array.item_bytes > 1)
    throw Error("big-endian arrays are not read");
}

// Bytes ('S') stay as they are.
std::string TextOf(std::string_view item, char kind) {
  if (kind == 'U') return Utf8FromUcs4(item);
  return std::string(item.substr(0, item.find_last_not_of('\0') + 1));
}

}  // namespace

NpyArray ParseNpy(std::string_view file) {
  if (file.size() < 12 || file.substr(0, 6) != kMagic) throw Error("not a .npy file");
  const bool wide = file[6] > 1;
  const std::size_t start = wide ? 12 : 10;
  const std::uint64_t length = Number(file.substr(8, wide ? 4 : 2));
  if (length > file.size() - start) throw Error("the header is cut short");
  const std::string_view header = file.substr(start, length);
  std::string_view data = file.substr(start + length);

  NpyArray array;
  ParseType(Field(header, "descr"), array);
  const Shape shape = ParseSizes(Field(header, "shape"));
  std::int64_t bytes = 0;
  const auto item = static_cast<std::size_t>(array.item_bytes);
  ThrowIfError(CheckedBytes(shape, item == 0 ? 1 : item, &bytes));
  if (item != 0 && static_cast<std::uint64_t>(bytes) != data.size()) {
    throw Error("found " + std::to_string(data.size()) + " bytes of data, expected " +
                std::to_string(bytes));
  }
  std::string ordered;
  const std::string_view order = Field(header, "fortran_order");
  const bool by_columns = order.substr(0, 4) == "True";
  if (!by_columns && order.substr(0, 5) != "False")
    throw Error("the header says neither True nor False of 'fortran_order'");
  if (by_columns && shape.size() > 1 && item > 0) {
    ordered = RowMajor(data, shape, item);
    data = ordered;
  }
  array.tensor.shape = shape;
  if (array.kind != 'U' && array.kind != 'S') {
    const auto* first = reinterpret_cast<const std::byte*>(data.data());
    array.tensor.bytes.assign(first, first + data.size());
    return array;
  }
  if (item == 0 && NumElements(shape) > kMaxEmptyStrings)
    throw Error("more than 65,536 empty strings");
  for (std::int64_t i = 0; i < NumElements(shape); ++i) {
    array.tensor.strings.push_back(
        TextOf(data.substr(static_cast<std::size_t>(i) * item, item), array.kind));
  }
  array.kind = 'U';
  return array;
}

std::string ReadWholeFile(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             &std::fclose);
  if (file == nullptr) throw Error(path + ": " + std::strerror(errno));
  std::string content;
  char buffer[1 << 16];
  while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, file.get()))
    content.append(buffer, count);
  if (std::ferror(file.get()) != 0) throw Error(path + ": " + std::strerror(errno));
  return content;
}

void WriteWholeFile(const std::string& path, std::string_view content) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) throw Error(path + ": " + std::strerror(errno));
  const bool written = std::fwrite(content.data(), 1, content.size(), file) == content.size();
  if (std::fclose(file) != 0 || !written) throw Error(path + ": " + std::strerror(errno));
}

NpyArray ReadNpy(const std::string& path) {
  const std::string file = ReadWholeFile(path);
  try {
    return ParseNpy(file);
  } catch (const Error& error) {
    throw Error(path + ": " + error.what());
  }
}

AnyTensor ToTensor(NpyArray array, const ElementType& type) {
  const bool raw = array.kind == 'V' && array.item_bytes == type.bytes;
  if (!raw && (array.kind != type.kind || (type.bytes != 0 && array.item_bytes != type.bytes))) {
    throw Error(std::string("found NumPy's type '") + array.kind +
                std::to_string(array.item_bytes) + "', expected " + type.name);
  }
  AnyTensor tensor = std::move(array.tensor);
  tensor.type = &type;
  for (std::byte& byte : tensor.bytes) {
    if (type.kind == 'b') byte = std::byte(byte != std::byte{0});
  }
  return tensor;
}

void WriteNpy(const std::string& path, const AnyTensor& tensor) {
  std::string data;
  std::string type = std::string(1, tensor.type->kind) + std::to_string(tensor.type->bytes);
  if (tensor.type->bytes == 0) {
    const std::size_t width = LongestUcs4(tensor.strings);
    for (const std::string& text : tensor.strings) data += Ucs4FromUtf8(text, width);
    type = "U" + std::to_string(width);
  } else {
    data.assign(reinterpret_cast<const char*>(tensor.bytes.data()),
                static_cast<std::size_t>(tensor.size() * tensor.type->bytes));
  }
  const char order = tensor.type->bytes == 1 ? '|' : '<';
  std::string header =
      "{'descr': '" + std::string(1, order) + type + "', 'fortran_order': False, 'shape': (";
  for (std::int64_t size : tensor.shape) header += std::to_string(size) + ",";
  if (tensor.shape.size() > 1) header.pop_back();
  header += "), }";
  header.append(63 - (header.size() + 10) % 64, ' ');
  header += '\n';
  std::string file(kMagic);
  file += {'\x01', '\0', static_cast<char>(header.size() & 0xff),
           static_cast<char>(header.size() >> 8)};
  WriteWholeFile(path, file + header + data);
}

}  // namespace dragoman::rt
