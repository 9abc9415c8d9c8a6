// SPDX-License-Identifier: Apache-2.0
#include "core/support/zip_file.h"

#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <string_view>
#include <utility>

#include "core/support/bytes.h"
#include "core/support/size_budget.h"
#include "core/support/text.h"

namespace dragoman {
namespace {

constexpr zip_int64_t kMaxEntries = 1 << 20;

struct CloseArchive {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
struct CloseEntry {
  void operator()(zip_file_t* entry) const { zip_fclose(entry); }
};
using Entry = std::unique_ptr<zip_file_t, CloseEntry>;

// What libzip reads through. It does not say where an entry's bytes lie; where it last read does.
struct Source {
  std::span<const std::byte> bytes;
  zip_uint64_t position = 0;
  zip_uint64_t last_read = 0;
  zip_error_t error = {};

  zip_int64_t Read(void* data, zip_uint64_t size);
  zip_int64_t Stat(void* data, zip_uint64_t size);
  zip_int64_t Seek(void* data, zip_uint64_t size);
};

zip_int64_t Source::Read(void* data, zip_uint64_t size) {
  last_read = position;
  const zip_uint64_t count = std::min<zip_uint64_t>(size, bytes.size() - position);
  if (count != 0) std::memcpy(data, bytes.data() + position, count);
  position += count;
  return static_cast<zip_int64_t>(count);
}

zip_int64_t Source::Stat(void* data, zip_uint64_t size) {
  auto* stat = ZIP_SOURCE_GET_ARGS(zip_stat_t, data, size, &error);
  if (stat == nullptr) return -1;
  zip_stat_init(stat);
  stat->size = bytes.size();
  stat->valid = ZIP_STAT_SIZE;
  return sizeof(*stat);
}

zip_int64_t Source::Seek(void* data, zip_uint64_t size) {
  const zip_int64_t target =
      zip_source_seek_compute_offset(position, bytes.size(), data, size, &error);
  if (target < 0) return -1;
  position = static_cast<zip_uint64_t>(target);
  return 0;
}

zip_int64_t Serve(void* user, void* data, zip_uint64_t size, zip_source_cmd_t command) {
  auto* source = static_cast<Source*>(user);
  switch (command) {
    case ZIP_SOURCE_OPEN:
      source->position = 0;
      return 0;
    case ZIP_SOURCE_READ:
      return source->Read(data, size);
    case ZIP_SOURCE_SEEK:
      return source->Seek(data, size);
    case ZIP_SOURCE_TELL:
      return static_cast<zip_int64_t>(source->position);
    case ZIP_SOURCE_STAT:
      return source->Stat(data, size);
    case ZIP_SOURCE_ERROR:
      return zip_error_to_data(&source->error, data, size);
    case ZIP_SOURCE_SUPPORTS:
      return ZIP_SOURCE_SUPPORTS_SEEKABLE;
    case ZIP_SOURCE_CLOSE:
    case ZIP_SOURCE_FREE:
      return 0;
    default:
      zip_error_set(&source->error, ZIP_ER_OPNOTSUPP, 0);
      return -1;
  }
}

Error EntryError(std::string_view name, std::string_view what) {
  return InvalidInput(fmt::format("archive entry {} {}", Quote(name), what));
}

}  // namespace

struct ZipFile::State {
  Source source;
  std::unique_ptr<zip_t, CloseArchive> archive;

  Result<Entry> OpenEntry(std::uint64_t index, std::string_view name, zip_flags_t flags) {
    Entry entry(zip_fopen_index(archive.get(), index, flags));
    if (entry) return entry;
    return EntryError(name, "cannot be read: " + std::string(zip_strerror(archive.get())));
  }

