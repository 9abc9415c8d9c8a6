// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/export_archive/script_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/ir/find_as.h"
#include "core/support/size_budget.h"
#include "core/support/text.h"
#include "importers/torch/export_archive/autocast.h"
#include "importers/torch/export_archive/numbering.h"
#include "importers/torch/lower/finding.h"
#include "importers/torch/lower/kept_operator.h"
#include "importers/torch/lower/result_strides.h"
#include "importers/torch/ops/supported.h"

namespace dragoman::torch {
namespace {

// An operator of numbers, or of sizes, and what TorchScript calls it.
struct Renamed {
  std::string_view from;  // dialect and type
  TorchOp to;
};

constexpr Renamed kNumberOps[] = {
    {"_operator.add", {"aten", "add", "int"}},
    {"_operator.and_", {"aten", "__and__", "bool"}},
    {"_operator.eq", {"aten", "eq", "int"}},
    {"_operator.floordiv", {"aten", "floordiv", "int"}},
    {"_operator.ge", {"aten", "ge", "int"}},
    {"_operator.getitem", {"aten", "__getitem__", "t"}},
    {"_operator.gt", {"aten", "gt", "int"}},
    {"_operator.le", {"aten", "le", "int"}},
    {"_operator.lshift", {"aten", "__lshift__", "int"}},
    {"_operator.lt", {"aten", "lt", "int"}},
    {"_operator.mod", {"aten", "remainder", "int"}},
    {"_operator.mul", {"aten", "mul", "int"}},
    {"_operator.ne", {"aten", "ne", "int"}},
    {"_operator.neg", {"aten", "neg", "int"}},
    {"_operator.not_", {"aten", "__not__", ""}},
    {"_operator.or_", {"aten", "__or__", "bool"}},
    {"_operator.pow", {"aten", "pow", "int"}},
    {"_operator.rshift", {"aten", "__rshift__", "int"}},
    {"_operator.sub", {"aten", "sub", "int"}},
    {"_operator.truediv", {"aten", "div", "int"}},
    {"_operator.xor", {"aten", "__xor__", "bool"}},
    {"math.ceil", {"aten", "ceil", "float"}},
    {"math.floor", {"aten", "floor", "float"}},
    {"math.sqrt", {"aten", "sqrt", "int"}},
    {"math.trunc", {"aten", "Int", "Scalar"}},
    {"torch._sym_acos", {"aten", "acos", "float"}},
    {"torch._sym_asin", {"aten", "asin", "float"}},
    {"torch._sym_atan", {"aten", "atan", "float"}},
    {"torch._sym_cos", {"aten", "cos", "float"}},
    {"torch._sym_cosh", {"aten", "cosh", "float"}},
    {"torch._sym_sin", {"aten", "sin", "float"}},
    {"torch._sym_sinh", {"aten", "sinh", "float"}},
    {"torch._sym_sqrt", {"aten", "sqrt", "int"}},
    {"torch._sym_tan", {"aten", "tan", "float"}},
    {"torch._sym_tanh", {"aten", "tanh", "float"}},
    {"torch.sym_float", {"aten", "Float", "Scalar"}},
    {"torch.sym_int", {"aten", "Int", "Scalar"}},
    {"torch.sym_max", {"prim", "max", "int"}},
    {"torch.sym_min", {"prim", "min", "int"}},
    {"torch.sym_not", {"aten", "__not__", ""}},
    {"torch.sym_sqrt", {"aten", "sqrt", "int"}},
};

// Operators of tensors that export alone has, and those that give a tensor itself other axes, with
// the same arguments. What comes after the latter names their results, which may be views as well.
constexpr Renamed kTensorOps[] = {
    {"aten.as_strided_", {"aten", "as_strided", ""}},
    {"aten.swapaxes_", {"aten", "swapaxes", ""}},
    {"aten.swapdims_", {"aten", "swapdims", ""}},
    {"aten.sym_is_contiguous", {"aten", "is_contiguous", ""}},
    {"aten.sym_numel", {"aten", "numel", ""}},
    {"aten.sym_size", {"aten", "size", "int"}},
    {"aten.sym_storage_offset", {"aten", "storage_offset", ""}},
    {"aten.sym_stride", {"aten", "stride", "int"}},
    {"aten.t_", {"aten", "t", ""}},
    {"aten.transpose_", {"aten", "transpose", "int"}},
    {"aten.unsqueeze_", {"aten", "unsqueeze", ""}},
};

template <std::size_t kSize>
const TorchOp* FindRenamed(const Renamed (&table)[kSize], const OpName& op) {
  const std::string name = op.dialect + "." + op.type;
  const auto* row = std::find_if(std::begin(table), std::end(table),
                                 [&](const Renamed& renamed) { return renamed.from == name; });
  return row != std::end(table) ? &row->to : nullptr;
}

// An operator whose first result is that of another one, `plain`, which is what modules call; its
// further results serve the backward pass.
struct Forward {
  std::string_view name;
  std::string_view plain;
  // The one argument that `plain` calls otherwise.
  std::string_view from;
  std::string_view to;
  bool is_alone = false;  // only the first result has a lowering
};

constexpr std::string_view kAttention = "scaled_dot_product_attention";

constexpr Forward kForwards[] = {
    {"_scaled_dot_product_cudnn_attention", kAttention, "attn_bias", "attn_mask", true},
    {"_scaled_dot_product_efficient_attention", kAttention, "attn_bias", "attn_mask", true},
    {"_scaled_dot_product_flash_attention", kAttention, "attn_bias", "attn_mask", true},
    {"_scaled_dot_product_flash_attention_for_cpu", kAttention, "", "", true},
    {"_scaled_dot_product_fused_attention_overrideable", kAttention, "attn_bias", "attn_mask",
     true},
    {"max_pool2d_with_indices", "max_pool2d", "", ""},
    {"max_pool3d_with_indices", "max_pool3d", "", ""},
    {"native_group_norm", "group_norm", "group", "num_groups"},
    {"native_layer_norm", "layer_norm", "", ""},
};

bool ReadsFurtherResults(const Node& node) {
  for (std::size_t i = 1; i < node.num_results(); ++i) {
    if (node.result(i) != nullptr && node.result(i)->used()) return true;
  }
  return false;
}

// nullptr: the operator stands for itself.
const Forward* FindForward(const Node& node) {
  const OpName& op = node.op();
  const auto* row = std::find_if(std::begin(kForwards), std::end(kForwards),
                                 [&](const Forward& forward) { return forward.name == op.type; });
  if (op.dialect != "aten" || op.overload != "default" || row == std::end(kForwards))
    return nullptr;
  return row->is_alone || !ReadsFurtherResults(node) ? row : nullptr;
}

// Of an argument of a kept operator, that is not a tensor: numbers as ONNX has them, nullopt for
// None and all that has no such form.
std::optional<Attribute> KeptLiteral(const Attribute& argument) {
  using Kind = Attribute::Kind;
  if (const auto* flag = argument.As<bool>()) return Attribute(std::int64_t{*flag});
  if (const auto* number = argument.As<double>()) return Attribute(static_cast<float>(*number));
  if (const auto* numbers = argument.As<Attribute::Doubles>())
    return Attribute(Attribute::Floats(numbers->begin(), numbers->end()));
  const bool is_plain = argument.kind() == Kind::kInt || argument.kind() == Kind::kString ||
                        argument.kind() == Kind::kInts || argument.kind() == Kind::kStrings;
  return is_plain ? std::optional(argument) : std::nullopt;
}

// Whether the file states all that a foreign node needs: tensors and literals in, tensors of known
// types out, and nothing is written in place.
bool CanKeep(const Node& node) {
  static constexpr std::string_view kOfTorch[] = {
      "aten",  "prim", "prims",  "higher_order", "_operator",
      "torch", "math", "python", "quantized",    "quantized_decomposed"};
  const bool writes = node.op().type.ends_with('_') || node.num_results() == 0;
  if (writes || std::ranges::count(kOfTorch, node.op().dialect) > 0) return false;
  for (const NamedAttribute& argument : node.attributes()) {
    const bool is_none = argument.value.kind() == Attribute::Kind::kNone;
    if (!is_none && !IndexOf(argument.value) && !KeptLiteral(argument.value)) return false;
  }
  const Attribute::List results = ResultsOf(node);
  if (results.size() != node.num_results()) return false;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Value* result = node.result(i);
    const bool is_tensor = IndexOf(results[i]) && result != nullptr && result->type().is_tensor() &&
                           result->type().dtype() != DType::kUnknown &&
                           result->type().shape() != nullptr;
    if (!is_tensor) return false;
  }
  return true;
}

Type PlainType(const char* name) { return Type::Opaque("torch", name); }

// The one entry of an argument that names its kind, {as_scalar_type = 7}; nullptr: another form.
const NamedAttribute* TaggedOf(const Attribute& argument) {
  const auto* dict = argument.As<Attribute::Dict>();
  if (dict == nullptr || dict->size() != 1 || !dict->front().name.starts_with("as_"))
    return nullptr;
  return &dict->front();
}

// Of a result: whether it is a list of values, and how many.
std::optional<std::size_t> CountOfList(const Attribute& result) {
  const NamedAttribute* tagged = TaggedOf(result);
  const auto* list = tagged != nullptr ? tagged->value.As<Attribute::List>() : nullptr;
  return list != nullptr ? std::optional(list->size()) : std::nullopt;
}

Type TypeOfResult(const Attribute& result) {
  const NamedAttribute* tagged = TaggedOf(result);
  if (tagged == nullptr) return Type::Tensor(DType::kUnknown);
  if (tagged->name == "as_sym_int") return PlainType("int");
  if (tagged->name == "as_sym_bool") return PlainType("bool");
  if (tagged->name == "as_sym_float") return PlainType("float");
  return CountOfList(result) ? Type::Sequence(Type::Tensor(DType::kUnknown))
                             : Type::Tensor(DType::kUnknown);
}

// Keeps for the lowering how the elements of `from` lie, where the file states it in numbers.
void KeepSteps(const Value& from, Value& made) {
  const Extra* extra = from.extra_if_any();
  const auto* meta = FindAs<Attribute::Dict>(extra, "pt2.tensor_values");
  const auto* list = FindAs<Attribute::List>(meta, "strides");
  if (list == nullptr) return;
  std::vector<std::int64_t> steps;
  for (const Attribute& item : *list) {
    const std::optional<std::int64_t> step = SizeIn(item);
    if (!step) return;
    steps.push_back(*step);
  }
  made.extra().emplace_back(std::string(kStatedSteps), std::move(steps));
}

}  // namespace

