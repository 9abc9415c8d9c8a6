// SPDX-License-Identifier: Apache-2.0
#include "codegen/onednn/emit/emit_weights.h"

#include <string>

#include "core/ops/kernel_name.h"
#include "core/support/hash.h"
#include "runtime/program/weights.h"

namespace dragoman::onednn {
namespace {

void AppendWord(std::string& text, std::uint64_t word) {
  text.append(reinterpret_cast<const char*>(&word), sizeof word);
}

// One element a byte, integers with their sign.
std::string Unpacked(const Tensor& tensor) {
  const DTypeInfo& info = Info(tensor.dtype());
  const int per_byte = 8 / info.bits;
  std::string bytes(static_cast<std::size_t>(tensor.size()), '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto packed =
        static_cast<unsigned>(tensor.bytes()[i / static_cast<std::size_t>(per_byte)]);
    const unsigned shift = static_cast<unsigned>(i) % static_cast<unsigned>(per_byte) *
                           static_cast<unsigned>(info.bits);
    unsigned bits = packed >> shift & ((1u << info.bits) - 1);
    const bool negative = info.is_integer && info.is_signed && (bits >> (info.bits - 1)) != 0;
    if (negative) bits |= 0xffu << info.bits;
    bytes[i] = static_cast<char>(bits);
  }
  return bytes;
}

std::string StringBytes(const Tensor& tensor) {
  std::string bytes;
  AppendWord(bytes, static_cast<std::uint64_t>(tensor.size()));
  for (const std::string& text : tensor.strings()) AppendWord(bytes, text.size());
  for (const std::string& text : tensor.strings()) bytes += text;
  return bytes;
}

}  // namespace

std::uint64_t WeightsIdentity(const Plan& plan) {
  std::uint64_t identity = 0;
  for (const WeightTensor& weight : plan.weights) {
    identity = HashCombine(identity, weight.tensor.Hash());
    identity = HashCombine(identity, static_cast<std::uint64_t>(weight.offset));
  }
  return identity;
}

Status WriteWeights(const Plan& plan, OutputFile& file) {
  std::string header(rt::Weights::kMagic, 16);
  AppendWord(header, rt::Weights::kVersion);
  AppendWord(header, WeightsIdentity(plan));
  AppendWord(header, static_cast<std::uint64_t>(plan.weights_bytes));
  DRAGOMAN_TRY(file.Append(header));
  auto fill_up = [&](std::int64_t offset) {
    return file.Append(std::string(static_cast<std::size_t>(offset) - file.size(), '\0'));
  };
  for (const WeightTensor& weight : plan.weights) {
    DRAGOMAN_TRY(fill_up(weight.offset));
    const Tensor& tensor = weight.tensor;
    if (tensor.dtype() == DType::kString) {
      DRAGOMAN_TRY(file.Append(StringBytes(tensor)));
    } else if (Info(tensor.dtype()).bits < 8) {
      DRAGOMAN_TRY(file.Append(Unpacked(tensor)));
    } else {
      DRAGOMAN_TRY(file.Append(tensor.bytes()));
    }
  }
  return fill_up(plan.weights_bytes);
}

}  // namespace dragoman::onednn
