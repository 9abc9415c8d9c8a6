// SPDX-License-Identifier: Apache-2.0
// What codegen/relax/entry_border.h writes of a function's inputs and outputs: which inputs are
// numbers that a node drew, which inputs and outputs are complex numbers as pairs, and which
// outputs are the elements of a list.
#ifndef DRAGOMAN_IMPORTERS_RELAX_LOWER_BORDER_H_
#define DRAGOMAN_IMPORTERS_RELAX_LOWER_BORDER_H_

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/graph.h"

namespace dragoman::tvmscript {

struct Drawn {
  std::string op;                          // "RandomNormal", "RandomUniform"
  std::vector<NamedAttribute> attributes;  // but dtype and shape
};

struct ListOutput {
  std::size_t first = 0, count = 0;
  bool is_optional = false;
};

struct Border {
  std::map<std::size_t, Drawn> drawn;  // by input
  std::set<std::size_t> complex_inputs, complex_outputs;
  std::vector<ListOutput> lists;  // in order
};

// The entry of that name in the R.func_attr of `function`; nullptr: there is none.
const Attribute* FunctionAttribute(const Graph& function, std::string_view name);

// By the attributes of `function`; what is not of the form that the writer gives them says nothing.
Border BorderOf(const Graph& function);

}  // namespace dragoman::tvmscript

#endif  // DRAGOMAN_IMPORTERS_RELAX_LOWER_BORDER_H_
