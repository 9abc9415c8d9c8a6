// SPDX-License-Identifier: Apache-2.0
#include "core/ops/kernel_name.h"

#include <algorithm>

namespace dragoman {

std::string_view CppType(DType dtype) {
  switch (dtype) {
    case DType::kF32:
      return "float";
    case DType::kF64:
      return "double";
    case DType::kF16:
      return "rt::Half";
    case DType::kBF16:
      return "rt::BFloat16";
    case DType::kBool:
      return "bool";
    case DType::kI8:
      return "std::int8_t";
    case DType::kI16:
      return "std::int16_t";
    case DType::kI32:
      return "std::int32_t";
    case DType::kI64:
      return "std::int64_t";
    case DType::kU8:
      return "std::uint8_t";
    case DType::kU16:
      return "std::uint16_t";
    case DType::kU32:
      return "std::uint32_t";
    case DType::kU64:
      return "std::uint64_t";
    case DType::kC64:
      return "std::complex<float>";
    case DType::kC128:
      return "std::complex<double>";
    case DType::kString:
      return "std::string";
    case DType::kF8E4M3FN:
      return "rt::Float8E4M3FN";
    case DType::kF8E4M3FNUZ:
      return "rt::Float8E4M3FNUZ";
    case DType::kF8E5M2:
      return "rt::Float8E5M2";
    case DType::kF8E5M2FNUZ:
      return "rt::Float8E5M2FNUZ";
    case DType::kF8E8M0:
      return "rt::Float8E8M0";
    case DType::kF4E2M1:
      return "rt::Float4E2M1";
    case DType::kU4:
      return "rt::UInt4";
    case DType::kI4:
      return "rt::Int4";
    case DType::kU2:
      return "rt::UInt2";
    case DType::kI2:
      return "rt::Int2";
    case DType::kUnknown:
      return "";
  }
  return "";
}

std::size_t RuntimeBytes(DType dtype) {
  const int bits = Info(dtype).bits;
  return bits == 0 ? 0 : static_cast<std::size_t>(bits + 7) / 8;
}

std::string_view CppBitsType(DType dtype) {
  switch (RuntimeBytes(dtype)) {
    case 1:
      return "std::uint8_t";
    case 2:
      return "std::uint16_t";
    case 4:
      return "std::uint32_t";
    case 8:
      return "std::uint64_t";
    case 16:
      return "rt::Bytes16";
    default:
      return dtype == DType::kString ? "std::string" : "";
  }
}

void BindVariable(const Formal* formal, DType dtype, std::vector<DType>& bound) {
  if (formal == nullptr || formal->variable < 0) return;
  DType& slot = bound[static_cast<std::size_t>(formal->variable)];
  if (slot == DType::kUnknown) slot = dtype;
}

std::vector<DType> BindVariables(const Node& node, const OpDef& def) {
  std::vector<DType> bound(def.signature.variables.size(), DType::kUnknown);
  const auto bind = [&](const Formal* formal, const Value* value) {
    if (value != nullptr) BindVariable(formal, value->type().dtype(), bound);
  };
  for (std::size_t i = 0; i < node.num_operands(); ++i)
    bind(def.signature.Operand(i), node.operand(i));
  for (std::size_t i = 0; i < node.num_results(); ++i)
    bind(def.signature.ResultAt(i), node.result(i));
  return bound;
}

namespace {

// One word of KernelBinding::types: "T", "bits(T)", "T=f32" or "f32".
Result<std::string> TypeArgument(const OpDef& def, std::string_view word,
                                 std::span<const DType> variables) {
  const bool bits = word.starts_with("bits(");
  if (bits) word = word.substr(5, word.size() - 6);
  const std::size_t equals = std::min(word.find('='), word.size());
  const std::string_view name = word.substr(0, equals);
  const std::string_view fallback = equals < word.size() ? word.substr(equals + 1) : word;
  const int index = def.signature.FindVariable(name);
  DType dtype = index < 0 ? DType::kUnknown : variables[static_cast<std::size_t>(index)];
  if (dtype == DType::kUnknown) dtype = DTypeFromName(fallback).value_or(DType::kUnknown);
  const std::string_view type = bits ? CppBitsType(dtype) : CppType(dtype);
  if (type.empty())
    return Unsupported(def.Label() + ": element type " + std::string(name) + " is unknown");
  return std::string(type);
}

}  // namespace

Result<std::string> KernelInstance(const OpDef& def, std::span<const DType> variables) {
  if (def.kernel.header.empty()) return Unsupported("operator " + def.Label() + " has no kernel");
  std::string text(def.kernel.function.empty() ? std::string_view(def.name->type)
                                               : def.kernel.function);
  std::string arguments;
  std::string_view words = def.kernel.types;
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    DRAGOMAN_ASSIGN(std::string type, TypeArgument(def, words.substr(0, end), variables));
    arguments += (arguments.empty() ? "" : ", ") + type;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return arguments.empty() ? text : text + "<" + arguments + ">";
}

}  // namespace dragoman
