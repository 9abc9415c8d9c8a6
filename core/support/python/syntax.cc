// SPDX-License-Identifier: Apache-2.0
#include "core/support/python/syntax.h"

#include <iterator>
#include <utility>

namespace dragoman::python {

void Expr::TakeApart() {
  std::vector<Expr> open = std::move(parts);
  while (!open.empty()) {
    std::vector<Expr> inner = std::move(open.back().parts);
    open.pop_back();
    open.insert(open.end(), std::make_move_iterator(inner.begin()),
                std::make_move_iterator(inner.end()));
  }
}

}  // namespace dragoman::python
