// SPDX-License-Identifier: Apache-2.0
// Cells that follow one another in time with equal weights.
#ifndef DRAGOMAN_CORE_REWRITE_RECURRENCE_CELL_CHAIN_H_
#define DRAGOMAN_CORE_REWRITE_RECURRENCE_CELL_CHAIN_H_

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/analysis/recurrent_cell.h"
#include "core/rewrite/recurrence/evaluate_const.h"
#include "core/rewrite/recurrence/masked_states.h"

namespace dragoman {

// What a cell computes with, once it is known which atom is the old hidden state. kNoConst stands
// for zeros.
struct CellWeights {
  std::vector<std::vector<ConstId>> inputs;  // per input and gate: (hidden, size of the input)
  std::vector<ConstId> recurrent;            // per gate: (hidden, hidden)
  std::vector<ConstId> biases;               // per gate: (hidden)
  std::vector<ConstId> peepholes;            // as in RecurrentCell
  ConstId reset_bias = kNoConst;             // as in RecurrentCell
  // Of an LSTM whose old hidden state is this of what the cell before it gave; its `recurrent` are
  // (hidden, size of the projection).
  CellProjection projection;

  friend bool operator==(const CellWeights&, const CellWeights&) = default;
};

// One cell with its operands by their meaning.
struct CellStep {
  const RecurrentCell* cell = nullptr;
  AtomId old_h = kNoAtom;
  CellState old_c;
  std::vector<AtomId> inputs;  // in the order of weights.inputs
  AtomId projected = kNoAtom;  // the projection of the new hidden state, if there is one
  CellWeights weights;

  // Where the states count only for some sequences of the batch (masked_states.h): what the next
  // cell reads, and the hidden state with zeros elsewhere.
  StepMask mask;
  AtomId carried_h = kNoAtom;
  AtomId carried_c = kNoAtom;
  std::vector<AtomId> zeroed_h;

  bool masked() const { return mask.mask != nullptr; }
  // The hidden state as it passes on, but for masks.
  AtomId given() const { return projected != kNoAtom ? projected : cell->h; }
  // Whether its states are clipped, as dragoman.LSTM does, which ONNX's does not.
  bool clips_states() const { return cell->cell_clip != 0 || weights.projection.clip != 0; }
  // Whether the operator gives the hidden state before its projection.
  bool projects_outside() const { return weights.projection && !clips_states(); }
};

// The operands of `cell` if `old_h` is its old hidden state.
CellStep ReadStep(const RecurrentCell& cell, AtomId old_h);

// All that one operator fixes for every step that it does. Steps are done by one operator only if
// these are equal as a whole; what steps have of their own (inputs, states, which mask) is kept
// apart when the operator is made.
struct StepForm {
  RecurrentCell::Kind kind = RecurrentCell::Kind::kRnn;
  std::int64_t hidden = 0;
  bool coupled = false;
  bool linear_before_reset = false;
  bool uniform = true;
  std::size_t num_inputs = 0;
  std::vector<CellFunction> functions;  // of the gates
  CellFunction output_function;
  float cell_clip = 0;
  CellWeights weights;            // each the first constant with its elements
  bool masked = false;            // whether a mask keeps the old states
  bool masks_projection = false;  // and of the hidden state the projection, not that before it

  friend bool operator==(const StepForm&, const StepForm&) = default;
};

// Compares weights by what they are: first as expressions, then by their elements.
class WeightComparer {
 public:
  WeightComparer(const ConstExprs& exprs, DType dtype) : evaluator_(exprs, dtype) {}

  StepForm FormOf(const CellStep& step);
  bool Same(const CellStep& a, const CellStep& b) { return FormOf(a) == FormOf(b); }
  // "forget-gate weight", "activation of the cell gate"; empty if there is none.
  std::string Difference(const CellStep& a, const CellStep& b);
  bool Same(ConstId a, ConstId b);
  bool Same(const CellProjection& a, const CellProjection& b) {
    return a.clip == b.clip && Same(a.matrix, b.matrix);
  }
  bool IsZero(ConstId id) { return Canonical(id) == kNoConst; }

 private:
  // The first id with these elements; kNoConst for zeros.
  ConstId Canonical(ConstId id);

  ConstEvaluator evaluator_;
  std::unordered_map<ConstId, ConstId> canonical_;
  std::unordered_map<std::uint64_t, std::vector<ConstId>> by_hash_;
};

// A run of cells in which each reads the states of the one before.
struct CellChain {
  std::unique_ptr<RecurrentCell> first;  // the first step's, where only a rest of it is there
  std::vector<CellStep> steps;
  // Per step: why one operator cannot do it and the one before; else empty.
  std::vector<std::string> breaks;
};

// All maximal runs of at least two of `cells`, which are in topological order. States pass from
// cell to cell; the forms of neighbours differ where `breaks` gives a reason.
std::vector<CellChain> LinkCells(const std::vector<RecurrentCell>& cells, WeightComparer& comparer,
                                 AffineForms& forms);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_RECURRENCE_CELL_CHAIN_H_
