// SPDX-License-Identifier: Apache-2.0
// Where the statements of a code file stood in the user's own Python source: the records
// `code/….py.debug_pkl` (torch/csrc/jit/serialization/source_range_serialization.cpp).
#ifndef DRAGOMAN_IMPORTERS_TORCH_SCRIPT_SOURCE_RANGES_H_
#define DRAGOMAN_IMPORTERS_TORCH_SCRIPT_SOURCE_RANGES_H_

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/result.h"
#include "importers/torch/container/archive.h"
#include "importers/torch/container/value.h"

namespace dragoman::torch {

// A place in the user's source.
struct SourcePlace {
  std::string file;       // as torch recorded it: a path, "<string>"
  std::int64_t line = 0;  // from 1
  // The line without its break, the bytes of it before the range, and those of the range. A traced
  // program has files and lines only: the text is empty.
  std::string text;
  std::size_t column = 0;
  std::size_t length = 0;
};

// The ranges of one code file.
class SourceRanges {
 public:
  SourceRanges() = default;
  // Of the code file `name`, "code/__torch__/net.py". An archive without debug file, or one that
  // cannot be understood, gives an empty object: debug data never stand in the way.
  static SourceRanges Read(const Archive& archive, std::string_view name);

  // The place of what byte `offset` of the code file was printed from; nullopt if that is unknown.
  // Of a traced program's frames it is the innermost that is not torch's own.
  std::optional<SourcePlace> Find(std::size_t offset) const;
  bool empty() const { return ranges_.empty(); }

 private:
  struct Source {
    std::vector<std::string_view> pieces;  // of the text, in heap_
    std::string_view file;
    std::int64_t first_line = 1;
  };
  struct Range {
    std::int64_t offset;  // first byte in the code file; ascending
    std::size_t source;   // in sources_
    std::int64_t start;   // bytes of the source's text
    std::int64_t end;
  };

  bool ReadRoot(const Stored& root);
  bool ReadRange(const Stored& range);
  std::optional<std::size_t> ReadSource(const StoredTuple* tuple);
  std::optional<std::string_view> ReadText(const Stored& value) const;

  std::shared_ptr<const StoredHeap> heap_;
  const StoredTuple* texts_ = nullptr;  // the string table; absent before torch 1.11
  std::map<const StoredTuple*, std::size_t> known_;
  std::vector<Source> sources_;
  std::vector<Range> ranges_;
};

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_SCRIPT_SOURCE_RANGES_H_
