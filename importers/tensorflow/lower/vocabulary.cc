// SPDX-License-Identifier: Apache-2.0
#include "importers/tensorflow/lower/vocabulary.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "core/support/text.h"

namespace dragoman::tf {
namespace {

// The elements of keys or values while lines are read.
class Column {
 public:
  Column(std::int64_t column, DType type) : column_(column), type_(type) {}

  Status Add(std::string_view line, std::int64_t number, std::string_view delimiter) {
    if (column_ == kLineNumber) return AddNumber(number);
    const std::optional<std::string_view> text = Find(line, delimiter);
    if (!text) return InvalidInput("there is no column " + std::to_string(column_));
    if (type_ == DType::kString) {
      texts_.emplace_back(*text);
      return {};
    }
    if (type_ == DType::kF32 || type_ == DType::kF64) {
      const std::optional<double> real = ParseDouble(*text);
      if (!real) return InvalidInput(Quote(*text) + " is not a number");
      reals_.push_back(*real);
      return {};
    }
    const std::optional<std::int64_t> integer = ParseInt64(*text);
    return integer ? AddNumber(*integer) : InvalidInput(Quote(*text) + " is not an integer");
  }

  Result<Tensor> Take() {
    const auto sizes = [](const auto& list) {
      return std::vector<std::int64_t>{static_cast<std::int64_t>(list.size())};
    };
    switch (type_) {
      case DType::kString: {
        std::vector<std::int64_t> of_texts = sizes(texts_);
        return Tensor::MakeStrings(std::move(of_texts), std::move(texts_));
      }
      case DType::kF32:
        return Tensor::Of<float>(sizes(reals_), std::vector<float>(reals_.begin(), reals_.end()));
      case DType::kF64:
        return Tensor::Of<double>(sizes(reals_), reals_);
      case DType::kI32:
        return Tensor::Of<std::int32_t>(
            sizes(integers_), std::vector<std::int32_t>(integers_.begin(), integers_.end()));
      case DType::kI64:
        return Tensor::Of<std::int64_t>(sizes(integers_), integers_);
      default:
        return Unsupported("a table of elements " + std::string(Name(type_)));
    }
  }

 private:
  Status AddNumber(std::int64_t number) {
    constexpr std::int64_t kLeast = std::numeric_limits<std::int32_t>::min();
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    if (type_ == DType::kI32 && (number < kLeast || number > kMost))
      return InvalidInput(std::to_string(number) + " does not fit in int32");
    if (type_ != DType::kI32 && type_ != DType::kI64)
      return InvalidInput("the number of a line is an int64");
    integers_.push_back(number);
    return {};
  }

  std::optional<std::string_view> Find(std::string_view line, std::string_view delimiter) const {
    if (column_ == kWholeLine) return line;
    for (std::int64_t i = 0; i < column_; ++i) {
      const std::size_t end = line.find(delimiter);
      if (end == std::string_view::npos) return std::nullopt;
      line.remove_prefix(end + delimiter.size());
    }
    return line.substr(0, line.find(delimiter));
  }

  std::int64_t column_;
  DType type_;
  std::vector<std::string> texts_;
  std::vector<double> reals_;
  std::vector<std::int64_t> integers_;
};

}  // namespace

Result<TableContents> ReadVocabulary(std::string_view file, const VocabularyFormat& format) {
  if (format.delimiter.size() != 1) return InvalidInput("the delimiter is not one character");
  if (format.key_column < kWholeLine || format.value_column < kWholeLine)
    return InvalidInput("there are no columns with such numbers");
  Column keys(format.key_column, format.key_type);
  Column values(format.value_column, format.value_type);
  std::int64_t number = 0;
  while (!file.empty() && number != format.size) {
    const std::size_t end = std::min(file.find('\n'), file.size());
    // Returns are dropped wherever they stand.
    std::string line(file.substr(0, end));
    std::erase(line, '\r');
    file.remove_prefix(std::min(end + 1, file.size()));
    for (Column* column : {&keys, &values}) {
      std::int64_t shown = 0;
      if (__builtin_add_overflow(number, format.offset, &shown))
        return InvalidInput("the numbers of lines do not fit in int64");
      Status status = column->Add(line, shown, format.delimiter);
      if (!status.ok()) return std::move(status).error().At("line " + std::to_string(number + 1));
    }
    ++number;
  }
  if (format.size >= 0 && number < format.size)
    return InvalidInput("it has " + std::to_string(number) + " lines, expected " +
                        std::to_string(format.size));
  DRAGOMAN_ASSIGN(Tensor of_keys, keys.Take());
  DRAGOMAN_ASSIGN(Tensor of_values, values.Take());
  return TableContents{std::move(of_keys), std::move(of_values)};
}

}  // namespace dragoman::tf
