// SPDX-License-Identifier: Apache-2.0
#include "codegen/relax/release.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/support/find_by_key.h"

namespace dragoman::relax {
namespace {

constexpr std::pair<std::string_view, Release> kNames[] = {
    {"0.17", Release::k017}, {"0.18", Release::k017}, {"0.19", Release::k019},
    {"0.20", Release::k019}, {"0.21", Release::k021}, {"0.22", Release::k021},
    {"0.23", Release::k021}, {"0.24", Release::k021}, {"0.25", Release::k025},
    {"0.26", Release::k026}, {"0.27", Release::k026}, {"latest", Release::kLatest}};

using Arguments = std::vector<std::string>;

std::string Positional(const Arguments& arguments, std::size_t i, std::string_view keyword) {
  const std::string prefix = std::string(keyword) + "=";
  for (const std::string& argument : arguments) {
    if (argument.starts_with(prefix)) return argument.substr(prefix.size());
  }
  return i < arguments.size() ? arguments[i] : "";
}

std::string Call(std::string_view op, const Arguments& arguments) {
  return fmt::format("R.{}({})", op, fmt::join(arguments, ", "));
}

Arguments WithoutKeyword(Arguments arguments, std::string_view keyword) {
  const std::string prefix = std::string(keyword) + "=";
  std::erase_if(arguments, [&](const std::string& a) { return a.starts_with(prefix); });
  return arguments;
}

// The elements of a tuple that is written out.
Arguments ListElements(std::string_view tuple);

std::string SayFloorMod(const Arguments& a) {
  return fmt::format("R.subtract({0}, R.multiply(R.floor_divide({0}, {1}), {1}))", a[0], a[1]);
}

// NaN is equal to nothing, and only a finite number less itself is a number. As TVM compares, NaN
// is not unequal either.
std::string SayIsNan(const Arguments& a) {
  return fmt::format("R.logical_not(R.equal({0}, {0}))", a[0]);
}
std::string SayIsFinite(const Arguments& a) {
  return fmt::format("R.equal(R.subtract({0}, {0}), R.subtract({0}, {0}))", a[0]);
}
std::string SayIsInf(const Arguments& a) {
  return fmt::format(
      "R.logical_and(R.equal({0}, {0}), R.logical_not(R.equal(R.subtract({0}, {0}), "
      "R.subtract({0}, {0}))))",
      a[0]);
}

std::string SayTrunc(const Arguments& a) {
  return fmt::format("R.multiply(R.sign({0}), R.floor(R.abs({0})))", a[0]);
}

std::string SaySize(const Arguments& a) {
  return fmt::format("R.prod(R.shape_to_tensor(R.shape_of({})), axis=[0], keepdims=False)", a[0]);
}

std::string SayStack(const Arguments& a) {
  const std::string axis = Positional(a, 1, "axis");
  Arguments parts;
  for (const std::string& element : ListElements(a[0]))
    parts.push_back(fmt::format("R.expand_dims({}, axis=[{}])", element, axis));
  return fmt::format("R.concat(({},), axis={})", fmt::join(parts, ", "), axis);
}

// Whether the place of a column is that of the row, k further.
std::string SayEye(const Arguments& a) {
  const auto places = [&](const std::string& count, int axis) {
    return fmt::format("R.expand_dims(R.arange(0, {}, 1, dtype=\"int64\"), axis=[{}])", count,
                       axis);
  };
  return fmt::format("R.astype(R.equal(R.add({}, R.const({}, \"int64\")), {}), dtype={})",
                     places(a[0], 1), Positional(a, 2, "k"), places(Positional(a, 1, "m"), 0),
                     Positional(a, 3, "dtype"));
}

std::string SayTake(const Arguments& a) { return Call("take", WithoutKeyword(a, "mode")); }

// Releases before `since` have the call `say` gives instead; nullptr: none.
struct ReleaseRow {
  std::string_view op;
  Release since;
  std::string (*say)(const Arguments& arguments);
};

// Sorted by operator. By TVM's pull requests 17448, 17449, 17462, 17523 (0.19), 17819, 17924
// (0.21), 18061, 18667, 18936, 18948, 19492 (0.25), 19814 (0.26).
constexpr ReleaseRow kReleaseRows[] = {
    {"eye", Release::k019, SayEye},
    {"floor_mod", Release::k019, SayFloorMod},
    {"gather_elements", Release::k019, nullptr},
    {"gather_nd", Release::k019, nullptr},
    {"isfinite", Release::k025, SayIsFinite},
    {"isinf", Release::k025, SayIsInf},
    {"isnan", Release::k025, SayIsNan},
    {"left_shift", Release::k019, nullptr},
    {"mod", Release::k019, nullptr},
    {"nn.conv3d_transpose", Release::k025, nullptr},
    {"right_shift", Release::k019, nullptr},
    {"scatter_nd", Release::k019, nullptr},
    {"size", Release::k025, SaySize},
    {"stack", Release::k021, SayStack},
    {"take", Release::k025, SayTake},
    {"trunc", Release::k021, SayTrunc},
    {"vision.all_class_non_max_suppression", Release::k025, nullptr},
    {"vision.roi_align", Release::k025, nullptr},
    {"vision.roi_pool", Release::k025, nullptr},
};
static_assert(IsSortedBy(kReleaseRows, &ReleaseRow::op));

bool IsWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Whether `name` stands in `text` other than at the end of a longer word.
bool UsesName(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != std::string_view::npos;
       at = text.find(name, at + 1)) {
    if (at == 0 || (!IsWord(text[at - 1]) && text[at - 1] != '.')) return true;
  }
  return false;
}

// The first place from `at` on, outside of brackets and quotes, of a comma or of the bracket that
// closes what `at` is in.
std::size_t EndOfItem(std::string_view text, std::size_t at) {
  int depth = 0;
  bool quoted = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted && c == '\\') {
      ++at;
      continue;
    }
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') {
      if (depth-- == 0) return at;
    }
    if (c == ',' && depth == 0) return at;
  }
  return at;
}

