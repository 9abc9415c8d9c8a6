// SPDX-License-Identifier: Apache-2.0
// The variables of a model as cells: what the file holds of each, until an entry changes it.
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_LOWER_VARIABLES_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_LOWER_VARIABLES_H_

#include <cstdint>
#include <map>
#include <string>

#include "core/ir/model.h"
#include "core/lowering/heap.h"

namespace dragoman::tf {

class Variables {
 public:
  // A cell for each variable that a node of `source` names; one without contents in the file is
  // not initialised.
  Variables(const Model& source, Heap& heap);

  // Whether `value` is a variable, and not what one held.
  bool IsVariable(const Abstract& value) const;
  // The variable that `node` makes. Errors: it has none, as an anonymous one of a function.
  Result<Abstract> Of(const Node& node) const;

 private:
  std::map<std::string, Abstract> cells_;
  std::uint64_t last_ = 0;  // the number of the last one's cell
};

}  // namespace dragoman::tf

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_LOWER_VARIABLES_H_
