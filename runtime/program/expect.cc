#include "runtime/program/expect.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

#include "runtime/kernels/element.h"

namespace dragoman::rt {
namespace {

// How a floating type is read: its parts (2 of complex types), one of them, the tolerance.
struct Reader {
  const char* type;
  int part_bytes;
  double (*read)(const std::byte* bytes);
  double tolerance;
};

template <class T>
double Read(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return static_cast<double>(value);
}

constexpr Reader kReaders[] = {
    {"float32", 4, &Read<float>, 1e-4},  {"complex64", 4, &Read<float>, 1e-4},
    {"float64", 8, &Read<double>, 1e-7}, {"complex128", 8, &Read<double>, 1e-7},
    {"float16", 2, &Read<Half>, 1e-2},   {"bfloat16", 2, &Read<BFloat16>, 1e-2},
};

const Reader* FindReader(const ElementType& type) {
  for (const Reader& reader : kReaders) {
    if (std::strcmp(reader.type, type.name) == 0) return &reader;
  }
  return nullptr;
}

double Distance(double a, double b) {
  if (std::isnan(a) && std::isnan(b)) return 0;
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::infinity();
  return a == b ? 0 : std::fabs(a - b);
}

Verdict CompareFloats(const AnyTensor& found, const AnyTensor& expected, const Reader& reader,
                      double rms) {
  const std::int64_t parts = found.type->bytes / reader.part_bytes;
  Verdict verdict{true, 0, ""};
  std::int64_t worst = 0;
  double differences = 0, squares = 0;
  for (std::int64_t i = 0; i < found.size() * parts; ++i) {
    const double a = reader.read(found.bytes.data() + i * reader.part_bytes);
    const double b = reader.read(expected.bytes.data() + i * reader.part_bytes);
    const double distance = Distance(a, b);
    const double allowed = reader.tolerance + reader.tolerance * std::fabs(b);
    if (distance != 0 && !(distance <= allowed)) verdict.equal = false;
    differences += distance * distance;
    squares += std::isfinite(b) ? b * b : 0;
    if (distance > verdict.largest) {
      verdict.largest = distance;
      worst = i / parts;
    }
  }
  if (rms > 0) verdict.equal = std::sqrt(differences) <= rms * std::sqrt(squares);
  char text[80];
  std::snprintf(text, sizeof text, "largest difference %.3g at element %lld", verdict.largest,
                static_cast<long long>(worst));
  verdict.message = text;
  return verdict;
}

Verdict CompareBits(const AnyTensor& found, const AnyTensor& expected) {
  for (std::int64_t i = 0; i < found.size(); ++i) {
    const auto at = static_cast<std::size_t>(i * found.type->bytes);
    const auto bytes = static_cast<std::size_t>(found.type->bytes);
    const bool equal = bytes == 0 ? found.strings[static_cast<std::size_t>(i)] ==
                                        expected.strings[static_cast<std::size_t>(i)]
                                  : std::memcmp(&found.bytes[at], &expected.bytes[at], bytes) == 0;
    if (equal) continue;
    return {false, std::numeric_limits<double>::infinity(),
            "element " + std::to_string(i) + " differs"};
  }
  return {true, 0, "equal"};
}

std::string TypeText(const AnyTensor& tensor) {
  std::string sizes;
  for (std::int64_t size : tensor.shape)
    sizes += (sizes.empty() ? "" : ", ") + std::to_string(size);
  return std::string(tensor.type->name) + "[" + sizes + "]";
}

}  // namespace

Verdict Compare(const AnyTensor& found, const AnyTensor& expected, double rms) {
  if (found.type != expected.type || !(found.shape == expected.shape)) {
    return {false, std::numeric_limits<double>::infinity(),
            TypeText(found) + ", expected " + TypeText(expected)};
  }
  const Reader* reader = FindReader(*found.type);
  return reader != nullptr ? CompareFloats(found, expected, *reader, rms)
                           : CompareBits(found, expected);
}

}  // namespace dragoman::rt
