// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/script/evaluate_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "core/ir/for_each_value.h"
#include "importers/torch/script/class_table.h"
#include "importers/torch/script/clean_up.h"
#include "importers/torch/script/function_emitter.h"

namespace dragoman::torch {
namespace {

using python::Expr;
using python::FunctionDef;

// What a call may give; the first one that its result converts to is its type.
constexpr const char* kTypes[] = {"Tensor",       "bool",      "int",         "float",
                                  "List[Tensor]", "List[int]", "List[float]", "Device"};

constexpr std::string_view kList = "List[";

Expr NamedExpr(std::string text) {
  Expr expr;
  expr.kind = Expr::Kind::kName;
  expr.text = std::move(text);
  return expr;
}

Expr TypeExpr(std::string_view text) {
  if (!text.starts_with(kList)) return NamedExpr(std::string(text));
  Expr list;
  list.kind = Expr::Kind::kSubscript;
  list.parts = {NamedExpr("List"),
                NamedExpr(std::string(text.substr(kList.size(), text.size() - kList.size() - 1)))};
  return list;
}

}  // namespace

// The call as a function of its tensors; all other arguments are literals.
struct CallEvaluator::Compiled {
  FunctionDef function;
  std::vector<Attribute> data;  // of the parameters after self
  Tensors tensors;              // the same ones
};

Result<Expr> CallEvaluator::Argument(const Stored& value, Compiled& compiled) {
  Expr expr;
  if (const auto* flag = std::get_if<bool>(&value)) {
    expr.kind = *flag ? Expr::Kind::kTrue : Expr::Kind::kFalse;
  } else if (const auto* number = std::get_if<std::int64_t>(&value)) {
    expr.kind = Expr::Kind::kInt;
    expr.int_value = *number;
  } else if (const auto* real = std::get_if<double>(&value)) {
    expr.kind = Expr::Kind::kFloat;
    expr.float_value = *real;
  } else if (const auto* text = std::get_if<StoredString>(&value)) {
    expr.kind = Expr::Kind::kString;
    expr.text = **text;
  } else if (IsNone(value)) {
    expr.kind = Expr::Kind::kNone;
  } else if (const auto* device = std::get_if<const StoredDevice*>(&value)) {
    Expr callee, text;
    callee.kind = Expr::Kind::kAttribute;
    callee.text = "device";
    callee.parts = {NamedExpr("torch")};
    text.kind = Expr::Kind::kString;
    text.text = (*device)->name;
    expr.kind = Expr::Kind::kCall;
    expr.parts = {std::move(callee), std::move(text)};
  } else if (const auto* tensor = std::get_if<const StoredTensor*>(&value)) {
    if ((*tensor)->quantization || (*tensor)->layout != TensorLayout::kStrided ||
        (*tensor)->conjugated || (*tensor)->negated)
      return Unsupported("a tensor that is quantised, sparse or conjugated as an argument");
    DRAGOMAN_ASSIGN(Tensor dense, DenseTensor(**tensor));
    expr = NamedExpr(fmt::format("a{}", compiled.data.size()));
    compiled.function.parameters.push_back({expr.text, 0, NamedExpr("Tensor"), std::nullopt});
    compiled.data.emplace_back(std::move(dense));
    compiled.tensors.push_back(*tensor);
  } else {
    const auto* list = std::get_if<const StoredList*>(&value);
    const auto* tuple = std::get_if<const StoredTuple*>(&value);
    if (list == nullptr && tuple == nullptr)
      return Unsupported("an argument that is a " + Describe(value));
    expr.kind = list != nullptr ? Expr::Kind::kList : Expr::Kind::kTuple;
    for (const Stored& item : list != nullptr ? (*list)->items : (*tuple)->items) {
      DRAGOMAN_ASSIGN(Expr part, Argument(item, compiled));
      expr.parts.push_back(std::move(part));
    }
  }
  return expr;
}

Result<Stored> CallEvaluator::Evaluate(const Expr& call, const std::vector<Stored>& arguments,
                                       const ScriptClass& owner) {
  if (run_ == nullptr) return Unsupported("nothing is computed when a model is read");
  Compiled compiled;
  compiled.function.offset = call.offset;
  compiled.function.parameters.push_back({"self", call.offset, std::nullopt, std::nullopt});
  python::Stmt result;
  result.kind = python::Stmt::Kind::kReturn;
  result.offset = call.offset;
  result.value = call;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::uint32_t offset = call.parts[i + 1].offset;
    DRAGOMAN_ASSIGN(result.value.parts[i + 1], Argument(arguments[i], compiled));
    result.value.parts[i + 1].offset = offset;
  }
  compiled.function.body.push_back(std::move(result));
  for (const char* type : kTypes) {
    compiled.function.result = TypeExpr(type);
    compiled.function.name = fmt::format("evaluated_{}", calls_++);
    DRAGOMAN_ASSIGN(const std::optional<Stored> value, EvaluateAs(type, compiled, owner));
    if (value) return *value;
  }
  return Unsupported(
      "its arguments fit no overload, or it gives no tensor, number or list of them");
}

