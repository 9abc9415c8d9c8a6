// SPDX-License-Identifier: Apache-2.0
#include "codegen/onednn/program_name.h"

#include <algorithm>

#include "codegen/onednn/c_names.h"
#include "core/support/find_by_key.h"
#include "core/support/text.h"

namespace dragoman {
namespace {

using onednn::kCNames;

static_assert(IsSortedBy(kCNames));

// Namespaces that every program has or includes, and targets of CMake's own. Sorted.
constexpr std::string_view kTaken[] = {"DIR",
                                       "FILE",
                                       "all",
                                       "clean",
                                       "depend",
                                       "dnnl",
                                       "dragoman",
                                       "edit_cache",
                                       "help",
                                       "install",
                                       "list_install_components",
                                       "package",
                                       "package_source",
                                       "preinstall",
                                       "rebuild_cache",
                                       "rt",
                                       "test"};
static_assert(IsSortedBy(kTaken));

// C has functions of double for other types and without locks, under longer names.
constexpr std::string_view kEnds[] = {"_l",   "_r",  "_unlocked", "64", "f32",
                                      "f32x", "f64", "f64x",      "f",  "l"};

bool IsOfC(std::string_view name) {
  if (name.starts_with("pthread_") || name.starts_with("posix_")) return true;
  if (FindByKey(kCNames, name) != nullptr) return true;
  return std::ranges::any_of(kEnds, [&](std::string_view end) {
    return name.ends_with(end) &&
           FindByKey(kCNames, name.substr(0, name.size() - end.size())) != nullptr;
  });
}

}  // namespace

std::string ProgramName(std::string_view name) {
  std::string result = Identifier(name);
  if (IsOfC(result) || FindByKey(kTaken, result) != nullptr) result += '_';
  return result;
}

Status CheckProgramName(std::string_view name) {
  const std::string possible = ProgramName(name);
  if (possible == name) return {};
  return InvalidInput("a program cannot be called " + Quote(name) + "; " + Quote(possible) +
                      " is possible");
}

}  // namespace dragoman
