// SPDX-License-Identifier: Apache-2.0
#include "exporters/torch/module_path.h"

#include <algorithm>
#include <iterator>

#include "core/support/python_keywords.h"
#include "exporters/pt2/weights.h"

namespace dragoman::pytorch {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// A number, or an identifier: not a keyword, not private to Python, not an attribute of all
// modules.
std::string Cleaned(std::string_view part) {
  if (IsNumber(part)) return std::string(part);
  std::string clean;
  for (char c : part) clean += IsLetter(c) || IsDigit(c) || c == '_' ? c : '_';
  if (clean.starts_with("__")) clean.erase(0, clean.find_first_not_of('_'));
  if (clean.empty() || IsDigit(clean.front())) clean.insert(0, "m_");
  if (IsPythonKeyword(clean) || pt2::IsAttributeOfModules(clean)) clean += '_';
  return clean;
}

}  // namespace

bool IsNumber(std::string_view part) {
  constexpr std::size_t kMostDigits = 6;
  if (part.empty() || part.size() > kMostDigits) return false;
  if (part.size() > 1 && part.front() == '0') return false;
  return std::ranges::all_of(part, IsDigit);
}

ModulePath PathOf(std::string_view dotted) {
  ModulePath path;
  while (!dotted.empty()) {
    const std::size_t end = std::min(dotted.find('.'), dotted.size());
    if (end > 0) path.push_back(Cleaned(dotted.substr(0, end)));
    dotted.remove_prefix(std::min(end + 1, dotted.size()));
  }
  return path;
}

ModulePath ScopeOf(std::string_view stack) {
  if (const std::size_t last = stack.rfind(';'); last != std::string_view::npos)
    stack.remove_prefix(last + 1);
  const std::size_t begin = stack.find(',');
  const std::size_t end = stack.rfind(',');
  if (begin == std::string_view::npos || end <= begin) return {};
  return PathOf(stack.substr(begin + 1, end - begin - 1));
}

std::string Dotted(const ModulePath& path) {
  std::string text;
  for (const std::string& part : path) text += (text.empty() ? "" : ".") + part;
  return text;
}

bool IsAbove(const ModulePath& prefix, const ModulePath& path) {
  return prefix.size() <= path.size() && std::equal(prefix.begin(), prefix.end(), path.begin());
}

std::string ClassNameOf(std::string_view part) {
  std::string name;
  bool begins = true;
  for (char c : part) {
    if (!IsLetter(c) && !IsDigit(c)) {
      begins = true;
      continue;
    }
    const bool is_lower = c >= 'a' && c <= 'z';
    name += begins && is_lower ? static_cast<char>(c - 'a' + 'A') : c;
    begins = false;
  }
  constexpr std::size_t kLongest = 40;
  name.resize(std::min(name.size(), kLongest));
  return name.empty() || IsDigit(name.front()) ? "Module" + name : name;
}

std::string Singular(std::string_view part) {
  while (!part.empty() && (IsDigit(part.back()) || part.back() == '_')) part.remove_suffix(1);
  if (part.size() > 3 && part.ends_with('s') && !part.ends_with("ss")) part.remove_suffix(1);
  return std::string(part);
}

}  // namespace dragoman::pytorch