Result<std::optional<Stored>> CallEvaluator::EvaluateAs(std::string_view type,
                                                        const Compiled& compiled,
                                                        const ScriptClass& owner) {
  const ConstantTable none;
  EmitContext context{program_, schemas_, functions_, none};
  Model model;
  model.level = Level::kSource;
  model.dialect = "torchscript";
  model.opsets = {{"torch", version_}};
  State& self = model.states.emplace_back();
  self.name = "self";
  self.type = Type::Opaque("torch", owner.name);
  self.initial = Attribute::Dict();
  Entry& entry = model.entries.emplace_back();
  entry.name = compiled.function.name;
  entry.graph = std::make_unique<Graph>();
  const std::string name = owner.name + "." + compiled.function.name;
  const Status emitted = FunctionEmitter(context, *entry.graph, *owner.file)
                             .Emit({name, &compiled.function, owner.file});
  if (!emitted.ok()) return std::optional<Stored>();
  // Tensors of an archive are read to main memory, wherever they were.
  if (type == "Device") return std::optional(Stored(heap_.Add(StoredDevice{"cpu"})));
  if (!context.called.empty() || !context.created.empty())
    return Unsupported("a call of a function of the archive");
  bool shares = false;
  DRAGOMAN_TRY(CheckEffects(*entry.graph, shares));
  CleanUp(*entry.graph, schemas_);
  for (std::size_t i = 0; i < compiled.data.size(); ++i)
    entry.graph->input(i + 1)->set_data(compiled.data[i]);
  AddClassTable(program_, model);
  DRAGOMAN_ASSIGN(const std::vector<Tensor> results, run_(model));
  DRAGOMAN_ASSIGN(const Stored value,
                  MakeResult(type, results, shares ? compiled.tensors : Tensors()));
  return std::optional(value);
}

Result<Stored> CallEvaluator::MakeResult(std::string_view type, const std::vector<Tensor>& results,
                                         const Tensors& bases) {
  const auto make = [&](std::string_view kind, const Tensor& value) -> Result<Stored> {
    if (kind == "bool") return Stored(value.IntAt(0) != 0);
    if (kind == "int") return Stored(value.IntAt(0));
    if (kind == "float") return Stored(value.FloatAt(0));
    DRAGOMAN_ASSIGN(const StoredTensor* tensor, AddTensor(value));
    for (const StoredTensor* base : bases) views_.emplace_back(tensor, base);
    return Stored(tensor);
  };
  if (!type.starts_with(kList)) {
    if (results.size() == 1) return make(type, results.front());
    return Unsupported("a call that gives no value of a known type");
  }
  StoredList list;
  for (const Tensor& result : results) {
    DRAGOMAN_ASSIGN(const Stored item,
                    make(type.substr(kList.size(), type.size() - kList.size() - 1), result));
    list.items.push_back(item);
  }
  return Stored(heap_.Add(std::move(list)));
}

Status CallEvaluator::CheckEffects(const Graph& graph, bool& shares) {
  Status status;
  ForEachGraph(graph, [&](const Graph& part) {
    for (const Node& node : part.nodes()) {
      const Schema* schema = schemas_.Find(node.op().dialect, node.op().type, node.op().overload);
      if (schema == nullptr) continue;
      if (std::ranges::any_of(schema->arguments, &SchemaArgument::mutated))
        status = Unsupported(schema->FullName() + ", which writes to an argument");
      shares = shares || std::ranges::any_of(schema->results, [](const SchemaArgument& result) {
                 return !result.alias.empty();
               });
    }
  });
  return status;
}

Result<const StoredTensor*> CallEvaluator::AddTensor(const Tensor& tensor) {
  const std::optional<TorchDType> dtype = ToTorchDType(tensor.dtype());
  if (!dtype) return Unsupported("elements of type " + std::string(Name(tensor.dtype())));
  StoredStorage storage;
  storage.key = fmt::format("evaluated {}", calls_++);
  storage.dtype = *dtype;
  storage.device = "cpu";
  storage.count = tensor.size();
  storage.bytes = tensor.buffer();
  StoredTensor made;
  made.storage = heap_.Add(std::move(storage));
  made.dtype = *dtype;
  made.sizes = tensor.sizes();
  made.strides.assign(made.sizes.size(), 1);
  for (std::size_t i = made.sizes.size(); i-- > 1;)
    made.strides[i - 1] = made.strides[i] * std::max<std::int64_t>(made.sizes[i], 1);
  return static_cast<const StoredTensor*>(heap_.Add(std::move(made)));
}

}  // namespace dragoman::torch
