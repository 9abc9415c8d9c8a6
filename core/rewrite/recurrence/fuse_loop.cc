// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/recurrence/fuse_loop.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/rewrite/recurrence/emit_operator.h"
#include "core/rewrite/recurrence/explain_states.h"
#include "core/rewrite/recurrence/find_cells.h"
#include "core/rewrite/recurrence/iteration_sequences.h"
#include "core/rewrite/recurrence/layout.h"
#include "core/rewrite/recurrence/loop_lengths.h"
#include "core/rewrite/recurrence/loop_results.h"
#include "core/rewrite/recurrence/loop_view.h"
#include "core/rewrite/recurrence/open_steps.h"
#include "core/rewrite/recurrence/packed_steps.h"
#include "core/rewrite/recurrence/sequence_steps.h"
#include "core/rewrite/recurrence/split_states.h"
#include "core/rewrite/zeros.h"

namespace dragoman {
namespace {

using Kind = RecurrentCell::Kind;

Dim NumElements(const Value& value) {
  Dim count = value.type().shape() != nullptr ? Dim(1) : Dim::Unknown();
  if (value.type().shape() == nullptr) return count;
  for (const Dim& size : *value.type().shape()) count = count * size;
  return count;
}

class LoopFusion {
 public:
  LoopFusion(LoopView view, PassContext& context)
      : view_(std::move(view)),
        context_(context),
        forms_(context.inference),
        layout_(context, *view_.node),
        sequences_(view_, forms_, context) {
    for (const auto& [value, slice] : view_.slices) {
      forms_.SetIteration(value, slice.sequence, slice.axis, slice.reverse);
    }
  }

  Result<bool> Fuse() {
    cells_ = FindCells(*view_.body, forms_);
    for (const auto& [dtype, of_type] : cells_) {
      for (const RecurrentCell& cell : of_type) DRAGOMAN_TRY(FuseCell(cell));
    }
    if (!sequences_.CountIterations()) return NotFused();
    LoopResults results(view_, sequences_.iterations(), forms_, sequences_.batcher(), context_);
    DRAGOMAN_ASSIGN(const bool complete, results.Find());
    if (!complete) {
      if (count_ > 0) obstacle_ = results.obstacle();
      return NotFused();
    }
    context_.Explain(*view_.node, count_ > 0
                                      ? fmt::format("{} cells in it become operators", count_)
                                      : "its iterations do not depend on each other: done at once");
    context_.Replace(*view_.node, results.values());
    return true;
  }

 private:
  bool NotFused() {
    if (obstacle_.empty()) return false;
    const std::string cells = count_ > 0 ? fmt::format("{} cells in it, but ", count_) : "";
    context_.Explain(*view_.node, cells + "not fused, since " + obstacle_);
    return false;
  }

  // The state of the loop that `atom` is, if `next` is its value in the next iteration, or a
  // projection of that, which is then entered in `step`.
  const LoopState* StateOf(AtomId id, AtomId next, CellStep* step = nullptr) {
    if (id == kNoAtom || !IsWhole(forms_.atom(id))) return nullptr;
    const Atom atom = forms_.atom(id);
    for (const LoopState& state : view_.states) {
      if (state.input != atom.value) continue;
      const int rank = state.output->type().rank().value_or(0);
      if (state.input->type().rank() != rank) return nullptr;
      const AffineForm* form = forms_.Wiring(state.output, atom.axis);
      if (form == nullptr || form->segments.size() != 1) return nullptr;
      const AtomId after = AffineForms::AsAtom(form->segments.front());
      if (after == next) return &state;
      const auto projection_of = [&](AtomId given) {
        return step != nullptr && given != kNoAtom ? ProjectionOf(given, next, forms_)
                                                   : CellProjection();
      };
      const auto masked = ReadMasked(
          after, [&](AtomId given) { return given == next || projection_of(given); }, forms_);
      if (masked && masked->kept != id) return nullptr;
      if (masked && masked->fresh == next) return &state;
      const AtomId given = masked ? masked->fresh : after;
      const CellProjection projection = projection_of(given);
      if (!projection) return nullptr;
      step->projected = given;
      step->weights.projection = projection;
      return &state;
    }
    return nullptr;
  }

