#include "core/rewrite/recurrence/fuse_loop.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/rewrite/recurrence/emit_operator.h"
#include "core/rewrite/recurrence/explain_states.h"
#include "core/rewrite/recurrence/find_cells.h"
#include "core/rewrite/recurrence/layout.h"
#include "core/rewrite/recurrence/loop_lengths.h"
#include "core/rewrite/recurrence/loop_results.h"
#include "core/rewrite/recurrence/loop_view.h"
#include "core/rewrite/recurrence/open_steps.h"
#include "core/rewrite/recurrence/sequence_steps.h"
#include "core/rewrite/recurrence/split_states.h"
#include "core/rewrite/recurrence/turn_sequences.h"
#include "core/rewrite/zeros.h"

namespace dragoman {
namespace {

using Kind = RecurrentCell::Kind;

class LoopFusion {
 public:
  LoopFusion(LoopView view, PassContext& context)
      : view_(std::move(view)),
        context_(context),
        forms_(context.inference),
        layout_(context, *view_.node),
        sequences_(view_, forms_, context) {
    for (const auto& [value, slice] : view_.slices) {
      forms_.SetTurn(value, slice.sequence, slice.axis, slice.reverse);
    }
  }

  Result<bool> Fuse() {
    cells_ = FindCells(*view_.body, forms_);
    for (const auto& [dtype, of_type] : cells_) {
      for (const RecurrentCell& cell : of_type) DRAGOMAN_TRY(FuseCell(cell));
    }
    if (!sequences_.CountTurns()) return NotFused();
    LoopResults results(view_, sequences_.turns(), forms_, sequences_.batcher(), context_);
    DRAGOMAN_ASSIGN(const bool complete, results.Find());
    if (!complete) {
      if (count_ > 0) obstacle_ = results.obstacle();
      return NotFused();
    }
    context_.Explain(*view_.node, count_ > 0
                                      ? fmt::format("{} cells in it become operators", count_)
                                      : "its turns do not depend on each other: done at once");
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

  // The state of the loop that `atom` is, if `next` is its value in the next turn, or a projection
  // of that, which is then entered in `step`.
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

  // Tells what becomes of the old state `id` of `cell`, if it is one of the loop's.
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

  // What masks make of the new states; false if it is no mask of both.
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
    const RecurrentCell& cell = *step.cell;
    if (!cell.uniform || step.inputs.empty()) return {};
    DRAGOMAN_ASSIGN(const std::optional<TurnSequence> x, Input(step));
    if (!x) {
      obstacle_ =
          fmt::format("what the {} in it reads is not known before its turn", Name(cell.kind));
      return {};
    }
    SequenceOperands operands{.x = x->value, .reverse = x->reverse};
    DRAGOMAN_ASSIGN(const bool has_h, Initial(h, step.old_h, operands.initial_h));
    if (!has_h) return {};
    if (c != nullptr) {
      DRAGOMAN_ASSIGN(const bool has_c, Initial(*c, step.old_c.atom, operands.initial_c));
      if (!has_c) return {};
    }
    if (step.masked()) {
      DRAGOMAN_ASSIGN(operands.lengths, Lengths(step.mask, *x));
      if (operands.lengths == nullptr) {
        obstacle_ = "the masks of a cell in it do not determine lengths";
        return {};
      }
    }
    DRAGOMAN_ASSIGN(Node * node, EmitOperator(step, operands, forms_, *view_.node, context_));
    std::vector<OriginPtr> origins = {view_.node->origin()};
    for (const Node& inner : view_.body->nodes()) origins.push_back(inner.origin());
    node->set_origin(Origin::Merge(origins));
    DRAGOMAN_ASSIGN(Value * sequence, layout_.Squeeze(node->result(0), 1));
    const auto enter = [&](AtomId id) {
      sequences_.EnterHidden(id, sequence, x->reverse, node->result(1));
    };
    const bool is_projected = step.projected != kNoAtom && step.projects_outside();
    if (!step.masked()) enter(is_projected || step.projected == kNoAtom ? cell.h : step.projected);
    if (step.masked() && !is_projected) {
      const AtomId fresh = step.projected != kNoAtom ? step.projected : cell.h;
      sequences_.EnterWithin(fresh, step.mask, sequence, x->reverse);
      for (AtomId id : step.zeroed_h) enter(id);
      DRAGOMAN_ASSIGN(sequence, Held(sequence, node->result(1), operands));
      enter(step.carried_h);
    }
    if (c != nullptr) {
      sequences_.EnterCellState(step, operands, sequence, node->result(2));
    }
    if (is_projected) DRAGOMAN_TRY(EnterProjected(step, sequence, *node, operands));
    ++count_;
    return {};
  }

