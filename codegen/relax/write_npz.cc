// SPDX-License-Identifier: Apache-2.0
#include "codegen/relax/write_npz.h"

#include <zip.h>

#include <memory>

#include "core/support/npy.h"
#include "core/support/output_file.h"

namespace dragoman {
namespace {

// The letter of NumPy's element type; 'u' for raw bits.
char LetterOf(DType dtype) {
  const DTypeInfo& info = Info(dtype);
  if (dtype == DType::kBool) return 'b';
  if (info.is_integer) return info.is_signed ? 'i' : 'u';
  return dtype == DType::kF16 || dtype == DType::kF32 || dtype == DType::kF64 ? 'f' : 'u';
}

Result<std::string> NpyBytes(const Tensor& tensor) {
  NpyArray npy;
  npy.kind = LetterOf(tensor.dtype());
  npy.item_bytes = Info(tensor.dtype()).bits / 8;
  npy.shape = tensor.sizes();
  npy.bytes.assign(tensor.bytes().begin(), tensor.bytes().end());
  return SerializeNpy(npy);
}

struct Discard {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
struct FreeSource {
  void operator()(zip_source_t* source) const { zip_source_free(source); }
};

Error ZipError(const std::string& path, const char* what) {
  return Internal(std::string("zip: ") + what).InFile(path);
}

Status AddEntry(zip_t* archive, const std::string& path, const std::string& name,
                const std::string& bytes) {
  zip_source_t* source = zip_source_buffer(archive, bytes.data(), bytes.size(), 0);
  if (source == nullptr) return ZipError(path, "out of memory");
  const zip_int64_t index = zip_file_add(archive, name.c_str(), source, ZIP_FL_ENC_UTF_8);
  if (index < 0) {
    zip_source_free(source);
    return ZipError(path, zip_strerror(archive));
  }
  zip_set_file_compression(archive, static_cast<zip_uint64_t>(index), ZIP_CM_STORE, 0);
  // 1980-01-01, the first date that the format can express.
  zip_file_set_dostime(archive, static_cast<zip_uint64_t>(index), 0, 0x21, 0);
  return {};
}

// An archive of nothing, which libzip does not write: the end of a central directory alone.
std::string EmptyArchive() { return "PK\x05\x06" + std::string(18, '\0'); }

}  // namespace

Status WriteNpz(const std::string& path,
                const std::vector<std::pair<std::string, Tensor>>& arrays) {
  if (arrays.empty()) return WriteFile(path, EmptyArchive());
  zip_error_t error;
  zip_error_init(&error);
  std::unique_ptr<zip_source_t, FreeSource> memory(zip_source_buffer_create(nullptr, 0, 0, &error));
  if (memory == nullptr) return ZipError(path, "out of memory");
  std::unique_ptr<zip_t, Discard> archive(zip_open_from_source(memory.get(), ZIP_TRUNCATE, &error));
  if (archive == nullptr) return ZipError(path, zip_error_strerror(&error));
  zip_source_keep(memory.get());
  std::vector<std::string> contents;  // which the archive reads when it is closed
  contents.reserve(arrays.size());
  for (const auto& [name, tensor] : arrays) {
    DRAGOMAN_ASSIGN(std::string bytes, NpyBytes(tensor));
    contents.push_back(std::move(bytes));
    const bool raw = LetterOf(tensor.dtype()) == 'u' && !IsInteger(tensor.dtype());
    const std::string key = raw ? name + ":" + std::string(NumpyName(tensor.dtype())) : name;
    DRAGOMAN_TRY(AddEntry(archive.get(), path, key + ".npy", contents.back()));
  }
  if (zip_close(archive.get()) != 0) return ZipError(path, zip_strerror(archive.get()));
  static_cast<void>(archive.release());
  zip_stat_t stat;
  if (zip_source_stat(memory.get(), &stat) != 0 || zip_source_open(memory.get()) != 0) {
    return ZipError(path, "the archive cannot be read back");
  }
  std::string whole(stat.size, '\0');
  const zip_int64_t size = zip_source_read(memory.get(), whole.data(), whole.size());
  zip_source_close(memory.get());
  if (size < 0 || static_cast<std::size_t>(size) != whole.size())
    return ZipError(path, "short read");
  return WriteFile(path, whole);
}

}  // namespace dragoman