  Status FuseCell(const RecurrentCell& cell) {
    const LoopState* c = nullptr;
    if (cell.kind == Kind::kLstm) {
      c = StateOf(cell.old_c.atom, cell.c);
      if (c == nullptr) {
        ReportState(cell, cell.old_c.atom);
        return {};
      }
    }
    for (const CellGate& gate : cell.gates) {
      for (const AffineTerm& term : gate.argument.terms) {
        if (cell.kind == Kind::kGru && cell.old_h.atom != term.atom) continue;
        CellStep step = ReadStep(cell, term.atom);
        const LoopState* h = StateOf(term.atom, cell.h, &step);
        if (h == nullptr || (step.projected != kNoAtom && cell.kind != Kind::kLstm)) continue;
        if (!EnterMasks(*h, c, step)) return {};
        return Emit(step, *h, c);
      }
    }
    for (const CellGate& gate : cell.gates) {
      for (const AffineTerm& term : gate.argument.terms) ReportState(cell, term.atom);
    }
    return {};
  }

  // Explains what becomes of the old state `id` of `cell`, if it is one of the loop's.
  void ReportState(const RecurrentCell& cell, AtomId id) {
    const auto state = std::ranges::find_if(view_.states, [&](const LoopState& known) {
      return id != kNoAtom && known.input == forms_.atom(id).value;
    });
    if (state == view_.states.end()) return;
    const Value* factor = FindMixingFactor(*state->output);
    const auto slice = view_.slices.find(factor);
    if (slice != view_.slices.end()) factor = slice->second.sequence;
    if (factor == nullptr && !obstacle_.empty()) return;
    obstacle_ = factor != nullptr
                    ? fmt::format("{} of the {} in it", MixesStates(*factor), Name(cell.kind))
                    : fmt::format("state %{} of the {} in it does not pass on as it is",
                                  state->input->name(), Name(cell.kind));
  }

  // What masks make of the new states; false if it is not a mask of both.
  bool EnterMasks(const LoopState& h, const LoopState* c, CellStep& step) {
    step.carried_h = WholeAtom(*h.output, forms_);
    const AtomId given = step.projected != kNoAtom ? step.projected : step.cell->h;
    const auto masked = ReadMasked(step.carried_h, given, forms_);
    if (!masked) {
      step.carried_h = kNoAtom;
      return c == nullptr || !ReadMasked(WholeAtom(*c->output, forms_), step.cell->c, forms_);
    }
    step.mask = masked->mask;
    step.zeroed_h = FindZeroed(given, step.carried_h, step.mask, forms_);
    if (c == nullptr) return true;
    step.carried_c = WholeAtom(*c->output, forms_);
    const auto masked_c = ReadMasked(step.carried_c, step.cell->c, forms_);
    return masked_c && masked_c->mask == step.mask;
  }

  Status Emit(const CellStep& step, const LoopState& h, const LoopState* c) {
    if (!step.cell->uniform || step.inputs.empty()) return {};
    std::optional<PackedSteps> packed;
    DRAGOMAN_ASSIGN(const std::optional<SequenceOperands> operands, OperandsOf(step, h, c, packed));
    if (!operands) return {};
    DRAGOMAN_ASSIGN(Node * node, EmitOperator(step, *operands, forms_, *view_.node, context_));
    std::vector<OriginPtr> origins = {view_.node->origin()};
    for (const Node& inner : view_.body->nodes()) origins.push_back(inner.origin());
    node->set_origin(Origin::Merge(origins));
    ++count_;
    DRAGOMAN_ASSIGN(Value * sequence, layout_.Squeeze(node->result(0), 1));
    if (!packed) return EnterStates(step, h, c, sequence, *node, *operands);
    if (c != nullptr) sequences_.EnterLastCellState(step, {node->result(2), c->initial});
    return EnterPacked(step, h, *packed, sequence, node->result(1), *operands);
  }

