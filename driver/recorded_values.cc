// SPDX-License-Identifier: Apache-2.0
#include "driver/recorded_values.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "core/support/npy.h"
#include "core/support/text.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;

// Files that end in .npy below `folder`, sorted. A folder that cannot be read has none.
std::vector<fs::path> ArrayFiles(const std::string& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    if (it->path().extension() == ".npy") files.push_back(it->path());
  }
  std::ranges::sort(files);
  return files;
}

std::string Plain(const std::string& name) {
  const std::string file = FileName(name);
  return file.substr(std::min(file.find_first_not_of('_'), file.size()));
}

}  // namespace

bool HoldsRecordedValues(const std::string& folder) { return !ArrayFiles(folder).empty(); }

Result<std::vector<NamedArray>> ReadRecordedValues(const std::string& folder) {
  std::vector<NamedArray> arrays;
  for (const fs::path& file : ArrayFiles(folder)) {
    NamedArray& named = arrays.emplace_back();
    named.name = file.lexically_relative(folder).replace_extension().generic_string();
    Result<NpyArray> array = ReadNpy(file.string());
    if (!array.ok()) return std::move(array).error();
    named.array = *std::move(array);
  }
  return arrays;
}

bool IsRecordOf(const std::string& recorded, const std::string& name) {
  const std::string file = FileName(recorded);
  return file == FileName(name) || (!name.starts_with('_') && file == Plain(name));
}

}  // namespace dragoman
