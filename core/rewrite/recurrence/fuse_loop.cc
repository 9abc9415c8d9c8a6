#include "core/rewrite/recurrence/fuse_loop.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/rewrite/recurrence/batch_steps.h"
#include "core/rewrite/recurrence/emit_operator.h"
#include "core/rewrite/recurrence/find_cells.h"
#include "core/rewrite/recurrence/layout.h"
#include "core/rewrite/recurrence/loop_view.h"
#include "core/rewrite/recurrence/open_steps.h"
#include "core/rewrite/recurrence/sequence_steps.h"
#include "core/rewrite/recurrence/split_states.h"
#include "core/rewrite/recurrence/written_rows.h"
#include "core/rewrite/recurrence/zeros.h"

namespace dragoman {
namespace {

using Kind = RecurrentCell::Kind;

// (steps, batch, features), in the order of time; the turns go backwards if `reverse`.
struct TurnSequence {
  Value* value = nullptr;
  bool reverse = false;
  int axis = 0;  // of the features in a turn's value
};

// (1, batch, features), after the last turn.
struct LastState {
  Value* value = nullptr;
  int axis = 0;  // of the features in a turn's value
};

class LoopFusion {
 public:
  LoopFusion(LoopView view, PassContext& context)
      : view_(std::move(view)),
        context_(context),
        forms_(context.inference),
        layout_(context, *view_.node),
        batcher_([this](const StepFamily& family) { return Known(*family.front()); }, context,
                 *view_.node, view_.body) {
    for (const auto& [value, slice] : view_.slices) {
      forms_.SetTurn(value, slice.sequence, slice.axis, slice.reverse);
    }
  }

  Result<bool> Fuse() {
    cells_ = FindCells(*view_.body, forms_);
    for (const auto& [dtype, of_type] : cells_) {
      for (const RecurrentCell& cell : of_type) DRAGOMAN_TRY(FuseCell(cell));
    }
    if (count_ == 0) {
      if (!obstacle_.empty()) context_.Explain(*view_.node, "not fused, since " + obstacle_);
      return false;
    }
    std::vector<Value*> by(view_.node->num_results(), nullptr);
    std::vector<std::pair<Node*, Value*>> stacks;
    DRAGOMAN_ASSIGN(const bool complete, FindResults(by, stacks));
    if (!complete) {
      context_.Explain(*view_.node,
                       fmt::format("{} cells in it, but not fused, since {}", count_, obstacle_));
      return false;
    }
    context_.Explain(*view_.node, fmt::format("{} cells in it become operators", count_));
    for (const auto& [node, value] : stacks) context_.Replace(*node, {{value}});
    context_.Replace(*view_.node, by);
    return true;
  }

 private:
  // The whole of `value` as one atom, or kNoAtom.
  AtomId WiredAtom(const Value* value) {
    const int rank = value->type().rank().value_or(0);
    for (int axis = rank - 1; axis >= std::min(1, std::max(rank - 2, 0)); --axis) {
      const AffineForm* form = forms_.Wiring(value, axis);
      if (form == nullptr || form->segments.size() != 1) continue;
      const AtomId id = AffineForms::AsAtom(form->segments.front());
      const Atom& atom = forms_.atom(id);
      const auto result = results_.find(atom.value);
      if (IsWhole(atom) && result != results_.end() && result->second.axis == atom.axis) return id;
    }
    return kNoAtom;
  }

  static bool IsWhole(const Atom& atom) {
    return atom.step_axis < 0 && atom.begin == 0 && SizeAlong(*atom.value, atom.axis) == atom.size;
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
        obstacle_ = "the cell state of an LSTM in it does not pass on as it is";
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
    return {};
  }