  // What the operator for a cell reads, and how its steps are packed if they are; nullopt: the cell
  // is none of a sequence.
  Result<std::optional<SequenceOperands>> OperandsOf(const CellStep& step, const LoopState& h,
                                                     const LoopState* c,
                                                     std::optional<PackedSteps>& packed) {
    const auto none = std::optional<SequenceOperands>();
    DRAGOMAN_ASSIGN(const std::optional<IterationSequence> x, Input(step));
    if (!x) {
      obstacle_ = fmt::format("what the {} in it reads is not known before its iteration",
                              Name(step.cell->kind));
      return none;
    }
    SequenceOperands operands{.x = x->value, .reverse = x->reverse};
    DRAGOMAN_ASSIGN(const bool has_h, Initial(h, step.old_h, operands.initial_h));
    if (!has_h) return none;
    if (c != nullptr) {
      DRAGOMAN_ASSIGN(const bool has_c, Initial(*c, step.old_c.atom, operands.initial_c));
      if (!has_c) return none;
    }
    if (!step.masked()) return std::optional(operands);
    DRAGOMAN_ASSIGN(operands.lengths, Lengths(step.mask, *x));
    if (operands.lengths != nullptr) return std::optional(operands);
    DRAGOMAN_ASSIGN(packed, Pack(step, operands));
    if (packed) return std::optional(operands);
    obstacle_ = "the masks of a cell in it do not determine lengths";
    return none;
  }

  // What stands for the states in all iterations: `sequence`, or what becomes of it.
  Status EnterStates(const CellStep& step, const LoopState& h, const LoopState* c, Value* sequence,
                     Node& node, const SequenceOperands& operands) {
    const LastState last_h{node.result(1), h.initial};
    const auto enter = [&](AtomId id, const LastState& last) {
      sequences_.EnterHidden(id, sequence, operands.reverse, last);
    };
    const bool is_projected = step.projected != kNoAtom && step.projects_outside();
    const AtomId fresh = step.projected != kNoAtom && !is_projected ? step.projected : step.cell->h;
    if (!step.masked()) enter(fresh, last_h);
    if (step.masked() && !is_projected) {
      sequences_.EnterWithin(fresh, step.mask, sequence, operands.reverse);
      for (AtomId id : step.zeroed_h) enter(id, {});
      DRAGOMAN_TRY(EnterKept(
          step, h,
          [&](Value* initial, Value*& last) -> Result<Value*> {
            DRAGOMAN_ASSIGN(last, LastFrom(initial, last, operands));
            return Held(sequence, last, initial, operands);
          },
          operands.reverse, node.result(1)));
      DRAGOMAN_ASSIGN(sequence, Held(sequence, node.result(1), operands.initial_h, operands));
      enter(step.carried_h, last_h);
    }
    if (c != nullptr)
      sequences_.EnterCellState(step, operands, sequence, {node.result(2), c->initial});
    return is_projected ? EnterProjected(step, h, sequence, node, operands) : Status();
  }

  // What the iterations pass on: beyond a sequence's end its last state, or backwards the first
  // one.
  Result<Value*> Held(Value* given, Value* last, Value* initial, const SequenceOperands& operands) {
    Value* other = operands.reverse ? initial : last;
    if (other == nullptr) {
      DRAGOMAN_ASSIGN(other, layout_.Zero(given->type().dtype()));
    }
    return EmitHeld(given, operands.lengths, other, layout_, *view_.node, context_);
  }

  // The operand for a mask that is iteration < length; nullptr for any other.
  Result<Value*> Lengths(const StepMask& mask, const IterationSequence& x) {
    Value* const source = LengthsOf(mask, view_, x.reverse, forms_);
    if (source == nullptr) return source;
    DRAGOMAN_ASSIGN(const std::optional<BatchedSteps> lengths,
                    sequences_.batcher().Batch({source}));
    if (!lengths || !lengths->shared) return static_cast<Value*>(nullptr);
    StepLimit limit{.lengths = lengths->value};
    // As many as the batch has sequences, which the mask shows though the lengths do not.
    const Dim batch = (*x.value->type().shape())[1];
    if (HasSizesOfLengths(mask) && Equal(NumElements(*mask.mask), batch) == Truth::kYes &&
        Equal(NumElements(*limit.lengths), batch) != Truth::kYes) {
      DRAGOMAN_ASSIGN(Value * size, layout_.Size(x.value, 1));
      DRAGOMAN_ASSIGN(size, layout_.Unsqueeze(size, {0}));
      DRAGOMAN_ASSIGN(limit.lengths,
                      context_.Insert(*view_.node, "Reshape", {{limit.lengths, size}}));
    }
    return EmitLengths(limit, x.value, layout_, *view_.node, context_);
  }