std::optional<std::int64_t> SizeIn(const Attribute& size) {
  if (const auto* plain = size.As<std::int64_t>()) return *plain;
  const auto* tagged = size.As<Attribute::Dict>();
  const auto* value = FindAs<std::int64_t>(tagged, "as_int");
  return value != nullptr ? std::optional(*value) : std::nullopt;
}

std::optional<std::size_t> IndexOf(const Attribute& argument) {
  const auto* symbol = argument.As<Symbol>();
  const auto index = symbol != nullptr ? ParseUint64(symbol->name) : std::nullopt;
  return index ? std::optional(static_cast<std::size_t>(*index)) : std::nullopt;
}

Attribute::List ResultsOf(const Node& node) {
  const Extra* extra = node.extra_if_any();
  const Attribute* said = extra != nullptr ? Find(*extra, "pt2.outputs") : nullptr;
  if (said != nullptr && said->As<Attribute::List>() != nullptr)
    return *said->As<Attribute::List>();
  Attribute::List results;
  for (std::size_t i = 0; i < node.num_results(); ++i)
    results.emplace_back(Symbol{std::to_string(i)});
  return results;
}

bool IsKeyword(const NamedAttribute& argument) {
  const Attribute* said = argument.extra != nullptr ? Find(*argument.extra, "pt2.input") : nullptr;
  const auto* dict = said != nullptr ? said->As<Attribute::Dict>() : nullptr;
  const auto* number = FindAs<std::int64_t>(dict, "kind");
  return number != nullptr && *number == 2;
}

