// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/script/source_ranges.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/support/text.h"
#include "importers/torch/container/unpickle.h"

namespace dragoman::torch {
namespace {

constexpr std::string_view kWithStringTable = "FORMAT_WITH_STRING_TABLE";
constexpr std::size_t kMaxTextBytes = std::size_t{1} << 20;

const StoredTuple* GetTuple(const Stored& value, std::size_t min_items) {
  const auto* tuple = std::get_if<const StoredTuple*>(&value);
  return tuple == nullptr || (*tuple)->items.size() < min_items ? nullptr : *tuple;
}

std::optional<std::int64_t> GetInt(const Stored& value) {
  const auto* number = std::get_if<std::int64_t>(&value);
  return number == nullptr || *number < 0 ? std::nullopt : std::optional(*number);
}

struct Frame {
  std::string_view file;
  std::int64_t line = 0;
};

// "/home/me/policy.py(87): forward"
std::optional<Frame> ParseFrame(std::string_view text) {
  const std::size_t close = text.find("): ");
  if (close == std::string_view::npos) return std::nullopt;
  const std::size_t open = text.rfind('(', close);
  if (open == std::string_view::npos || open == 0) return std::nullopt;
  const std::optional<std::int64_t> line = ParseInt64(text.substr(open + 1, close - open - 1));
  if (!line.has_value()) return std::nullopt;
  return Frame{text.substr(0, open), *line};
}

std::string_view LineAt(std::string_view text, std::size_t start) {
  return text.substr(start, std::min(text.find('\n', start), text.size()) - start);
}

// The innermost frame of a stack that is not torch's own, else the innermost.
std::optional<Frame> UserFrame(std::string_view stack) {
  const std::optional<Frame> innermost = ParseFrame(LineAt(stack, 0));
  for (std::size_t start = 0; innermost.has_value() && start < stack.size();) {
    const std::string_view line = LineAt(stack, start);
    const std::optional<Frame> frame = ParseFrame(line);
    if (frame.has_value() && frame->file.find("/torch/") == std::string_view::npos) return frame;
    start += line.size() + 1;
  }
  return innermost;
}

}  // namespace

SourceRanges SourceRanges::Read(const Archive& archive, std::string_view name) {
  const std::string record = std::string(name) + ".debug_pkl";
  if (!archive.Has(record)) return {};
  auto heap = std::make_shared<StoredHeap>();
  const Result<Stored> root = ReadPickle(archive, record, /*require_data=*/true, heap.get());
  SourceRanges ranges;
  ranges.heap_ = std::move(heap);
  if (!root.ok() || !ranges.ReadRoot(*root)) return {};
  return ranges;
}

// (range, …), or ("FORMAT_WITH_STRING_TABLE", (text, …), (range, …))
bool SourceRanges::ReadRoot(const Stored& root) {
  const StoredTuple* list = GetTuple(root, 1);
  if (list == nullptr) return false;
  const auto* format = std::get_if<StoredString>(&list->items[0]);
  if (format != nullptr) {
    if (**format != kWithStringTable || list->items.size() != 3) return false;
    texts_ = GetTuple(list->items[1], 0);
    list = GetTuple(list->items[2], 0);
    if (texts_ == nullptr || list == nullptr) return false;
  }
  if (!std::all_of(list->items.begin(), list->items.end(),
                   [this](const Stored& range) { return ReadRange(range); })) {
    return false;
  }
  return std::is_sorted(ranges_.begin(), ranges_.end(),
                        [](const Range& a, const Range& b) { return a.offset < b.offset; });
}

// (offset, (source, start, end)[, tag])
bool SourceRanges::ReadRange(const Stored& range) {
  const StoredTuple* outer = GetTuple(range, 2);
  const StoredTuple* inner = outer == nullptr ? nullptr : GetTuple(outer->items[1], 3);
  if (inner == nullptr) return false;
  const std::optional<std::int64_t> offset = GetInt(outer->items[0]);
  const std::optional<std::size_t> source = ReadSource(GetTuple(inner->items[0], 3));
  const std::optional<std::int64_t> start = GetInt(inner->items[1]);
  const std::optional<std::int64_t> end = GetInt(inner->items[2]);
  if (!offset || !source || !start || !end) return false;
  ranges_.push_back({*offset, *source, *start, *end});
  return true;
}

// A string, or its number in the string table. None: no text.
std::optional<std::string_view> SourceRanges::ReadText(const Stored& value) const {
  if (IsNone(value)) return std::string_view();
  const Stored* text = &value;
  if (texts_ != nullptr) {
    const std::optional<std::int64_t> index = GetInt(value);
    if (!index || static_cast<std::size_t>(*index) >= texts_->items.size()) return std::nullopt;
    text = &texts_->items[static_cast<std::size_t>(*index)];
  }
  const auto* found = std::get_if<StoredString>(text);
  return found == nullptr ? std::nullopt : std::optional<std::string_view>(**found);
}

// (text or list of pieces, file, first line)
std::optional<std::size_t> SourceRanges::ReadSource(const StoredTuple* tuple) {
  if (tuple == nullptr) return std::nullopt;
  if (const auto known = known_.find(tuple); known != known_.end()) return known->second;
  const std::optional<std::string_view> file = ReadText(tuple->items[1]);
  const std::optional<std::int64_t> first_line = GetInt(tuple->items[2]);
  if (!file.has_value() || !first_line.has_value()) return std::nullopt;
  Source source = {.file = *file, .first_line = *first_line};
  const auto* pieces = std::get_if<const StoredList*>(&tuple->items[0]);
  const std::vector<Stored> whole = {tuple->items[0]};
  for (const Stored& piece : pieces == nullptr ? whole : (*pieces)->items) {
    const std::optional<std::string_view> text = ReadText(piece);
    if (!text.has_value()) return std::nullopt;
    source.pieces.push_back(*text);
  }
  sources_.push_back(std::move(source));
  known_.emplace(tuple, sources_.size() - 1);
  return sources_.size() - 1;
}

std::optional<SourcePlace> SourceRanges::Find(std::size_t offset) const {
  const auto after = std::upper_bound(ranges_.begin(), ranges_.end(), offset,
                                      [](std::size_t at, const Range& range) {
                                        return at < static_cast<std::size_t>(range.offset);
                                      });
  if (after == ranges_.begin()) return std::nullopt;
  const Range& range = *(after - 1);
  const Source& source = sources_[range.source];
  std::string text;
  for (std::string_view piece : source.pieces) {
    if (text.size() + piece.size() > kMaxTextBytes) return std::nullopt;
    text += piece;
  }
  if (const std::optional<Frame> frame = UserFrame(text)) {
    return SourcePlace{.file = std::string(frame->file), .line = frame->line};
  }
  const auto start = static_cast<std::size_t>(range.start);
  const auto end = std::min(static_cast<std::size_t>(range.end), text.size());
  if (source.file.empty() || start >= end) return std::nullopt;
  const std::size_t line_start = start == 0 ? 0 : text.rfind('\n', start - 1) + 1;
  const std::string_view line = LineAt(text, line_start);
  const auto lines =
      std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(start), '\n');
  return SourcePlace{.file = std::string(source.file),
                     .line = source.first_line + lines,
                     .text = std::string(line),
                     .column = start - line_start,
                     .length = std::min(end, line_start + line.size()) - start};
}

}  // namespace dragoman::torch
