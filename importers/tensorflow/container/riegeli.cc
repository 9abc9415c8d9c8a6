// SPDX-License-Identifier: Apache-2.0
#include "importers/tensorflow/container/riegeli.h"

#include <algorithm>
#include <utility>

#include "core/support/bytes.h"
#include "core/support/size_budget.h"
#include "core/support/wire_reader.h"

#ifdef DRAGOMAN_HAS_BROTLI
#include <brotli/decode.h>
#endif

namespace dragoman::tf_reader {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::uint64_t kBlock = std::uint64_t{1} << 16;
constexpr std::uint64_t kBlockHeader = 24;
constexpr std::uint64_t kUsable = kBlock - kBlockHeader;
constexpr std::uint64_t kChunkHeader = 40;

Error Damaged(std::uint64_t position, const std::string& what) {
  return InvalidInput(what).At("byte " + std::to_string(position));
}

// `count` bytes from `*position` on, without the headers of blocks, which `*position` passes.
Result<std::string> ReadAcrossBlocks(Bytes file, std::uint64_t* position, std::uint64_t count) {
  std::string bytes;
  while (bytes.size() < count) {
    if (*position % kBlock == 0) *position += kBlockHeader;
    const std::uint64_t in_block = kBlock - *position % kBlock;
    const std::uint64_t size = std::min<std::uint64_t>(in_block, count - bytes.size());
    if (*position > file.size() || size > file.size() - *position)
      return Damaged(*position, "the file ends within a chunk");
    bytes += AsText(file.subspan(*position, size));
    *position += size;
  }
  return bytes;
}

std::uint64_t NumberAt(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t number = 0;
  for (std::size_t i = size; i-- > 0;)
    number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
  return number;
}

// Where `size` bytes from `position` on end, with the headers of the blocks among them.
std::uint64_t EndOf(std::uint64_t position, std::uint64_t size) {
  const std::uint64_t blocks = (size + (position + kUsable - 1) % kBlock) / kUsable;
  return position + size + blocks * kBlockHeader;
}

// The next place at or after `position` where a chunk may begin.
std::uint64_t NextBoundary(std::uint64_t position) {
  const std::uint64_t rest = kBlock - 1 - (position + kBlock - 1) % kBlock;
  return position + (rest > kUsable - 1 ? rest - (kUsable - 1) : 0);
}

#ifdef DRAGOMAN_HAS_BROTLI
Result<std::string> FromBrotli(std::string_view packed, std::uint64_t size) {
  DRAGOMAN_TRY(TakeExpanded(packed.size(), size));
  std::string bytes(size, '\0');
  std::size_t given = size;
  const BrotliDecoderResult result =
      BrotliDecoderDecompress(packed.size(), reinterpret_cast<const std::uint8_t*>(packed.data()),
                              &given, reinterpret_cast<std::uint8_t*>(bytes.data()));
  if (result != BROTLI_DECODER_RESULT_SUCCESS || given != size)
    return InvalidInput("records that Brotli cannot unpack");
  return bytes;
}
#else
Result<std::string> FromBrotli(std::string_view, std::uint64_t) {
  return Unsupported("records packed by Brotli, which this Dragoman was built without");
}
#endif

// A buffer, packed as `compression` says, with its unpacked size in front.
Result<std::string> Unpack(char compression, std::string_view packed, std::uint64_t most) {
  if (compression == 0) return std::string(packed);
  WireReader reader(std::as_bytes(std::span(packed)));
  DRAGOMAN_ASSIGN(const std::uint64_t size, reader.NextVarint());
  if (size > most) return InvalidInput("records that are larger than their chunk says");
  packed.remove_prefix(reader.offset());
  if (compression == 'b') return FromBrotli(packed, size);
  return Unsupported(compression == 'z' ? "records packed by Zstd"
                                        : "records packed in an unknown way");
}

}  // namespace

Result<RiegeliFile> RiegeliFile::Open(Bytes file) {
  RiegeliFile opened;
  opened.file_ = file;
  for (std::uint64_t position = 0; position < file.size();)
    DRAGOMAN_TRY(opened.AddChunk(&position));
  return opened;
}

