// SPDX-License-Identifier: Apache-2.0
#include "codegen/onednn/runtime_closure.h"

#include <map>
#include <string>
#include <string_view>

namespace dragoman::onednn {
namespace {

constexpr std::string_view kInclude = "#include \"";
// What may include oneDNN, and what a program may have in its place.
constexpr std::string_view kOneDnnUsers = "runtime/fast/";
constexpr std::string_view kOneDnnStandIns[] = {"runtime/plain/dnnl.h", "runtime/plain/dnnl.hpp"};
constexpr std::string_view kImageDecoders = "runtime/images/decode_image.h";
constexpr std::string_view kImageLibraries = "runtime/images/libraries.cmake";
// Says that users may ship what is copied.
constexpr std::string_view kLicence = "runtime/LICENSE";

std::vector<std::string_view> Includes(std::string_view text) {
  std::vector<std::string_view> paths;
  for (std::size_t at = text.find(kInclude); at != std::string_view::npos;
       at = text.find(kInclude, at + 1)) {
    if (at != 0 && text[at - 1] != '\n') continue;
    const std::size_t start = at + kInclude.size();
    paths.push_back(text.substr(start, text.find('"', start) - start));
  }
  return paths;
}

}  // namespace

std::vector<const RuntimeFile*> RuntimeClosure(std::span<const GeneratedFile> files) {
  std::map<std::string_view, const RuntimeFile*> known;
  for (const RuntimeFile& file : RuntimeFiles()) known[file.path] = &file;
  std::vector<std::string_view> texts;
  for (const GeneratedFile& file : files) texts.push_back(file.text);
  std::map<std::string_view, const RuntimeFile*> needed;
  auto add = [&](std::string_view path) {
    auto found = known.find(path);
    if (found != known.end() && needed.insert(*found).second) texts.push_back(found->second->text);
  };
  add(kLicence);
  while (!texts.empty()) {
    const std::string_view text = texts.back();
    texts.pop_back();
    for (std::string_view path : Includes(text)) {
      add(path);
      if (path.ends_with(".h")) add(std::string(path.substr(0, path.size() - 1)) + "cc");
      for (std::string_view stand_in : kOneDnnStandIns) {
        if (path.starts_with(kOneDnnUsers)) add(stand_in);
      }
      if (path == kImageDecoders) add(kImageLibraries);
    }
  }
  std::vector<const RuntimeFile*> closure;
  for (const auto& [path, file] : needed) closure.push_back(file);
  return closure;
}

}  // namespace dragoman::onednn
