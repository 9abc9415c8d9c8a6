// SPDX-License-Identifier: Apache-2.0
// Text files that tables are made from.
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_LOWER_VOCABULARY_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_LOWER_VOCABULARY_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "core/support/result.h"
#include "importers/tensorflow/ops/tables.h"

namespace dragoman::tf {

// What stands in a key or a value: a column of the line, or one of these.
inline constexpr std::int64_t kWholeLine = -2;
inline constexpr std::int64_t kLineNumber = -1;

struct VocabularyFormat {
  std::int64_t key_column = kWholeLine;
  std::int64_t value_column = kLineNumber;
  std::int64_t size = -1;  // so many lines; -1: all
  std::string delimiter = "\t";
  std::int64_t offset = 0;  // of the first line's number
  DType key_type = DType::kString;
  DType value_type = DType::kI64;
};

// Errors, with the line as their place: a column that is not there, or is not a number.
Result<TableContents> ReadVocabulary(std::string_view file, const VocabularyFormat& format);

}  // namespace dragoman::tf

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_LOWER_VOCABULARY_H_
