// SPDX-License-Identifier: Apache-2.0
#include "core/lowering/emit_size.h"

#include <cstddef>

#include "core/lowering/math.h"

namespace dragoman {
namespace {

// Nested as deep as a Dim is, which is bounded (Dim::kMaxNesting).
class SizeEmitter {
 public:
  SizeEmitter(Composer& c, std::span<Value* const> values) : c_(c), values_(values) {}

  Value* Emit(const Dim& size) {
    if (size.known()) return c_.Int(size.value());
    if (Value* given = Given(size)) return given;
    Value* sum = nullptr;
    for (const DimTerm& term : size.terms()) {
      Value* product = nullptr;
      for (const auto& factor : term.factors) {
        Value* value = Emit(*factor);
        if (value == nullptr) return nullptr;
        product = product == nullptr ? value : c_.Mul(product, value);
      }
      Value* weighted = product == nullptr      ? c_.Int(term.coefficient)
                        : term.coefficient == 1 ? product
                                                : c_.Mul(product, c_.Int(term.coefficient));
      sum = sum == nullptr ? weighted : c_.Add(sum, weighted);
    }
    return sum;
  }

 private:
  // The axis that has this size.
  Value* Given(const Dim& size) {
    for (Value* value : values_) {
      const Shape* shape = value->type().shape();
      if (shape == nullptr) continue;
      for (std::size_t axis = 0; axis < shape->size(); ++axis) {
        if (Equal((*shape)[axis], size) == Truth::kYes)
          return c_.Size(value, static_cast<int>(axis));
      }
    }
    return nullptr;
  }

  Value* Emit(const DimAtom& atom) {
    if (atom.kind == DimAtom::Kind::kSymbol) return Given(Dim::Symbol(atom.name));
    Value* folded = nullptr;
    for (const Dim& operand : atom.operands) {
      Value* value = Emit(operand);
      if (value == nullptr) return nullptr;
      folded = folded == nullptr ? value : Apply(atom.kind, folded, value);
    }
    return folded;
  }

  Value* Apply(DimAtom::Kind kind, Value* a, Value* b) {
    switch (kind) {
      case DimAtom::Kind::kSymbol:
        return nullptr;
      case DimAtom::Kind::kFloorDiv:
        return FloorQuotient(c_, a, b);
      case DimAtom::Kind::kMod:
        return Remainder(c_, a, b);
      case DimAtom::Kind::kMin:
        return c_.Min(a, b);
      case DimAtom::Kind::kMax:
        return c_.Max(a, b);
      case DimAtom::Kind::kBroadcast:
        return c_.Where(c_.Equal(a, 1), b, a);
    }
    return nullptr;
  }

  Composer& c_;
  std::span<Value* const> values_;
};

}  // namespace

Value* EmitSize(Composer& c, const Dim& size, std::span<Value* const> values) {
  if (size.unknown() || c.failed()) return nullptr;
  return SizeEmitter(c, values).Emit(size);
}

}  // namespace dragoman
