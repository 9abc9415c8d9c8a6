// SPDX-License-Identifier: Apache-2.0
#include "core/support/sorted_table.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "core/support/bytes.h"
#include "core/support/crc32c.h"
#include "core/support/size_budget.h"
#include "core/support/snappy.h"
#include "core/support/wire_reader.h"

// A table is blocks and a footer. A block is followed by its compression and a checksum; entries in
// it share the front of their keys with the entry before, and a list of places where one does not
// ends it, which is of no use here. The footer names two blocks: one of metadata, and the index,
// whose values name the blocks of data in order.

namespace dragoman {
namespace {

constexpr std::size_t kFooterSize = 48;
constexpr std::uint64_t kFooterMagic = 0xdb4775248b80fb57ULL;
constexpr std::size_t kTrailerSize = 5;
constexpr char kPlain = 0;
constexpr char kSnappy = 1;
// As the writer makes them.
constexpr std::size_t kBlockSize = 4096;
constexpr std::size_t kRestartInterval = 16;

Error DamagedAt(std::size_t place, std::string what) {
  return InvalidInput("the table is damaged: " + std::move(what))
      .At("byte " + std::to_string(place));
}

std::optional<std::uint64_t> TakeVarint(std::string_view* text) {
  std::uint64_t number = 0;
  for (int shift = 0; shift < 64 && !text->empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(text->front());
    text->remove_prefix(1);
    number |= std::uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) return number;
  }
  return std::nullopt;
}

std::uint32_t Fixed32(std::string_view text) {
  std::uint32_t number = 0;
  std::memcpy(&number, text.data(), sizeof number);
  return number;
}

void AppendFixed32(std::size_t number, std::string* out) {
  for (int i = 0; i < 4; ++i) out->push_back(static_cast<char>(number >> (8 * i)));
}

struct Handle {
  std::size_t offset = 0;
  std::size_t size = 0;
};

std::optional<Handle> TakeHandle(std::string_view* text) {
  const std::optional<std::uint64_t> offset = TakeVarint(text);
  const std::optional<std::uint64_t> size = offset ? TakeVarint(text) : std::nullopt;
  if (!size) return std::nullopt;
  return Handle{static_cast<std::size_t>(*offset), static_cast<std::size_t>(*size)};
}

class Table {
 public:
  explicit Table(std::span<const std::byte> file) : file_(file) {}

  Status Read(const VisitEntry& visit) const {
    std::string_view footer = AsText(file_.last(kFooterSize));
    const std::size_t place = file_.size() - kFooterSize;
    const std::optional<Handle> metadata = TakeHandle(&footer);
    const std::optional<Handle> index = metadata ? TakeHandle(&footer) : std::nullopt;
    if (!index) return DamagedAt(place, "its footer names no index");
    std::size_t behind = 0;  // the block before
    return ReadBlock(*index, place, [&](std::string_view, std::string_view value) -> Status {
      const std::optional<Handle> block = TakeHandle(&value);
      if (!block || block->offset < behind) {
        return DamagedAt(index->offset, "an entry of its index names no block after the last");
      }
      behind = block->offset + std::min(block->size, file_.size());
      return ReadBlock(*block, index->offset, visit);
    });
  }

 private:
  Status ReadBlock(const Handle& handle, std::size_t named_at, const VisitEntry& visit) const {
    const std::size_t end = file_.size() - kFooterSize;
    if (handle.offset > end || handle.size > end - handle.offset ||
        end - handle.offset - handle.size < kTrailerSize) {
      return DamagedAt(named_at, "a block of " + std::to_string(handle.size) + " bytes from byte " +
                                     std::to_string(handle.offset) + " does not lie in it");
    }
    const auto covered = file_.subspan(handle.offset, handle.size + 1);
    const std::string_view trailer =
        AsText(file_.subspan(handle.offset + handle.size, kTrailerSize));
    if (MaskCrc32c(Crc32c(covered)) != Fixed32(trailer.substr(1))) {
      return DamagedAt(handle.offset, "the checksum of a block is another");
    }
    const std::string_view stored = AsText(covered).substr(0, handle.size);
    if (trailer[0] == kPlain) return ReadEntries(stored, handle.offset, visit);
    if (trailer[0] != kSnappy) {
      return DamagedAt(handle.offset, "a block is compressed in an unknown way");
    }
    Result<std::string> plain = UnpackSnappy(covered.first(handle.size));
    if (!plain.ok()) return std::move(plain).error().At("byte " + std::to_string(handle.offset));
    return ReadEntries(*plain, handle.offset, visit);
  }

