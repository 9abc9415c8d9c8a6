// What the lowering function of one operator works with: the operands and attributes of the call,
// and the expression builder (core/lowering/composer.h):
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

#include "core/lowering/abstract.h"
#include "core/lowering/composer.h"
#include "core/lowering/heap.h"

namespace dragoman::relay {

using Ints = std::vector<std::int64_t>;

class Call : public Composer {
 public:
  // `target`: what the row of the table says, for functions that serve several operators.
  Call(Heap& heap, GraphBuilder& builder, std::span<const NamedAttribute> attributes,
       std::span<const Abstract> operands, std::string_view target)
      : Composer(builder),
        heap_(&heap),
        attributes_(attributes),
        operands_(operands),
        target_(target) {}

  std::string_view target() const { return target_; }

  std::size_t num_operands() const { return operands_.size(); }
  Value* Tensor(std::size_t i);
  // Of a tuple of tensors.
  std::vector<Value*> Tensors(std::size_t i);
  // Of integers, as int64.
  Value* Index(std::size_t i);
  // Integers that must be known; fails, naming the operand as `what`.
  relay::Ints KnownInts(std::size_t i, std::string_view what);
  std::optional<relay::Ints> MaybeKnownInts(std::size_t i);
  // The number in a constant of one element.
  std::optional<double> KnownNumber(std::size_t i);

  // Attributes. One of another kind fails; one that is absent is `otherwise`. Those without a
  // default must be there.
  const Attribute* Get(std::string_view name);
  std::int64_t Int(std::string_view name, std::int64_t otherwise);
  std::int64_t RequiredInt(std::string_view name);
  double Float(std::string_view name, double otherwise);
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

  // Fails for attributes that nothing asked for.
  void CheckAllRead();

  // The axes that attributes axis and exclude name, from the front, sorted.
  relay::Ints ReducedAxes(const Value* value);

  Heap& heap() { return *heap_; }

 private:
  const Abstract& Operand(std::size_t i);
  Value* TensorOf(const Abstract& operand);
  void WrongKind(std::string_view name);

  Heap* heap_;
  std::span<const NamedAttribute> attributes_;
  std::span<const Abstract> operands_;
  std::string_view target_;
  std::set<std::string, std::less<>> read_;
};

}  // namespace dragoman::relay

#endif  // DRAGOMAN_IMPORTERS_RELAY_OPS_CALL_H_