  // Calls take(bytes, count) for each piece until the end, where libzip checks the checksum.
  template <class Take>
  Status ReadPieces(std::uint64_t index, const ZipEntry& entry, Take take) {
    DRAGOMAN_ASSIGN(const Entry file, OpenEntry(index, entry.name, 0));
    std::array<char, 1 << 16> piece;
    std::uint64_t done = 0;
    while (true) {
      const zip_int64_t count = zip_fread(file.get(), piece.data(), piece.size());
      if (count < 0) {
        const std::string reason = zip_file_strerror(file.get());
        return EntryError(entry.name, "is damaged: " + reason);
      }
      done += static_cast<std::uint64_t>(count);
      if (done > entry.size || (count == 0 && done < entry.size)) {
        return EntryError(entry.name, "does not have the size stated in the archive");
      }
      if (count == 0) return {};
      take(piece.data(), static_cast<std::size_t>(count));
    }
  }
};

ZipFile::ZipFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
ZipFile::ZipFile(ZipFile&&) noexcept = default;
ZipFile& ZipFile::operator=(ZipFile&&) noexcept = default;
ZipFile::~ZipFile() = default;

Result<ZipFile> ZipFile::Open(std::span<const std::byte> bytes) {
  auto state = std::make_unique<State>();
  state->source.bytes = bytes;
  zip_error_init(&state->source.error);
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_function_create(Serve, &state->source, &error);
  if (source != nullptr) {
    state->archive.reset(zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, &error));
  }
  const std::string reason = zip_error_strerror(&error);
  const bool has_directory = zip_error_code_zip(&error) != ZIP_ER_NOZIP;
  zip_error_fini(&error);
  if (!state->archive) {
    if (source != nullptr) zip_source_free(source);
    if (has_directory) return InvalidInput("not a zip archive: " + reason);
    return InvalidInput(AsText(bytes).starts_with("PK\3\4")
                            ? "a zip archive that is cut off: its directory, at the end, is missing"
                            : "not a zip archive");
  }
  ZipFile file(std::move(state));
  DRAGOMAN_TRY(file.ReadDirectory());
  return file;
}

Status ZipFile::ReadDirectory() {
  const zip_int64_t count = zip_get_num_entries(state_->archive.get(), 0);
  if (count > kMaxEntries) {
    return InvalidInput(fmt::format("the archive has more than {} entries", kMaxEntries));
  }
  std::set<std::string_view> names;
  entries_.reserve(static_cast<std::size_t>(count));
  for (zip_int64_t i = 0; i < count; ++i) {
    DRAGOMAN_ASSIGN(ZipEntry entry, ReadEntry(static_cast<std::uint64_t>(i)));
    entries_.push_back(std::move(entry));
    const std::string& name = entries_.back().name;
    if (!names.insert(name).second) return EntryError(name, "occurs twice");
  }
  return CheckOverlaps();
}

Result<ZipEntry> ZipFile::ReadEntry(std::uint64_t index) {
  zip_stat_t stat;
  constexpr zip_uint64_t kNeeded =
      ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
  const char* name = zip_get_name(state_->archive.get(), index, ZIP_FL_ENC_RAW);
  const bool known = zip_stat_index(state_->archive.get(), index, 0, &stat) == 0;
  if (name == nullptr || !known || (stat.valid & kNeeded) != kNeeded) {
    return InvalidInput(fmt::format("archive entry {} is damaged", index));
  }
  if (stat.comp_method != ZIP_CM_STORE && stat.comp_method != ZIP_CM_DEFLATE) {
    return EntryError(name, "is neither stored nor deflated");
  }
  if (stat.encryption_method != ZIP_EM_NONE) return EntryError(name, "is encrypted");
  ZipEntry entry = {.name = name,
                    .size = stat.size,
                    .packed_size = stat.comp_size,
                    .is_stored = stat.comp_method == ZIP_CM_STORE};
  if (entry.is_stored && entry.size != entry.packed_size) {
    return EntryError(name, "is stored with two sizes");
  }
  DRAGOMAN_ASSIGN(entry.offset, FindData(index, entry));
  return entry;
}

Result<std::uint64_t> ZipFile::FindData(std::uint64_t index, const ZipEntry& entry) {
  if (entry.packed_size == 0) return 0;
  DRAGOMAN_ASSIGN(const Entry file, state_->OpenEntry(index, entry.name, ZIP_FL_COMPRESSED));
  char first;
  const std::size_t size = state_->source.bytes.size();
  const bool readable = zip_fread(file.get(), &first, 1) == 1;
  const std::uint64_t offset = state_->source.last_read;
  if (!readable || offset > size || entry.packed_size > size - offset) {
    return EntryError(entry.name, "reaches beyond the end of the file");
  }
  return offset;
}

Status ZipFile::CheckOverlaps() const {
  std::vector<const ZipEntry*> sorted;
  for (const ZipEntry& entry : entries_) {
    if (entry.packed_size != 0) sorted.push_back(&entry);
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const ZipEntry* a, const ZipEntry* b) { return a->offset < b->offset; });
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i - 1]->offset + sorted[i - 1]->packed_size > sorted[i]->offset) {
      return EntryError(sorted[i]->name, "overlaps entry " + Quote(sorted[i - 1]->name));
    }
  }
  return {};
}

Result<std::string> ZipFile::Read(std::size_t index) {
  const ZipEntry& entry = entries_[index];
  Status drawn = TakeExpanded(entry.packed_size, entry.size);
  if (!drawn.ok()) return std::move(drawn).error().At("archive entry " + Quote(entry.name));
  std::string bytes;
  bytes.reserve(entry.size);
  DRAGOMAN_TRY(state_->ReadPieces(
      index, entry, [&](const char* piece, std::size_t count) { bytes.append(piece, count); }));
  return bytes;
}

Result<std::span<const std::byte>> ZipFile::View(std::size_t index) {
  const ZipEntry& entry = entries_[index];
  DRAGOMAN_TRY(state_->ReadPieces(index, entry, [](const char*, std::size_t) {}));
  return state_->source.bytes.subspan(entry.offset, entry.size);
}

}  // namespace dragoman
