// SPDX-License-Identifier: Apache-2.0
#include "core/support/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>

#include "core/support/bytes.h"
#include "core/support/count_elements.h"
#include "core/support/mapped_file.h"
#include "core/support/output_file.h"
#include "core/support/text.h"
#include "core/support/truth_bytes.h"

namespace dragoman {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMaxHeaderBytes = std::size_t{1} << 16;
constexpr std::size_t kMaxRank = 64;
constexpr std::size_t kMaxEmptyStrings = std::size_t{1} << 16;

struct Header {
  char order = '|';
  char kind = 0;
  std::int64_t item_bytes = 0;  // in the file: 4 a character for 'U'
  bool fortran = false;
  std::vector<std::int64_t> shape;
};

// The header is a Python dict of three keys with literal values, in any order.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  Result<Header> Parse() {
    Header header;
    unsigned seen = 0;
    if (!Take("{")) return Fail("'{'");
    while (!Take("}")) {
      const std::optional<std::string_view> key = TakeString();
      if (!key || !Take(":")) return Fail("a key");
      const unsigned bit = *key == "descr"           ? 1
                           : *key == "fortran_order" ? 2
                           : *key == "shape"         ? 4
                                                     : 0;
      if (bit == 0 || (seen & bit) != 0) return Fail("descr, fortran_order and shape, each once");
      seen |= bit;
      DRAGOMAN_TRY(bit == 1   ? ParseDescr(header)
                   : bit == 2 ? ParseOrder(header)
                              : ParseShape(header));
      if (!Take(",") && !Peek("}")) return Fail("',' or '}'");
    }
    SkipSpace();
    if (seen != 7 || at_ != text_.size()) return Fail("descr, fortran_order and shape");
    return header;
  }

 private:
  Error Fail(std::string_view expected) const {
    return InvalidInput(fmt::format("bad .npy header at its byte {}; expected {}", at_, expected));
  }

  void SkipSpace() { at_ = std::min(text_.find_first_not_of(" \n\t", at_), text_.size()); }

  bool Peek(std::string_view token) {
    SkipSpace();
    return text_.substr(at_).starts_with(token);
  }

  bool Take(std::string_view token) {
    if (!Peek(token)) return false;
    at_ += token.size();
    return true;
  }

  std::optional<std::string_view> TakeString() {
    const char quote = Take("'") ? '\'' : Take("\"") ? '"' : '\0';
    const std::size_t end = quote == '\0' ? std::string_view::npos : text_.find(quote, at_);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view content = text_.substr(at_, end - at_);
    at_ = end + 1;
    return content;
  }

  Status ParseDescr(Header& header) {
    const std::optional<std::string_view> descr = TakeString();
    if (!descr) return Unsupported("a .npy file of records; expected one element type");
    const std::size_t order = descr->find_first_of("<>|=") == 0 ? 1 : 0;
    header.order = order == 1 ? (*descr)[0] : '|';
    header.kind = descr->size() > order ? (*descr)[order] : '\0';
    const auto size = ParseInt64(descr->substr(std::min(order + 1, descr->size())));
    const bool known = std::string_view("biufcVUS").find(header.kind) != std::string_view::npos;
    if (!known || !size || *size < 0) {
      return Unsupported(fmt::format("element type {} of a .npy file", Quote(*descr)));
    }
    const bool text = header.kind == 'U' || header.kind == 'S';
    if (*size > (text ? INT32_MAX : 16) || (!text && *size == 0)) {
      return Unsupported(fmt::format("element type {} of a .npy file", Quote(*descr)));
    }
    header.item_bytes = header.kind == 'U' ? 4 * *size : *size;
    return {};
  }

  Status ParseOrder(Header& header) {
    header.fortran = Take("True");
    if (!header.fortran && !Take("False")) return Fail("True or False");
    return {};
  }

  Status ParseShape(Header& header) {
    if (!Take("(")) return Fail("'('");
    while (!Take(")")) {
      SkipSpace();
      const std::size_t end = std::min(text_.find_first_not_of("0123456789", at_), text_.size());
      const std::optional<std::int64_t> size = ParseInt64(text_.substr(at_, end - at_));
      if (!size || header.shape.size() == kMaxRank) return Fail("at most 64 sizes");
      header.shape.push_back(*size);
      at_ = end;
      Take("L");
      if (!Take(",") && !Peek(")")) return Fail("',' or ')'");
    }
    return {};
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// Copies elements from column-major to row-major order.
std::vector<std::byte> ToRowMajor(std::span<const std::byte> data, const Header& header) {
  const std::size_t item = static_cast<std::size_t>(header.item_bytes);
  const std::vector<std::int64_t>& shape = header.shape;
  std::vector<std::size_t> strides(shape.size());
  std::size_t stride = item;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    strides[axis] = stride;
    stride *= static_cast<std::size_t>(shape[axis]);
  }
  std::vector<std::byte> result(data.size());
  std::vector<std::int64_t> index(shape.size());
  std::size_t from = 0;
  for (std::size_t to = 0; to < data.size(); to += item) {
    std::memcpy(result.data() + to, data.data() + from, item);
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      from += strides[axis];
      if (++index[axis] < shape[axis]) break;
      from -= strides[axis] * static_cast<std::size_t>(shape[axis]);
      index[axis] = 0;
    }
  }
  return result;
}