ValuesOf OperandValues(const Node& node) {
  return [&node](std::size_t index) { return node.operand(index); };
}

ValuesOf OutputValues(const Graph& graph) {
  return [&graph](std::size_t index) {
    return index < graph.num_outputs() ? graph.output(index) : nullptr;
  };
}

Node* ScriptWriter::Append(const TorchOp& op, const std::vector<Value*>& operands) {
  Node* node = block_->Append(InternOp(op.ns, op.name, "", op.overload), operands);
  node->set_origin(origin_);
  return node;
}

Value* ScriptWriter::Append(const TorchOp& op, const std::vector<Value*>& operands, Type type,
                            std::string name) {
  return Append(op, operands)->AddResult(std::move(name), std::move(type));
}

Value* ScriptWriter::Constant(Attribute value, Type type) {
  Value* constant = Append({"prim", "Constant"}, {}, std::move(type));
  if (value.kind() != Attribute::Kind::kNone)
    constant->producer()->SetAttribute("value", std::move(value));
  return constant;
}

Result<Value*> ScriptWriter::Default(const SchemaArgument& formal, const OpName& op) {
  if (!formal.default_value) {
    return InvalidInput(
        fmt::format("operator {} lacks its argument {}", op.ToString(), Quote(formal.name)));
  }
  const Attribute value = DefaultConstant(*formal.default_value, formal);
  return Constant(value, ToIrType(TypeOfDefault(value, formal.type)));
}

