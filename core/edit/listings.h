// SPDX-License-Identifier: Apache-2.0
// What files keep beside a graph about its values, by name or by place, and about encodings.
#ifndef DRAGOMAN_CORE_EDIT_LISTINGS_H_
#define DRAGOMAN_CORE_EDIT_LISTINGS_H_

#include "core/ir/model.h"

namespace dragoman {

// Lists of values in a graph's extra, which no longer fit when it is edited: writers make them
// anew.
void ForgetListings(Graph& graph);
// How the elements of a constant were stored.
void ForgetEncoding(Value& constant);
// Doc strings of the model, its graphs, nodes, values and attributes.
void ForgetDocumentation(Model& model);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_EDIT_LISTINGS_H_
