// SPDX-License-Identifier: Apache-2.0
// Maps of an entry's interface, which a common graph has as two tensors each.
#ifndef DRAGOMAN_EXPORTERS_ONNX_RESTORE_MAPS_H_
#define DRAGOMAN_EXPORTERS_ONNX_RESTORE_MAPS_H_

#include <vector>

#include "core/ir/model.h"
#include "core/support/result.h"

namespace dragoman {

// Outputs NAME.map_keys and NAME.map_values (runtime/program/map.h) become output NAME, which
// ZipMap of ai.onnx.ml gives, and inputs so called become input NAME: DictVectorizer looks known
// words up in it, CastMap gives all values of a map from integers. A map that is made by a program
// of another format, as no operator of ONNX makes any, stays two outputs. Adds a finding for each
// map of which another part is read or given.
void RestoreMaps(Entry& entry, std::vector<Finding>& findings);

}  // namespace dragoman

#endif  // DRAGOMAN_EXPORTERS_ONNX_RESTORE_MAPS_H_
