// SPDX-License-Identifier: Apache-2.0
// The rows of the formats that come with Dragoman, each beside the functions that it names, and
// what several of them use.
#ifndef DRAGOMAN_DRIVER_FORMATS_ROWS_H_
#define DRAGOMAN_DRIVER_FORMATS_ROWS_H_

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "driver/formats.h"

namespace dragoman {

Format OnnxFormat();
Format TorchScriptFormat();
Format ExportArchiveFormat();
Format TorchPackageFormat();
Format TensorFlowFormat();
Format RelayFormat();
Format RelaxFormat();
Format NativeFormat();
Format TextFormat();
Format JsonFormat();
Format DotFormat();

inline Likeness CertainIf(bool recognized) {
  return recognized ? Likeness::kCertain : Likeness::kNone;
}

// Names, or rows of tables that have one, as operators without a schema; `constructs` are those of
// the language, which are nodes of a source graph as well.
template <class Rows>
std::vector<SourceOperator> OperatorsNamed(const Rows& rows,
                                           std::span<const std::string_view> constructs = {}) {
  std::vector<SourceOperator> operators;
  for (const std::string_view name : constructs) operators.push_back({std::string(name), {}});
  for (const auto& row : rows) {
    if constexpr (std::is_convertible_v<decltype(row), std::string_view>) {
      operators.push_back({std::string(row), {}});
    } else {
      operators.push_back({std::string(row.name), {}});
    }
  }
  return operators;
}

// Takes what a writer leaves out: each is a warning or, if that is wanted, an error.
class Omissions {
 public:
  explicit Omissions(const WriteOptions& options) : options_(options) {}

  std::function<void(std::string_view)> Sink() {
    return [this](std::string_view what) { Add(what); };
  }
  const Status& status() const { return status_; }  // the first error

 private:
  void Add(std::string_view what) {
    if (!options_.strict && options_.warn) options_.warn(what);
    if (options_.strict && status_.ok()) status_ = Unsupported(std::string(what));
  }

  const WriteOptions& options_;
  Status status_;
};

}  // namespace dragoman

#endif  // DRAGOMAN_DRIVER_FORMATS_ROWS_H_
