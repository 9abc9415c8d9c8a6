// SPDX-License-Identifier: Apache-2.0
// What passes made of an ONNX file: before and after, as a table.
#ifndef DRAGOMAN_CLI_CHANGE_TABLE_H_
#define DRAGOMAN_CLI_CHANGE_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/ir/model.h"

namespace dragoman::cli {

// A file, as the table shows it.
struct FileFigures {
  std::map<std::string, std::size_t> operators;  // nodes by operator, those of bodies too
  std::uint64_t bytes = 0;  // with those of the files beside it that hold its weights
  std::optional<std::int64_t> multiply_adds;  // nullopt: sizes are missing
};

// Nodes by operator, functions of the model left out: "Conv", "com.microsoft.Gelu".
std::map<std::string, std::size_t> CountOperators(const Model& model);

// A line for each operator of either file, then the nodes, the bytes and the multiply-adds.
std::string ChangeTable(const FileFigures& before, const FileFigures& after);

}  // namespace dragoman::cli

#endif  // DRAGOMAN_CLI_CHANGE_TABLE_H_
