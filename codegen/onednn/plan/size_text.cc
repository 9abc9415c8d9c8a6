// SPDX-License-Identifier: Apache-2.0
#include "codegen/onednn/plan/size_text.h"

#include <cstdint>
#include <string_view>

namespace dragoman::onednn {
namespace {

// Up to here a coefficient times a size does not overflow.
constexpr std::int64_t kPlainCoefficient = 1000;

std::string CallText(std::string_view function, const std::string& a, const std::string& b) {
  return std::string(function) + "(" + a + ", " + b + ")";
}

// Dims nest at most Dim::kMaxNesting deep.
std::string AtomText(const Plan& plan, const DimAtom& atom) {
  if (atom.kind == DimAtom::Kind::kSymbol) return plan.symbols.at(atom.name);
  std::string_view function;
  switch (atom.kind) {
    case DimAtom::Kind::kFloorDiv:
      function = "rt::FloorDiv";
      break;
    case DimAtom::Kind::kMod:
      function = "rt::FloorMod";
      break;
    case DimAtom::Kind::kMin:
      function = "rt::Least";
      break;
    case DimAtom::Kind::kMax:
      function = "rt::Greatest";
      break;
    default:
      function = "rt::BroadcastSize";
      break;
  }
  std::string text = SizeText(plan, atom.operands.front());
  for (std::size_t i = 1; i < atom.operands.size(); ++i)
    text = CallText(function, text, SizeText(plan, atom.operands[i]));
  return text;
}

// The product of a term without its sign.
std::string TermText(const Plan& plan, const DimTerm& term) {
  const std::int64_t coefficient = term.coefficient < 0 ? -term.coefficient : term.coefficient;
  if (term.factors.empty()) return std::to_string(coefficient);
  std::string text = AtomText(plan, *term.factors.front());
  for (std::size_t i = 1; i < term.factors.size(); ++i)
    text = CallText("rt::Times", text, AtomText(plan, *term.factors[i]));
  if (coefficient == 1) return text;
  if (coefficient <= kPlainCoefficient) return std::to_string(coefficient) + " * " + text;
  return CallText("rt::Times", std::to_string(coefficient), text);
}

}  // namespace

std::string SizeText(const Plan& plan, const Dim& dim) {
  if (dim.known()) return std::to_string(dim.value());
  std::string text;
  for (const DimTerm& term : dim.terms()) {
    const bool negative = term.coefficient < 0;
    if (text.empty()) {
      text = (negative ? "-" : "") + TermText(plan, term);
    } else {
      text += (negative ? " - " : " + ") + TermText(plan, term);
    }
  }
  return text;
}

std::string ShapeText(const Plan& plan, const Shape& shape) {
  std::string text;
  for (const Dim& dim : shape) text += (text.empty() ? "" : ", ") + SizeText(plan, dim);
  return "{" + text + "}";
}

}  // namespace dragoman::onednn
