// Sequences and optionals of known length: Relax has tensors only.
#ifndef DRAGOMAN_CODEGEN_RELAX_LOWER_SEQUENCES_H_
#define DRAGOMAN_CODEGEN_RELAX_LOWER_SEQUENCES_H_

#include <vector>

#include "codegen/relax/entry_border.h"
#include "core/ir/graph.h"
#include "core/support/result.h"

namespace dragoman::relax {

// What is read of a sequence whose elements are known one by one (SequenceAt, SequenceLength,
// ConcatFromSequence), or of an optional, reads the elements instead; what made the sequence goes
// where nothing reads it any more. Sequences that loops carry, and places that only run time knows,
// stay. Outputs that are such lists become their elements, as `lists` tells; nullptr: they stay,
// too.
Status LowerSequences(Graph& entry, std::vector<ListOutput>* lists = nullptr);

}  // namespace dragoman::relax

#endif  // DRAGOMAN_CODEGEN_RELAX_LOWER_SEQUENCES_H_