Value* ScriptWriter::Int(std::int64_t value) {
  return Constant(Attribute(value), PlainType("int"));
}
Value* ScriptWriter::Bool(bool value) { return Constant(Attribute(value), PlainType("bool")); }

Result<Value*> ScriptWriter::Mapped(const Value* value) {
  const auto found = value != nullptr ? values_.find(value) : values_.end();
  if (found == values_.end()) return InvalidInput("an argument names a value that is not there");
  const DType dtype = value->type().dtype();
  const bool casts = cast_to_ && IsCastable(dtype) && dtype != *cast_to_;
  return casts ? CastTo(found->second, *cast_to_) : found->second;
}

Value* ScriptWriter::CastTo(Value* value, DType dtype) {
  const TorchDType type = dtype == DType::kF32   ? TorchDType::kF32
                          : dtype == DType::kF16 ? TorchDType::kF16
                                                 : TorchDType::kBF16;
  return Append({"aten", "to", "dtype"},
                {value, Int(static_cast<std::int64_t>(type)), Bool(false), Bool(false),
                 Constant(Attribute(), PlainType("NoneType"))},
                Type::Tensor(DType::kUnknown));
}

// Arguments that are words or numbers of their own kind.
Result<Value*> ScriptWriter::Word(const std::string& tag, const Attribute& value,
                                  const ValuesOf& values) {
  const auto* number = value.As<std::int64_t>();
  std::optional<std::int64_t> known;
  if (tag == "as_scalar_type" && number != nullptr) {
    const std::optional<TorchDType> dtype = DTypeOfExport(*number);
    if (!dtype) return Unsupported(fmt::format("the element type with number {}", *number));
    known = static_cast<std::int64_t>(*dtype);
  } else if (tag == "as_layout" && number != nullptr) {
    known = LayoutOfExport(*number);
  } else if (tag == "as_memory_format" && number != nullptr) {
    known = MemoryFormatOfExport(*number);
  }
  if (known) return Int(*known);
  if (tag == "as_device") {
    const auto* dict = value.As<Attribute::Dict>();
    const Attribute* type = dict != nullptr ? Find(*dict, "type") : nullptr;
    if (type != nullptr && type->As<std::string>() != nullptr)
      return Constant(*type, PlainType("Device"));
  }
  if (tag == "as_none") return Constant(Attribute(), PlainType("NoneType"));
  if (const auto* list = value.As<Attribute::List>()) {
    std::vector<Value*> items;
    for (const Attribute& item : *list) {
      DRAGOMAN_ASSIGN(Value * made, Argument(item, values));
      items.push_back(made);
    }
    const bool are_tensors = tag.ends_with("tensors");
    return Append({"prim", "ListConstruct"}, items,
                  Type::Sequence(are_tensors ? Type::Tensor(DType::kUnknown) : PlainType("int")));
  }
  if (tag.starts_with("as_sym_") || tag == "as_optional_tensor" || tag == "as_tensor" ||
      tag == "as_int" || tag == "as_float" || tag == "as_bool")
    return Argument(value, values);
  return Unsupported("an argument " + tag);
}

