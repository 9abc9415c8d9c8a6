// SPDX-License-Identifier: Apache-2.0
#include "core/compare/equal.h"

#include <cmath>

#include "core/compare/hash_consing.h"
#include "core/compare/structural_walk.h"

namespace dragoman {

std::vector<std::string> Difference::Lines() const {
  std::vector<std::string> lines = {reason};
  lines.push_back("  in the first:  " + place_a + (expected.empty() ? "" : ": " + expected));
  lines.push_back("  in the second: " + place_b + (found.empty() ? "" : ": " + found));
  for (std::size_t i = 0; i < path.size(); ++i) {
    lines.push_back((i == 0 ? "  path: " : "        ") + path[i]);
  }
  return lines;
}

Result<std::optional<Difference>> CompareModels(const Model& a, const Model& b,
                                                const CompareOptions& options) {
  const bool by_classes = options.commute || options.modulo_sharing;
  if (options.rtol && !(std::isfinite(*options.rtol) && *options.rtol >= 0)) {
    return InvalidInput("rtol must be a number of 0 or more");
  }
  if (!by_classes) return compare::StructuralWalk(a, b, options).Run();
  if (options.rtol) {
    return InvalidInput("rtol does not go together with commute or modulo_sharing");
  }
  return compare::CompareByClasses(a, b, options);
}

}  // namespace dragoman
