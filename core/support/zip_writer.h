// SPDX-License-Identifier: Apache-2.0
// Zip archives written straight to a file, or into memory: stored entries, each aligned.
#ifndef DRAGOMAN_CORE_SUPPORT_ZIP_WRITER_H_
#define DRAGOMAN_CORE_SUPPORT_ZIP_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/output_file.h"
#include "core/support/result.h"

namespace dragoman {

// The checksum of zip entries: CRC-32 of ISO 3309.
std::uint32_t Crc32(std::span<const std::byte> bytes);

// The bytes of every entry begin at a multiple of kAlignment, so that a reader may map them; sizes
// and offsets of 4 GiB and more are written as Zip64. Entries have no date.
class ZipWriter {
 public:
  static constexpr std::uint64_t kAlignment = 64;

  // The target must outlive the object, and nothing else may append to it.
  explicit ZipWriter(OutputFile& file);
  explicit ZipWriter(std::string& archive);

  // Errors: those of the file; a name of 64 KiB or more.
  Status Add(std::string_view name, std::span<const std::byte> bytes);
  // Writes the directory. Last call; the file is not committed.
  Status Finish();

 private:
  struct Entry {
    std::string name;
    std::uint32_t checksum = 0;
    std::uint64_t size = 0;
    std::uint64_t offset = 0;  // of the local header
  };
  // What the local header and the directory both hold, one after the other.
  static std::string SharedFields(const Entry& entry, std::uint16_t version,
                                  std::size_t extra_bytes);

  Status Append(std::span<const std::byte> bytes);
  Status Append(std::string_view text) { return Append(std::as_bytes(std::span(text))); }

  std::function<Status(std::span<const std::byte>)> target_;
  std::uint64_t size_ = 0;  // bytes appended
  std::vector<Entry> entries_;
};

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_SUPPORT_ZIP_WRITER_H_