  // The steps that the mask does not leave out, moved to the front, into `operands`; nullopt if the
  // masks of all iterations are not known.
  Result<std::optional<PackedSteps>> Pack(const CellStep& step, SequenceOperands& operands) {
    if (step.projected != kNoAtom) return std::optional<PackedSteps>();
    const Atom& state = forms_.atom(step.carried_h);
    DRAGOMAN_ASSIGN(Value * mask, sequences_.MaskOf(step.mask, state));
    if (mask == nullptr || Equal(BatchOf(*mask, 2, 0), BatchOf(*operands.x, 2, 0)) != Truth::kYes)
      return std::optional<PackedSteps>();
    if (operands.reverse) {
      DRAGOMAN_ASSIGN(operands.x, layout_.Reverse(operands.x));
      operands.reverse = false;
    }
    DRAGOMAN_ASSIGN(const PackedSteps packed,
                    PackSteps(operands.x, mask, layout_, *view_.node, context_));
    operands.x = packed.x;
    operands.lengths = packed.lengths;
    return std::optional(packed);
  }

  // `given` and `last`: what the operator gives.
  Status EnterPacked(const CellStep& step, const LoopState& h, const PackedSteps& packed,
                     Value* given, Value* last, const SequenceOperands& operands) {
    const auto unpack = [&](Value* initial) {
      return UnpackStates(packed, given, initial, layout_, *view_.node, context_);
    };
    DRAGOMAN_TRY(EnterKept(
        step, h,
        [&](Value* initial, Value*& kept) -> Result<Value*> {
          DRAGOMAN_ASSIGN(kept, LastFrom(initial, kept, operands));
          return unpack(initial);
        },
        /*reverse=*/false, last));
    DRAGOMAN_ASSIGN(Value * carried, unpack(operands.initial_h));
    sequences_.EnterWithin(step.cell->h, step.mask, carried, /*reverse=*/false);
    sequences_.EnterHidden(step.carried_h, carried, /*reverse=*/false, {last, h.initial});
    if (step.zeroed_h.empty()) return {};
    DRAGOMAN_ASSIGN(Value * zero, layout_.Zero(carried->type().dtype()));
    DRAGOMAN_ASSIGN(Value * zeroed,
                    context_.Insert(*view_.node, "Where", {{packed.mask, carried, zero}}));
    for (AtomId id : step.zeroed_h) sequences_.EnterHidden(id, zeroed, /*reverse=*/false, {});
    return {};
  }

  // The states besides `h` that keep what the cell gave by the same mask, each from its own initial
  // value: `keep` gives those of all iterations, and makes the last one of `h` theirs.
  using KeepFrom = std::function<Result<Value*>(Value* initial, Value*& last)>;
  Status EnterKept(const CellStep& step, const LoopState& h, const KeepFrom& keep, bool reverse,
                   Value* last) {
    for (const LoopState& state : view_.states) {
      if (&state == &h) continue;
      const AtomId after = WholeAtom(*state.output, forms_);
      const auto masked = ReadMasked(after, step.cell->h, forms_);
      if (!masked || masked->mask != step.mask || masked->kept == kNoAtom) continue;
      const Atom& old = forms_.atom(masked->kept);
      if (old.value != state.input || !IsWhole(old)) continue;
      Value* initial = nullptr;
      DRAGOMAN_ASSIGN(const bool known, Initial(state, masked->kept, initial));
      if (!known) continue;
      Value* after_all = last;
      DRAGOMAN_ASSIGN(Value * sequence, keep(initial, after_all));
      sequences_.EnterHidden(after, sequence, reverse, {after_all, state.initial});
    }
    return {};
  }

  // The state after all iterations if it is `initial` (nullptr: zeros) before the first, of what
  // is `last` if it is the operator's initial state.
  Result<Value*> LastFrom(Value* initial, Value* last, const SequenceOperands& operands) {
    if (initial == operands.initial_h) return last;
    DRAGOMAN_ASSIGN(Value * is_empty,
                    EmitIsEmpty(operands.x, operands.lengths, layout_, *view_.node, context_));
    if (initial == nullptr) {
      DRAGOMAN_ASSIGN(initial, layout_.Zero(last->type().dtype()));
    }
    return context_.Insert(*view_.node, "Where", {{is_empty, initial, last}});
  }

