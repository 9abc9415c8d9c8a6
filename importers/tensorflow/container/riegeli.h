// SPDX-License-Identifier: Apache-2.0
// Files of Riegeli's records (github.com/google/riegeli, doc/riegeli_records_file_format.md), which
// hold the SavedModels that TensorFlow 2.14 and newer write in chunks.
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_CONTAINER_RIEGELI_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_CONTAINER_RIEGELI_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/support/result.h"

namespace dragoman::tf_reader {

// Reads single records of a file, which must outlive it.
class RiegeliFile {
 public:
  // Finds the chunks. Errors: damaged headers.
  static Result<RiegeliFile> Open(std::span<const std::byte> file);

  // The record at a position, which is that of the chunk plus the record's number in it. Errors:
  // there is none; damaged contents; unsupported: Zstd, transposed records, Brotli where Dragoman
  // was built without it; more than the SizeBudget has, as what is unpacked draws on it, and what
  // is unpacked again.
  Result<std::string> Record(std::uint64_t position);
  // The last record of the file.
  Result<std::string> LastRecord();

 private:
  struct Chunk {
    std::uint64_t begin = 0;
    std::uint64_t data = 0;  // where its data begin
    std::uint64_t size = 0;  // of the data, without the headers of blocks between them
    std::uint64_t records = 0;
    std::uint64_t decoded = 0;  // bytes of all records
    char type = 0;
    bool is_known = false;  // it has been unpacked before
  };

  Status AddChunk(std::uint64_t* position);
  Status Decode(std::size_t chunk);

  std::span<const std::byte> file_;
  std::vector<Chunk> chunks_;         // those with records
  std::optional<std::size_t> open_;   // the chunk whose records are at hand
  std::vector<std::string> records_;  // of it
};

}  // namespace dragoman::tf_reader

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_CONTAINER_RIEGELI_H_