  static Status ReadEntries(std::string_view block, std::size_t place, const VisitEntry& visit) {
    constexpr std::size_t kWord = sizeof(std::uint32_t);
    if (block.size() < kWord) return DamagedAt(place, "a block is too short");
    const std::size_t restarts = Fixed32(block.substr(block.size() - kWord));
    if (restarts > block.size() / kWord - 1) {
      return DamagedAt(place, "a block has more restart points than room for them");
    }
    block.remove_suffix((restarts + 1) * kWord);
    std::string key;
    while (!block.empty()) {
      const std::optional<std::uint64_t> shared = TakeVarint(&block);
      const std::optional<std::uint64_t> own = shared ? TakeVarint(&block) : std::nullopt;
      const std::optional<std::uint64_t> size = own ? TakeVarint(&block) : std::nullopt;
      if (!size || *shared > key.size() || *own > block.size() ||
          *size > block.size() - static_cast<std::size_t>(*own)) {
        return DamagedAt(place, "an entry of a block does not lie in it");
      }
      DRAGOMAN_TRY(TakeExpanded(*own, *shared + *own));  // `visit` may keep the key
      key.resize(static_cast<std::size_t>(*shared));
      key.append(block.substr(0, static_cast<std::size_t>(*own)));
      block.remove_prefix(static_cast<std::size_t>(*own));
      DRAGOMAN_TRY(visit(key, block.substr(0, static_cast<std::size_t>(*size))));
      block.remove_prefix(static_cast<std::size_t>(*size));
    }
    return {};
  }

  std::span<const std::byte> file_;
};

}  // namespace

bool IsSortedTable(std::span<const std::byte> file) {
  if (file.size() < kFooterSize) return false;
  std::uint64_t magic = 0;
  std::memcpy(&magic, file.data() + file.size() - sizeof magic, sizeof magic);
  return magic == kFooterMagic;
}

void SortedTableWriter::Block::Add(std::string_view key, std::string_view value) {
  std::size_t shared = 0;
  if (entries_++ % kRestartInterval == 0) {
    AppendFixed32(bytes_.size(), &restarts_);
  } else {
    const std::size_t most = std::min(key.size(), last_key_.size());
    while (shared < most && key[shared] == last_key_[shared]) ++shared;
  }
  AppendVarint(shared, &bytes_);
  AppendVarint(key.size() - shared, &bytes_);
  AppendVarint(value.size(), &bytes_);
  bytes_.append(key.substr(shared));
  bytes_.append(value);
  last_key_ = key;
}

std::string SortedTableWriter::Block::Take() {
  if (restarts_.empty()) AppendFixed32(0, &restarts_);
  bytes_ += restarts_;
  AppendFixed32(restarts_.size() / sizeof(std::uint32_t), &bytes_);
  restarts_.clear();
  entries_ = 0;
  return std::exchange(bytes_, std::string());
}

std::string SortedTableWriter::Append(std::string block) {
  std::string handle;
  AppendVarint(file_.size(), &handle);
  AppendVarint(block.size(), &handle);
  block.push_back(kPlain);
  AppendFixed32(MaskCrc32c(Crc32c(std::as_bytes(std::span(block)))), &block);
  file_ += block;
  return handle;
}

void SortedTableWriter::FinishBlock() {
  if (data_.size() == 0) return;
  const std::string key = data_.last_key();
  index_.Add(key, Append(data_.Take()));
}

void SortedTableWriter::Add(std::string_view key, std::string_view value) {
  data_.Add(key, value);
  if (data_.size() >= kBlockSize) FinishBlock();
}

std::string SortedTableWriter::Finish() {
  FinishBlock();
  std::string footer = Append(Block().Take());
  footer += Append(index_.Take());
  footer.resize(kFooterSize - sizeof kFooterMagic, '\0');
  for (std::size_t i = 0; i < sizeof kFooterMagic; ++i)
    footer.push_back(static_cast<char>(kFooterMagic >> (8 * i)));
  file_ += footer;
  return std::move(file_);
}

Status ReadSortedTable(std::span<const std::byte> file, const VisitEntry& visit) {
  if (!IsSortedTable(file)) {
    return DamagedAt(file.size(), "it does not end with the footer of a LevelDB table");
  }
  return Table(file).Read(visit);
}

}  // namespace dragoman
