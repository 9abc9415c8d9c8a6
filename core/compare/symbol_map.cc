// SPDX-License-Identifier: Apache-2.0
#include "core/compare/symbol_map.h"

#include <algorithm>
#include <utility>

namespace dragoman::compare {
namespace {

constexpr std::size_t kMaxPermuted = 5;

}  // namespace

bool SymbolMap::Bind(const std::string& a, const std::string& b) {
  auto x = to_b_.find(a), y = to_a_.find(b);
  if (x == to_b_.end() && y == to_a_.end()) {
    to_b_.emplace(a, Dim::Symbol(b));
    to_a_.emplace(b, Dim::Symbol(a));
    return true;
  }
  return x != to_b_.end() && y != to_a_.end() && *x->second.symbol() == b &&
         *y->second.symbol() == a;
}

std::string SymbolMap::FreshSymbol() { return "?" + std::to_string(num_fresh_++); }

std::vector<std::string> SymbolMap::Unbound(const Dim& dim,
                                            const std::map<std::string, Dim>& map) const {
  std::vector<std::string> symbols = dim.Symbols();
  std::erase_if(symbols, [&](const std::string& s) { return map.contains(s); });
  return symbols;
}

bool SymbolMap::SameUnderMap(const Dim& a, const Dim& b) const { return a.Substitute(to_b_) == b; }

bool SymbolMap::MatchDim(const Dim& a, const Dim& b, std::size_t tag, Unknown unknown) {
  if (unknown == Unknown::kFits && (a.unknown() || b.unknown())) return true;
  if (unknown == Unknown::kNamed && a.unknown() && b.symbol() != nullptr)
    return Bind(FreshSymbol(), *b.symbol());
  if (unknown == Unknown::kNamed && b.unknown() && a.symbol() != nullptr)
    return Bind(*a.symbol(), FreshSymbol());
  if (!a.symbolic() || !b.symbolic()) return a == b;
  if (a.symbol() != nullptr && b.symbol() != nullptr) return Bind(*a.symbol(), *b.symbol());
  const std::size_t open_a = Unbound(a, to_b_).size(), open_b = Unbound(b, to_a_).size();
  if (open_a + open_b == 0) return SameUnderMap(a, b);
  if (a.Symbols().size() != b.Symbols().size()) return false;
  waiting_.push_back({a, b, tag});
  return true;
}

bool SymbolMap::Match(const Type& a, const Type& b, std::size_t tag, Unknown unknown) {
  const bool fits = unknown == Unknown::kFits;
  if ((ignore_shapes_ || fits) && (!a.known() || !b.known())) return true;
  if (a.kind() != b.kind() || a.dtype() != b.dtype()) return false;
  if (a.opaque_domain() != b.opaque_domain() || a.opaque_name() != b.opaque_name()) return false;
  if (a.elements().size() != b.elements().size()) return false;
  for (std::size_t i = 0; i < a.elements().size(); ++i) {
    if (!Match(a.element(i), b.element(i), tag, unknown)) return false;
  }
  if (ignore_shapes_) return true;
  if (a.shape() == nullptr || b.shape() == nullptr) return fits || a.shape() == b.shape();
  return std::equal(a.shape()->begin(), a.shape()->end(), b.shape()->begin(), b.shape()->end(),
                    [&](const Dim& x, const Dim& y) { return MatchDim(x, y, tag, unknown); });
}

bool SymbolMap::BindSomehow(const Dim& a, const Dim& b) {
  const std::vector<std::string> open_a = Unbound(a, to_b_);
  std::vector<std::string> open_b = Unbound(b, to_a_);
  if (open_a.size() != open_b.size()) return false;
  do {
    const auto map_a = to_b_, map_b = to_a_;
    for (std::size_t i = 0; i < open_a.size(); ++i) (void)Bind(open_a[i], open_b[i]);
    if (SameUnderMap(a, b)) return true;
    to_b_ = map_a;
    to_a_ = map_b;
  } while (open_b.size() <= kMaxPermuted && std::next_permutation(open_b.begin(), open_b.end()));
  return false;
}

std::optional<std::size_t> SymbolMap::Settle() {
  for (const Waiting& pair : std::exchange(waiting_, {})) {
    if (!BindSomehow(pair.a, pair.b)) return pair.tag;
  }
  return std::nullopt;
}

Type SymbolNumbers::Renamed(const Type& type) {
  std::vector<Type> elements;
  for (const Type& element : type.elements()) elements.push_back(Renamed(element));
  switch (type.kind()) {
    case Type::Kind::kSequence:
      return Type::Sequence(std::move(elements[0]));
    case Type::Kind::kOptional:
      return Type::Optional(std::move(elements[0]));
    case Type::Kind::kMap:
      return Type::Map(type.map_key(), std::move(elements[0]));
    case Type::Kind::kTuple:
      return Type::Tuple(std::move(elements));
    default:
      break;
  }
  if (type.shape() == nullptr) return type;
  if (ignore_shapes_) return type.WithShape(std::nullopt);
  Shape shape;
  for (const Dim& dim : *type.shape()) {
    if (dim.symbolic()) {
      for (const std::string& symbol : dim.Symbols()) {
        numbers_.try_emplace(symbol, Dim::Symbol("#" + std::to_string(numbers_.size())));
      }
    }
    shape.push_back(dim.symbolic() ? dim.Substitute(numbers_) : dim);
  }
  return type.WithShape(std::move(shape));
}

std::string SymbolNumbers::Text(const Type& type) { return Renamed(type).ToString(); }

}  // namespace dragoman::compare
