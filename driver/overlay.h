// SPDX-License-Identifier: Apache-2.0
// Numbers of the nodes of a file for viewers of graphs: Model Explorer's node data.
#ifndef DRAGOMAN_DRIVER_OVERLAY_H_
#define DRAGOMAN_DRIVER_OVERLAY_H_

#include <string>

#include "core/ir/model.h"
#include "driver/session.h"
#include "page/write_page.h"

namespace dragoman {

// How many multiply-adds each node of `lowered` has, or an empty list where a size is not known.
page::Heat CostsOfNodes(const Model& lowered);

// JSON that has a number for each node of the file that `lowered` is from. The rows of `heat` are
// called like nodes or values of `lowered`, or of what the default passes make of it: what several
// nodes of the file became shares its number among them. `is_of_lowered`: rows whose names both
// have are of `lowered`, as those of CostsOfNodes are.
std::string OverlayOf(const Session& session, const Model& lowered, const page::Heat& heat,
                      bool is_of_lowered);

}  // namespace dragoman

#endif  // DRAGOMAN_DRIVER_OVERLAY_H_
