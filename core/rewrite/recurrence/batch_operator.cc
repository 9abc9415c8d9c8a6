// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/recurrence/batch_operator.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include "core/ops/declared_attributes.h"
#include "core/ops/op_def.h"
#include "core/rewrite/recurrence/layout.h"

namespace dragoman {
namespace {

class OperatorBatcher {
 public:
  OperatorBatcher(const Node& step, const std::vector<StepsOperand>& operands, Node& position,
                  PassContext& context)
      : step_(step),
        operands_(operands),
        context_(context),
        layout_(context, position),
        position_(position) {}

  Result<std::vector<Value*>> Batch() {
    if (step_.Is("Clip") && !OnlyFirstVaries()) return None();  // its bounds are one number each
    if (IsElementwise(step_)) return Elementwise();
    if (step_.Is("MatMul")) return Product();
    if (step_.Is("Gemm")) return Gemm();
    if (step_.Is("Concat")) return Concat();
    if (step_.Is("Gather")) return Gather();
    if (!OnlyFirstVaries()) return None();
    if (step_.IsDragoman("Linear")) return Insert(Values(), step_.attributes());
    if (step_.Is("Reshape")) return Reshape();
    if (step_.Is("Transpose")) return Transpose();
    if (step_.Is("Squeeze") || step_.Is("Unsqueeze")) return MoveAxes(1);
    if (step_.Is("Slice")) return MoveAxes(3);
    if (step_.op().type.starts_with("Reduce")) return Reduce();
    return AlongAxis();
  }

 private:
  static std::vector<Value*> None() { return {}; }

  bool OnlyFirstVaries() const {
    return !operands_.front().shared &&
           std::all_of(operands_.begin() + 1, operands_.end(), [](const StepsOperand& operand) {
             return operand.value == nullptr || operand.shared;
           });
  }
  int Rank(std::size_t i) const { return operands_[i].rank; }
  bool Varies(std::size_t i) const { return !operands_[i].shared; }

  std::vector<Value*> Values() const {
    std::vector<Value*> values;
    for (const StepsOperand& operand : operands_) values.push_back(operand.value);
    return values;
  }

  Result<std::vector<Value*>> Insert(const std::vector<Value*>& operands,
                                     std::vector<NamedAttribute> attributes) {
    DRAGOMAN_ASSIGN(Node * node, context_.InsertNode(position_, FindOp(step_)->Label(), operands,
                                                     std::move(attributes), step_.num_results()));
    std::vector<Value*> results;
    for (std::size_t i = 0; i < node->num_results(); ++i) results.push_back(node->result(i));
    return results;
  }

  // The attributes with `name` set to `value`.
  std::vector<NamedAttribute> With(std::string_view name, Attribute value) const {
    std::vector<NamedAttribute> attributes;
    for (const NamedAttribute& attribute : step_.attributes()) {
      if (attribute.name != name) attributes.push_back(attribute);
    }
    attributes.emplace_back(std::string(name), std::move(value));
    return attributes;
  }

  static std::int64_t Moved(std::int64_t axis) { return axis < 0 ? axis : axis + 1; }

  // What one step reads is aligned with the others' at the last axis, so sizes of 1 come in
  // between.
  Result<std::vector<Value*>> Elementwise() {
    int rank = 0;
    for (const StepsOperand& operand : operands_) rank = std::max(rank, operand.rank);
    std::vector<Value*> aligned;
    for (const StepsOperand& operand : operands_) {
      Value* value = operand.value;
      if (value != nullptr && !operand.shared && operand.rank < rank) {
        std::vector<std::int64_t> axes(static_cast<std::size_t>(rank - operand.rank));
        std::iota(axes.begin(), axes.end(), 1);
        DRAGOMAN_ASSIGN(value, layout_.Unsqueeze(value, axes));
      }
      aligned.push_back(value);
    }
    return Insert(aligned, step_.attributes());
  }

  Result<std::vector<Value*>> Product() {
    const bool both = Varies(0) && Varies(1);
    const bool fits = both        ? Rank(0) == Rank(1) && Rank(0) >= 2
                      : Varies(0) ? Rank(1) <= std::max(Rank(0), 2)
                                  : Rank(1) >= 2 && Rank(0) <= Rank(1);
    return fits ? Insert(Values(), step_.attributes()) : Result<std::vector<Value*>>(None());
  }

