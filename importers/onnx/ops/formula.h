// Operators that ai.onnx 22 has and the common dialect has not, because others say the same:
// lowerings that append several nodes. After the first error nothing is appended any more, so that
// a lowering reads as the formula that it is.
#ifndef DRAGOMAN_IMPORTERS_ONNX_OPS_FORMULA_H_
#define DRAGOMAN_IMPORTERS_ONNX_OPS_FORMULA_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "importers/onnx/op_lowering.h"

namespace dragoman {

class Formula {
 public:
  explicit Formula(OpLowering& op) : op_(op) {}

  // Appends an operator with one result, called `name` if that is given. nullptr after an error.
  Value* Add(std::string_view type, std::vector<Value*> operands,
             std::vector<NamedAttribute> attributes = {}, std::string_view name = "");
  // Appends an operator with a result for each of `names`; an empty name omits the result unless it
  // is the first. As many nullptrs after an error.
  std::vector<Value*> AddMany(std::string_view type, std::vector<Value*> operands,
                              std::vector<NamedAttribute> attributes,
                              const std::vector<std::string>& names);
  Value* Cast(Value* value, DType dtype, std::string_view name = "");
  Value* Transposed(Value* value, Attribute::Ints perm, std::string_view name = "") {
    return Add("Transpose", {value}, {{"perm", std::move(perm)}}, name);
  }
  // A constant of rank 0, of the element type of `like`.
  Value* Scalar(double value, const Value* like);
  Value* Int(std::int64_t value) { return op_.builder.Int(value); }
  Value* Ints(const std::vector<std::int64_t>& values) { return op_.Ints(values); }
  // 0 to count - 1; `count` has rank 0.
  Value* Iota(Value* count) { return Add("Range", {Int(0), count, Int(1)}); }
  // One size, of rank 0 or of rank 1.
  Value* Size(Value* x, std::int64_t axis) { return Add("Gather", {Add("Shape", {x}), Int(axis)}); }
  Value* SizeVector(Value* x, std::int64_t axis);
  // Vectors one behind another.
  Value* Joined(std::vector<Value*> vectors);

  // Appends that `condition`, a bool of rank 0, holds.
  void Assert(Value* condition, std::string_view message);

  // What stands for the source node's results, or the first error.
  Result<std::vector<Value*>> Finish(std::vector<Value*> results);

 private:
  OpLowering& op_;
  std::optional<Error> error_;
};

}  // namespace dragoman

#endif  // DRAGOMAN_IMPORTERS_ONNX_OPS_FORMULA_H_
