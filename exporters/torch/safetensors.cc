// SPDX-License-Identifier: Apache-2.0
#include "exporters/torch/safetensors.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

namespace dragoman::pytorch {
namespace {

struct TypeName {
  DType dtype;
  std::string_view name;
};
// safetensors/src/tensor.rs.
constexpr TypeName kTypes[] = {
    {DType::kBool, "BOOL"},
    {DType::kU8, "U8"},
    {DType::kI8, "I8"},
    {DType::kF8E5M2, "F8_E5M2"},
    {DType::kF8E4M3FN, "F8_E4M3"},
    {DType::kF8E8M0, "F8_E8M0"},
    {DType::kI16, "I16"},
    {DType::kU16, "U16"},
    {DType::kF16, "F16"},
    {DType::kBF16, "BF16"},
    {DType::kI32, "I32"},
    {DType::kU32, "U32"},
    {DType::kF32, "F32"},
    {DType::kC64, "C64"},
    {DType::kF64, "F64"},
    {DType::kI64, "I64"},
    {DType::kU64, "U64"},
};

}  // namespace

Status WriteSafetensors(const NamedTensors& tensors,
                        const std::map<std::string, std::string>& metadata, OutputFile file) {
  nlohmann::json header = nlohmann::json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  std::uint64_t end = 0;
  for (const auto& [name, tensor] : tensors) {
    const auto* type = std::ranges::find(kTypes, tensor.dtype(), &TypeName::dtype);
    if (type == std::end(kTypes)) {
      return Unsupported("safetensors has no element type " + std::string(Name(tensor.dtype())))
          .At("weight '" + name + "'");
    }
    const std::uint64_t begin = end;
    end += tensor.bytes().size();
    header[name] = {
        {"dtype", type->name}, {"shape", tensor.sizes()}, {"data_offsets", {begin, end}}};
  }
  std::string text = header.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  constexpr std::size_t kAlignment = 8;
  text.append((kAlignment - text.size() % kAlignment) % kAlignment, ' ');
  std::string size;
  for (int byte = 0; byte < 8; ++byte)
    size += static_cast<char>((static_cast<std::uint64_t>(text.size()) >> (8 * byte)) & 0xFF);
  DRAGOMAN_TRY(file.Append(size + text));
  for (const auto& [name, tensor] : tensors) DRAGOMAN_TRY(file.Append(tensor.bytes()));
  return file.Commit();
}

}  // namespace dragoman::pytorch
