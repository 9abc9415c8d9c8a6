// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/program/expect.h"

#include <cstdio>
#include <limits>

#include "runtime/program/closeness.h"

namespace dragoman::rt {
namespace {

std::string TypeText(const AnyTensor& tensor) {
  std::string sizes;
  for (std::int64_t size : tensor.shape)
    sizes += (sizes.empty() ? "" : ", ") + std::to_string(size);
  return std::string(tensor.type->name) + "[" + sizes + "]";
}

std::string Describe(const ElementDifferences& differences, std::int64_t count) {
  char text[160];
  int length = 0;
  if (differences.outside > 0) {
    length =
        std::snprintf(text, sizeof text, "%lld of %lld elements differ, ",
                      static_cast<long long>(differences.outside), static_cast<long long>(count));
  }
  std::snprintf(text + length, sizeof text - static_cast<std::size_t>(length),
                "largest difference %.3g at element %lld", differences.largest,
                static_cast<long long>(differences.worst));
  return text;
}

}  // namespace

Verdict Compare(const AnyTensor& found, const AnyTensor& expected, double rms) {
  if (found.type != expected.type || !(found.shape == expected.shape)) {
    return {false, std::numeric_limits<double>::infinity(),
            TypeText(found) + ", expected " + TypeText(expected)};
  }
  const ElementType& type = *found.type;
  const void *a = found.elements(), *b = expected.elements();
  const ElementDifferences differences =
      FindDifferences(type, a, b, found.size(), UsualCloseness(type));
  const bool by_rms = rms > 0 && HasRms(type);
  const bool equal =
      by_rms ? RelativeRms(type, a, b, found.size()) <= rms : differences.outside == 0;
  return {equal, differences.largest, Describe(differences, found.size())};
}

}  // namespace dragoman::rt
