// SPDX-License-Identifier: Apache-2.0
#include "driver/formats.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "core/support/mapped_file.h"
#include "core/support/nearest_name.h"
#include "core/support/text.h"
#include "driver/foreign_files.h"
#include "driver/formats/rows.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;

bool IsSet(const WriteOption& option, const WriteOptions& options) {
  return std::visit([&](auto value) { return static_cast<bool>(options.*value); }, option.value);
}

// The format's own option for the same value; nullptr: it has none.
const WriteOption* OwnOption(const Format& format, const WriteOption& option) {
  const auto own = std::ranges::find(format.options, option.value, &WriteOption::value);
  return own != format.options.end() ? &*own : nullptr;
}

// Errors: the value is none that the option takes.
Status CheckValue(const WriteOption& option, const WriteOptions& options) {
  const std::string what = std::string(option.name) + ": ";
  if (const auto* text = std::get_if<std::optional<std::string> WriteOptions::*>(&option.value)) {
    const std::string& word = *(options.**text);
    if (option.one_of.empty() || std::ranges::count(option.one_of, word) > 0) return {};
    return InvalidInput(what + "there is no " + Quote(word) +
                        WhatThereIs(word, "it takes", option.one_of));
  }
  if (const auto* number =
          std::get_if<std::optional<std::int64_t> WriteOptions::*>(&option.value)) {
    const std::int64_t n = *(options.**number);
    if (option.range && (n < option.range->first || n > option.range->second))
      return InvalidInput(fmt::format("{}{} is not between {} and {}", what, n, option.range->first,
                                      option.range->second));
  }
  return {};
}

const Format* BySuffix(Formats formats, const std::string& path) {
  const fs::path whole(path);
  const std::string file =  // of a folder without its slash
      (whole.has_filename() ? whole : whole.parent_path()).filename().string();
  for (const Format& format : formats) {
    for (std::string_view suffix : format.suffixes) {
      if (file.size() > suffix.size() && file.ends_with(suffix)) return &format;
    }
  }
  return nullptr;
}

const Format* ByContent(Formats formats, const Candidate& candidate) {
  const Format* likely = nullptr;
  for (const Format& format : formats) {
    if (format.detect == nullptr) continue;
    const Likeness likeness = format.detect(candidate);
    if (likeness == Likeness::kCertain) return &format;
    if (likeness == Likeness::kLikely && likely == nullptr) likely = &format;
  }
  return likely;
}

}  // namespace

std::string_view Candidate::Head() const {
  constexpr std::size_t kEnough = 4096;
  return {reinterpret_cast<const char*>(bytes.data()), std::min(bytes.size(), kEnough)};
}

bool Candidate::Holds(std::string_view name) const {
  std::error_code ignored;
  return is_folder && fs::exists(fs::path(path) / name, ignored);
}

Status CheckWriteOptions(const Format& format, const WriteOptions& options) {
  for (const Format& owner : BuiltInFormats()) {
    for (const WriteOption& option : owner.options) {
      if (!IsSet(option, options)) continue;
      const WriteOption* const own = OwnOption(format, option);
      if (own == nullptr)
        return InvalidInput(fmt::format("{} is for files of format {}, not {}", option.name,
                                        owner.name, format.name));
      DRAGOMAN_TRY(CheckValue(*own, options));
    }
  }
  return {};
}

bool NeedsCommonGraph(const Format& format, const WriteOptions& options) {
  return std::ranges::any_of(format.options, [&](const WriteOption& option) {
    return option.lowers && IsSet(option, options);
  });
}

const std::vector<Format>& BuiltInFormats() {
  static const std::vector<Format> formats = {
      OnnxFormat(),         TorchScriptFormat(), ExportArchiveFormat(),
      TorchPackageFormat(), TensorFlowFormat(),  RelayFormat(),
      RelaxFormat(),        NativeFormat(),      TextFormat(),
      JsonFormat(),         DotFormat()};
  return formats;
}

Result<const Format*> FormatByName(Formats formats, std::string_view name) {
  std::vector<std::string> names;
  for (const Format& format : formats) {
    if (name == format.name) return &format;
    names.emplace_back(format.name);
  }
  return InvalidInput("there is no format '" + std::string(name) + "'" +
                      WhatThereIs(name, "formats are", names));
}

Result<const Format*> FormatOfOutput(Formats formats, const std::string& path) {
  if (const Format* format = BySuffix(formats, path)) return format;
  const std::string suffix = fs::path(path).extension().string();
  if (suffix.empty()) {
    return InvalidInput(
               "has no suffix that determines the format, such as .onnx; convert and edit "
               "take --to, too")
        .InFile(path);
  }
  std::vector<std::string> suffixes;
  for (const Format& format : formats) {
    if (format.write != nullptr)
      suffixes.insert(suffixes.end(), format.suffixes.begin(), format.suffixes.end());
  }
  return InvalidInput("no format that can be written has the suffix '" + suffix + "'" +
                      WhatThereIs(suffix, "suffixes are", suffixes) +
                      "; --to of convert and edit names a format for any other")
      .InFile(path);
}

Result<const Format*> FormatOfInput(Formats formats, const std::string& path) {
  Candidate candidate = {.path = path};
  std::error_code ignored;
  candidate.is_folder = fs::is_directory(path, ignored);
  std::shared_ptr<const MappedFile> file;
  if (!candidate.is_folder) {
    DRAGOMAN_ASSIGN(file, MappedFile::Open(path));
    candidate.bytes = file->bytes();
    if (candidate.bytes.empty())
      return InvalidInput("is empty; expected a model").At("byte 0").InFile(path);
  }
  const Format* const format = ByContent(formats, candidate);
  if (std::optional<Error> foreign = RecognizeForeignContent(candidate))
    return std::move(*foreign).InFile(path);
  if (format != nullptr) return format;
  if (std::optional<Error> foreign = RecognizeForeignName(candidate))
    return std::move(*foreign).InFile(path);
  if (candidate.is_folder)
    return InvalidInput("is a folder, and no SavedModel; expected a model file").InFile(path);
  if (const Format* by_suffix = BySuffix(formats, path)) return by_suffix;
  return InvalidInput(
             "neither content nor suffix determine the format, which `dragoman convert` takes by "
             "--from")
      .InFile(path);
}

std::uint64_t BytesAt(const std::string& path) {
  std::error_code error;
  if (const std::uintmax_t bytes = fs::file_size(path, error); !error) return bytes;
  std::uint64_t bytes = 0;
  for (fs::recursive_directory_iterator it(path, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code ignored;
    if (it->is_regular_file(ignored)) bytes += it->file_size(ignored);
  }
  return bytes;
}

std::uint64_t BytesWithData(const Format* format, const std::string& path) {
  std::uint64_t bytes = BytesAt(path);
  if (bytes == 0 || format == nullptr || format->data_files == nullptr) return bytes;
  for (const std::string& file : format->data_files(path)) bytes += BytesAt(file);
  return bytes;
}

const Format* FormatOfModel(Formats formats, const Model& source) {
  if (source.level != Level::kSource) return nullptr;
  for (const Format& format : formats) {
    if (!format.dialect.empty() && format.dialect == source.dialect) return &format;
  }
  return nullptr;
}

}  // namespace dragoman
