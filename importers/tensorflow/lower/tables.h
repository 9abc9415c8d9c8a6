// SPDX-License-Identifier: Apache-2.0
// The tables of a model: what the nodes that fill them say, which run before all entries.
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_LOWER_TABLES_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_LOWER_TABLES_H_

#include <map>
#include <memory>
#include <string>

#include "core/ir/model.h"
#include "importers/tensorflow/ops/tables.h"

namespace dragoman::tf {

class Tables {
 public:
  // Of each table that a node of `source` makes: constants that are imported, a text file among
  // the assets, or two tensors of the checkpoint.
  explicit Tables(const Model& source);

  // The table that `node` makes.
  Abstract Of(const Node& node) const;

 private:
  using Contents = std::shared_ptr<const Result<TableContents>>;

  std::map<std::string, Contents> contents_;
};

}  // namespace dragoman::tf

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_LOWER_TABLES_H_