  Status EnterProjected(const CellStep& step, const LoopState& h, Value* sequence, Node& node,
                        const SequenceOperands& operands) {
    DRAGOMAN_ASSIGN(Value * projected,
                    EmitProjection(step, sequence, forms_, *view_.node, context_));
    DRAGOMAN_ASSIGN(Value * last, EmitLastProjection(step, node.result(1), operands, forms_,
                                                     *view_.node, context_));
    const auto enter = [&](AtomId id, const LastState& after_all) {
      sequences_.EnterHidden(id, projected, operands.reverse, after_all);
    };
    if (!step.masked()) enter(step.projected, {last, h.initial});
    for (AtomId id : step.zeroed_h) enter(id, {});
    if (!step.masked()) return {};
    DRAGOMAN_ASSIGN(projected, Held(projected, last, operands.initial_h, operands));
    enter(step.carried_h, {last, h.initial});
    return {};
  }

  // All inputs of a cell, side by side; nullopt if they are not sequences.
  Result<std::optional<IterationSequence>> Input(const CellStep& step) {
    const Dim batch = BatchOf(*step.cell->node->result(), forms_.atom(step.cell->h).axis);
    std::vector<IterationSequence> parts;
    bool reverse = true;
    for (AtomId id : step.inputs) {
      const Atom atom = forms_.atom(id);
      DRAGOMAN_ASSIGN(std::optional<IterationSequence> part, sequences_.Of(atom, step.mask));
      if (!part || Equal(BatchOf(*part->value, 2, 0), batch) != Truth::kYes) return Nothing();
      if (SizeAlong(*part->value, 2) != atom.size) {
        DRAGOMAN_ASSIGN(part->value,
                        layout_.Slice(part->value, 2, atom.begin, atom.begin + atom.size));
      }
      reverse = reverse && part->reverse;
      parts.push_back(*part);
    }
    std::vector<Value*> values;
    for (IterationSequence& part : parts) {
      if (part.reverse && !reverse) {
        DRAGOMAN_ASSIGN(part.value, layout_.Reverse(part.value));
      }
      values.push_back(part.value);
    }
    DRAGOMAN_ASSIGN(Value * whole, layout_.Concat(values, 2));
    return std::optional(IterationSequence{whole, reverse});
  }

  static std::optional<IterationSequence> Nothing() { return std::nullopt; }

  // Into `operand`, which stays nullptr for zeros; false if sizes are not known, or other ones than
  // those that the iterations pass on: the first iteration may repeat one state for a batch.
  Result<bool> Initial(const LoopState& state, AtomId id, Value*& operand) {
    if (IsZero(state.initial)) return true;
    const Atom& atom = forms_.atom(id);
    if (state.initial->type().rank() != atom.value->type().rank()) return false;
    const Dim batch = BatchOf(*state.initial, atom.axis);
    if (Equal(batch, BatchOf(*state.output, atom.axis)) == Truth::kNo) return false;
    DRAGOMAN_ASSIGN(operand, layout_.ToState(state.initial, atom.axis));
    return operand != nullptr;
  }

  LoopView view_;
  PassContext& context_;
  AffineForms forms_;
  LayoutBuilder layout_;
  IterationSequences sequences_;
  CellsByType cells_;
  std::size_t count_ = 0;
  std::string obstacle_;
};

}  // namespace

Result<bool> FuseLoop(Node& node, PassContext& context) {
  std::optional<LoopView> view = ViewLoop(node, context);
  if (!view || !context.sites.Take(node)) return false;
  DRAGOMAN_ASSIGN(const bool gathered, GatherSlices(*view, context));
  if (gathered) return true;
  DRAGOMAN_ASSIGN(Node * split, SplitStates(*view, context));
  if (split != nullptr) return true;
  DRAGOMAN_ASSIGN(const bool opened, OpenSteps(*view, context));
  if (opened) view = ViewLoop(node, context);
  return LoopFusion(std::move(*view), context).Fuse();
}

}  // namespace dragoman
