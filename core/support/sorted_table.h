// SPDX-License-Identifier: Apache-2.0
// LevelDB's sorted tables, as data: keys and values in one file.
#ifndef DRAGOMAN_CORE_SUPPORT_SORTED_TABLE_H_
#define DRAGOMAN_CORE_SUPPORT_SORTED_TABLE_H_

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "core/support/result.h"

namespace dragoman {

bool IsSortedTable(std::span<const std::byte> file);

// Calls `visit` for each key and value, in order. Errors: damaged tables, with the byte; checksums
// of blocks are checked; what `visit` returns; more than the SizeBudget has, as keys draw on it
// that the file shortens to what differs from the key before.
using VisitEntry = std::function<Status(std::string_view key, std::string_view value)>;
Status ReadSortedTable(std::span<const std::byte> file, const VisitEntry& visit);

// Makes such a table, of blocks that are not compressed.
class SortedTableWriter {
 public:
  // `key` is greater than the one before.
  void Add(std::string_view key, std::string_view value);
  std::string Finish();  // last call

 private:
  class Block {
   public:
    void Add(std::string_view key, std::string_view value);
    std::string Take();
    std::size_t size() const { return bytes_.size(); }
    const std::string& last_key() const { return last_key_; }

   private:
    std::string bytes_;
    std::string last_key_;
    std::string restarts_;
    std::size_t entries_ = 0;
  };

  std::string Append(std::string block);  // its handle
  void FinishBlock();

  std::string file_;
  Block data_;
  Block index_;
};

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_SUPPORT_SORTED_TABLE_H_
