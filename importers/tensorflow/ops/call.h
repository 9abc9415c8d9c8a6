// SPDX-License-Identifier: Apache-2.0
// What the lowering function of one operator works with: the operands and attributes of the call,
// and the expression builder (core/lowering/operand_composer.h):
//
//     Value* LowerSelu(Call& c) { return c.Op("Selu", {c.Tensor(0)}); }
//
// Errors stick; whoever calls the function asks for them. They have no place: the evaluator adds
// the node.
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_CALL_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_CALL_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/lowering/operand_composer.h"

namespace dragoman::tf {

struct ArgSchema;
using Ints = std::vector<std::int64_t>;

// More axes than a tensor of TensorFlow has.
inline constexpr std::int64_t kMaxAxes = 255;

// The values of one attribute of a node of a function's body are stated by the call of the
// function: `bound` holds those, by the attribute's name in the function.
const Attribute* ResolveAttribute(const Node& node, std::string_view name,
                                  std::span<const NamedAttribute> bound);

class Call : public OperandComposer {
 public:
  // `operands` are the node's data operands.
  Call(Heap& heap, GraphBuilder& builder, const Node& node, std::span<const NamedAttribute> bound,
       std::span<const Abstract> operands, std::string_view target)
      : OperandComposer(heap, builder, operands, target), node_(&node), bound_(bound) {}

  const Node& node() const { return *node_; }  // of the source
  // How many results the node is to have.
  std::size_t num_results() const;
  // Fails if an operand has elements of another type than the operator declares.
  void CheckTypes();

  std::vector<Value*> Tensors(std::size_t first, std::size_t count);
  // Operand `i`, an integer, as int64 of rank 0.
  Value* IndexNumber(std::size_t i);
  // The one element of `value`, if it has one and that is known.
  std::optional<std::int64_t> KnownNumber(const Value* value) {
    const std::optional<tf::Ints> known =
        failed() ? std::optional<tf::Ints>() : builder().KnownInts(value);
    return known && known->size() == 1 ? std::optional(known->front()) : std::nullopt;
  }

  // Attributes: own, bound by the caller, or the operator's default. A missing one fails.
  const Attribute* attribute(std::string_view name) const {
    return ResolveAttribute(*node_, name, bound_);
  }
  bool Has(std::string_view name) const { return attribute(name) != nullptr; }
  std::int64_t IntAttribute(std::string_view name);
  double FloatAttribute(std::string_view name);
  bool BoolAttribute(std::string_view name);
  std::string TextAttribute(std::string_view name);
  tf::Ints IntsAttribute(std::string_view name);
  DType TypeAttribute(std::string_view name);
  // nullopt: the rank is unknown.
  std::optional<dragoman::Shape> ShapeAttribute(std::string_view name);
  // The same where the operator has none of that name.
  bool BoolOr(std::string_view name, bool otherwise) {
    return Has(name) ? BoolAttribute(name) : otherwise;
  }

  // An axis as int64 operand `i`, counted from the front if the rank of `value` is known.
  int AxisOperand(std::size_t i, const Value* value, std::string_view what = "axis");

 private:
  // Of number `i` of the operands that `arg` stands for; unknown where the file does not say it.
  Type DeclaredType(const ArgSchema& arg, std::size_t i) const;
  void CheckType(std::size_t i, const Type& declared);
  const Attribute* Required(std::string_view name);
  void WrongKind(std::string_view name);

  const Node* node_;
  std::span<const NamedAttribute> bound_;
};

}  // namespace dragoman::tf

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_CALL_H_