void SwapBytes(std::vector<std::byte>& bytes, std::size_t unit) {
  for (std::size_t i = 0; i + unit <= bytes.size(); i += unit) {
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(i),
                 bytes.begin() + static_cast<std::ptrdiff_t>(i + unit));
  }
}

// False if `code` is not a character and stands for no byte.
bool AppendCharacter(std::uint32_t code, std::string& text) {
  const bool byte = code >= 0xdc80 && code <= 0xdcff;
  if (code > 0x10ffff || (!byte && code >= 0xd800 && code <= 0xdfff)) return false;
  auto append = [&](std::uint32_t value) { text += static_cast<char>(value); };
  if (code < 0x80) {
    append(code);
  } else if (byte) {
    append(code - 0xdc00);
  } else if (code < 0x800) {
    append(0xc0 | code >> 6);
    append(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    append(0xe0 | code >> 12);
    append(0x80 | (code >> 6 & 0x3f));
    append(0x80 | (code & 0x3f));
  } else {
    append(0xf0 | code >> 18);
    append(0x80 | (code >> 12 & 0x3f));
    append(0x80 | (code >> 6 & 0x3f));
    append(0x80 | (code & 0x3f));
  }
  return true;
}

Result<std::string> DecodeString(std::span<const std::byte> item, char kind) {
  std::string text;
  if (kind == 'S') {
    text = AsText(item);
  } else {
    for (std::size_t i = 0; i + 4 <= item.size(); i += 4) {
      std::uint32_t code = 0;
      std::memcpy(&code, item.data() + i, 4);
      if (!AppendCharacter(code, text)) {
        return InvalidInput(
            fmt::format("a .npy string holds U+{:04X}, which is not a character", code));
      }
    }
  }
  text.erase(text.find_last_not_of('\0') + 1);
  return text;
}

Status DecodeStrings(std::span<const std::byte> data, std::size_t item, std::size_t count,
                     NpyArray& array) {
  if (item == 0 && count > kMaxEmptyStrings)
    return Unsupported("a .npy file of very many empty strings");
  array.strings.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    DRAGOMAN_ASSIGN(std::string text, DecodeString(data.subspan(i * item, item), array.kind));
    array.strings.push_back(std::move(text));
  }
  return {};
}

Result<NpyArray> Decode(const Header& header, std::span<const std::byte> data) {
  const std::optional<std::int64_t> count = CountElements(header.shape);
  std::int64_t size = 0;
  if (!count || __builtin_mul_overflow(*count, header.item_bytes, &size)) {
    return InvalidInput("the sizes of a .npy file overflow");
  }
  if (static_cast<std::size_t>(size) != data.size()) {
    return InvalidInput(fmt::format("found {} bytes of .npy data; expected {}", data.size(), size));
  }
  const bool text = header.kind == 'U' || header.kind == 'S';
  std::vector<std::byte> bytes = header.fortran && header.item_bytes > 0
                                     ? ToRowMajor(data, header)
                                     : std::vector<std::byte>(data.begin(), data.end());
  if (header.order == '>' && header.kind != 'S' && header.kind != 'V') {
    const std::int64_t parts = header.kind == 'c' ? 2 : 1;
    SwapBytes(bytes, static_cast<std::size_t>(header.kind == 'U' ? 4 : header.item_bytes / parts));
  }
  if (header.kind == 'b' && !AreTruths(bytes))
    return InvalidInput(".npy data of bool holds bytes that are neither 0 nor 1");
  NpyArray array{header.kind, text ? 0 : header.item_bytes, header.shape, {}, {}};
  if (!text) {
    array.bytes = std::move(bytes);
    return array;
  }
  DRAGOMAN_TRY(DecodeStrings(bytes, static_cast<std::size_t>(header.item_bytes),
                             static_cast<std::size_t>(*count), array));
  return array;
}

