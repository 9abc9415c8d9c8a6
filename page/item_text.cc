// SPDX-License-Identifier: Apache-2.0
#include "page/item_text.h"

#include <algorithm>
#include <cmath>

#include "core/ir/domain.h"
#include "core/ir/element_text.h"
#include "core/ir/print.h"
#include "core/support/num_characters.h"
#include "core/support/printable.h"
#include "core/support/text.h"

namespace dragoman::page {
namespace {

// Widths of characters of the fonts of page.css, in tenths of pixels, on the safe side.
constexpr int kTitleCharacter = 94;
constexpr int kNoteCharacter = 70;
constexpr int kMargin = 34;
constexpr int kNarrowest = 64;
constexpr int kWidest = 260;
constexpr std::size_t kMostNote = 36;

int CharactersIn(std::string_view text) { return static_cast<int>(NumCharacters(text)); }

void AppendPart(std::string& text, const std::string& part) {
  if (part.empty() || text.size() + part.size() > kMostNote) return;
  text += (text.empty() ? "" : ", ") + part;
}

// What is known of a constant operand in a few characters; empty: too much.
std::string ConstantText(const Value& value) {
  const Tensor* tensor = value.tensor();
  if (tensor == nullptr || tensor->size() != 1) return SizesOf(value.type());
  return FormatElement(*tensor, 0);
}

std::string AttributeNote(const NamedAttribute& attribute) {
  const bool is_short = attribute.value.graph() == nullptr && attribute.value.tensor() == nullptr;
  const auto* ints = attribute.value.As<Attribute::Ints>();
  if (!is_short || (ints != nullptr && ints->size() > 8)) return "";
  const auto* text = attribute.value.As<std::string>();
  if (text != nullptr && text->size() > kMostNote) return "";
  const bool is_list = attribute.value.kind() >= Attribute::Kind::kInts && ints == nullptr;
  return is_list ? "" : attribute.name + " = " + PrintAttribute(attribute.value);
}

std::vector<std::string> SplitScope(std::string_view path) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    if (end > 0) parts.emplace_back(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return parts;
}

}  // namespace

std::string TitleOf(const OpName& op) {
  if (op.dialect == "onnx" &&
      (op.domain.empty() || op.domain == "ai.onnx" || op.domain == "dragoman"))
    return op.type;
  if (op.dialect == "onnx") return op.domain + "." + op.type;
  return op.dialect == "dragoman" ? op.type : op.dialect + "." + op.type;
}

std::string SizesOf(const Type& type) {
  const Shape* shape = type.shape();
  if (!type.is_tensor() || shape == nullptr || shape->empty()) return type.ToString();
  std::string text;
  for (const Dim& dim : *shape) text += (text.empty() ? "" : "\u00d7") + dim.ToString();
  return text;
}

std::string NoteOf(const Node& node) {
  std::string note;
  for (const Use& use : node.operands()) {
    if (use.value() != nullptr && use.value()->is_constant())
      AppendPart(note, ConstantText(*use.value()));
  }
  for (const NamedAttribute& attribute : node.attributes()) {
    if (note.size() < kMostNote) AppendPart(note, AttributeNote(attribute));
  }
  return note;
}

std::vector<std::string> ScopeOf(const Node& node) {
  const SourceOp* source = node.origin() != nullptr ? node.origin()->leaf() : nullptr;
  if (source != nullptr && !source->scope.empty()) return SplitScope(source->scope);
  const std::string& name = source != nullptr && node.name().empty() ? source->name : node.name();
  const std::size_t end = name.rfind('/');
  return SplitScope(std::string_view(name).substr(0, end == std::string::npos ? 0 : end));
}

std::string LastPart(const std::string& name) {
  const std::size_t end = name.find_last_not_of('/');
  const std::size_t slash = end == std::string::npos ? end : name.rfind('/', end);
  return slash == std::string::npos ? name : name.substr(slash + 1);
}

layout::Box BoxOf(std::string_view title, std::string_view note) {
  const int width = std::max(CharactersIn(Printable(title)) * kTitleCharacter,
                             CharactersIn(Printable(note)) * kNoteCharacter) /
                        10 +
                    kMargin;
  return {std::clamp(width, kNarrowest, kWidest), note.empty() ? 30 : 44};
}

layout::Box PortOf(std::string_view title) {
  const int width = CharactersIn(Printable(title)) * kNoteCharacter / 10 + kMargin;
  return {std::clamp(width, 40, kWidest), 22};
}

}  // namespace dragoman::page
