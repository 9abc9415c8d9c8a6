// SPDX-License-Identifier: Apache-2.0
// What elements are stored as whose type has more of a meaning than ours: those of qint8 are i8.
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_GRAPH_STORED_TYPE_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_GRAPH_STORED_TYPE_H_

#include "core/ir/attribute.h"
#include "core/ir/dtype.h"

namespace dragoman::tf {

// Of an attribute that is an element type; kUnknown: it is none, or nothing of ours stores it.
DType StoredType(const Attribute& attribute);

}  // namespace dragoman::tf

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_GRAPH_STORED_TYPE_H_