Result<Value*> ScriptWriter::Argument(const Attribute& argument, const ValuesOf& values) {
  using Kind = Attribute::Kind;
  if (const std::optional<std::size_t> index = IndexOf(argument)) return Mapped(values(*index));
  switch (argument.kind()) {
    case Kind::kNone:
      return Constant(Attribute(), PlainType("NoneType"));
    case Kind::kInt:
      return Constant(argument, PlainType("int"));
    case Kind::kDouble:
      return Constant(argument, PlainType("float"));
    case Kind::kBool:
      return Constant(argument, PlainType("bool"));
    case Kind::kString:
      return Constant(argument, PlainType("str"));
    case Kind::kComplex:
      return Constant(argument, PlainType("complex"));
    case Kind::kInts:
      return Constant(argument, Type::Sequence(PlainType("int")));
    case Kind::kDoubles:
      return Constant(argument, Type::Sequence(PlainType("float")));
    case Kind::kStrings:
      return Constant(argument, Type::Sequence(PlainType("str")));
    default:
      break;
  }
  if (const auto* items = argument.As<Attribute::List>())
    return Word("as_items", Attribute(*items), values);
  const NamedAttribute* tagged = TaggedOf(argument);
  if (tagged == nullptr)
    return Unsupported("an argument that is a " + std::string(Name(argument.kind())));
  return Word(tagged->name, tagged->value, values);
}

Value* ScriptWriter::Nested(const TreeSpec& tree, std::span<Value* const> leaves,
                            std::size_t& next) {
  using Kind = TreeSpec::Kind;
  if (tree.kind == Kind::kLeaf) return leaves[next++];
  std::vector<Value*> items;
  for (std::size_t i = 0; i < tree.children.size(); ++i) {
    if (tree.kind == Kind::kDict)
      items.push_back(Constant(Attribute(tree.keys[i]), PlainType("str")));
    items.push_back(Nested(tree.children[i], leaves, next));
  }
  const char* name = tree.kind == Kind::kDict   ? "DictConstruct"
                     : tree.kind == Kind::kList ? "ListConstruct"
                                                : "TupleConstruct";
  return Append({"prim", name}, items, Type());
}

Status ScriptWriter::WriteNodes(const Graph& source) {
  const OriginPtr outer = origin_;
  std::vector<const Node*> nodes;
  for (const Node& node : source.nodes()) nodes.push_back(&node);
  DRAGOMAN_TRY(WriteGroups(nodes));
  origin_ = outer;
  return {};
}

Error ScriptWriter::PlacedAt(const Node& node, Error error) {
  for (Finding& finding : error.findings()) {
    if (finding.place.empty()) finding = AtSource(node, std::move(finding));
  }
  return error;
}

Status ScriptWriter::WriteNode(const Node& node) {
  constexpr std::uint64_t kStepsOfNode = 8;  // whose memory is as much as these draw
  DRAGOMAN_TRY(TakeSteps(kStepsOfNode));
  if (const Control control = FindControl(node.op())) return (this->*control)(node);
  if (const TorchOp* op = FindRenamed(kNumberOps, node.op())) return WriteNumbers(node, *op);
  return WriteOperator(node);
}

