// SPDX-License-Identifier: Apache-2.0
// Zip archives made in memory, for tests of readers.
#ifndef DRAGOMAN_TESTS_SUPPORT_ZIP_WRITER_H_
#define DRAGOMAN_TESTS_SUPPORT_ZIP_WRITER_H_

#include <zip.h>

#include <string>
#include <utility>
#include <vector>

namespace dragoman {

struct ZipRecord {
  std::string name;
  std::string bytes;
  bool deflate = false;
};

// The bytes of an archive of `records`, in order; libzip itself refuses to write a name twice.
inline std::string MakeZip(const std::vector<ZipRecord>& records) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* target = zip_source_buffer_create(nullptr, 0, 0, &error);
  zip_source_keep(target);
  zip_t* archive = zip_open_from_source(target, ZIP_CREATE | ZIP_TRUNCATE, &error);
  for (const ZipRecord& record : records) {
    zip_source_t* source = zip_source_buffer(archive, record.bytes.data(), record.bytes.size(), 0);
    const zip_int64_t index = zip_file_add(archive, record.name.c_str(), source, ZIP_FL_ENC_UTF_8);
    zip_set_file_compression(archive, static_cast<zip_uint64_t>(index),
                             record.deflate ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0);
  }
  std::string bytes;
  if (zip_close(archive) == 0 && zip_source_open(target) == 0) {
    zip_stat_t stat;
    zip_source_stat(target, &stat);
    bytes.resize(stat.size);
    zip_source_read(target, bytes.data(), bytes.size());
    zip_source_close(target);
  }
  zip_source_free(target);
  zip_error_fini(&error);
  return bytes;
}

}  // namespace dragoman

#endif  // DRAGOMAN_TESTS_SUPPORT_ZIP_WRITER_H_
