// SPDX-License-Identifier: Apache-2.0
#include "codegen/onednn/versioned_runtime.h"

#include <algorithm>

#include "codegen/onednn/runtime_files.h"

namespace dragoman {
namespace {

// The namespaces of runtime/, with that of its stand-in for oneDNN.
constexpr std::string_view kRuntime = "namespace dragoman::rt";
constexpr std::string_view kPlainOneDnn = "namespace dnnl";

std::string Version() {
  std::string version = "v" + std::string(RuntimeVersion());
  std::ranges::replace(version, '.', '_');
  return version;
}

// What a line that opens or closes `outer`, or a namespace in it, becomes.
std::string Versioned(std::string_view line, std::string_view outer) {
  constexpr std::string_view kClose = "}  // ", kOpen = " {";
  const bool closes = line.starts_with(kClose);
  std::string_view inner = line.substr(closes ? kClose.size() : 0);
  if (!inner.starts_with(outer) || (!closes && !inner.ends_with(kOpen))) return std::string(line);
  inner.remove_prefix(outer.size());
  if (!closes) inner.remove_suffix(kOpen.size());
  const bool nested = inner.starts_with("::");
  if (!nested && !inner.empty()) return std::string(line);
  if (closes) return (nested ? "}}" : "}") + std::string(line);
  std::string opened = std::string(outer) + " { inline namespace " + Version() + " {";
  if (nested) opened += " namespace " + std::string(inner.substr(2)) + " {";
  return opened;
}

}  // namespace

std::string WithVersion(std::string_view text) {
  std::string versioned;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    versioned += Versioned(line, line.find(kPlainOneDnn) < line.size() ? kPlainOneDnn : kRuntime);
    if (end < text.size()) versioned += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return versioned;
}

}  // namespace dragoman