  // What masks make of the new states; false if it is no mask of both.
  bool EnterMasks(const LoopState& h, const LoopState* c, CellStep& step) {
    step.carried_h = WholeAtom(*h.output);
    const AtomId given = step.projected != kNoAtom ? step.projected : step.cell->h;
    const auto masked = ReadMasked(step.carried_h, given, forms_);
    if (!masked) {
      step.carried_h = kNoAtom;
      return c == nullptr || !ReadMasked(WholeAtom(*c->output), step.cell->c, forms_);
    }
    step.mask = masked->mask;
    step.zeroed_h = FindZeroed(given, step.carried_h, step.mask, forms_);
    if (c == nullptr) return true;
    step.carried_c = WholeAtom(*c->output);
    const auto masked_c = ReadMasked(step.carried_c, step.cell->c, forms_);
    return masked_c && masked_c->mask == step.mask;
  }

  AtomId WholeAtom(const Value& value) {
    const AffineForm* form = forms_.Wiring(&value, value.type().rank().value_or(0) - 1);
    const bool is_one = form != nullptr && form->segments.size() == 1;
    return is_one ? AffineForms::AsAtom(form->segments.front()) : kNoAtom;
  }

  Status Emit(const CellStep& step, const LoopState& h, const LoopState* c) {
    const RecurrentCell& cell = *step.cell;
    if (!cell.uniform || step.inputs.empty()) return {};
    DRAGOMAN_ASSIGN(const std::optional<TurnSequence> x, Input(step));
    if (!x) return {};
    SequenceOperands operands{.x = x->value, .reverse = x->reverse};
    DRAGOMAN_ASSIGN(const bool has_h, Initial(h, step.old_h, operands.initial_h));
    if (!has_h) return {};
    if (c != nullptr) {
      DRAGOMAN_ASSIGN(const bool has_c, Initial(*c, step.old_c.atom, operands.initial_c));
      if (!has_c) return {};
    }
    if (step.masked()) {
      DRAGOMAN_ASSIGN(operands.lengths, Lengths(step.mask, *x));
      // A sequence of length 0 keeps its initial state, which no projection gives.
      const bool keeps = step.projects_outside() && operands.initial_h != nullptr;
      if (operands.lengths == nullptr) obstacle_ = "the masks of a cell in it tell no lengths";
      if (operands.lengths == nullptr || keeps) return {};
    }
    DRAGOMAN_ASSIGN(Node * node, EmitOperator(step, operands, forms_, *view_.node, context_));
    std::vector<OriginPtr> origins = {view_.node->origin()};
    for (const Node& inner : view_.body->nodes()) origins.push_back(inner.origin());
    node->set_origin(Origin::Merge(origins));
    DRAGOMAN_ASSIGN(Value * sequence, layout_.Squeeze(node->result(0), 1));
    turns_ = sequence->type().shape()->front();
    const auto enter = [&](AtomId id) {
      const Atom& atom = forms_.atom(id);
      sequences_[atom.value] = {sequence, x->reverse, atom.axis};
      results_[atom.value] = {node->result(1), atom.axis};
    };
    const bool is_projected = step.projected != kNoAtom && step.projects_outside();
    if (!step.masked()) enter(is_projected || step.projected == kNoAtom ? cell.h : step.projected);
    if (step.masked() && !is_projected) {
      const AtomId fresh = step.projected != kNoAtom ? step.projected : cell.h;
      within_masks_[forms_.atom(fresh).value] = {step.mask, {sequence, x->reverse, 0}};
      for (AtomId id : step.zeroed_h) enter(id);
      DRAGOMAN_ASSIGN(sequence, Held(sequence, node->result(1), operands));
      enter(step.carried_h);
    }
    if (c != nullptr) {
      const Atom& atom = forms_.atom(step.masked() ? step.carried_c : cell.c);
      results_[atom.value] = {node->result(2), atom.axis};
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
    const auto limit = ReadLimit(
        mask,
        [&](const Value& value, const MaskSlice* slice) -> std::optional<std::int64_t> {
          if (slice != nullptr) return CountsSteps(value) ? std::optional(0) : std::nullopt;
          const auto found = view_.numbers.find(&value);
          const bool fits = found != view_.numbers.end() && found->second == x.reverse;
          return fits ? std::optional(0) : std::nullopt;
        },
        [&](const Value& value) -> std::optional<MaskSlice> {
          const auto found = view_.slices.find(&value);
          if (found == view_.slices.end() || found->second.reverse != x.reverse)
            return std::nullopt;
          return MaskSlice{found->second.sequence, found->second.axis};
        },
        forms_);
    if (!limit || limit->number != 0) return static_cast<Value*>(nullptr);
    DRAGOMAN_ASSIGN(const std::optional<BatchedSteps> lengths, batcher_.Batch({limit->lengths}));
    if (!lengths || !lengths->shared) return static_cast<Value*>(nullptr);
    return EmitLengths(lengths->value, x.value, layout_, *view_.node, context_);
  }

  // Whether the elements are 0, 1, 2, …
  bool CountsSteps(const Value& value) const {
    const Value* at = &value;
    for (int hop = 0; hop < 8 && at->producer() != nullptr && !at->producer()->Is("Range"); ++hop) {
      const Node& node = *at->producer();
      if (!node.Is("Unsqueeze") && !node.Is("Reshape") && !node.Is("Cast")) break;
      at = node.operand(0);
    }
    if (const Node* node = at->producer(); node != nullptr && node->Is("Range")) {
      return IntsOf(context_, node->operand(0)) == std::vector<std::int64_t>{0} &&
             IntsOf(context_, node->operand(2)) == std::vector<std::int64_t>{1};
    }
    const auto ints = IntsOf(context_, at);
    if (!ints) return false;
    for (std::size_t i = 0; i < ints->size(); ++i) {
      if ((*ints)[i] != static_cast<std::int64_t>(i)) return false;
    }
    return true;
  }

  Status EnterProjected(const CellStep& step, Value* sequence, Node& node,
                        const SequenceOperands& operands) {
    DRAGOMAN_ASSIGN(Value * projected,
                    EmitProjection(step, sequence, forms_, *view_.node, context_));
    DRAGOMAN_ASSIGN(Value * last,
                    EmitProjection(step, node.result(1), forms_, *view_.node, context_));
    const auto enter = [&](AtomId id) {
      const Atom& atom = forms_.atom(id);
      sequences_[atom.value] = {projected, operands.reverse, atom.axis};
      results_[atom.value] = {last, atom.axis};
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
    std::vector<Value*> parts;
    bool reverse = false;
    for (AtomId id : step.inputs) {
      const Atom atom = forms_.atom(id);
      DRAGOMAN_ASSIGN(std::optional<TurnSequence> part, SequenceOf(atom, step.mask));
      if (!part || (!parts.empty() && part->reverse != reverse)) return Nothing();
      if (Equal(BatchOf(*part->value, 2, 0), batch) != Truth::kYes) return Nothing();
      if (SizeAlong(*part->value, 2) != atom.size) {
        DRAGOMAN_ASSIGN(part->value,
                        layout_.Slice(part->value, 2, atom.begin, atom.begin + atom.size));
      }
      reverse = part->reverse;
      parts.push_back(part->value);
    }
    DRAGOMAN_ASSIGN(Value * whole, layout_.Concat(parts, 2));
    return std::optional(TurnSequence{whole, reverse});
  }

  static std::optional<TurnSequence> Nothing() { return std::nullopt; }

  // A cell with a mask does not see what its input is beyond the length.
  Result<std::optional<TurnSequence>> SequenceOf(const Atom& atom, const StepMask& mask) {
    const auto below = within_masks_.find(atom.value);
    if (below != within_masks_.end() && below->second.first == mask && IsWhole(atom)) {
      return std::optional(below->second.second);
    }
    Value* whole = Mutable(*atom.value);
    bool reverse = atom.step == AffineForms::kTurnFromEnd;
    int step_axis = atom.step_axis;
    int axis = atom.axis;
    if (step_axis < 0 || atom.value->graph() == view_.body) {
      DRAGOMAN_ASSIGN(const std::optional<BatchedSteps> steps, batcher_.Batch({whole}));
      if (!steps || steps->shared) return Nothing();
      whole = steps->value;
      reverse = steps->reverse;
      ++axis;
      if (step_axis >= 0) {  // one row of what a turn reads
        DRAGOMAN_ASSIGN(whole, layout_.Gather(whole, step_axis + 1, Tensor::Int(atom.step)));
        if (axis > step_axis + 1) --axis;
      }
      step_axis = 0;
    } else if (atom.step < AffineForms::kTurn) {
      return Nothing();
    }
    DRAGOMAN_ASSIGN(whole, layout_.ToSequence(whole, step_axis, axis));
    if (whole == nullptr) return Nothing();
    return std::optional(TurnSequence{whole, reverse});
  }

  // Slices, and the hidden states of cells that have become operators, of all turns.
  Result<std::optional<BatchedSteps>> Known(const Value& value) {
    if (const auto found = sequences_.find(&value); found != sequences_.end()) {
      const TurnSequence& hidden = found->second;
      Shape shape = *value.type().shape();
      shape.insert(shape.begin(), hidden.value->type().shape()->front());
      DRAGOMAN_ASSIGN(Value * whole, layout_.FromSequence(hidden.value, shape, 0, hidden.axis + 1));
      if (whole == nullptr) return NotBatched();
      return std::optional(BatchedSteps{whole, false, hidden.reverse});
    }
    const auto found = view_.slices.find(&value);
    if (found == view_.slices.end()) return NotBatched();
    const LoopSlice& slice = found->second;
    DRAGOMAN_ASSIGN(Value * whole, layout_.StepsFirst(slice.sequence, slice.axis));
    if (value.type().rank() == slice.sequence->type().rank()) {
      DRAGOMAN_ASSIGN(whole, layout_.Unsqueeze(whole, {slice.axis + 1}));
    }
    return std::optional(BatchedSteps{whole, false, slice.reverse});
  }

  static std::optional<BatchedSteps> NotBatched() { return std::nullopt; }

  // Into `operand`, which stays nullptr for zeros; false if sizes are not known.
  Result<bool> Initial(const LoopState& state, AtomId id, Value*& operand) {
    if (IsZero(state.initial)) return true;
    const Atom& atom = forms_.atom(id);
    if (state.initial->type().rank() != atom.value->type().rank()) return false;
    DRAGOMAN_ASSIGN(operand, layout_.ToState(state.initial, atom.axis));
    return operand != nullptr;
  }

  // What stands for the results of the loop that are read, in `by`, and for lists that are joined.
  Result<bool> FindResults(std::vector<Value*>& by, std::vector<std::pair<Node*, Value*>>& stacks) {
    for (const LoopState& state : view_.states) {
      if (state.last == nullptr || !state.last->used()) continue;
      const bool is_list = state.last->type().kind() == Type::Kind::kSequence;
      DRAGOMAN_ASSIGN(const bool found,
                      is_list ? FindList(state, stacks) : FindLast(state, by[state.last->index()]));
      if (!found) return Missing(*state.last);
    }
    for (const LoopCollection& collection : view_.collections) {
      if (collection.result == nullptr || !collection.result->used()) continue;
      const std::size_t index = collection.result->index();
      DRAGOMAN_ASSIGN(by[index], Collected(*collection.output, *collection.result, collection.axis,
                                           collection.reverse));
      if (by[index] == nullptr) return Missing(*collection.result);
    }
    for (std::size_t i = 0; i < by.size(); ++i) {
      if (by[i] == nullptr || PassContext::CanReplace(*view_.node->result(i), *by[i])) continue;
      DRAGOMAN_ASSIGN(by[i], context_.Insert(*view_.node, "Identity", {{by[i]}}));
    }
    return true;
  }

  bool Missing(const Value& result) {
    obstacle_ = "its result %" + result.name() + " is something else";
    return false;
  }

  Result<bool> FindLast(const LoopState& state, Value*& by) {
    if (state.output == state.input) {
      by = state.initial;
      return true;
    }
    if (const auto write = ReadRowWrite(view_, state)) {
      DRAGOMAN_ASSIGN(by, Written(*write));
      return by != nullptr;
    }
    if (Grows(state)) {
      DRAGOMAN_ASSIGN(by, Grown(state));
      return by != nullptr;
    }
    const AtomId id = WiredAtom(state.output);
    if (id == kNoAtom) return FindLastComputed(state, by);
    DRAGOMAN_ASSIGN(Value * last, layout_.Squeeze(results_.at(forms_.atom(id).value).value, 0));
    DRAGOMAN_ASSIGN(by, layout_.FromState(last, *state.last, AxisIn(*state.output, id)));
    return by != nullptr;
  }

  // Whether every turn puts something to a tensor, at its end or at its front.
  static bool Grows(const LoopState& state) {
    const Node* join = state.output->producer();
    return join != nullptr && join->Is("Concat") && join->num_operands() == 2 &&
           (join->operand(0) == state.input || join->operand(1) == state.input) &&
           state.input->HasOneUse();
  }

  // What was there before the first turn, with the rows of all turns.
  Result<Value*> Grown(const LoopState& state) {
    const Node& join = *state.output->producer();
    const bool at_front = join.operand(1) == state.input;
    DRAGOMAN_ASSIGN(Value * rows, Joined(*join.operand(at_front ? 0 : 1), join, at_front));
    if (rows == nullptr) return rows;
    const std::int64_t stated = IntAttribute(join, "axis", 0);
    const int axis = static_cast<int>(stated < 0 ? stated + *rows->type().rank() : stated);
    if (SizeAlong(*state.initial, axis) == 0) return rows;
    if (at_front) return layout_.Concat({rows, state.initial}, axis);
    return layout_.Concat({state.initial, rows}, axis);
  }

  // What all turns write.
  Result<Value*> Written(const RowWrite& write) {
    DRAGOMAN_ASSIGN(Value * rows, Collected(*write.scatter->operand(2), *write.scatter->operand(0),
                                            0, write.from_end));
    return rows == nullptr || write.back.empty() ? Result<Value*>(rows)
                                                 : layout_.Transpose(rows, write.back);
  }

  // The last of the values that each turn computes, if there is a turn.
  Result<bool> FindLastComputed(const LoopState& state, Value*& by) {
    DRAGOMAN_ASSIGN(const std::optional<BatchedSteps> steps, batcher_.Batch({state.output}));
    if (!steps || steps->shared) return false;
    const auto count = SizeAlong(*steps->value, 0);
    if (!count || *count < 1) return false;
    DRAGOMAN_ASSIGN(by,
                    layout_.Gather(steps->value, 0, Tensor::Int(steps->reverse ? 0 : *count - 1)));
    return true;
  }

  // Where the features of an atom lie in a value that is wired to it.
  int AxisIn(const Value& value, AtomId id) {
    const int rank = value.type().rank().value_or(0);
    for (int axis = rank - 1; axis >= 0; --axis) {
      const AffineForm* form = forms_.Wiring(&value, axis);
      if (form != nullptr && form->segments.size() == 1 &&
          AffineForms::AsAtom(form->segments.front()) == id) {
        return axis;
      }
    }
    return rank - 1;
  }

  // `output` of all turns along `axis` of `result`; nullptr if it cannot be had.
  Result<Value*> Collected(Value& output, const Value& result, int axis, bool reverse) {
    const AtomId id = WiredAtom(&output);
    const auto found = id != kNoAtom ? sequences_.find(forms_.atom(id).value) : sequences_.end();
    const Shape* shape = result.type().shape();
    if (shape == nullptr) return static_cast<Value*>(nullptr);
    if (found == sequences_.end()) return CollectedComputed(output, *shape, axis, reverse);
    Value* value = found->second.value;
    if (found->second.reverse != reverse) {
      DRAGOMAN_ASSIGN(value, layout_.Reverse(value));
    }
    int features = AxisIn(output, id);
    const bool stacked = output.type().rank() != result.type().rank();
    if (stacked && features >= axis) ++features;
    return layout_.FromSequence(value, *shape, axis, features);
  }

  Result<Value*> CollectedComputed(Value& output, const Shape& shape, int axis, bool reverse) {
    DRAGOMAN_ASSIGN(const std::optional<BatchedSteps> steps, batcher_.Batch({&output}));
    if (!steps || steps->shared) return static_cast<Value*>(nullptr);
    Value* value = steps->value;
    if (steps->reverse != reverse) {
      DRAGOMAN_ASSIGN(value, layout_.Reverse(value));
    }
    return layout_.Stacked(value, axis, shape);
  }

  // A list to which every turn adds a value, and which is read by ConcatFromSequence only.
  Result<bool> FindList(const LoopState& state, std::vector<std::pair<Node*, Value*>>& stacks) {
    const Node* insert = state.output->producer();
    const Node* empty = state.initial->producer();
    if (insert == nullptr || empty == nullptr || !insert->Is("SequenceInsert") ||
        !empty->Is("SequenceEmpty") || insert->operand(0) != state.input) {
      return false;
    }
    const bool at_front = insert->operand(2) != nullptr;
    if (at_front && IntsOf(context_, insert->operand(2)) != std::vector<std::int64_t>{0}) {
      return false;
    }
    for (const Use* use = state.last->first_use(); use != nullptr; use = use->next()) {
      Node* join = use->user();
      if (join == nullptr || !join->Is("ConcatFromSequence")) return false;
      DRAGOMAN_ASSIGN(Value * joined, Joined(*insert->operand(1), *join, at_front));
      if (joined == nullptr) return false;
      stacks.emplace_back(join, joined);
    }
    return true;
  }

  // The elements of all turns, the last one first if `at_front`.
  Result<Value*> Joined(Value& element, const Node& join, bool at_front) {
    const Shape* shape = element.type().shape();
    if (shape == nullptr) return static_cast<Value*>(nullptr);
    const bool stacks = IntAttribute(join, "new_axis", 0) != 0;
    const auto rank = static_cast<std::int64_t>(shape->size()) + (stacks ? 1 : 0);
    std::int64_t axis = IntAttribute(join, "axis", 0);
    if (axis < 0) axis += rank;
    Shape joined = *shape;
    if (stacks) {
      joined.insert(joined.begin() + axis, turns_);
    } else if (joined[static_cast<std::size_t>(axis)] == Dim(1)) {
      joined[static_cast<std::size_t>(axis)] = turns_;
    } else {
      return static_cast<Value*>(nullptr);
    }
    Graph scratch;
    const Value* like = scratch.AddInput("", Type::Tensor(element.type().dtype(), joined));
    DRAGOMAN_ASSIGN(Value * value, Collected(element, *like, static_cast<int>(axis), at_front));
    if (value == nullptr || PassContext::CanReplace(*join.result(), *value)) return value;
    return context_.Insert(*view_.node, "Identity", {{value}});
  }

  LoopView view_;
  PassContext& context_;
  AffineForms forms_;
  LayoutBuilder layout_;
  StepBatcher batcher_;
  CellsByType cells_;
  std::map<const Value*, TurnSequence> sequences_;  // by hidden state in the body
  // New states before their mask, right where it holds; by value in the body.
  std::map<const Value*, std::pair<StepMask, TurnSequence>> within_masks_;
  std::map<const Value*, LastState> results_;  // by state in the body
  Dim turns_;                                  // how many there are, once a cell is fused
  std::size_t count_ = 0;
  std::string obstacle_;
};

}  // namespace

Result<bool> FuseLoop(Node& node, PassContext& context) {
  std::optional<LoopView> view = ViewLoop(node, context);
  if (!view) return false;
  DRAGOMAN_ASSIGN(const bool gathered, GatherSlices(*view, context));
  if (gathered) return true;
  DRAGOMAN_ASSIGN(Node * split, SplitStates(*view, context));
  if (split != nullptr) return true;
  DRAGOMAN_ASSIGN(const bool opened, OpenSteps(*view, context));
  if (opened) view = ViewLoop(node, context);
  return LoopFusion(std::move(*view), context).Fuse();
}

}  // namespace dragoman
