// SPDX-License-Identifier: Apache-2.0
// What nodes of a program say of where they came from.
#ifndef DRAGOMAN_EXPORTERS_PT2_ORIGIN_METADATA_H_
#define DRAGOMAN_EXPORTERS_PT2_ORIGIN_METADATA_H_

#include "core/ir/origin.h"
#include "exporters/pt2/json.h"

namespace dragoman::pt2 {

// The metadata of nodes that were made of the first call that `origin` holds: its operator and name
// as `custom`, which torch keeps through its passes; its module and place in the user's source as
// torch.export has them.
Json MetadataOf(const OriginPtr& origin);

}  // namespace dragoman::pt2

#endif  // DRAGOMAN_EXPORTERS_PT2_ORIGIN_METADATA_H_
