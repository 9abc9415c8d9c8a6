// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/export_archive/prims.h"

#include <algorithm>
#include <iterator>

namespace dragoman::torch {
namespace {

// Elementwise operators of the same name and arguments.
constexpr std::string_view kUnary[] = {
    "abs",   "acos",  "acosh", "asin",       "asinh",  "atan",  "atanh",        "bitwise_not",
    "ceil",  "cos",   "cosh",  "digamma",    "erf",    "erfc",  "exp",          "exp2",
    "expm1", "floor", "imag",  "isfinite",   "lgamma", "log",   "log10",        "log1p",
    "log2",  "neg",   "real",  "reciprocal", "round",  "rsqrt", "sign",         "signbit",
    "sin",   "sinh",  "sqrt",  "tan",        "tanh",   "trunc", "conj_physical"};
constexpr std::string_view kBinary[] = {"add",  "bitwise_and", "bitwise_or", "bitwise_xor", "eq",
                                        "fmod", "ge",          "gt",         "le",          "lt",
                                        "mul",  "ne",          "remainder",  "sub"};
// Those without an overload for tensors, as all arguments are.
constexpr std::string_view kPlainBinary[] = {"atan2",   "fmax",     "fmin",    "gcd",
                                             "hypot",   "maximum",  "minimum", "igamma",
                                             "igammac", "nextafter"};

// One of another name or other arguments.
struct Row {
  std::string_view name;
  TorchOp op;
  RenamedArgument renamed[5];  // those that are empty are none
};

constexpr Row kRows[] = {
    {"amax", {"aten", "amax", ""}, {{"inp", "self"}, {"dims", "dim"}}},
    {"amin", {"aten", "amin", ""}, {{"inp", "self"}, {"dims", "dim"}}},
    {"bessel_i0", {"aten", "special_i0", ""}, {}},
    {"bessel_i0e", {"aten", "special_i0e", ""}, {}},
    {"bessel_i1", {"aten", "special_i1", ""}, {}},
    {"bessel_i1e", {"aten", "special_i1e", ""}, {}},
    {"cat", {"aten", "cat", ""}, {}},
    {"clone", {"aten", "clone", ""}, {}},
    {"copy_strided", {"aten", "clone", ""}, {{"a", "self"}, {"stride", ""}}},
    {"convert_element_type", {"aten", "_to_copy", ""}, {{"a", "self"}}},
    {"device_put", {"aten", "alias", ""}, {{"a", "self"}}},
    {"erf_inv", {"aten", "erfinv", ""}, {}},
    {"erfcx", {"aten", "special_erfcx", ""}, {}},
    {"fill", {"aten", "fill", "Scalar"}, {}},
    {"full", {"aten", "full", ""}, {{"shape", "size"}}},
    {"full_like", {"aten", "full_like", ""}, {{"a", "self"}}},
    {"pow", {"aten", "pow", "Tensor_Tensor"}, {{"other", "exponent"}}},
    {"reshape", {"aten", "reshape", ""}, {{"a", "self"}}},
    {"rev", {"aten", "flip", ""}, {{"a", "self"}}},
    {"scalar_tensor", {"aten", "scalar_tensor", ""}, {}},
    {"shift_left", {"aten", "bitwise_left_shift", "Tensor"}, {}},
    {"shift_right_arithmetic", {"aten", "bitwise_right_shift", "Tensor"}, {}},
    {"slice_in_dim",
     {"aten", "slice", "Tensor"},
     {{"a", "self"},
      {"start_index", "start"},
      {"limit_index", "end"},
      {"stride", "step"},
      {"axis", "dim"}}},
    {"squeeze", {"aten", "squeeze", "dims"}, {{"a", "self"}, {"dimensions", "dim"}}},
    {"sum",
     {"aten", "sum", "dim_IntList"},
     {{"inp", "self"}, {"dims", "dim"}, {"output_dtype", "dtype"}}},
    {"transpose", {"aten", "permute", ""}, {{"a", "self"}, {"permutation", "dims"}}},
    {"var", {"aten", "var", "correction"}, {{"inp", "self"}, {"dims", "dim"}}},
    {"view_of", {"aten", "alias", ""}, {{"a", "self"}}},
    {"where", {"aten", "where", "self"}, {{"pred", "condition"}, {"a", "self"}, {"b", "other"}}},
    {"zeta", {"aten", "special_zeta", ""}, {}},
};

const std::string_view* FindName(std::span<const std::string_view> names, std::string_view name) {
  const auto found = std::ranges::find(names, name);
  return found != names.end() ? &*found : nullptr;
}

}  // namespace

std::optional<Primitive> FindPrimitive(std::string_view name) {
  const std::string_view* found = FindName(kUnary, name);
  if (found == nullptr) found = FindName(kPlainBinary, name);
  if (found != nullptr) return Primitive{{"aten", *found, ""}, {}};
  found = FindName(kBinary, name);
  if (found != nullptr) return Primitive{{"aten", *found, "Tensor"}, {}};
  const auto* row = std::ranges::find(kRows, name, &Row::name);
  return row != std::end(kRows) ? std::optional(Primitive{row->op, row->renamed}) : std::nullopt;
}

}  // namespace dragoman::torch