Result<std::vector<Value*>> ScriptWriter::OperandsOf(const Node& node, const Schema& schema,
                                                     std::span<const RenamedArgument> renamed) {
  std::vector<Value*> operands(schema.arguments.size(), nullptr);
  const ValuesOf values = OperandValues(node);
  std::size_t position = 0;
  for (const NamedAttribute& argument : node.attributes()) {
    const auto other = std::ranges::find(renamed, argument.name, &RenamedArgument::from);
    const std::string_view name =
        other != renamed.end() ? other->to : std::string_view(argument.name);
    if (name.empty() && !argument.name.empty()) continue;
    const auto formal = std::ranges::find(schema.arguments, name, &SchemaArgument::name);
    auto place = static_cast<std::size_t>(formal - schema.arguments.begin());
    if (place == operands.size() && !IsKeyword(argument)) place = position;
    if (place == operands.size() && argument.name == "requires_grad") continue;
    if (place >= operands.size() || operands[place] != nullptr) {
      return InvalidInput(fmt::format("operator {} takes no argument {}", node.op().ToString(),
                                      Quote(argument.name)));
    }
    DRAGOMAN_ASSIGN(operands[place], Argument(argument.value, values));
    ++position;
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i] != nullptr) continue;
    DRAGOMAN_ASSIGN(operands[i], Default(schema.arguments[i], node.op()));
  }
  return operands;
}

Status ScriptWriter::BindResults(const Node& node, Node& written, const Schema* schema) {
  const Attribute::List results = ResultsOf(node);
  std::size_t next = 0;  // of the node's results
  std::vector<std::pair<Value*, std::size_t>> lists;
  for (std::size_t i = 0; i < results.size(); ++i) {
    Type type = TypeOfResult(results[i]);
    if (schema != nullptr && i < schema->results.size() && TaggedOf(results[i]) == nullptr)
      type = ToIrType(schema->results[i].type);
    const std::optional<std::size_t> count = CountOfList(results[i]);
    const bool is_value = IndexOf(results[i]) || TaggedOf(results[i]) != nullptr;
    const Value* first = node.result(next);
    Value* made = written.AddResult(!count && is_value && first ? first->name() : "", type);
    if (count) {
      lists.emplace_back(made, *count);
    } else if (is_value && first != nullptr) {
      KeepSteps(*first, *made);
      Bind(*first, made);
    }
    if (count) next += *count;
    if (!count && is_value) ++next;
  }
  // Lists are unpacked after the node, in the order of the results.
  next = 0;
  std::size_t list = 0;
  for (const Attribute& result : results) {
    const std::optional<std::size_t> count = CountOfList(result);
    if (!count) {
      next += IndexOf(result) || TaggedOf(result) != nullptr ? 1 : 0;
      continue;
    }
    Node* unpack = Append({"prim", "ListUnpack"}, {lists[list++].first});
    for (std::size_t i = 0; i < *count; ++i, ++next) {
      if (node.result(next) == nullptr) return InvalidInput("a result of a node is missing");
      Bind(*node.result(next),
           unpack->AddResult(node.result(next)->name(), Type::Tensor(DType::kUnknown)));
    }
  }
  return {};
}

// Writes the operator that modules call in the place of the one that `schema` describes.
Status ScriptWriter::WriteForward(const Node& node, const Schema& schema) {
  const Forward& forward = *FindForward(node);
  if (ReadsFurtherResults(node))
    return Unsupported("operator " + node.op().ToString() + " with a result but the first");
  const Schema* plain = schemas_.Find("aten", forward.plain, "");
  if (plain == nullptr || node.num_results() == 0) return Internal("no such operator");
  DRAGOMAN_ASSIGN(const std::vector<Value*> given, OperandsOf(node, schema));
  std::vector<Value*> operands;
  for (const SchemaArgument& formal : plain->arguments) {
    Value* operand = nullptr;
    for (std::size_t i = 0; i < given.size(); ++i) {
      const std::string& name = schema.arguments[i].name;
      if (name == formal.name || (name == forward.from && formal.name == forward.to))
        operand = given[i];
    }
    if (operand == nullptr) {
      DRAGOMAN_ASSIGN(operand, Default(formal, node.op()));
    }
    operands.push_back(operand);
  }
  Bind(*node.result(), Append({"aten", forward.plain}, operands, Type::Tensor(DType::kUnknown),
                              node.result()->name()));
  return {};
}