  Result<std::vector<Value*>> Gemm() {
    const bool plain = Varies(0) && !Varies(1) && IntAttribute(step_, "transA") == 0 &&
                       FloatAttribute(step_, "alpha") == 1 && FloatAttribute(step_, "beta") == 1;
    if (!plain) return None();
    Value* weight = operands_[1].value;
    if (IntAttribute(step_, "transB") != 0) {
      DRAGOMAN_ASSIGN(weight, layout_.Transpose(weight, {1, 0}));
    }
    DRAGOMAN_ASSIGN(Value * y,
                    context_.Insert(position_, "MatMul", {{operands_[0].value, weight}}));
    if (operands_.size() < 3 || operands_[2].value == nullptr) return std::vector{y};
    if (Varies(2) && Rank(2) != 2) return None();
    DRAGOMAN_ASSIGN(y, context_.Insert(position_, "Add", {{y, operands_[2].value}}));
    return std::vector{y};
  }

  Result<std::vector<Value*>> Concat() {
    const bool all_vary = std::ranges::none_of(operands_, &StepsOperand::shared);
    if (!all_vary) return None();
    return Insert(Values(), With("axis", Moved(IntAttribute(step_, "axis"))));
  }

  // Rows of a table that is the same in all steps, or what has one place in all steps.
  Result<std::vector<Value*>> Gather() {
    const std::int64_t axis = IntAttribute(step_, "axis");
    if (Varies(0) && Varies(1)) return None();
    if (Varies(0)) return Insert(Values(), With("axis", Moved(axis)));
    if (axis != 0 && axis != -Rank(0)) return None();
    return Insert(Values(), step_.attributes());
  }

  Result<std::vector<Value*>> Reshape() {
    const auto sizes = IntsOf(context_, operands_[1].value);
    if (!sizes || IntAttribute(step_, "allowzero") != 0) return None();
    std::vector<std::int64_t> with_steps = {0};
    with_steps.insert(with_steps.end(), sizes->begin(), sizes->end());
    return Insert({operands_[0].value, Ints(with_steps)}, step_.attributes());
  }

  Result<std::vector<Value*>> Transpose() {
    Attribute::Ints perm(static_cast<std::size_t>(Rank(0)));
    std::iota(perm.rbegin(), perm.rend(), 0);
    if (const Attribute* stated = step_.attribute("perm")) perm = *stated->As<Attribute::Ints>();
    Attribute::Ints with_steps = {0};
    for (std::int64_t axis : perm) with_steps.push_back(axis + 1);
    return Insert(Values(), With("perm", std::move(with_steps)));
  }

  // Axes that are operand `i`.
  Result<std::vector<Value*>> MoveAxes(std::size_t i) {
    auto axes = i < operands_.size() ? IntsOf(context_, operands_[i].value) : std::nullopt;
    if (!axes) return None();
    for (std::int64_t& axis : *axes) axis = Moved(axis);
    std::vector<Value*> values = Values();
    values[i] = Ints(*axes);
    return Insert(values, step_.attributes());
  }

  // Along all axes of a step if none are given.
  Result<std::vector<Value*>> Reduce() {
    if (operands_.size() > 1 && operands_[1].value != nullptr) return MoveAxes(1);
    if (IntAttribute(step_, "noop_with_empty_axes") != 0) return None();
    std::vector<std::int64_t> axes(static_cast<std::size_t>(Rank(0)));
    std::iota(axes.begin(), axes.end(), 1);
    return Insert({operands_[0].value, Ints(axes)}, step_.attributes());
  }

  Result<std::vector<Value*>> AlongAxis() {
    const AxisUse use = AxisUseOf(step_);
    if (use != AxisUse::kAlong && use != AxisUse::kFromAxisOn) return None();
    return Insert(Values(), With("axis", Moved(IntAttribute(step_, "axis"))));
  }

  Value* Ints(const std::vector<std::int64_t>& values) {
    return context_.AddConstant(*position_.graph(), Tensor::Ints(values), "ints", {});
  }

  const Node& step_;
  const std::vector<StepsOperand>& operands_;
  PassContext& context_;
  LayoutBuilder layout_;
  Node& position_;
};

}  // namespace

Result<std::vector<Value*>> BatchOperator(const Node& step,
                                          const std::vector<StepsOperand>& operands, Node& position,
                                          PassContext& context) {
  return OperatorBatcher(step, operands, position, context).Batch();
}

}  // namespace dragoman
