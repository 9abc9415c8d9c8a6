// SPDX-License-Identifier: Apache-2.0
#include "importers/tvm/nd_array.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <set>
#include <utility>

#include "core/support/mapped_file.h"
#include "core/support/text.h"

namespace dragoman::tvm {
namespace {

constexpr std::uint64_t kArrayMagic = 0xDD5E40F096B4A13F;
constexpr std::uint64_t kParamsMagic = 0xF7E58D4F05049CB7;
constexpr std::int32_t kMaxRank = 64;

// Little-endian numbers, one after the other.
class Cursor {
 public:
  Cursor(std::span<const std::byte> bytes, std::size_t& at) : bytes_(bytes), at_(at) {}

  Error Fail(std::string message) const {
    return InvalidInput(std::move(message)).At("byte " + std::to_string(at_));
  }

  template <class T>
  Result<T> Number(std::string_view what) {
    if (bytes_.size() - at_ < sizeof(T)) return Fail("it ends before " + std::string(what));
    T value = 0;
    for (std::size_t i = sizeof(T); i-- > 0;)
      value = static_cast<T>((static_cast<std::uint64_t>(value) << (i + 1 < sizeof(T) ? 8 : 0)) |
                             static_cast<std::uint8_t>(bytes_[at_ + i]));
    at_ += sizeof(T);
    return value;
  }

  Result<std::span<const std::byte>> Take(std::uint64_t count, std::string_view what) {
    if (bytes_.size() - at_ < count) return Fail("it ends within " + std::string(what));
    const auto taken = bytes_.subspan(at_, static_cast<std::size_t>(count));
    at_ += static_cast<std::size_t>(count);
    return taken;
  }

 private:
  std::span<const std::byte> bytes_;
  std::size_t& at_;
};

std::optional<DType> DTypeOfCode(int code, int bits) {
  static constexpr std::string_view kNames[] = {"int", "uint", "float"};
  if (code == 1 && bits == 1) return DType::kBool;
  if (code == 4 && bits == 16) return DType::kBF16;
  if (code < 0 || code > 2 || bits < 8) return std::nullopt;
  return DTypeFromName(std::string(kNames[code]) + std::to_string(bits));
}

}  // namespace

std::optional<DType> DTypeOfText(std::string_view text) {
  if (!text.starts_with("int") && !text.starts_with("uint") && !text.starts_with("float") &&
      text != "bool" && text != "bfloat16")
    return std::nullopt;
  if (text == "uint1") return DType::kBool;
  return DTypeFromName(text);
}

Result<Tensor> ReadNdArray(std::span<const std::byte> bytes, std::size_t& at,
                           const std::shared_ptr<const void>& owner) {
  Cursor cursor(bytes, at);
  DRAGOMAN_ASSIGN(const std::uint64_t magic, cursor.Number<std::uint64_t>("an array"));
  if (magic != kArrayMagic) return cursor.Fail("an array is expected here");
  DRAGOMAN_TRY(cursor.Take(8, "the head of an array"));
  DRAGOMAN_TRY(cursor.Take(8, "the device of an array"));
  DRAGOMAN_ASSIGN(const std::int32_t rank, cursor.Number<std::int32_t>("the rank of an array"));
  DRAGOMAN_ASSIGN(const std::uint8_t code, cursor.Number<std::uint8_t>("an element type"));
  DRAGOMAN_ASSIGN(const std::uint8_t bits, cursor.Number<std::uint8_t>("an element type"));
  DRAGOMAN_ASSIGN(const std::uint16_t lanes, cursor.Number<std::uint16_t>("an element type"));
  if (rank < 0 || rank > kMaxRank) return cursor.Fail("an array of rank " + std::to_string(rank));
  const std::optional<DType> dtype = lanes == 1 ? DTypeOfCode(code, bits) : std::nullopt;
  if (!dtype)
    return Unsupported("elements of type code " + std::to_string(code) + " with " +
                       std::to_string(bits) + " bits and " + std::to_string(lanes) +
                       " lanes are not supported");
  std::vector<std::int64_t> sizes;
  for (std::int32_t i = 0; i < rank; ++i) {
    DRAGOMAN_ASSIGN(const std::int64_t size, cursor.Number<std::int64_t>("the sizes of an array"));
    sizes.push_back(size);
  }
  DRAGOMAN_ASSIGN(const std::uint64_t count,
                  cursor.Number<std::uint64_t>("the length of an array"));
  DRAGOMAN_ASSIGN(const auto elements, cursor.Take(count, "the elements of an array"));
  Result<Tensor> tensor = Tensor::Make(*dtype, std::move(sizes), Buffer::Window(elements, owner));
  if (!tensor.ok()) return cursor.Fail(tensor.error().findings().front().message);
  if (*dtype == DType::kBool) {
    for (std::byte element : elements) {
      if (element > std::byte{1}) return cursor.Fail("a truth value that is neither 0 nor 1");
    }
  }
  return tensor;
}

bool IsParams(std::span<const std::byte> bytes) {
  std::size_t at = 0;
  const Result<std::uint64_t> magic = Cursor(bytes, at).Number<std::uint64_t>("");
  return magic.ok() && *magic == kParamsMagic;
}

Result<std::vector<std::pair<std::string, Tensor>>> ReadParams(const std::string& path) {
  DRAGOMAN_ASSIGN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  const std::span<const std::byte> bytes = file->bytes();
  const auto read = [&]() -> Result<std::vector<std::pair<std::string, Tensor>>> {
    std::size_t at = 0;
    Cursor cursor(bytes, at);
    DRAGOMAN_ASSIGN(const std::uint64_t magic, cursor.Number<std::uint64_t>("its magic number"));
    if (std::uint64_t swapped = 0; magic != kParamsMagic) {
      for (int i = 0; i < 8; ++i) swapped = (swapped << 8) | ((magic >> (8 * i)) & 0xff);
      if (swapped == kParamsMagic)
        return Unsupported("it was written by a big-endian machine, which is not supported");
      return InvalidInput("it is not a file of parameters of TVM");
    }
    DRAGOMAN_TRY(cursor.Take(8, "its head"));
    DRAGOMAN_ASSIGN(const std::uint64_t count, cursor.Number<std::uint64_t>("the count of names"));
    std::vector<std::pair<std::string, Tensor>> params;
    std::set<std::string, std::less<>> names;
    for (std::uint64_t i = 0; i < count; ++i) {
      DRAGOMAN_ASSIGN(const std::uint64_t length, cursor.Number<std::uint64_t>("a name"));
      DRAGOMAN_ASSIGN(const auto name, cursor.Take(length, "a name"));
      params.emplace_back(std::string(reinterpret_cast<const char*>(name.data()), name.size()),
                          Tensor());
      if (!names.insert(params.back().first).second)
        return cursor.Fail("two arrays are called " + Quote(params.back().first));
    }
    DRAGOMAN_ASSIGN(const std::uint64_t arrays, cursor.Number<std::uint64_t>("the arrays"));
    if (arrays != count) return cursor.Fail("there are not as many arrays as names");
    for (auto& [name, tensor] : params) {
      DRAGOMAN_ASSIGN(tensor, ReadNdArray(bytes, at, file));
    }
    if (at != bytes.size()) return cursor.Fail("bytes after the last array");
    return params;
  };
  auto params = read();
  if (!params.ok()) return std::move(params.error().InFile(path));
  return params;
}

}  // namespace dragoman::tvm
