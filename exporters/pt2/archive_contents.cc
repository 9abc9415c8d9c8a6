// SPDX-License-Identifier: Apache-2.0
#include "exporters/pt2/archive_contents.h"

#include <utility>

#include "core/support/output_file.h"
#include "core/support/zip_writer.h"

namespace dragoman::pt2 {

void ArchiveContents::Add(std::string name, std::span<const std::byte> bytes) {
  records_.insert_or_assign(std::move(name), bytes);
}

void ArchiveContents::Own(std::string name, std::string bytes) {
  owned_.push_back(std::make_unique<std::string>(std::move(bytes)));
  Add(std::move(name), std::as_bytes(std::span(*owned_.back())));
}

std::span<const std::byte> ArchiveContents::Find(const std::string& name) const {
  const auto found = records_.find(name);
  return found != records_.end() ? found->second : std::span<const std::byte>();
}

Status ArchiveContents::Write(const std::string& top, const std::string& path) const {
  DRAGOMAN_ASSIGN(OutputFile file, OutputFile::Create(path));
  ZipWriter zip(file);
  for (const auto& [name, bytes] : records_)
    DRAGOMAN_TRY(zip.Add(top.empty() ? name : top + "/" + name, bytes));
  DRAGOMAN_TRY(zip.Finish());
  return file.Commit();
}

}  // namespace dragoman::pt2
