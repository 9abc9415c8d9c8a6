// SPDX-License-Identifier: Apache-2.0
// Dim: one size of a shape. A known int64, a polynomial over symbols, or unknown.
//
// A polynomial has integer coefficients; its atoms are symbols and floordiv, mod, min, max and
// broadcast of Dims. Every operation returns the normal form: terms sorted by degree and name,
// equal terms merged, constants folded, exact quotients cancelled, broadcast(e, 1) = e. So sizes
// that are equal by these laws have identical normal forms, whatever the order of the steps that
// made them.
//
// Laws assumed: a symbol is an integer >= 0; a divisor is not 0; the operands of broadcast are all
// equal or 1. Under assignments that break them the value of an expression is undefined, and
// n * m // n may be written m.
//
// Arithmetic is 64-bit and checked: what overflows, divides by the constant 0, nests deeper than
// kMaxNesting atoms or outgrows kMaxSize is unknown. Immutable; copying shares.
#ifndef DRAGOMAN_CORE_IR_DIM_H_
#define DRAGOMAN_CORE_IR_DIM_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/result.h"

namespace dragoman {

struct DimAtom;

// The answer to a question about sizes. Unknown is never taken for either.
enum class Truth : std::uint8_t { kNo, kYes, kUnknown };

// coefficient * product of factors. Factors are sorted and repeat for powers; none for the constant
// term, which is last.
struct DimTerm {
  std::int64_t coefficient = 0;
  std::vector<std::shared_ptr<const DimAtom>> factors;
};

// An interval of integers, ends included; kNoLower, kNoUpper: no bound there.
struct DimRange {
  static constexpr std::int64_t kNoLower = INT64_MIN;
  static constexpr std::int64_t kNoUpper = INT64_MAX;
  std::int64_t lower = kNoLower;
  std::int64_t upper = kNoUpper;

  bool operator==(const DimRange&) const = default;
};

class Dim {
 public:
  static constexpr int kMaxNesting = 32;  // atoms in atoms
  static constexpr int kMaxSize = 1000;   // terms and atoms in all, counted as a tree
  static constexpr std::size_t kMaxTerms = 64;

  Dim();  // unknown
  Dim(std::int64_t value) : value_(value) {}
  static Dim Unknown() { return Dim(); }
  static Dim Symbol(std::string name);

  bool known() const { return expr_ == nullptr; }
  bool unknown() const { return expr_ != nullptr && terms().empty(); }
  bool symbolic() const { return expr_ != nullptr && !terms().empty(); }
  std::int64_t value() const { return value_; }  // if known()
  // The terms of a symbolic Dim, leading term first; none if known or unknown.
  std::span<const DimTerm> terms() const;
  // The name if this is exactly one symbol, else nullptr.
  const std::string* symbol() const;

  // The value under an assignment of the symbols; nullopt if a symbol has none, the Dim is unknown,
  // a law is broken (division by 0, incompatible broadcast) or a step overflows.
  std::optional<std::int64_t> Evaluate(const std::map<std::string, std::int64_t>& symbols) const;
  // All named symbols replaced at once, and the result normalised.
  Dim Substitute(const std::map<std::string, Dim>& symbols) const;
  // Names of all symbols, sorted, each once.
  std::vector<std::string> Symbols() const;

  // Infix, as ParseDim reads it: "8", "?", "2*n + 1", "(n + 1) // 2", "n % 4", "min(n, 8)",
  // "max(n, m)", "broadcast(a, b)". A name that is not an identifier is a string literal: "\"seq
  // len\"".
  std::string ToString() const;
  std::uint64_t hash() const;

  // Atoms in atoms, and terms and atoms in all; 0 if known or unknown.
  int nesting() const;
  int size() const;

  // Identical normal forms. For storage: unknown == unknown here, though two unknown sizes need not
  // be equal; see Equal.
  friend bool operator==(const Dim& a, const Dim& b) { return Compare(a, b) == 0; }
  // A total order of normal forms, independent of the machine: <0, 0, >0. Known sizes by value,
  // then symbolic ones, then unknown.
  friend int Compare(const Dim& a, const Dim& b);

  friend Dim operator+(const Dim& a, const Dim& b);
  friend Dim operator-(const Dim& a, const Dim& b);
  friend Dim operator*(const Dim& a, const Dim& b);

  // The sum of any terms with sorted factors. For rebuilding a Dim term by term.
  static Dim FromTerms(std::vector<DimTerm> terms);

 private:
  struct Expr {
    std::vector<DimTerm> terms;  // none: unknown
    int nesting = 0;
    int size = 0;
    std::uint64_t hash = 0;
  };

  explicit Dim(std::shared_ptr<const Expr> expr) : expr_(std::move(expr)) {}

  std::shared_ptr<const Expr> expr_;
  std::int64_t value_ = 0;
};

// What a polynomial is over. Operands are normal forms and never unknown.
struct DimAtom {
  enum class Kind : std::uint8_t { kSymbol, kFloorDiv, kMod, kMin, kMax, kBroadcast };

  Kind kind = Kind::kSymbol;
  std::string name;           // kSymbol
  std::vector<Dim> operands;  // kFloorDiv, kMod: dividend, divisor; the rest: two or more, sorted
  std::uint64_t hash = 0;
};

int Compare(const DimAtom& a, const DimAtom& b);
int Compare(const DimTerm& a, const DimTerm& b);  // by factors only: the order of terms

// Rounded to minus infinity, plus infinity; the remainder has the divisor's sign, as in Python.
Dim FloorDiv(const Dim& a, const Dim& b);
Dim CeilDiv(const Dim& a, const Dim& b);
Dim Mod(const Dim& a, const Dim& b);
Dim Min(const Dim& a, const Dim& b);
Dim Max(const Dim& a, const Dim& b);
// The size that a and b broadcast to: a where b is 1, else b. A known size other than 1 decides,
// even against an unknown one; n decides against min(n, 64). Unknown if a and b are known and do
// not fit.
Dim Broadcast(const Dim& a, const Dim& b);

// The operation `kind` (not kSymbol) on operands in normal form, folded from the left; two for
// kFloorDiv and kMod, one or more for the rest.
Dim Apply(DimAtom::Kind kind, std::span<const Dim> operands);

// Holds for every assignment (kYes), for none (kNo), or cannot be determined.
Truth Equal(const Dim& a, const Dim& b);
Truth Less(const Dim& a, const Dim& b);
Truth LessEqual(const Dim& a, const Dim& b);
// An interval that holds every value of d.
DimRange RangeOf(const Dim& d);

// Reads what ToString writes, and any expression of + - * // % min max broadcast and parentheses.
// At most 64 levels deep. An expression without "?" that has no normal form (overflow, division by
// 0, too large) is an error.
Result<Dim> ParseDim(std::string_view text);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_IR_DIM_H_
