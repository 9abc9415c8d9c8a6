// SPDX-License-Identifier: Apache-2.0
// What stands in the boxes of a page, and how large they are.
#ifndef DRAGOMAN_PAGE_ITEM_TEXT_H_
#define DRAGOMAN_PAGE_ITEM_TEXT_H_

#include <string>
#include <string_view>
#include <vector>

#include "core/ir/graph.h"
#include "core/layout/layered.h"

namespace dragoman::page {

// "Conv", "com.microsoft.Gelu", "aten.add".
std::string TitleOf(const OpName& op);
// Sizes of weights, or short attributes: "64×3×7×7, 64", "axis = 1"; may be empty.
std::string NoteOf(const Node& node);
// Sizes as "64×3×7×7", other types in full.
std::string SizesOf(const Type& type);
// The scopes that the node lies in, outermost first: of its source operator, or those that its name
// spells.
std::vector<std::string> ScopeOf(const Node& node);
// "out_0" of "/encoder/layer.0/out_0".
std::string LastPart(const std::string& name);
// Of a box that shows these lines; of ports, a lower one.
layout::Box BoxOf(std::string_view title, std::string_view note);
layout::Box PortOf(std::string_view title);

}  // namespace dragoman::page

#endif  // DRAGOMAN_PAGE_ITEM_TEXT_H_
