// SPDX-License-Identifier: Apache-2.0
// .npz: a zip archive of .npy files.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/support/mapped_file.h"
#include "core/support/npy.h"
#include "core/support/size_budget.h"
#include "core/support/text.h"
#include "core/support/zip_file.h"

namespace dragoman {
namespace {

constexpr std::uint64_t kMaxRatio = 100;

using NamedArrays = std::vector<std::pair<std::string, NpyArray>>;

Status CheckUnpackedSize(const ZipFile& file, std::uint64_t limit) {
  for (const ZipEntry& entry : file.entries()) {
    if (entry.size > limit) {
      return InvalidInput(fmt::format(
          "archive entry {} makes the archive unpack to more than is allowed", Quote(entry.name)));
    }
    limit -= entry.size;
  }
  return {};
}

Result<NamedArrays> ReadArrays(ZipFile& file) {
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

Result<NamedArrays> ReadArchive(std::span<const std::byte> bytes, std::uint64_t limit) {
  DRAGOMAN_ASSIGN(ZipFile file, ZipFile::Open(bytes));
  DRAGOMAN_TRY(CheckUnpackedSize(file, limit));
  return ReadArrays(file);
}

Result<NamedArrays> InFile(const std::string& path, Result<NamedArrays> arrays) {
  if (!arrays.ok()) arrays.error().InFile(path);
  return arrays;
}

}  // namespace

Result<NamedArrays> ReadNpz(const std::string& path, std::uint64_t limit) {
  DRAGOMAN_ASSIGN(const auto file, MappedFile::Open(path));
  const std::span<const std::byte> bytes = file->bytes();
  SizeBudget checked(UINT64_MAX);
  const SizeBudgetScope scope(checked);
  return InFile(path, ReadArchive(bytes, std::max(limit, kMaxRatio * bytes.size())));
}

Result<NamedArrays> ReadNpzOfModel(const std::string& path) {
  DRAGOMAN_ASSIGN(const auto file, MappedFile::Open(path));
  return InFile(path, ReadArchive(file->bytes(), UINT64_MAX));
}

}  // namespace dragoman