std::u32string EncodeString(std::string_view text) {
  std::u32string codes;
  while (!text.empty()) {
    const std::size_t n = Utf8Length(text);
    char32_t code = static_cast<unsigned char>(text[0]);
    if (n == 0) code += 0xdc00;
    if (n > 1) code &= 0x7fu >> n;
    for (std::size_t i = 1; i < n; ++i) {
      code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3fu);
    }
    codes += code;
    text.remove_prefix(std::max<std::size_t>(n, 1));
  }
  return codes;
}

// All strings at the width of the longest, and that width in the unit of `descr`, at least 1.
std::pair<std::string, std::size_t> EncodeStrings(const NpyArray& array) {
  std::vector<std::string> items;
  const std::size_t unit = array.kind == 'U' ? 4 : 1;
  std::size_t width = unit;
  for (const std::string& text : array.strings) {
    if (array.kind == 'U') {
      const std::u32string codes = EncodeString(text);
      items.emplace_back(reinterpret_cast<const char*>(codes.data()), 4 * codes.size());
    } else {
      items.push_back(text);
    }
    width = std::max(width, items.back().size());
  }
  std::string data;
  for (std::string& item : items) {
    item.resize(width, '\0');
    data += item;
  }
  return {std::move(data), width / unit};
}

std::string MakeHeader(const NpyArray& array, std::size_t width) {
  const bool byte_order = array.kind != 'S' && array.kind != 'V' && width > 1;
  std::string shape;
  for (const std::int64_t size : array.shape) shape += fmt::format("{}, ", size);
  if (array.shape.size() > 1) shape.erase(shape.size() - 2);
  if (array.shape.size() == 1) shape.erase(shape.size() - 1);
  std::string header =
      fmt::format("{{'descr': '{}{}{}', 'fortran_order': False, 'shape': ({}), }}",
                  byte_order || array.kind == 'U' ? '<' : '|', array.kind, width, shape);
  const std::size_t prefix = kMagic.size() + 4;
  header.append((64 - (prefix + header.size() + 1) % 64) % 64, ' ');
  header += '\n';
  std::string file(kMagic);
  file += {'\x01', '\0', static_cast<char>(header.size() & 0xff),
           static_cast<char>(header.size() >> 8)};
  return file + header;
}

}  // namespace

Result<NpyArray> ParseNpy(std::span<const std::byte> file) {
  const std::string_view text = AsText(file);
  if (text.starts_with("PK\3\4"))
    return InvalidInput("not a .npy file but a zip archive; --inputs takes a .npz file of arrays");
  if (!text.starts_with(kMagic) || text.size() < 10) return InvalidInput("not a .npy file");
  auto byte = [&](std::size_t i) { return static_cast<std::size_t>(file[i]); };
  const std::size_t version = byte(6);
  const std::size_t prefix = version == 1 ? 10 : 12;
  if (version < 1 || version > 3) return Unsupported(fmt::format("version {} of .npy", version));
  if (text.size() < prefix) return InvalidInput("a .npy file ends in its header");
  std::size_t length = byte(8) | byte(9) << 8;
  if (version > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (length > kMaxHeaderBytes) return InvalidInput("the header of a .npy file is too long");
  if (text.size() - prefix < length) return InvalidInput("a .npy file ends in its header");
  DRAGOMAN_ASSIGN(const Header header, HeaderParser(text.substr(prefix, length)).Parse());
  return Decode(header, file.subspan(prefix + length));
}

Result<NpyArray> ReadNpy(const std::string& path) {
  DRAGOMAN_ASSIGN(const auto file, MappedFile::Open(path));
  Result<NpyArray> array = ParseNpy(file->bytes());
  if (!array.ok()) array.error().InFile(path);
  return array;
}

Result<std::string> SerializeNpy(const NpyArray& array) {
  const bool text = array.kind == 'U' || array.kind == 'S';
  const std::optional<std::int64_t> count = CountElements(array.shape);
  const std::size_t elements = static_cast<std::size_t>(count.value_or(-1));
  const std::size_t item = static_cast<std::size_t>(array.item_bytes);
  const bool fits =
      text ? array.strings.size() == elements : item > 0 && array.bytes.size() == elements * item;
  if (!count || !fits || array.shape.size() > kMaxRank) {
    return Internal("the shape and the data of an array to be written do not fit");
  }
  if (!text) return MakeHeader(array, item) + std::string(AsText(array.bytes));
  const auto [data, width] = EncodeStrings(array);
  return MakeHeader(array, width) + data;
}

Status WriteNpy(const std::string& path, const NpyArray& array) {
  DRAGOMAN_ASSIGN(const std::string content, SerializeNpy(array));
  return WriteFile(path, std::string_view(content));
}

}  // namespace dragoman
