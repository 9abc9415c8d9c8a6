// Sequences and optionals of known length: Relax has tensors only.
#ifndef DRAGOMAN_CODEGEN_RELAX_LOWER_SEQUENCES_H_
#define DRAGOMAN_CODEGEN_RELAX_LOWER_SEQUENCES_H_

#include "core/ir/graph.h"
#include "core/support/result.h"

namespace dragoman::relax {

// What is read of a sequence whose elements are known one by one (SequenceAt, SequenceLength,
// ConcatFromSequence), or of an optional, reads the elements instead; what made the sequence goes
// where nothing reads it any more. Sequences that loops carry, and places that only run time knows,
// stay.
Status LowerSequences(Graph& entry);

}  // namespace dragoman::relax

#endif  // DRAGOMAN_CODEGEN_RELAX_LOWER_SEQUENCES_H_