  // What the turns pass on: beyond a sequence's end its last state, or backwards the first one.
  Result<Value*> Held(Value* given, Value* last, const SequenceOperands& operands) {
    Value* other = operands.reverse ? operands.initial_h : last;
    if (other == nullptr) {
      DRAGOMAN_ASSIGN(Tensor zero, Tensor::Full(given->type().dtype(), {}, 0));
      other = context_.AddConstant(*view_.node->graph(), std::move(zero), "zero", {});
    }
    return EmitHeld(given, operands.lengths, other, layout_, *view_.node, context_);
  }

  // The operand for a mask that is turn < length; nullptr for any other.
  Result<Value*> Lengths(const StepMask& mask, const TurnSequence& x) {
    Value* const source = LengthsOf(mask, view_, x.reverse, forms_);
    if (source == nullptr) return source;
    DRAGOMAN_ASSIGN(const std::optional<BatchedSteps> lengths,
                    sequences_.batcher().Batch({source}));
    if (!lengths || !lengths->shared) return static_cast<Value*>(nullptr);
    return EmitLengths({.lengths = lengths->value}, x.value, layout_, *view_.node, context_);
  }

  Status EnterProjected(const CellStep& step, Value* sequence, Node& node,
                        const SequenceOperands& operands) {
    DRAGOMAN_ASSIGN(Value * projected,
                    EmitProjection(step, sequence, forms_, *view_.node, context_));
    DRAGOMAN_ASSIGN(Value * last, EmitLastProjection(step, node.result(1), operands, forms_,
                                                     *view_.node, context_));
    const auto enter = [&](AtomId id) {
      sequences_.EnterHidden(id, projected, operands.reverse, last);
    };
    if (!step.masked()) enter(step.projected);
    for (AtomId id : step.zeroed_h) enter(id);
    if (!step.masked()) return {};
    DRAGOMAN_ASSIGN(projected, Held(projected, last, operands));
    enter(step.carried_h);
    return {};
  }

  // All inputs of a cell, side by side; nullopt if they are no sequences.
  Result<std::optional<TurnSequence>> Input(const CellStep& step) {
    const Dim batch = BatchOf(*step.cell->node->result(), forms_.atom(step.cell->h).axis);
    std::vector<TurnSequence> parts;
    bool reverse = true;
    for (AtomId id : step.inputs) {
      const Atom atom = forms_.atom(id);
      DRAGOMAN_ASSIGN(std::optional<TurnSequence> part, sequences_.Of(atom, step.mask));
      if (!part || Equal(BatchOf(*part->value, 2, 0), batch) != Truth::kYes) return Nothing();
      if (SizeAlong(*part->value, 2) != atom.size) {
        DRAGOMAN_ASSIGN(part->value,
                        layout_.Slice(part->value, 2, atom.begin, atom.begin + atom.size));
      }
      reverse = reverse && part->reverse;
      parts.push_back(*part);
    }
    std::vector<Value*> values;
    for (TurnSequence& part : parts) {
      if (part.reverse && !reverse) {
        DRAGOMAN_ASSIGN(part.value, layout_.Reverse(part.value));
      }
      values.push_back(part.value);
    }
    DRAGOMAN_ASSIGN(Value * whole, layout_.Concat(values, 2));
    return std::optional(TurnSequence{whole, reverse});
  }

  static std::optional<TurnSequence> Nothing() { return std::nullopt; }

  // Into `operand`, which stays nullptr for zeros; false if sizes are not known.
  Result<bool> Initial(const LoopState& state, AtomId id, Value*& operand) {
    if (IsZero(state.initial)) return true;
    const Atom& atom = forms_.atom(id);
    if (state.initial->type().rank() != atom.value->type().rank()) return false;
    DRAGOMAN_ASSIGN(operand, layout_.ToState(state.initial, atom.axis));
    return operand != nullptr;
  }

  LoopView view_;
  PassContext& context_;
  AffineForms forms_;
  LayoutBuilder layout_;
  TurnSequences sequences_;
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
