// SPDX-License-Identifier: Apache-2.0
#include "codegen/relax/source_expression.h"

#include <cstddef>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "codegen/relax/attribute_text.h"
#include "core/ir/find_as.h"

namespace dragoman::relax {
namespace {

// A part of an expression: text, or the place of a value.
struct Piece {
  std::string text;
  const Value* value = nullptr;
};

// The pieces of one expression, in order.
class Pieces {
 public:
  explicit Pieces(std::vector<Finding>& findings) : findings_(findings) {}

  std::vector<Piece> Of(const Node& node) {
    Add(node);
    return std::move(pieces_);
  }

 private:
  void Text(std::string text) { pieces_.push_back({std::move(text), nullptr}); }
  void Operand(const Value* value) {
    if (value == nullptr) return Text("None");
    pieces_.push_back({{}, value});
  }

  void Operands(const Node& node) {
    for (std::size_t i = 0; i < node.num_operands(); ++i) {
      if (i > 0) Text(", ");
      Operand(node.operand(i));
    }
  }

  // An operand of an operator sign.
  void Wrapped(const Value* value) {
    const Node* node = value != nullptr ? value->producer() : nullptr;
    const bool is_sign = node != nullptr && StandsInline(*node) &&
                         (node->op().type == "binary" || node->op().type == "unary");
    if (is_sign) Text("(");
    Operand(value);
    if (is_sign) Text(")");
  }

  std::string AttributeOf(const Node& node, std::string_view name) {
    for (const NamedAttribute& attribute : node.attributes()) {
      if (attribute.name == name) return SourceAttributeText(attribute);
    }
    findings_.push_back({ErrorKind::kInvalidInput,
                         {},
                         node.Describe(),
                         fmt::format("the attribute '{}' is missing", name)});
    return "None";
  }

  // nullptr: the node has no operand.
  const Value* First(const Node& node) {
    if (node.num_operands() > 0) return node.operand(0);
    findings_.push_back({ErrorKind::kInvalidInput, {}, node.Describe(), "has no operand"});
    return nullptr;
  }

  void Add(const Node& node) {
    const std::string& op = node.op().type;
    if (op == "alias") return Operand(First(node));
    if (op == "literal") return Text(AttributeOf(node, "value"));
    if (op == "module") {
      const auto* text = FindAs<std::string>(node.attributes(), "name");
      return Text(text != nullptr ? *text : "Module");
    }
    if (op == "const" && node.attribute("value") != nullptr &&
        node.attribute("value")->tensor() != nullptr)
      return Text(AttributeOf(node, "value"));
    if (op == "List" || op == "Tuple") {
      const bool is_list = op == "List";
      Text(is_list ? "[" : "(");
      Operands(node);
      return Text(is_list ? "]" : node.num_operands() == 1 ? ",)" : ")");
    }
    if (op == "TupleGetItem") {
      Wrapped(First(node));
      return Text("[" + AttributeOf(node, "index") + "]");
    }
    if (op == "metadata")
      return Text("metadata[" + AttributeOf(node, "type") + "][" + AttributeOf(node, "index") +
                  "]");
    if (!AddSign(node)) AddCall(node);
  }

  bool AddSign(const Node& node) {
    const auto* symbol = FindAs<std::string>(node.attributes(), "operator");
    if (symbol == nullptr) return false;
    if (node.op().type == "binary" && node.num_operands() == 2) {
      Wrapped(node.operand(0));
      Text(" " + *symbol + " ");
      Wrapped(node.operand(1));
      return true;
    }
    if (node.op().type != "unary" || node.num_operands() != 1) return false;
    Text(*symbol + (*symbol == "not" ? " " : ""));
    Wrapped(node.operand(0));
    return true;
  }

  // The value that is called, or its name; the attribute that says it.
  std::string_view AddCallee(const Node& node) {
    const std::string& op = node.op().type;
    if (op == "call_value") {
      Operand(First(node));
      return "";
    }
    if (op == "call") {
      const std::string alias = FindText(node.extra_if_any(), "relax.alias");
      Text((alias.empty() ? "cls" : alias) + "." + AttributeOf(node, "callee"));
      return "callee";
    }
    Text(op.starts_with("T.") || op.starts_with("I.") ? op : "R." + op);
    return "";
  }

  void AddCall(const Node& node) {
    const std::string_view skipped = AddCallee(node);
    std::size_t operand = node.op().type == "call_value" ? 1 : 0;
    bool first = true;
    const auto begin = [&](const std::string& text) {
      Text((std::exchange(first, false) ? "" : ", ") + text);
    };
    Text("(");
    if (FindIn(node.extra_if_any(), "relax.arguments") == nullptr) {
      for (; operand < node.num_operands(); ++operand) {
        begin("");
        Operand(node.operand(operand));
      }
      for (const NamedAttribute& attribute : node.attributes()) {
        if (attribute.name != skipped) begin(attribute.name + "=" + SourceAttributeText(attribute));
      }
    }
    for (const std::string& item : TextsOf(node.extra_if_any(), "relax.arguments")) {
      if (item.empty() || item.ends_with('=')) {
        begin(item);
        Operand(operand < node.num_operands() ? node.operand(operand++) : nullptr);
      } else if (item.starts_with('#')) {
        begin(AttributeOf(node, item.substr(1)));
      } else {
        begin(item + "=" + AttributeOf(node, item));
      }
    }
    Text(")");
  }

  std::vector<Finding>& findings_;
  std::vector<Piece> pieces_;
};

// What `open` holds, from its end on.
std::string TextOfPieces(std::vector<Piece> open, std::vector<Finding>& findings) {
  std::string text;
  while (!open.empty()) {
    const Piece piece = std::move(open.back());
    open.pop_back();
    const Node* node = piece.value != nullptr ? piece.value->producer() : nullptr;
    if (node != nullptr && StandsInline(*node)) {
      std::vector<Piece> inner = Pieces(findings).Of(*node);
      open.insert(open.end(), std::make_move_iterator(inner.rbegin()),
                  std::make_move_iterator(inner.rend()));
    } else {
      text += piece.value != nullptr ? piece.value->name() : piece.text;
    }
  }
  return text;
}

}  // namespace

Attribute::Strings TextsOf(const Extra* extra, std::string_view name) {
  const Attribute* attribute = FindIn(extra, name);
  const auto* texts = attribute != nullptr ? attribute->As<Attribute::Strings>() : nullptr;
  return texts != nullptr ? *texts : Attribute::Strings();
}

std::string SourceAttributeText(const NamedAttribute& attribute) {
  const std::string text = FindText(attribute.extra.get(), "relax.text");
  return text.empty() ? ValueText(attribute.value) : text;
}

bool StandsInline(const Node& node) {
  return FindIn(node.extra_if_any(), "relax.inline") != nullptr && node.num_results() == 1 &&
         node.result()->HasOneUse();
}

std::string SourceExpressionText(const Node& node, std::vector<Finding>& findings) {
  std::vector<Piece> pieces = Pieces(findings).Of(node);
  return TextOfPieces(
      {std::make_move_iterator(pieces.rbegin()), std::make_move_iterator(pieces.rend())}, findings);
}

std::string SourceOperandText(const Value* value, std::vector<Finding>& findings) {
  return value == nullptr ? "None" : TextOfPieces({{{}, value}}, findings);
}

}  // namespace dragoman::relax
