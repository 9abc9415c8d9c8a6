// SPDX-License-Identifier: Apache-2.0
// The zip container of a file of torch: records by name, read where they lie.
//
// An archive has one top directory, whose name each record's has in front; here names are without
// it: "data.pkl", "code/__torch__/net.py", "data/0". Archives that torch.export wrote until 2.6
// have none. Stored records are windows on the mapped file at any alignment, deflated ones are
// inflated when they are read.
#ifndef DRAGOMAN_IMPORTERS_TORCH_CONTAINER_ARCHIVE_H_
#define DRAGOMAN_IMPORTERS_TORCH_CONTAINER_ARCHIVE_H_

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/tensor.h"
#include "core/support/result.h"

namespace dragoman::torch {

enum class ArchiveKind { kTorchScript, kExport };

class Archive {
 public:
  // Errors, with the file and a byte offset or record as their place: no zip file or a damaged one
  // (entries that overlap, lie outside of the file or of the top directory, occur twice, are
  // encrypted, have a name that climbs out of its folder); and files of torch of another kind, each
  // with its own message: plain torch.save, legacy torch.save, mobile flatbuffers, TorchScript or
  // torch.export, torch.package, big-endian data.
  static Result<Archive> Open(const std::string& path,
                              ArchiveKind kind = ArchiveKind::kTorchScript);
  // The same from memory, which the records share; `path` is for messages.
  static Result<Archive> FromBytes(Buffer file, const std::string& path,
                                   ArchiveKind kind = ArchiveKind::kTorchScript);

  Archive(Archive&&) noexcept;
  Archive& operator=(Archive&&) noexcept;
  ~Archive();

  const std::string& path() const;
  const std::string& top_directory() const;  // "archive"; may be empty
  // Operator-set version of a TorchScript file (1 to 10): the record `.data/version` or `version`.
  int version() const;
  std::size_t file_size() const;

  // All records but folders, sorted by name.
  std::vector<std::string_view> Names() const;
  // Those whose names start with `prefix`, sorted.
  std::vector<std::string_view> NamesUnder(std::string_view prefix) const;
  bool Has(std::string_view name) const;
  // The bytes of a record. Errors: there is none; damaged compressed data; another checksum; more
  // than the SizeBudget has, as what is inflated draws on it.
  Result<Buffer> Read(std::string_view name) const;

  // Bytes of a record that a message quotes at most.
  static constexpr std::size_t kMostQuoted = 80;

 private:
  struct State;
  explicit Archive(std::unique_ptr<State> state);
  Status ReadDirectory();
  Status CheckByteOrder() const;
  Status ReadVersion();
  Result<Buffer> ReadEntry(std::size_t index) const;

  std::unique_ptr<State> state_;
};

// Whether `file` begins as one of the files of torch that Archive::Open can distinguish. Zip
// archives of others are among them.
bool IsTorchFile(std::span<const std::byte> file);
// Whether `file` is an archive of torch.export (.pt2), which looks much like one of TorchScript.
bool IsExportArchive(std::span<const std::byte> file);

// "code/__torch__/a/b.py" files, sorted.
std::vector<std::string_view> CodeFiles(const Archive& archive);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_CONTAINER_ARCHIVE_H_
