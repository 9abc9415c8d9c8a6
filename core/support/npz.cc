// .npz: a zip archive of .npy files.
#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string_view>

#include "core/support/mapped_file.h"
#include "core/support/npy.h"
#include "core/support/text.h"

namespace dragoman {
namespace {

constexpr zip_int64_t kMaxEntries = 1 << 16;
constexpr std::uint64_t kMaxRatio = 100;

struct CloseArchive {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
struct CloseEntry {
  void operator()(zip_file_t* entry) const { zip_fclose(entry); }
};
using Archive = std::unique_ptr<zip_t, CloseArchive>;
using Entry = std::unique_ptr<zip_file_t, CloseEntry>;

Error EntryError(std::string_view name, std::string_view what) {
  return InvalidInput(fmt::format("archive entry {} {}", Quote(name), what));
}

Result<Archive> OpenArchive(std::span<const std::byte> bytes) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
  zip_t* archive =
      source ? zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, &error) : nullptr;
  const std::string reason = zip_error_strerror(&error);
  zip_error_fini(&error);
  if (archive) return Archive(archive);
  if (source) zip_source_free(source);
  return InvalidInput("not a zip archive: " + reason);
}

// `left` is how many bytes may still be unpacked.
Result<std::vector<std::byte>> ReadEntry(zip_t* archive, const zip_stat_t& stat,
                                         std::uint64_t& left) {
  const std::string_view name = stat.name;
  if (stat.comp_method != ZIP_CM_STORE && stat.comp_method != ZIP_CM_DEFLATE) {
    return EntryError(name, "is neither stored nor deflated");
  }
  if (stat.encryption_method != ZIP_EM_NONE) return EntryError(name, "is encrypted");
  if (stat.size > left) return EntryError(name, "makes the archive unpack to more than is allowed");
  left -= stat.size;
  const Entry entry(zip_fopen_index(archive, stat.index, 0));
  if (!entry) return EntryError(name, "cannot be read: " + std::string(zip_strerror(archive)));
  std::vector<std::byte> bytes(stat.size);
  std::size_t done = 0;
  while (true) {
    std::byte beyond;
    const bool full = done == bytes.size();
    const zip_int64_t n = full ? zip_fread(entry.get(), &beyond, 1)
                               : zip_fread(entry.get(), bytes.data() + done, bytes.size() - done);
    if (n < 0)
      return EntryError(name, "is damaged: " + std::string(zip_file_strerror(entry.get())));
    if ((n == 0) != full) return EntryError(name, "has not the size that the archive tells");
    if (full) return bytes;
    done += static_cast<std::size_t>(n);
  }
}

Result<std::vector<std::pair<std::string, NpyArray>>> ReadArchive(std::span<const std::byte> file,
                                                                  std::uint64_t limit) {
  DRAGOMAN_ASSIGN(const Archive archive, OpenArchive(file));
  const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
  if (count > kMaxEntries) return InvalidInput("the archive has more than 65536 entries");
  std::uint64_t left = std::max<std::uint64_t>(limit, kMaxRatio * file.size());
  std::set<std::string> names;
  std::vector<std::pair<std::string, NpyArray>> arrays;
  for (zip_int64_t i = 0; i < count; ++i) {
    zip_stat_t stat;
    constexpr zip_uint64_t kNeeded =
        ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
    const bool known = zip_stat_index(archive.get(), static_cast<zip_uint64_t>(i), 0, &stat) == 0;
    if (!known || (stat.valid & kNeeded) != kNeeded)
      return InvalidInput("an archive entry is damaged");
    const std::string_view name = stat.name;
    if (!name.ends_with(".npy")) return EntryError(name, "is no .npy file");
    std::string stem(name.substr(0, name.size() - 4));
    if (!names.insert(stem).second) return EntryError(name, "occurs twice");
    DRAGOMAN_ASSIGN(const std::vector<std::byte> bytes, ReadEntry(archive.get(), stat, left));
    Result<NpyArray> array = ParseNpy(bytes);
    if (!array.ok()) return std::move(array.error().At("entry " + Quote(name)));
    arrays.emplace_back(std::move(stem), std::move(*array));
  }
  return arrays;
}

}  // namespace

Result<std::vector<std::pair<std::string, NpyArray>>> ReadNpz(const std::string& path,
                                                              std::uint64_t limit) {
  DRAGOMAN_ASSIGN(const auto file, MappedFile::Open(path));
  auto arrays = ReadArchive(file->bytes(), limit);
  if (!arrays.ok()) arrays.error().InFile(path);
  return arrays;
}

}  // namespace dragoman