// What stands between the bracket before `at`, which moves after the one that closes it.
Arguments Items(std::string_view text, std::size_t& at) {
  Arguments items;
  while (at < text.size()) {
    while (at < text.size() && text[at] == ' ') ++at;
    const std::size_t end = EndOfItem(text, at);
    if (end > at) items.emplace_back(text.substr(at, end - at));
    at = end + 1;
    if (end >= text.size() || text[end] != ',') break;
  }
  return items;
}

Arguments ListElements(std::string_view tuple) {
  std::size_t at = 1;
  return Items(tuple, at);
}

Result<std::string> Said(std::string_view op, Arguments arguments, Release release) {
  for (std::string& argument : arguments) {
    DRAGOMAN_ASSIGN(argument, InRelease(argument, release));
  }
  const ReleaseRow* row = FindByKey(kReleaseRows, op, &ReleaseRow::op);
  if (row == nullptr || release >= row->since) return Call(op, arguments);
  if (row->say == nullptr)
    return Unsupported(fmt::format("TVM {} has no R.{}", NameOf(release), op));
  return row->say(arguments);
}

}  // namespace

std::vector<std::string> ReleaseNames() {
  std::vector<std::string> names;
  for (const auto& [name, release] : kNames) names.emplace_back(name);
  return names;
}

std::optional<Release> ReleaseFromName(std::string_view name) {
  for (const auto& [known, release] : kNames) {
    if (known == name) return release;
  }
  return std::nullopt;
}

std::string_view NameOf(Release release) {
  for (const auto& [name, known] : kNames) {
    if (known == release) return name;
  }
  return "";
}

Result<std::string> InRelease(std::string_view expression, Release release) {
  if (release == Release::kLatest) return std::string(expression);
  if (release < Release::k021 && expression.find("float8_") != std::string_view::npos)
    return Unsupported(
        fmt::format("8-bit floats, which TVM {} has under other names", NameOf(release)));
  std::string said;
  bool quoted = false;
  for (std::size_t at = 0; at < expression.size();) {
    const char c = expression[at];
    if (c == '"' && (at == 0 || expression[at - 1] != '\\')) quoted = !quoted;
    const bool begins = !quoted && expression.substr(at, 2) == "R." &&
                        (at == 0 || (!IsWord(expression[at - 1]) && expression[at - 1] != '.'));
    if (!begins) {
      said += c;
      ++at;
      continue;
    }
    std::size_t end = at + 2;
    while (end < expression.size() && (IsWord(expression[end]) || expression[end] == '.')) ++end;
    const std::string_view op = expression.substr(at + 2, end - at - 2);
    if (end >= expression.size() || expression[end] != '(') {
      said += expression.substr(at, end - at);
      at = end;
      continue;
    }
    at = end + 1;
    DRAGOMAN_ASSIGN(const std::string call, Said(op, Items(expression, at), release));
    said += call;
  }
  return said;
}

std::string_view ReturnTypesKeyword(Release release) {
  return release >= Release::k026 ? "ty_args" : "sinfo_args";
}

std::string Imports(std::string_view text, Release release) {
  std::string lines = "from tvm.script import ir as I\n";
  if (UsesName(text, "T."))
    lines +=
        fmt::format("from tvm.script import {} as T\n", release >= Release::k025 ? "tirx" : "tir");
  return lines + "from tvm.script import relax as R\n";
}

}  // namespace dragoman::relax
