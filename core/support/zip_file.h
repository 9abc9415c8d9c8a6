// SPDX-License-Identifier: Apache-2.0
// Zip archives in memory, read by libzip: entries, where they lie, and their bytes.
#ifndef DRAGOMAN_CORE_SUPPORT_ZIP_FILE_H_
#define DRAGOMAN_CORE_SUPPORT_ZIP_FILE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/support/result.h"

namespace dragoman {

struct ZipEntry {
  std::string name;  // as written, unique in the archive
  std::uint64_t size = 0;
  std::uint64_t packed_size = 0;
  std::uint64_t offset = 0;  // of its first packed byte in the file; 0 if there is none
  bool is_stored = false;    // else deflated
};

class ZipFile {
 public:
  // Reads the directory. `bytes` must outlive the object. Errors: no zip archive; local headers
  // that contradict the directory; more than 2^20 entries; two of one name; encryption; other
  // methods than stored and deflated; entries whose bytes overlap. An error concerns "entry "name""
  // or the whole file.
  static Result<ZipFile> Open(std::span<const std::byte> bytes);

  ZipFile(ZipFile&&) noexcept;
  ZipFile& operator=(ZipFile&&) noexcept;
  ~ZipFile();

  // In the order of the directory.
  const std::vector<ZipEntry>& entries() const { return entries_; }

  // A copy of the bytes of entry `index`. Errors: damaged data, another size or checksum than the
  // directory says, more than the SizeBudget has, as what is inflated draws on it.
  Result<std::string> Read(std::size_t index);
  // The bytes of a stored entry where they lie. Errors: another checksum.
  Result<std::span<const std::byte>> View(std::size_t index);

 private:
  struct State;
  explicit ZipFile(std::unique_ptr<State> state);
  Status ReadDirectory();
  Result<ZipEntry> ReadEntry(std::uint64_t index);
  Result<std::uint64_t> FindData(std::uint64_t index, const ZipEntry& entry);
  Status CheckOverlaps() const;

  std::unique_ptr<State> state_;
  std::vector<ZipEntry> entries_;
};

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_SUPPORT_ZIP_FILE_H_
