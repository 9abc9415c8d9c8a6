// SPDX-License-Identifier: Apache-2.0
// Variables: a handle, and a reference of TensorFlow 1, is the tensor whose storage the variable
// is. Reading makes a copy.
#include "importers/tensorflow/ops/lowerings.h"
#include "importers/tensorflow/ops/op_rows.h"

#include <string>

#include "core/lowering/heap.h"
#include "core/lowering/math.h"

namespace dragoman::tf {
namespace {

const TensorRef* Variable(Call& c, std::size_t i) {
  const auto* variable = c.operand(i).As<TensorRef>();
  if (variable == nullptr && !c.failed()) c.Fail("a variable that is " + Describe(c.operand(i)));
  return variable;
}

}  // namespace

void AssignTo(Call& c, std::size_t i, Value* value) {
  const TensorRef* variable = Variable(c, i);
  if (variable == nullptr || c.failed()) return;
  c.heap().Replace(variable->storage, StorageContents{value, std::nullopt});
}

namespace {

// Both have the same sizes, and so has the result.
Value* Combined(Call& c, Value* before, Value* value) {
  return c.Op(c.target(), {before, WithSizesOf(c, value, before)});
}

// The value of operand 0 with rows `indices` replaced by, or combined with, those of `updates`.
Value* ScatterRows(Call& c, Value* before, Value* indices, Value* updates, bool nd) {
  if (!nd) {
    const int rank = c.Rank(indices);
    indices = c.Unsqueeze(indices, {rank});
    // A number stands for all elements of all rows.
    if (c.MaybeRank(updates) == 0) {
      Value* sizes = c.ConcatSizes(
          {c.SizeVector(indices, 0, rank), c.SizeVector(before, 1, c.Rank(before) - 1)});
      updates = c.Expand(updates, sizes);
    }
  }
  std::vector<NamedAttribute> attributes;
  std::string_view reduction = c.target();
  if (reduction == "sub") {
    updates = c.Neg(updates);
    reduction = "add";
  }
  if (reduction != "none") attributes.push_back({"reduction", std::string(reduction)});
  return c.Op("ScatterND", {before, indices, updates}, std::move(attributes));
}

Value* LowerReadVariable(Call& c) { return c.Tensor(0); }

std::vector<Abstract> LowerAssignVariable(Call& c) {
  AssignTo(c, 0, c.Tensor(1));
  return {};
}

std::vector<Abstract> LowerAssignCombinedVariable(Call& c) {
  Value* before = c.Tensor(0);
  AssignTo(c, 0, Combined(c, before, c.Tensor(1)));
  return {};
}

// Operators of TensorFlow 1 give the reference again.
std::vector<Abstract> LowerAssign(Call& c) {
  AssignTo(c, 0, c.Tensor(1));
  return {c.operand(0)};
}

std::vector<Abstract> LowerAssignCombined(Call& c) {
  Value* before = c.Tensor(0);
  AssignTo(c, 0, Combined(c, before, c.Tensor(1)));
  return {c.operand(0)};
}

std::vector<Abstract> LowerVariableScatter(Call& c) {
  const bool nd = c.node().op().type.find("Nd") != std::string::npos;
  Value* before = c.Tensor(0);
  Value* indices = c.Index(1);
  AssignTo(c, 0, ScatterRows(c, before, indices, c.Tensor(2), nd));
  if (c.node().op().type.starts_with("Resource")) return {};
  return {c.operand(0)};
}

Value* LowerResourceGather(Call& c) {
  Value* x = c.Tensor(0);
  const std::int64_t batch = c.IntAttribute("batch_dims");
  return GatherInBatch(c, x, c.Tensor(1), static_cast<int>(batch), batch);
}

Value* LowerIsInitialized(Call& c) {
  const TensorRef* variable = Variable(c, 0);
  if (variable == nullptr) return nullptr;
  return c.BoolConstant(!IsForgotten(std::get<StorageContents>(variable->storage->contents)));
}

Value* LowerVariableShape(Call& c) {
  return c.Cast(c.Shape(c.Tensor(0)), c.TypeAttribute("out_type"));
}

}  // namespace

// The same variable.

namespace {

// One of several variables, which operand 0 chooses.
std::vector<Abstract> LowerRefSelect(Call& c) {
  const std::int64_t index = c.KnownInt(0, "the number of a variable");
  if (c.failed()) return {};
  if (index < 0 || index >= static_cast<std::int64_t>(c.num_operands()) - 1) {
    c.Fail(InvalidInput("there is no variable " + std::to_string(index)));
    return {};
  }
  return {c.operand(static_cast<std::size_t>(index) + 1)};
}

}  // namespace

std::span<const OpRow> VariablesRows() {
  static constexpr OpRow kRows[] = {
      {"Assign", LowerAssign},
      {"AssignAdd", LowerAssignCombined, "Add"},
      {"AssignAddVariableOp", LowerAssignCombinedVariable, "Add"},
      {"AssignSub", LowerAssignCombined, "Sub"},
      {"AssignSubVariableOp", LowerAssignCombinedVariable, "Sub"},
      {"AssignVariableOp", LowerAssignVariable},
      {"IsVariableInitialized", LowerIsInitialized},
      {"ReadVariableOp", LowerReadVariable},
      {"RefSelect", LowerRefSelect},
      {"ResourceGather", LowerResourceGather},
      {"ResourceScatterAdd", LowerVariableScatter, "add"},
      {"ResourceScatterMax", LowerVariableScatter, "max"},
      {"ResourceScatterMin", LowerVariableScatter, "min"},
      {"ResourceScatterMul", LowerVariableScatter, "mul"},
      {"ResourceScatterNdAdd", LowerVariableScatter, "add"},
      {"ResourceScatterNdMax", LowerVariableScatter, "max"},
      {"ResourceScatterNdMin", LowerVariableScatter, "min"},
      {"ResourceScatterNdSub", LowerVariableScatter, "sub"},
      {"ResourceScatterNdUpdate", LowerVariableScatter, "none"},
      {"ResourceScatterSub", LowerVariableScatter, "sub"},
      {"ResourceScatterUpdate", LowerVariableScatter, "none"},
      {"ScatterAdd", LowerVariableScatter, "add"},
      {"ScatterMax", LowerVariableScatter, "max"},
      {"ScatterMin", LowerVariableScatter, "min"},
      {"ScatterMul", LowerVariableScatter, "mul"},
      {"ScatterNdAdd", LowerVariableScatter, "add"},
      {"ScatterNdMax", LowerVariableScatter, "max"},
      {"ScatterNdMin", LowerVariableScatter, "min"},
      {"ScatterNdSub", LowerVariableScatter, "sub"},
      {"ScatterNdUpdate", LowerVariableScatter, "none"},
      {"ScatterSub", LowerVariableScatter, "sub"},
      {"ScatterUpdate", LowerVariableScatter, "none"},
      {"VarIsInitializedOp", LowerIsInitialized},
      {"VariableShape", LowerVariableShape},
  };
  return kRows;
}

}  // namespace dragoman::tf
