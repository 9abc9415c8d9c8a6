// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/script/block_builder.h"

#include <fmt/format.h>

#include "core/ir/print.h"
#include "core/support/python/source_error.h"

namespace dragoman::torch {
namespace {

using Kind = ScriptType::Kind;

// Equal texts are equal constants; empty: such constants are not shared.
std::string ConstantKey(const Attribute& value, const ScriptType& type) {
  if (value.tensor() != nullptr || value.As<Attribute::Dict>() != nullptr) return {};
  return type.ToString() + " " + PrintAttribute(value);
}

}  // namespace

OriginPtr BlockBuilder::MakeOrigin(const OpName& op) const {
  SourceOp source;
  source.op = op.ToString();
  const auto place = file_->ranges.Find(offset_);
  if (place) {
    source.location = fmt::format("{}:{}", place->file, place->line);
    if (place->text.empty()) return Origin::Leaf(std::move(source));
    source.attributes.emplace_back("source_line", place->text);
    source.attributes.emplace_back("source_column", static_cast<std::int64_t>(place->column));
    source.attributes.emplace_back("source_length", static_cast<std::int64_t>(place->length));
  } else if (!file_->source.name.empty()) {
    source.location =
        fmt::format("{}:{}", file_->source.name, file_->source.lines.At(offset_).line);
  }
  return Origin::Leaf(std::move(source));
}

Error BlockBuilder::Fail(ErrorKind kind, std::string message) const {
  return Error(
      FindingAt(kind, file_->source.name, file_->source.text, offset_, std::move(message)));
}

Node* BlockBuilder::Append(const TorchOp& op, const std::vector<Value*>& operands) {
  const OpName* name = InternOp(op.ns, op.name, "", op.overload);
  Node* node = block().Append(name, operands);
  node->set_origin(MakeOrigin(*name));
  return node;
}

Value* BlockBuilder::AddResult(Node& node, const ScriptType& type) {
  return node.AddResult("", ToIrType(type));
}

Typed BlockBuilder::Append(const TorchOp& op, const std::vector<Value*>& operands,
                           const ScriptType& type) {
  return {AddResult(*Append(op, operands), type), type};
}

Typed BlockBuilder::Constant(const Attribute& value, const ScriptType& type) {
  const std::string key = ConstantKey(value, type);
  if (!key.empty()) {
    for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block) {
      const auto found = block->constants.find(key);
      if (found != block->constants.end()) return {found->second, type};
      if (block->isolated) break;
    }
  }
  const Typed constant = Append({"prim", "Constant"}, {}, type);
  if (value.kind() != Attribute::Kind::kNone) {
    constant.value->producer()->SetAttribute("value", value);
  }
  if (!key.empty()) blocks_.back().constants.emplace(key, constant.value);
  return constant;
}

Typed BlockBuilder::Tuple(const std::vector<Typed>& items) {
  std::vector<Value*> values;
  std::vector<ScriptType> types;
  for (const Typed& item : items) {
    values.push_back(item.value);
    types.push_back(item.type);
  }
  return Append({"prim", "TupleConstruct"}, values, ScriptType::Tuple(std::move(types)));
}

std::vector<Typed> BlockBuilder::UnpackTuple(const Typed& tuple) {
  std::vector<Typed> items;
  const Node* producer = tuple.value->producer();
  const bool constructed = producer != nullptr && producer->op().dialect == "prim" &&
                           producer->op().type == "TupleConstruct";
  if (constructed) {
    for (std::size_t i = 0; i < tuple.type.elements().size(); ++i) {
      items.push_back({producer->operand(i), tuple.type.element(i)});
    }
    return items;
  }
  Node* node = Append({"prim", "TupleUnpack"}, {tuple.value});
  for (const ScriptType& type : tuple.type.elements()) {
    items.push_back({AddResult(*node, type), type});
  }
  return items;
}

Typed BlockBuilder::List(const ScriptType& element, const std::vector<Typed>& items) {
  std::vector<Value*> values;
  for (const Typed& item : items) values.push_back(item.value);
  return Append({"prim", "ListConstruct"}, values, ScriptType::List(element));
}

Typed BlockBuilder::EmptyList() {
  const Typed list = List(ScriptType(Kind::kTensor), {});
  empty_lists_.insert(list.value);
  return list;
}

void BlockBuilder::RollBack(Node* mark) {
  while (block().last_node() != mark) {
    for (std::size_t i = 0; i < block().last_node()->num_results(); ++i) {
      empty_lists_.erase(block().last_node()->result(i));
    }
    block().Erase(block().last_node());
  }
}

}  // namespace dragoman::torch
