// SPDX-License-Identifier: Apache-2.0
// Recognises one step of an LSTM, a GRU or a simple RNN by what it computes.
//
// The new state is read as a polynomial over gates, states and candidates, so that (1 - z) * n + z
// * h, n + z * (h - n) and h - z * h + z * n are the same; a gate is an activation function of an
// affine form (affine.h), so that the order of gates, the number of products, Split or Slice,
// transposed weights and doubled biases do not matter.
#ifndef DRAGOMAN_CORE_ANALYSIS_RECURRENT_CELL_H_
#define DRAGOMAN_CORE_ANALYSIS_RECURRENT_CELL_H_

#include <optional>
#include <string_view>
#include <vector>

#include "core/analysis/affine.h"
#include "core/ir/graph.h"

namespace dragoman {

// An activation function of ONNX's recurrent operators.
struct CellFunction {
  std::string_view name;  // "HardSigmoid"
  float alpha = 0;        // 0 where the function has none
  float beta = 0;
  float clip = 0;  // its argument is bounded by [-clip, clip]; 0 does not clip

  friend bool operator==(const CellFunction&, const CellFunction&) = default;
};

bool HasAlpha(const CellFunction& function);
bool HasBeta(const CellFunction& function);

// A gate: `function` of `argument`, whose terms are matrices only.
struct CellGate {
  CellFunction function;
  AffineSegment argument;
  AtomId value = kNoAtom;  // what it yields
};

// A state that a cell reads: an atom, or a constant vector that is the same for all sequences.
struct CellState {
  AtomId atom = kNoAtom;
  ConstId constant = kNoConst;
};

struct RecurrentCell {
  enum class Kind : std::uint8_t { kLstm, kGru, kRnn };

  Kind kind = Kind::kRnn;
  Node* node = nullptr;  // that yields the new hidden state
  std::int64_t hidden = 0;
  AtomId h = kNoAtom;  // the new hidden state
  // In ONNX's order: i, o, f, c; z, r, h; or one. Their terms are inputs and the old hidden state.
  // A coupled forget gate and the part of a GRU's candidate after the reset are not among them.
  std::vector<CellGate> gates;
  CellFunction output_function;  // kLstm: of the new cell state

  // Whether the gates' functions and clips are such as ONNX's operators have: one for all gates.
  bool uniform = true;

  AtomId c = kNoAtom;              // kLstm: the new cell state
  float cell_clip = 0;             // kLstm: its bound; 0 does not clip
  CellState old_c;                 // kLstm
  std::vector<ConstId> peepholes;  // kLstm: vectors for i, o, f (kNoConst: none), or empty
  bool coupled = false;            // kLstm: f = 1 - i

  CellState old_h;                   // kGru; of the others, it is one of the atoms of the gates
  bool linear_before_reset = false;  // kGru
  ConstId reset_matrix = kNoConst;   // kGru: of the candidate, on the old state
  ConstId reset_bias = kNoConst;     // kGru with linear_before_reset
};

// "LSTM", "GRU", "RNN".
std::string_view Name(RecurrentCell::Kind kind);
// "input", "output", "forget", "cell"; "update", "reset", "hidden"; "hidden".
std::string_view GateName(RecurrentCell::Kind kind, std::size_t gate);

// The cell whose new hidden state `node` yields, with features along `axis`.
std::optional<RecurrentCell> MatchLstm(Node& node, int axis, AffineForms& forms);
std::optional<RecurrentCell> MatchGru(Node& node, int axis, AffineForms& forms);
std::optional<RecurrentCell> MatchRnn(Node& node, int axis, AffineForms& forms);

// What passes on of a hidden state h: M * h, or h itself without M, bounded by [-clip, clip] unless
// clip is 0.
struct CellProjection {
  ConstId matrix = kNoConst;
  float clip = 0;

  explicit operator bool() const { return matrix != kNoConst || clip != 0; }
  friend bool operator==(const CellProjection&, const CellProjection&) = default;
};
// All of `atom` as a projection of h; none if it is something else.
CellProjection ProjectionOf(AtomId atom, AtomId h, AffineForms& forms);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_ANALYSIS_RECURRENT_CELL_H_
