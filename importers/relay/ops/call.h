// SPDX-License-Identifier: Apache-2.0
// What the lowering function of one operator works with: the operands and attributes of the call,
// and the expression builder (core/lowering/operand_composer.h):
//
//     Value* LowerLeakyRelu(Call& c) {
//       return c.Op("LeakyRelu", {c.Tensor(0)}, {{"alpha", c.Float("alpha", 0.25)}});
//     }
//
// An attribute that the function does not ask for refuses the node, so that none is overlooked.
#ifndef DRAGOMAN_IMPORTERS_RELAY_OPS_CALL_H_
#define DRAGOMAN_IMPORTERS_RELAY_OPS_CALL_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/lowering/operand_composer.h"

namespace dragoman::relay {

using Ints = std::vector<std::int64_t>;

class Call : public OperandComposer {
 public:
  Call(Heap& heap, GraphBuilder& builder, std::span<const NamedAttribute> attributes,
       std::span<const Abstract> operands, std::string_view target)
      : OperandComposer(heap, builder, operands, target), attributes_(attributes) {}

  // Of a tuple of tensors.
  std::vector<Value*> Tensors(std::size_t i);

  // Attributes. One of another kind fails; one that is absent is `otherwise`. Those without a
  // default must be there.
  const Attribute* Get(std::string_view name);
  std::int64_t Int(std::string_view name, std::int64_t otherwise);
  std::int64_t RequiredInt(std::string_view name);
  double Float(std::string_view name, double otherwise);
  std::vector<double> Floats(std::string_view name, std::vector<double> otherwise);
  bool Bool(std::string_view name, bool otherwise);
  std::string Text(std::string_view name, std::string_view otherwise);
  // A list of integers, or one; nullopt: None, or absent.
  std::optional<relay::Ints> MaybeInts(std::string_view name);
  relay::Ints IntList(std::string_view name, relay::Ints otherwise);
  relay::Ints RequiredInts(std::string_view name);
  std::optional<std::int64_t> MaybeInt(std::string_view name);
  // An element type; `otherwise` if it is empty.
  DType Type(std::string_view name, DType otherwise);
  // Pairs of integers.
  std::vector<relay::Ints> IntPairs(std::string_view name);
  // Says nothing that counts.
  void Ignore(std::initializer_list<std::string_view> names);
  // Fails for any value but these (texts).
  void ExpectText(std::string_view name, std::initializer_list<std::string_view> values);
  using Composer::Int;

  // Results of which there are several.
  Abstract TupleOf(const std::vector<Value*>& values);

  // Fails for attributes that nothing asked for.
  void CheckAllRead();

  // The axes that attributes axis and exclude name, from the front, sorted.
  relay::Ints ReducedAxes(const Value* value);

 private:
  void WrongKind(std::string_view name);

  std::span<const NamedAttribute> attributes_;
  std::set<std::string, std::less<>> read_;
};

}  // namespace dragoman::relay

#endif  // DRAGOMAN_IMPORTERS_RELAY_OPS_CALL_H_