Status ScriptWriter::WriteOperator(const Node& node) {
  const OpName& name = node.op();
  const std::string overload = name.overload == "default" ? "" : name.overload;
  TorchOp op = {name.dialect, name.type, overload};
  if (const TorchOp* renamed = FindRenamed(kTensorOps, name)) op = *renamed;
  if (op.ns == "aten" && op.name == "squeeze_") op.name = "squeeze";  // all overloads
  const auto primitive = name.dialect == "prims" ? FindPrimitive(name.type) : std::nullopt;
  if (primitive) op = primitive->op;
  const Schema* schema = schemas_.Find(op.ns, op.name, op.overload);
  static constexpr std::string_view kLibraries[] = {"torchvision", "torchao", "torchaudio",
                                                    "transformers"};
  const bool is_library = std::ranges::count(kLibraries, name.dialect) > 0;
  if (schema == nullptr || (is_library && !IsSupported(name))) return WriteForeign(node);
  if (FindForward(node) != nullptr) return WriteForward(node, *schema);
  if (DependsOnSizes(node)) return WriteBySizes(node);
  if (autocast_) {
    DRAGOMAN_ASSIGN(cast_to_, AutocastType(node, *autocast_));
  }
  const Result<std::vector<Value*>> operands = OperandsOf(
      node, *schema, primitive ? primitive->renamed : std::span<const RenamedArgument>());
  cast_to_.reset();
  if (!operands.ok()) return operands.error();
  return BindResults(node, *Append(op, *operands), schema);
}

// Numbers have their operands in order.
Status ScriptWriter::WriteNumbers(const Node& node, const TorchOp& op) {
  std::vector<Value*> operands;
  for (const NamedAttribute& argument : node.attributes()) {
    DRAGOMAN_ASSIGN(Value * made, Argument(argument.value, OperandValues(node)));
    operands.push_back(made);
  }
  return BindResults(node, *Append(op, operands), nullptr);
}

// An operator that is not known: one of a library is kept as it is, where that can be said without
// it; all others the evaluator reports.
Status ScriptWriter::WriteForeign(const Node& node) {
  if (CanKeep(node)) return WriteKept(node);
  const OpName& op = node.op();
  std::vector<Value*> operands;
  for (const Use& use : node.operands()) {
    DRAGOMAN_ASSIGN(Value * made, Mapped(use.value()));
    operands.push_back(made);
  }
  return BindResults(node, *Append({op.dialect, op.type, op.overload}, operands), nullptr);
}

Status ScriptWriter::WriteKept(const Node& node) {
  const OpName& op = node.op();
  const std::string type = op.overload == "default" ? op.type : op.type + "." + op.overload;
  Node* kept = block_->Append(InternOp(kKeptDialect, type, op.dialect), {}, node.name());
  kept->set_origin(origin_);
  for (std::size_t i = 0; i < node.attributes().size(); ++i) {
    const NamedAttribute& argument = node.attributes()[i];
    if (const std::optional<std::size_t> index = IndexOf(argument.value)) {
      DRAGOMAN_ASSIGN(Value * operand, Mapped(node.operand(*index)));
      kept->AddOperand(operand);
      continue;
    }
    const bool is_number = ParseUint64(argument.name).has_value();
    if (std::optional<Attribute> literal = KeptLiteral(argument.value))
      kept->SetAttribute(is_number ? "arg" + argument.name : argument.name, *std::move(literal));
  }
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    const Value& result = *node.result(i);
    Shape sizes;
    for (const Dim& size : *result.type().shape()) sizes.push_back(size.Substitute(sizes_));
    Bind(result, kept->AddResult(result.name(), result.type().WithShape(std::move(sizes))));
  }
  return {};
}

}  // namespace dragoman::torch
