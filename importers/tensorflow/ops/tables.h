// SPDX-License-Identifier: Apache-2.0
// Tables of keys and values, whose contents do not change while a model runs.
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_TABLES_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_TABLES_H_

#include <memory>
#include <optional>
#include <string>

#include "core/ir/tensor.h"
#include "core/lowering/abstract.h"

namespace dragoman::tf {

// Both of rank 1 and as long.
struct TableContents {
  Tensor keys;
  Tensor values;
};

// The handle of a table.
class TableRef : public ForeignValue {
 public:
  TableRef(std::string name, std::shared_ptr<const Result<TableContents>> contents)
      : name_(std::move(name)), contents_(std::move(contents)) {}

  const std::string& name() const { return name_; }
  // Errors: why they are not known.
  const Result<TableContents>& contents() const { return *contents_; }

  std::string Describe() const override { return "table '" + name_ + "'"; }
  bool IsSame(const ForeignValue& other) const override {
    const auto* table = dynamic_cast<const TableRef*>(&other);
    return table != nullptr && table->name_ == name_;
  }

 private:
  std::string name_;
  std::shared_ptr<const Result<TableContents>> contents_;
};

}  // namespace dragoman::tf

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_TABLES_H_
