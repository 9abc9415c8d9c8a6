// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/recurrence/packed_steps.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace dragoman {
namespace {

class Packer {
 public:
  Packer(LayoutBuilder& layout, Node& position, PassContext& context)
      : layout_(layout), position_(position), context_(context) {}

  Value* Int(std::int64_t number) {
    return context_.AddConstant(*position_.graph(), Tensor::Int(number), "number", {});
  }

  Result<Value*> Insert(std::string_view label, std::vector<Value*> operands,
                        std::vector<NamedAttribute> attributes = {}) {
    return context_.Insert(position_, label, operands, std::move(attributes));
  }

  Result<Value*> Cast(Value* value, DType dtype) {
    return Insert("Cast", {value}, {{"to", static_cast<std::int64_t>(dtype)}});
  }

  // Rows of each sequence of `x` (steps, batch, features) by number, (steps, batch, 1).
  Result<Value*> Choose(Value* x, Value* numbers) {
    std::vector<Value*> sizes;
    for (Value* sized : {numbers, numbers, x}) {
      DRAGOMAN_ASSIGN(Value * size, layout_.Size(sized, static_cast<int>(sizes.size())));
      DRAGOMAN_ASSIGN(size, layout_.Unsqueeze(size, {0}));
      sizes.push_back(size);
    }
    DRAGOMAN_ASSIGN(Value * shape, layout_.Concat(sizes, 0));
    DRAGOMAN_ASSIGN(numbers, Insert("Expand", {numbers, shape}));
    return Insert("GatherElements", {x, numbers}, {{"axis", std::int64_t{0}}});
  }

  // The numbers of the steps, those that count first, both in order.
  Result<Value*> Order(Value* x, Value* mask) {
    DRAGOMAN_ASSIGN(Value * count, layout_.Size(x, 0));
    DRAGOMAN_ASSIGN(Value * numbers, Insert("Range", {Int(0), count, Int(1)}));
    DRAGOMAN_ASSIGN(numbers, layout_.Unsqueeze(numbers, {1, 2}));
    DRAGOMAN_ASSIGN(Value * behind, Insert("Add", {numbers, count}));
    DRAGOMAN_ASSIGN(Value * keys, Insert("Where", {mask, numbers, behind}));
    DRAGOMAN_ASSIGN(Value * all, layout_.Unsqueeze(count, {0}));
    DRAGOMAN_ASSIGN(
        Node * sorted,
        context_.InsertNode(position_, "TopK", {{keys, all}},
                            {{"axis", std::int64_t{0}}, {"largest", std::int64_t{0}}}, 2));
    return sorted->result(1);
  }

 private:
  LayoutBuilder& layout_;
  Node& position_;
  PassContext& context_;
};

}  // namespace

Result<PackedSteps> PackSteps(Value* x, Value* mask, LayoutBuilder& layout, Node& position,
                              PassContext& context) {
  Packer packer(layout, position, context);
  PackedSteps packed{.mask = mask};
  DRAGOMAN_ASSIGN(Value * ones, packer.Cast(mask, DType::kI64));
  DRAGOMAN_ASSIGN(packed.counts, packer.Insert("CumSum", {ones, packer.Int(0)}));
  DRAGOMAN_ASSIGN(Value * total, layout.Reduce(ones, "ReduceSum"));
  DRAGOMAN_ASSIGN(total, layout.Squeeze(total, 1));
  DRAGOMAN_ASSIGN(packed.lengths, packer.Cast(total, DType::kI32));
  DRAGOMAN_ASSIGN(Value * order, packer.Order(x, mask));
  DRAGOMAN_ASSIGN(packed.x, packer.Choose(x, order));
  return packed;
}

Result<Value*> UnpackStates(const PackedSteps& packed, Value* given, Value* initial,
                            LayoutBuilder& layout, Node& position, PassContext& context) {
  Packer packer(layout, position, context);
  DRAGOMAN_ASSIGN(Value * is_none, packer.Insert("Equal", {packed.counts, packer.Int(0)}));
  DRAGOMAN_ASSIGN(Value * numbers, packer.Insert("Sub", {packed.counts, packer.Int(1)}));
  DRAGOMAN_ASSIGN(numbers, packer.Insert("Max", {numbers, packer.Int(0)}));
  DRAGOMAN_ASSIGN(Value * states, packer.Choose(given, numbers));
  if (initial == nullptr) {
    DRAGOMAN_ASSIGN(initial, layout.Zero(given->type().dtype()));
  }
  return packer.Insert("Where", {is_none, initial, states});
}

}  // namespace dragoman
