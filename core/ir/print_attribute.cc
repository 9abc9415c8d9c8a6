// SPDX-License-Identifier: Apache-2.0
// Attributes and tensors of the text form.
#include "core/ir/element_text.h"
#include "core/ir/text_printer.h"
#include "core/ir/text_scanner.h"
#include "core/support/base64.h"
#include "core/support/text.h"

namespace dragoman {

void TextPrinter::PrintAttributes(const std::vector<NamedAttribute>& attributes) {
  out_ += '{';
  bool first = true;
  for (const NamedAttribute& attribute : attributes) {
    if (!first) out_ += ", ";
    first = false;
    out_ += FormatKey(attribute.name) + " = ";
    PrintValueOf(attribute.value);
    PrintExtra(" ", attribute.extra.get());
  }
  out_ += '}';
}

void TextPrinter::PrintExtra(std::string_view before, const Extra* extra) {
  if (extra == nullptr || extra->empty()) return;
  out_ += before;
  out_ += "extra ";
  PrintAttributes(*extra);
}

void TextPrinter::PrintValueOf(const Attribute& attribute) {
  std::visit([this](const auto& value) { Print(value); }, attribute.storage());
}

void TextPrinter::Print(std::int64_t v) { out_ += std::to_string(v); }
void TextPrinter::Print(float v) { out_ += FormatFloat(v); }
void TextPrinter::Print(double v) { out_ += "double " + FormatDouble(v); }
void TextPrinter::PrintItem(double v) { out_ += FormatDouble(v); }
void TextPrinter::Print(const std::string& v) { out_ += Quote(v); }
void TextPrinter::Print(const Type& v) { out_ += "type " + v.ToString(); }
void TextPrinter::Print(const Symbol& v) { out_ += "@" + FormatName(v.name); }
void TextPrinter::Print(const AttributeRef& v) {
  out_ += "$" + FormatName(v.name) + "(" + std::to_string(v.kind) + ")";
}
void TextPrinter::Print(const Attribute::Complex& v) {
  out_ += "complex(" + FormatDouble(v.real()) + ", " + FormatDouble(v.imag()) + ")";
}

template <class List>
void TextPrinter::PrintList(std::string_view kind, const List& list) {
  out_ += kind;
  out_ += '[';
  bool first = true;
  for (const auto& item : list) {
    if (!first) out_ += ", ";
    first = false;
    PrintItem(item);
  }
  out_ += ']';
}
// print.cc prints the attribute names of functions.
template void TextPrinter::PrintList(std::string_view, const Attribute::Strings&);

void TextPrinter::PrintTensor(const Tensor& tensor) {
  out_ += tensor.type().ToString() + " ";
  PrintTensorBody(tensor);
}

void TextPrinter::PrintTensorBody(const Tensor& tensor) {
  const bool is_small = tensor.size() <= options_.inline_elements;
  if (tensor.dtype() == DType::kUnknown) {
    out_ += "empty";
  } else if (tensor.dtype() == DType::kString || (is_small && ElementsDetermineBytes(tensor))) {
    PrintElements(tensor);
  } else if (!is_small && options_.store) {
    out_ += options_.store(tensor);
  } else {
    out_ += "base64 \"" + EncodeBase64(tensor.bytes()) + "\"";
  }
}

// Brackets nest as sizes do; a tensor without elements is [].
void TextPrinter::PrintElements(const Tensor& tensor) {
  if (tensor.size() == 0) {
    out_ += "[]";
    return;
  }
  // How many elements one pair of brackets of each axis holds.
  std::vector<std::int64_t> spans(tensor.sizes().size());
  std::int64_t span = 1;
  for (std::size_t axis = spans.size(); axis-- > 0;) {
    span *= tensor.sizes()[axis];
    spans[axis] = span;
  }
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    std::size_t opened = 0;
    for (const std::int64_t s : spans) opened += i % s == 0;
    if (i > 0) out_ += ", ";
    out_.append(opened, '[');
    out_ += FormatElement(tensor, i);
    std::size_t closed = 0;
    for (const std::int64_t s : spans) closed += (i + 1) % s == 0;
    out_.append(closed, ']');
  }
}

void TextPrinter::PrintSparseTensor(const SparseTensor& tensor) {
  out_ += "sparse ";
  PrintSizes(tensor.sizes);
  out_ += " (";
  PrintTensor(tensor.values);
  out_ += ", ";
  PrintTensor(tensor.indices);
  out_ += ')';
}

void TextPrinter::PrintSizes(const std::vector<std::int64_t>& sizes) {
  out_ += '[';
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (i > 0) out_ += ", ";
    out_ += std::to_string(sizes[i]);
  }
  out_ += ']';
}

}  // namespace dragoman