Status RiegeliFile::AddChunk(std::uint64_t* position) {
  Chunk chunk;
  chunk.begin = *position;
  chunk.data = *position;
  DRAGOMAN_ASSIGN(const std::string header, ReadAcrossBlocks(file_, &chunk.data, kChunkHeader));
  chunk.size = NumberAt(header, 8, 8);
  chunk.type = header[24];
  chunk.records = NumberAt(header, 25, 7);
  chunk.decoded = NumberAt(header, 32, 8);
  if (chunk.size > file_.size() || chunk.records > file_.size())
    return Damaged(chunk.begin, "a chunk that is larger than the file");
  *position = std::max(EndOf(chunk.begin, kChunkHeader + chunk.size),
                       NextBoundary(chunk.begin + chunk.records));
  if (*position > file_.size()) return Damaged(chunk.begin, "the file ends within a chunk");
  if (chunk.records > 0) chunks_.push_back(chunk);
  return {};
}

Status RiegeliFile::Decode(std::size_t number) {
  if (open_ == number) return {};
  open_.reset();
  records_.clear();
  Chunk& chunk = chunks_[number];
  if (chunk.is_known) DRAGOMAN_TRY(TakeExpanded(0, chunk.size));
  chunk.is_known = true;
  if (chunk.type == 't') return Unsupported("records in transposed chunks");
  if (chunk.type != 'r') return Damaged(chunk.begin, "a chunk of an unknown type");
  std::uint64_t position = chunk.data;
  DRAGOMAN_ASSIGN(const std::string data, ReadAcrossBlocks(file_, &position, chunk.size));
  if (data.empty()) return Damaged(chunk.begin, "a chunk without data");
  const std::string_view rest = std::string_view(data).substr(1);
  WireReader reader(std::as_bytes(std::span(rest)));
  DRAGOMAN_ASSIGN(const std::uint64_t sizes_size, reader.NextVarint());
  const std::string_view buffers = rest.substr(reader.offset());
  if (sizes_size > buffers.size()) return Damaged(chunk.begin, "sizes that exceed their chunk");
  constexpr std::uint64_t kVarint = 10;
  DRAGOMAN_ASSIGN(const std::string sizes,
                  Unpack(data[0], buffers.substr(0, sizes_size), kVarint * chunk.records));
  DRAGOMAN_ASSIGN(const std::string values,
                  Unpack(data[0], buffers.substr(sizes_size), chunk.decoded));
  WireReader lengths(std::as_bytes(std::span(sizes)));
  std::size_t start = 0;
  for (std::uint64_t i = 0; i < chunk.records; ++i) {
    if (lengths.done()) return Damaged(chunk.begin, "fewer sizes than records");
    DRAGOMAN_ASSIGN(const std::uint64_t length, lengths.NextVarint());
    if (length > values.size() - start)
      return Damaged(chunk.begin, "records that exceed their chunk");
    records_.push_back(values.substr(start, length));
    start += length;
  }
  open_ = number;
  return {};
}

Result<std::string> RiegeliFile::Record(std::uint64_t position) {
  const auto behind =
      std::upper_bound(chunks_.begin(), chunks_.end(), position,
                       [](std::uint64_t at, const Chunk& chunk) { return at < chunk.begin; });
  if (behind == chunks_.begin()) return Damaged(position, "there is no record");
  const Chunk& chunk = *std::prev(behind);
  if (position - chunk.begin >= chunk.records) return Damaged(position, "there is no record");
  DRAGOMAN_TRY(Decode(static_cast<std::size_t>(std::prev(behind) - chunks_.begin())));
  return records_[position - chunk.begin];
}

Result<std::string> RiegeliFile::LastRecord() {
  if (chunks_.empty()) return InvalidInput("the file has no records");
  return Record(chunks_.back().begin + chunks_.back().records - 1);
}

}  // namespace dragoman::tf_reader
