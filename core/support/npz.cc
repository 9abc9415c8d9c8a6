// SPDX-License-Identifier: Apache-2.0
// .npz: a zip archive of .npy files.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/support/mapped_file.h"
#include "core/support/npy.h"
#include "core/support/text.h"
#include "core/support/zip_file.h"

namespace dragoman {
namespace {

constexpr std::uint64_t kMaxRatio = 100;

using NamedArrays = std::vector<std::pair<std::string, NpyArray>>;

Result<NamedArrays> ReadArchive(std::span<const std::byte> bytes, std::uint64_t limit) {
  DRAGOMAN_ASSIGN(ZipFile file, ZipFile::Open(bytes, std::max(limit, kMaxRatio * bytes.size())));
  NamedArrays arrays;
  for (std::size_t i = 0; i < file.entries().size(); ++i) {
    const std::string_view name = file.entries()[i].name;
    if (!name.ends_with(".npy")) {
      return InvalidInput(fmt::format("archive entry {} is no .npy file", Quote(name)));
    }
    std::string stem(name.substr(0, name.size() - 4));
    DRAGOMAN_ASSIGN(const std::string content, file.Read(i));
    Result<NpyArray> array = ParseNpy(std::as_bytes(std::span(content)));
    if (!array.ok()) return std::move(array.error().At("entry " + Quote(name)));
    arrays.emplace_back(std::move(stem), std::move(*array));
  }
  return arrays;
}

}  // namespace

Result<NamedArrays> ReadNpz(const std::string& path, std::uint64_t limit) {
  DRAGOMAN_ASSIGN(const auto file, MappedFile::Open(path));
  auto arrays = ReadArchive(file->bytes(), limit);
  if (!arrays.ok()) arrays.error().InFile(path);
  return arrays;
}

}  // namespace dragoman
