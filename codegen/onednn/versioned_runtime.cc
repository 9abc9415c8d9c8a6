// SPDX-License-Identifier: Apache-2.0
#include "codegen/onednn/versioned_runtime.h"

#include <algorithm>

namespace dragoman {
namespace {

// The namespaces of runtime/, with that of its stand-in for oneDNN.
constexpr std::string_view kRuntime = "namespace dragoman::rt";
constexpr std::string_view kPlainOneDnn = "namespace dnnl";
// Where headers are a program's own even if they have no source.
constexpr std::string_view kOwnFolder = "runtime/fast/";

// Whether a file, or the source of the same name, has functions that are not inline.
bool IsCompiled(std::string_view path) {
  if (path.starts_with(kOwnFolder) || path.ends_with(".cc")) return true;
  const std::string source = std::string(path.substr(0, path.rfind('.'))) + ".cc";
  return std::ranges::any_of(RuntimeFiles(),
                             [&](const RuntimeFile& file) { return file.path == source; });
}

std::string Version() {
  std::string version = "v" + std::string(RuntimeVersion());
  std::ranges::replace(version, '.', '_');
  return version;
}

// What a line that opens or closes `outer`, or a namespace in it, becomes. `program` is the inline
// namespace in that; empty: there is none.
std::string Versioned(std::string_view line, std::string_view outer, const std::string& program) {
  constexpr std::string_view kClose = "}  // ", kOpen = " {";
  const bool closes = line.starts_with(kClose);
  std::string_view inner = line.substr(closes ? kClose.size() : 0);
  if (!inner.starts_with(outer) || (!closes && !inner.ends_with(kOpen))) return std::string(line);
  inner.remove_prefix(outer.size());
  if (!closes) inner.remove_suffix(kOpen.size());
  const bool nested = inner.starts_with("::");
  if (!nested && !inner.empty()) return std::string(line);
  if (closes)
    return std::string(1 + (nested ? 1 : 0) + (program.empty() ? 0 : 1), '}') + std::string(line);
  std::string opened = std::string(outer) + " { inline namespace " + Version() + " {";
  if (nested) opened += " namespace " + std::string(inner.substr(2)) + " {";
  if (!program.empty()) opened += " inline namespace " + program + " {";
  return opened;
}

}  // namespace

std::string InProgram(const RuntimeFile& file, std::string_view program) {
  const std::string own = IsCompiled(file.path) ? "of_" + std::string(program) : "";
  std::string_view text = file.text;
  std::string versioned;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    versioned +=
        Versioned(line, line.find(kPlainOneDnn) < line.size() ? kPlainOneDnn : kRuntime, own);
    if (end < text.size()) versioned += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return versioned;
}

}  // namespace dragoman
