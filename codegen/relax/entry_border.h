// SPDX-License-Identifier: Apache-2.0
// What inputs and outputs of an entry may be that Relax has no values for.
//
//   - Numbers that a node draws become an input, which the caller draws.
//   - Complex tensors become pairs of real numbers along a new last axis.
//   - The elements of a sequence, or of an optional, that is an output are outputs in its place.
//
// A function lists them in its attributes "random", "complex" and "lists", by which it is read
// back.
#ifndef DRAGOMAN_CODEGEN_RELAX_ENTRY_BORDER_H_
#define DRAGOMAN_CODEGEN_RELAX_ENTRY_BORDER_H_

#include <cstddef>
#include <string>
#include <vector>

#include "core/ir/graph.h"
#include "core/rewrite/forms/lower_sequences.h"
#include "core/support/result.h"

namespace dragoman::relax {

// An input of numbers of a distribution: "normal" of a mean and a deviation, "uniform" from one
// number up to another, without it.
struct DrawnInput {
  std::size_t input = 0;
  std::string distribution;
  std::vector<float> parameters;  // two, and a seed if the node has one
};

struct EntryBorder {
  std::vector<DrawnInput> drawn;
  std::vector<std::size_t> complex_inputs;
  std::vector<std::size_t> complex_outputs;
  std::vector<ListOutput> lists;

  // Where output `i` of the entry is now.
  std::size_t OutputPlace(std::size_t i) const;
};

// Random nodes get their numbers from inputs after the others. A node of a loop, which draws anew
// in each iteration, stays, and one of sizes that no input gives.
Result<std::vector<DrawnInput>> DrawAtEntry(Graph& entry);

// Complex inputs and outputs as pairs; what computes with complex values stays.
Status PairComplex(Graph& entry, EntryBorder& border);

// Entries of R.func_attr, each with ", " before it.
std::string AttributesOf(const EntryBorder& border);

}  // namespace dragoman::relax

#endif  // DRAGOMAN_CODEGEN_RELAX_ENTRY_BORDER_H_
