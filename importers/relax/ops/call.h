// SPDX-License-Identifier: Apache-2.0
// What the lowering function of one operator works with: the arguments of the call by the names of
// the parameters, with the operator's defaults, and the expression builder.
//
//     Value* LowerClip(Call& c) { return c.Op("Clip", {c.X("x"), c.Scalar("min"), …}); }
//
// Errors stick; the evaluator adds the place.
#ifndef DRAGOMAN_IMPORTERS_RELAX_OPS_CALL_H_
#define DRAGOMAN_IMPORTERS_RELAX_OPS_CALL_H_

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/lowering/abstract.h"
#include "core/lowering/composer.h"
#include "core/lowering/heap.h"

namespace dragoman::tvmscript {

using Ints = std::vector<std::int64_t>;

// An argument: a value, or what the text says.
struct Argument {
  Abstract value;
  std::optional<Attribute> attribute;
};
// The number that a size such as "n * 4" stands for.
using FindSize = std::function<Result<Number>(const std::string& text)>;

class Call : public Composer {
 public:
  Call(Heap& heap, GraphBuilder& builder, std::map<std::string, Argument, std::less<>> arguments,
       FindSize find_size, std::string_view target)
      : Composer(builder),
        heap_(&heap),
        arguments_(std::move(arguments)),
        find_size_(std::move(find_size)),
        target_(target) {}

  // The operator of the common dialect that the row of the table names.
  std::string target() const { return std::string(target_); }

  bool IsNone(std::string_view name) const;
  // Whether the text states a list or a tuple.
  bool IsList(std::string_view name) const;
  Value* X(std::string_view name);
  Value* TensorOf(const Abstract& value);
  std::vector<Value*> Tensors(std::string_view name);
  // An operand, or a number of the text as a 0-d constant of `dtype`.
  Value* Scalar(std::string_view name, DType dtype);
  // The element type that such an argument has in TVM: int64 and float32 of numbers.
  DType NumberType(std::string_view name);

  std::int64_t Int(std::string_view name);
  double Float(std::string_view name);
  bool Bool(std::string_view name);
  std::string Text(std::string_view name);
  // One number, or a list of them.
  tvmscript::Ints IntsOf(std::string_view name);
  // `absent`: the argument is None.
  DType Type(std::string_view name, DType absent);
  // Sizes: a shape, or a list of the text; int64 of rank 1. `literal`: the text stated a list.
  Value* Sizes(std::string_view name, bool* literal = nullptr);
  // Fails unless the argument is None, empty or one of `allowed`.
  void Expect(std::string_view name, std::initializer_list<std::string_view> allowed);

  Abstract NewTensor(Value* value) { return heap_->NewTensor(value); }
  Abstract NewTuple(const std::vector<Value*>& values);

 private:
  const Argument* Find(std::string_view name) const;
  const Attribute* Required(std::string_view name);
  void WrongKind(std::string_view name);
  // Also of "T.float32(0.5)" and of sizes that are known.
  std::optional<dragoman::Number> KnownNumber(const Attribute& attribute);
  Value* NumberOf(const Abstract& number, DType dtype);

  Heap* heap_;
  std::map<std::string, Argument, std::less<>> arguments_;
  FindSize find_size_;
  std::string_view target_;
  std::deque<Attribute> known_;  // what values say, for as long as they are read
};

using Lowering = Abstract (*)(Call& call);
struct LoweringRow {
  std::string_view op;  // "nn.conv2d"
  Lowering lower;
  std::string_view target = "";  // the operator of the common dialect (Call::target)
};
// `lower` with what the operators of its rows differ in.
template <auto lower, auto... parameters>
Abstract With(Call& c) {
  return lower(c, parameters...);
}
// Sorted by name.
std::span<const LoweringRow> AllLowerings();
const LoweringRow* FindLowering(std::string_view op);

// Each file has the rows of the operators that it lowers.
std::span<const LoweringRow> ElementwiseRows();
std::span<const LoweringRow> ImageRows();
std::span<const LoweringRow> IndexingRows();
std::span<const LoweringRow> LossRows();
std::span<const LoweringRow> MovementRows();
std::span<const LoweringRow> NeuralRows();

}  // namespace dragoman::tvmscript

#endif  // DRAGOMAN_IMPORTERS_RELAX_OPS_CALL_H_
