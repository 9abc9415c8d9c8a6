// SPDX-License-Identifier: Apache-2.0
#include "codegen/onednn/emit/emit_used.h"

#include <algorithm>
#include <cstdint>
#include <set>

#include "codegen/onednn/emit/text.h"

namespace dragoman::onednn {
namespace {

// What the file says where everything is used.
constexpr std::string_view kAnyActivation = "FusedActivation /*activation*/) { return true; }";
constexpr std::string_view kAnyRows = "kUsedTileRows = 8;";

// The body of IsUsed.
std::string ActivationsText(const Plan& plan) {
  std::set<rt::FusedActivation> used;
  for (const Prepared& prepared : plan.prepared) used.insert(prepared.post.activation);
  std::string text;
  for (const rt::FusedActivation activation : used) {
    if (activation == rt::FusedActivation::kNone) continue;
    text += (text.empty() ? "" : " || ") + std::string("activation == FusedActivation::") +
            rt::Name(activation);
  }
  if (text.empty()) return "FusedActivation /*activation*/) { return false; }";
  return "FusedActivation activation) {\n  return " + Filled(text, " || ", " ||\n         ") +
         ";\n}";
}

// By name: whether a header's operators compute by tiles, though no member says of how many rows.
bool HasOtherTiles(std::string_view header) {
  constexpr std::string_view kFast = "runtime/fast/";
  constexpr std::string_view kWithout[] = {
      "blocked_sizes.h", "log_softmax_rows.h", "map.h",         "normalize_rows.h", "on_vectors.h",
      "own_linear.h",    "softmax_columns.h",  "softmax_rows.h"};
  if (!header.starts_with(kFast)) return false;
  header.remove_prefix(kFast.size());
  return std::ranges::find(kWithout, header) == std::end(kWithout);
}

std::string RowsText(const Plan& plan) {
  if (plan.precision != rt::Precision::kF32 || std::ranges::any_of(plan.headers, HasOtherTiles))
    return std::string(kAnyRows);
  std::int64_t rows = 1;
  for (const Prepared& prepared : plan.prepared) rows = std::max(rows, prepared.rows);
  return "kUsedTileRows = " + std::to_string(rows) + ";";
}

}  // namespace

std::string EmitUsed(const Plan& plan, std::string_view text) {
  return Filled(Filled(std::string(text), kAnyActivation, ActivationsText(plan)), kAnyRows,
                RowsText(plan));
}

}  // namespace dragoman::onednn
