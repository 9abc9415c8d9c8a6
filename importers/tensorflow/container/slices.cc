// SPDX-License-Identifier: Apache-2.0
#include "importers/tensorflow/container/slices.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "core/support/bytes.h"
#include "core/support/count_elements.h"

namespace dragoman::tf_reader {
namespace {

// An encoding of numbers whose order as text is the order of the numbers.
void AppendOrdered(std::uint64_t number, std::string* key) {
  const int length = (64 - std::countl_zero(number) + 7) / 8;
  key->push_back(static_cast<char>(length));
  for (int i = length - 1; i >= 0; --i) key->push_back(static_cast<char>(number >> (8 * i)));
}

// As many leading ones as there are bytes, then the sign-extended number; all inverted in front if
// it is negative.
void AppendOrderedSigned(std::int64_t number, std::string* key) {
  const auto bits = static_cast<std::uint64_t>(number < 0 ? ~number : number);
  const int used = 64 - std::countl_zero(bits);
  const int length = std::max(1, (used + 7) / 7);
  std::array<unsigned char, 10> buffer{};
  buffer.fill(number < 0 ? 0xff : 0);
  for (int i = 0; i < 8; ++i) {
    buffer[static_cast<std::size_t>(2 + i)] =
        static_cast<unsigned char>(static_cast<std::uint64_t>(number) >> (8 * (7 - i)));
  }
  unsigned char* begin = buffer.data() + buffer.size() - length;
  // `length` ones followed by a zero, which the sign may invert.
  const unsigned ones = 0xffffU << (16 - std::min(length, 10)) & 0xffffU;
  begin[0] ^= static_cast<unsigned char>(ones >> 8);
  if (length > 1) begin[1] ^= static_cast<unsigned char>(ones);
  key->append(reinterpret_cast<const char*>(begin), static_cast<std::size_t>(length));
}

void AppendOrdered(std::string_view text, std::string* key) {
  for (const char c : text) {
    key->push_back(c);
    if (c == '\0') key->push_back('\xff');
    if (c == '\xff') key->push_back('\0');
  }
  key->append(std::string_view("\0\1", 2));
}

// Calls `copy` with offsets, in elements, of each row of the part in the whole and in the part.
template <class Copy>
void ForEachRow(const std::vector<std::int64_t>& sizes, const Slice& slice, Copy copy) {
  const std::size_t rank = sizes.size();
  const std::int64_t row = rank == 0 ? 1 : slice.sizes.back();
  const std::int64_t count = *CountElements(slice.sizes);
  std::vector<std::int64_t> at(rank, 0);
  for (std::int64_t done = 0; done < count; done += row) {
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < rank; ++i) offset = offset * sizes[i] + slice.starts[i] + at[i];
    copy(static_cast<std::size_t>(offset), static_cast<std::size_t>(done),
         static_cast<std::size_t>(row));
    for (std::size_t i = rank < 2 ? 0 : rank - 1; i-- > 0;) {
      if (++at[i] < slice.sizes[i]) break;
      at[i] = 0;
    }
  }
}

// Whether no element of the whole, of `count`, is in two parts.
bool AreApart(const std::vector<std::int64_t>& sizes, const std::vector<Part>& parts,
              std::int64_t count) {
  std::vector<bool> covered(static_cast<std::size_t>(count), false);
  bool apart = true;
  for (const Part& part : parts) {
    ForEachRow(sizes, part.slice, [&](std::size_t to, std::size_t, std::size_t size) {
      for (std::size_t i = to; i < to + size; ++i) {
        apart = apart && !covered[i];
        covered[i] = true;
      }
    });
  }
  return apart;
}

}  // namespace

std::optional<Slice> SliceOf(const tf_pb::TensorSliceProto& message,
                             const std::vector<std::int64_t>& sizes) {
  if (static_cast<std::size_t>(message.extent_size()) != sizes.size()) return std::nullopt;
  Slice slice;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto& extent = message.extent(static_cast<int>(i));
    const bool whole =
        extent.has_length_case() == tf_pb::TensorSliceProto::Extent::HAS_LENGTH_NOT_SET;
    const std::int64_t start = extent.start();
    const std::int64_t length = whole ? sizes[i] : extent.length();
    if (start < 0 || length < 0 || start > sizes[i] || length > sizes[i] - start) {
      return std::nullopt;
    }
    slice.starts.push_back(start);
    slice.sizes.push_back(length);
  }
  return slice;
}

std::string SliceKey(std::string_view name, const tf_pb::TensorSliceProto& message) {
  std::string key;
  AppendOrdered(std::uint64_t{0}, &key);
  AppendOrdered(name, &key);
  AppendOrdered(static_cast<std::uint64_t>(message.extent_size()), &key);
  for (const auto& extent : message.extent()) {
    const bool whole =
        extent.has_length_case() == tf_pb::TensorSliceProto::Extent::HAS_LENGTH_NOT_SET;
    AppendOrderedSigned(extent.start(), &key);
    AppendOrderedSigned(whole ? -1 : extent.length(), &key);
  }
  return key;
}

Result<Tensor> JoinParts(DType dtype, const std::vector<std::int64_t>& sizes,
                         const std::vector<Part>& parts) {
  const std::optional<std::int64_t> count = CountElements(sizes);
  std::int64_t found = 0;
  for (const Part& part : parts) {
    if (part.elements.dtype() != dtype) return InvalidInput("parts have other element types");
    found += part.elements.size();
  }
  if (!count || found != *count) {
    return InvalidInput("its parts have " + std::to_string(found) +
                        " elements together, expected " +
                        (count ? std::to_string(*count) : "a number"));
  }
  if (!AreApart(sizes, parts, *count)) return InvalidInput("its parts overlap");
  if (parts.size() == 1) return parts.front().elements.Reshaped(sizes);
  if (dtype == DType::kString) {
    std::vector<std::string> strings(static_cast<std::size_t>(*count));
    for (const Part& part : parts) {
      ForEachRow(sizes, part.slice, [&](std::size_t to, std::size_t from, std::size_t size) {
        const auto row = part.elements.strings().subspan(from, size);
        std::copy(row.begin(), row.end(), strings.begin() + static_cast<std::ptrdiff_t>(to));
      });
    }
    return Tensor::MakeStrings(sizes, std::move(strings));
  }
  const std::size_t item = static_cast<std::size_t>(Info(dtype).bits) / 8;
  std::string bytes(static_cast<std::size_t>(*count) * item, '\0');
  for (const Part& part : parts) {
    const std::string_view elements = AsText(part.elements.bytes());
    ForEachRow(sizes, part.slice, [&](std::size_t to, std::size_t from, std::size_t size) {
      std::memcpy(bytes.data() + to * item, elements.data() + from * item, size * item);
    });
  }
  return Tensor::Make(dtype, sizes, Buffer::Own(std::move(bytes)));
}

}  // namespace dragoman::tf_reader
