// Tuples that are constructed and taken apart again.
#ifndef DRAGOMAN_IMPORTERS_TORCHSCRIPT_LOWER_TUPLES_H_
#define DRAGOMAN_IMPORTERS_TORCHSCRIPT_LOWER_TUPLES_H_

#include "core/ir/graph.h"

namespace dragoman::torchscript {

// The results of TupleUnpack and TupleIndex of a TupleConstruct are its operands.
void LowerSimpleTuples(Graph& graph);

}  // namespace dragoman::torchscript

#endif  // DRAGOMAN_IMPORTERS_TORCHSCRIPT_LOWER_TUPLES_H_
