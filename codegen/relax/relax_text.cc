// SPDX-License-Identifier: Apache-2.0
#include "codegen/relax/relax_text.h"

#include <cmath>

#include <fmt/format.h>

#include "core/support/text.h"

namespace dragoman::relax {
namespace {

std::optional<std::string> AtomText(const DimAtom& atom, const SymbolNames& names) {
  if (atom.kind == DimAtom::Kind::kSymbol) {
    auto found = names.find(atom.name);
    return found == names.end() ? std::nullopt : std::optional(found->second);
  }
  std::vector<std::string> operands;
  for (const Dim& operand : atom.operands) {
    std::optional<std::string> text = DimText(operand, names);
    if (!text) return std::nullopt;
    operands.push_back(std::move(*text));
  }
  auto fold = [&](std::string_view function) {
    std::string text = operands.front();
    for (std::size_t i = 1; i < operands.size(); ++i)
      text = fmt::format("{}({}, {})", function, text, operands[i]);
    return text;
  };
  const auto wrapped = [&](std::size_t i) {
    const bool is_one = operands[i].find(' ') == std::string::npos;
    return is_one ? operands[i] : "(" + operands[i] + ")";
  };
  switch (atom.kind) {
    case DimAtom::Kind::kFloorDiv:
      return fmt::format("{} // {}", wrapped(0), wrapped(1));
    case DimAtom::Kind::kMod:
      return fmt::format("{} % {}", wrapped(0), wrapped(1));
    case DimAtom::Kind::kMin:
      return fold("T.min");
    case DimAtom::Kind::kMax:
      return fold("T.max");
    default:
      return std::nullopt;
  }
}

// Elements of `tensor` below its first `axis` axes, from `offset` on, as nested lists.
template <class Element>
std::string Nested(const Tensor& tensor, int axis, std::int64_t& offset, const Element& element) {
  if (axis == tensor.rank()) return element(offset++);
  std::string text = "[";
  for (std::int64_t i = 0; i < tensor.sizes()[static_cast<std::size_t>(axis)]; ++i) {
    if (i > 0) text += ", ";
    text += Nested(tensor, axis + 1, offset, element);
  }
  return text + "]";
}

}  // namespace

std::string_view RelaxDType(DType dtype) {
  switch (dtype) {
    case DType::kString:
    case DType::kC64:
    case DType::kC128:
    case DType::kU4:
    case DType::kI4:
    case DType::kU2:
    case DType::kI2:
    case DType::kF4E2M1:
    case DType::kF8E8M0:
    case DType::kF8E4M3FNUZ:
    case DType::kF8E5M2FNUZ:
    case DType::kUnknown:
      return "";
    default:
      return NumpyName(dtype);
  }
}

std::optional<std::string> DimText(const Dim& dim, const SymbolNames& names) {
  if (dim.known()) return std::to_string(dim.value());
  if (dim.unknown()) return std::nullopt;
  std::string text;
  for (const DimTerm& term : dim.terms()) {
    std::string product;
    const bool negative = term.coefficient < 0;
    if (term.factors.empty() || (term.coefficient != 1 && term.coefficient != -1)) {
      product = std::to_string(term.coefficient).substr(negative ? 1 : 0);
    }
    for (const auto& factor : term.factors) {
      std::optional<std::string> atom = AtomText(*factor, names);
      if (!atom) return std::nullopt;
      const bool divides =
          factor->kind == DimAtom::Kind::kFloorDiv || factor->kind == DimAtom::Kind::kMod;
      const bool is_added = term.coefficient == 1 || (term.coefficient == -1 && !text.empty());
      const bool is_whole = term.factors.size() == 1 && is_added;
      const std::string text_of_atom = divides && !is_whole ? "(" + *atom + ")" : *atom;
      product += (product.empty() ? "" : " * ") + text_of_atom;
    }
    if (text.empty())
      text = (negative ? "-" : "") + product;
    else
      text += (negative ? " - " : " + ") + product;
  }
  return text;
}

std::optional<std::string> ShapeText(const Shape& shape, const SymbolNames& names) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    std::optional<std::string> dim = DimText(shape[i], names);
    if (!dim) return std::nullopt;
    text += (i > 0 ? ", " : "") + *dim;
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

std::optional<std::string> ShapeValueText(const Shape& shape, const SymbolNames& names) {
  std::vector<std::string> sizes;
  for (const Dim& dim : shape) {
    std::optional<std::string> text = DimText(dim, names);
    if (!text) return std::nullopt;
    sizes.push_back(std::move(*text));
  }
  return fmt::format("R.shape([{}])", fmt::join(sizes, ", "));
}

std::string ListText(std::span<const std::int64_t> values) {
  std::string text = "[";
  for (std::int64_t v : values) text += (text.size() > 1 ? ", " : "") + std::to_string(v);
  return text + "]";
}

namespace {

std::string TensorText(const Type& type, const std::optional<std::string>& shape) {
  const std::string_view dtype = RelaxDType(type.dtype());
  const std::string suffix = dtype.empty() ? "" : fmt::format("dtype=\"{}\"", dtype);
  if (type.shape() == nullptr) return fmt::format("R.Tensor({})", suffix);
  if (shape) return fmt::format("R.Tensor({}{}{})", *shape, suffix.empty() ? "" : ", ", suffix);
  return fmt::format("R.Tensor({}{}ndim={})", suffix, suffix.empty() ? "" : ", ",
                     type.shape()->size());
}

}  // namespace

std::string TypeText(const Type& type, const SymbolNames& names) {
  return TensorText(type, type.shape() != nullptr ? ShapeText(*type.shape(), names) : std::nullopt);
}

std::string SignatureType(const Type& type, const SymbolNames& names) {
  if (type.shape() == nullptr) return TensorText(type, std::nullopt);
  std::string text = "(";
  for (std::size_t i = 0; i < type.shape()->size(); ++i) {
    const Dim& dim = (*type.shape())[i];
    const std::optional<std::string> size = DimText(dim, names);
    if (!size) return TensorText(type, std::nullopt);
    text += (i > 0 ? ", " : "") + (dim.known() ? *size : "\"" + *size + "\"");
  }
  return TensorText(type, text + (type.shape()->size() == 1 ? ",)" : ")"));
}

std::string FunctionHead::Text() const {
  std::vector<std::string> flags, arguments;
  if (is_private) flags.push_back("private=True");
  if (!pure) flags.push_back("pure=False");
  for (const Parameter& p : parameters) arguments.push_back(p.name + ": " + p.type);
  const std::string result = results.empty() ? "R.Tuple"
                             : results.size() == 1
                                 ? results.front()
                                 : fmt::format("R.Tuple({})", fmt::join(results, ", "));
  return fmt::format("    @R.function{}\n    def {}({}) -> {}:\n",
                     flags.empty() ? "" : fmt::format("({})", fmt::join(flags, ", ")), name,
                     fmt::join(arguments, ", "), result);
}

std::string TupleText(std::span<const std::string> elements) {
  if (elements.empty()) return "R.tuple()";
  return elements.size() == 1 ? elements.front() : fmt::format("({})", fmt::join(elements, ", "));
}

std::string ElementText(const std::string& tuple, std::size_t i, std::size_t count) {
  return count == 1 ? tuple : fmt::format("{}[{}]", tuple, i);
}

std::string QuotedText(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (c == '\n' || c == '\t') {
      quoted += c == '\n' ? "\\n" : "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      quoted += fmt::format("\\x{:02x}", byte);
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::string PythonFloat(double value, bool is_double) {
  if (std::isnan(value)) return "float(\"nan\")";
  if (std::isinf(value)) return value < 0 ? "-float(\"inf\")" : "float(\"inf\")";
  std::string text = is_double ? FormatDouble(value) : FormatFloat(static_cast<float>(value));
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::optional<std::string> ConstText(const Tensor& tensor) {
  const std::string_view dtype = RelaxDType(tensor.dtype());
  if (dtype.empty() || Info(tensor.dtype()).bits == 8) {
    if (tensor.dtype() != DType::kBool && !IsInteger(tensor.dtype())) return std::nullopt;
  }
  if (dtype.empty()) return std::nullopt;
  std::int64_t offset = 0;
  auto element = [&](std::int64_t i) -> std::string {
    if (tensor.dtype() == DType::kBool) return tensor.IntAt(i) != 0 ? "True" : "False";
    if (tensor.dtype() == DType::kU64)
      return std::to_string(static_cast<std::uint64_t>(tensor.IntAt(i)));
    if (IsInteger(tensor.dtype())) return std::to_string(tensor.IntAt(i));
    return PythonFloat(tensor.FloatAt(i), tensor.dtype() == DType::kF64);
  };
  return fmt::format("R.const({}, \"{}\")", Nested(tensor, 0, offset, element), dtype);
}

}  // namespace dragoman::relax
