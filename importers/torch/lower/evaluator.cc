// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/lower/evaluator.h"

#include <algorithm>
#include <utility>

#include "core/lowering/complex.h"
#include "core/support/find_by_key.h"
#include "core/support/size_budget.h"
#include "importers/torch/lower/finding.h"
#include "importers/torch/lower/kept_operator.h"
#include "importers/torch/lower/loaded_cells.h"
#include "importers/torch/lower/result_strides.h"
#include "importers/torch/lower/scripted_autocast.h"
#include "importers/torch/ops/foreign_values.h"
#include "importers/torch/ops/math.h"
#include "importers/torch/ops/op_table.h"
#include "importers/torch/ops/quantized.h"
#include "importers/torch/ops/script_lowerings.h"
#include "importers/torch/ops/supported.h"
#include "importers/torch/ops/view.h"
#include "importers/torch/script/inline.h"

namespace dragoman::torch {
namespace {

// Whether Poison lies in `value`, or in what it lists.
bool IsPoisoned(const Abstract& value, int depth = 0) {
  constexpr int kDeepEnough = 4;
  if (value.Is<Poison>()) return true;
  if (depth == kDeepEnough) return false;
  auto any = [depth](const std::vector<Abstract>& items) {
    return std::any_of(items.begin(), items.end(),
                       [depth](const Abstract& item) { return IsPoisoned(item, depth + 1); });
  };
  if (const auto* tuple = value.As<Tuple>()) return any(*tuple->items);
  if (const auto* list = value.As<ListRef>())
    return any(std::get<ListContents>(list->cell->contents).items);
  if (const auto* dict = value.As<DictRef>()) {
    const auto& items = std::get<DictContents>(dict->cell->contents).items;
    return std::any_of(items.begin(), items.end(), [depth](const auto& item) {
      return IsPoisoned(item.first, depth + 1) || IsPoisoned(item.second, depth + 1);
    });
  }
  if (const auto* maybe = value.As<Maybe>()) return IsPoisoned(*maybe->payload, depth + 1);
  return false;
}

// Errors: a complex tensor among the arguments of an operator whose lowering is of real numbers.
Status CheckComplex(Heap& heap, GraphBuilder& builder, const OpRow& row,
                    std::span<const Abstract> arguments, int depth = 0) {
  if (row.facts.complex) return {};
  for (const Abstract& argument : arguments) {
    if (const auto* tensor = argument.As<TensorRef>()) {
      DRAGOMAN_ASSIGN(const Value* value, heap.Read(builder, *tensor));
      if (IsComplex(value->type().dtype()))
        return Unsupported("operator " + std::string(row.name) +
                           " is not supported for complex numbers");
    } else if (const auto* items = ItemsOf(argument); items != nullptr && depth == 0) {
      DRAGOMAN_TRY(CheckComplex(heap, builder, row, *items, depth + 1));
    }
  }
  return {};
}

Error NotSupported(const OpName& op) {
  return Unsupported("operator " + op.ToString() + " is not supported");
}

// Whether the operator only moves values about.
bool PassesPoison(const OpName& op) {
  return op.dialect == "prim" || op.type == "append" || op.type == "__getitem__" ||
         op.type == "_set_item";
}

// Whether it is the in-place form of an operator that gives a tensor with other axes.
bool ChangesAxes(const OpName& op) {
  static constexpr std::string_view kTypes[] = {"as_strided_", "resize_",    "resize_as_",
                                                "squeeze_",    "swapaxes_",  "swapdims_",
                                                "t_",          "transpose_", "unsqueeze_"};
  static_assert(IsSortedBy(kTypes));
  return FindByKey(kTypes, op.type) != nullptr;
}

// Whether all elements that the call of an in-place operator writes become one value, which does
// not depend on what they were. By name: no table says how an operator uses the tensor it writes
// to.
bool WritesOneValue(Call& call) {
  static constexpr std::string_view kFilling[] = {
      "fill_", "fill_diagonal_", "index_fill_", "masked_fill_", "tril_", "triu_", "zero_"};
  static_assert(IsSortedBy(kFilling));
  const std::string& type = call.op().type;
  if (FindByKey(kFilling, type) != nullptr) return true;
  if (type != "copy_" && type != "index_put_") return false;
  CallComposer c(call);
  const Value* source = c.Tensor(type == "copy_" ? "src" : "values");
  const bool adds = c.BoolOr("accumulate", false);
  const Shape* sizes = c.failed() ? nullptr : source->type().shape();
  return sizes != nullptr && !adds &&
         std::all_of(sizes->begin(), sizes->end(), [](const Dim& size) { return size == Dim(1); });
}

// Errors: a write to a tensor of which several elements lie in one place, where the order counts in
// which torch's kernels visit them.
Status CheckOverlap(Call& call, const Schema& schema) {
  for (std::size_t i = 0; i < schema.arguments.size() && i < call.arguments().size(); ++i) {
    const auto* tensor = call.arguments()[i].As<TensorRef>();
    if (tensor == nullptr || tensor->path == nullptr || !schema.arguments[i].mutated()) continue;
    DRAGOMAN_ASSIGN(const Value* value, call.heap().Read(call.builder(), *tensor));
    if (MayOverlap(*tensor, value->type().shape()) && !WritesOneValue(call))
      return call.Unsupported("a write to a tensor of which several elements lie in one place");
  }
  return {};
}

std::vector<std::string> ArgumentNames(const Schema* schema) {
  std::vector<std::string> names;
  if (schema == nullptr) return names;
  for (const SchemaArgument& argument : schema->arguments) names.push_back(argument.name);
  return names;
}

}  // namespace

Evaluator::Evaluator(const Model& source, const LoadedCells& cells, SchemaTable& schemas,
                     Heap& heap, Graph& graph, Inference& inference)
    : source_(source),
      has_quantized_tensors_(source.dialect == "torchscript"),
      cells_(cells),
      schemas_(schemas),
      heap_(heap),
      entry_(heap, graph, inference) {}

Abstract Evaluator::Run(const Graph& function, std::vector<Abstract> arguments) {
  std::vector<Abstract> results;
  if (CallFunction(function, std::move(arguments), results) == Flow::kRaised) {
    entry_.findings.push_back(*refused_);
    return Uninitialized();
  }
  return results.empty() ? Abstract(None()) : results.front();
}

const Abstract& Evaluator::Get(const Value* value, const Frame& frame) const {
  static const Abstract kNothing = Poison();
  const auto found = frame.values.find(value);
  return found != frame.values.end() ? found->second : kNothing;
}

std::vector<Abstract> Evaluator::Operands(const Node& node, const Frame& frame) const {
  std::vector<Abstract> operands;
  for (const Use& use : node.operands()) operands.push_back(Get(use.value(), frame));
  return operands;
}

void Evaluator::Frame::Set(const Value* value, Abstract abstract) {
  if (const auto* maybe = abstract.As<Maybe>()) optionals[maybe->present].push_back(value);
  values[value] = std::move(abstract);
}

void Evaluator::SetResults(const Node& node, Frame& frame, std::vector<Abstract> results) {
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    if (node.result(i) == nullptr) continue;
    frame.Set(node.result(i), i < results.size() ? std::move(results[i]) : Abstract(Poison()));
  }
}

void Evaluator::Poisoned(const Node& node, Frame& frame) { SetResults(node, frame, {}); }

void Evaluator::Report(const Node& node, const Error& error) {
  for (const Finding& finding : error.findings()) {
    Finding placed = AtSource(node, finding);
    // The same place is reported once, however it is called.
    const auto without_calls = [](const Finding& f) {
      return std::string_view(f.message).substr(0, f.message.find("\n    called from"));
    };
    const auto same = [&](const Finding& f) {
      return f.place == placed.place && without_calls(f) == without_calls(placed);
    };
    if (std::none_of(entry_.findings.begin(), entry_.findings.end(), same))
      entry_.findings.push_back(std::move(placed));
  }
}

Flow Evaluator::RunNodes(const Graph& graph, const Node* first, Frame& frame) {
  for (const Node* node = first; node != nullptr; node = node->next()) {
    if (RunNode(*node, frame) == Flow::kRaised) return Flow::kRaised;
    if (ended_ == nullptr) continue;
    if (ended_ == &graph) ended_ = nullptr;
    break;
  }
  return Flow::kNext;
}

Flow Evaluator::RunBlock(const Graph& graph, Frame& frame, std::vector<Abstract>& results) {
  const std::vector<std::optional<DType>> outer = autocast_;
  const Flow flow = RunNodes(graph, graph.first_node(), frame);
  autocast_ = outer;  // it is still in a region where it ended early
  if (flow == Flow::kRaised) return flow;
  for (const Use& use : graph.outputs()) results.push_back(Get(use.value(), frame));
  return Flow::kNext;
}

Flow Evaluator::CallFunction(const Graph& function, std::vector<Abstract> arguments,
                             std::vector<Abstract>& results) {
  Frame frame;
  for (std::size_t i = 0; i < function.num_inputs(); ++i) {
    frame.Set(function.input(i),
              i < arguments.size() ? std::move(arguments[i]) : Abstract(Poison()));
  }
  ++depth_;
  const Flow flow = RunBlock(function, frame, results);
  --depth_;
  return flow;
}

bool Evaluator::IsExhausted(const Node& node) {
  const Status status = TakeSteps(1);
  if (status.ok()) return false;
  if (exhausted_ == nullptr) exhausted_ = &node;
  Report(*exhausted_, status.error());  // again: what a stretch reported may have been dropped
  return true;
}

std::span<const Evaluator::ControlRow> Evaluator::ControlRows() {
  static constexpr ControlRow kRows[] = {
      {"Constant", &Evaluator::RunConstant}, {"If", &Evaluator::RunIf},
      {"Loop", &Evaluator::RunLoop},         {"CallMethod", &Evaluator::RunCall},
      {"CallFunction", &Evaluator::RunCall}, {"RaiseException", &Evaluator::RunRaise},
      {"fork", &Evaluator::RunFork},         {"Enter", &Evaluator::RunContext},
      {"Exit", &Evaluator::RunContext},      {"Composed", &Evaluator::RunComposed},
  };
  return kRows;
}

std::vector<std::string> Evaluator::ControlOperators() {
  std::vector<std::string> names;
  for (const ControlRow& row : ControlRows()) names.push_back("prim." + std::string(row.type));
  return names;
}

Flow Evaluator::RunNode(const Node& node, Frame& frame) {
  GraphBuilder& builder = entry_.builder();
  if (IsExhausted(node)) {
    Poisoned(node, frame);
    return Flow::kNext;
  }
  const OriginPtr outer = builder.origin();
  builder.set_origin(node.origin());
  Flow flow = Flow::kNext;
  auto row = ControlRows().end();
  if (node.op().dialect == "prim")
    row = std::ranges::find(ControlRows(), node.op().type, &ControlRow::type);
  if (row == ControlRows().end()) {
    flow = RunOperator(node, frame);
  } else if (depth_ >= kMaxEvaluationDepth) {
    Report(node, Unsupported("blocks and calls nest too deep"));
    Poisoned(node, frame);
  } else {
    ++depth_;
    flow = (this->*row->run)(node, frame);
    --depth_;
  }
  builder.set_origin(outer);
  return flow;
}

Flow Evaluator::RunConstant(const Node& node, Frame& frame) {
  const Attribute* value = node.attribute("value");
  Result<Abstract> made =
      value != nullptr ? cells_.ValueOf(*value, heap_) : Result<Abstract>(Abstract(None()));
  if (!made.ok()) {
    Report(node, made.error());
    Poisoned(node, frame);
    return Flow::kNext;
  }
  const Type type = node.result() != nullptr ? node.result()->type() : Type();
  const auto* text = made->As<String>();
  if (text != nullptr && type.kind() == Type::Kind::kOpaque && type.opaque_name() == "Device")
    *made = Device{text->text()};
  if (const auto* tuple = made->As<Tuple>(); tuple && type.kind() == Type::Kind::kSequence)
    *made = heap_.NewList(*tuple->items);
  SetResults(node, frame, {std::move(*made)});
  return Flow::kNext;
}

Result<const Graph*> Evaluator::Method(const Abstract& object, const std::string& name) const {
  const auto* reference = object.As<ObjectRef>();
  if (reference == nullptr)
    return Unsupported("method " + name + " of " + Describe(object) + " cannot be called");
  const std::string& class_name = std::get<ObjectContents>(reference->cell->contents).class_name;
  const Graph* method = FindTorchFunction(source_, class_name + "." + name);
  if (method == nullptr) return Unsupported("class " + class_name + " has no method " + name);
  return method;
}

Flow Evaluator::RunCall(const Node& node, Frame& frame) {
  std::vector<Abstract> operands = Operands(node, frame);
  const Graph* callee = nullptr;
  Result<const Graph*> method = Internal("no callee");
  if (node.op().type == "CallMethod") {
    if (const auto* choice = operands.empty() ? nullptr : operands.front().As<Choice>())
      return RunChoice(node, *choice, frame);
    const Attribute* name = node.attribute("name");
    if (!operands.empty() && name != nullptr && name->As<std::string>() != nullptr)
      method = Method(operands.front(), *name->As<std::string>());
    if (method.ok()) callee = *method;
  } else if (const Attribute* name = node.attribute("callee");
             name != nullptr && name->As<Symbol>() != nullptr) {
    callee = FindTorchFunction(source_, name->As<Symbol>()->name);
    method = Unsupported("function " + name->As<Symbol>()->name + " is not in the file");
  }
  if (callee == nullptr) {
    if (operands.empty() || !IsPoisoned(operands.front())) Report(node, method.error());
    Poisoned(node, frame);
    return Flow::kNext;
  }
  std::vector<Abstract> results;
  const Flow flow = CallFunction(*callee, std::move(operands), results);
  SetResults(node, frame, std::move(results));
  return flow;
}

// PyTorch compiles what is forked by itself, outside the regions under autocast around it.
Flow Evaluator::RunFork(const Node& node, Frame& frame) {
  const Attribute* subgraph = node.attribute("Subgraph");
  if (subgraph == nullptr || subgraph->graph() == nullptr) {
    Report(node, InvalidInput("prim.fork has no subgraph"));
    Poisoned(node, frame);
    return Flow::kNext;
  }
  std::vector<Abstract> results;
  const std::vector<std::optional<DType>> outer = std::exchange(autocast_, {});
  const Flow flow = CallFunction(*subgraph->graph(), Operands(node, frame), results);
  autocast_ = outer;
  SetResults(node, frame, std::move(results));
  return flow;
}

void Evaluator::EnterOrLeaveRegion(const Node& node, const Abstract& context, bool enters) {
  const auto* object = context.As<ObjectRef>();
  if (object == nullptr) return;
  const auto& contents = std::get<ObjectContents>(object->cell->contents);
  if (!IsAutocast(contents)) return;
  if (!enters) {
    if (!autocast_.empty()) autocast_.pop_back();
    return;
  }
  const Result<std::optional<DType>> region =
      RegionType(contents, autocast_.empty() ? std::nullopt : autocast_.back());
  if (!region.ok()) Report(node, region.error());
  autocast_.push_back(region.ok() ? *region : std::nullopt);
}

Status Evaluator::CastOperands(const Node& node, std::vector<Abstract>& arguments) {
  if (autocast_.empty() || !autocast_.back()) return {};
  const OpName& op = node.op();
  const Schema* schema = schemas_.Find(op.dialect, op.type, op.overload);
  if (schema == nullptr) return {};
  bool states_type = false;
  for (std::size_t i = 0; i < schema->arguments.size() && i < arguments.size(); ++i) {
    if (schema->arguments[i].mutated()) return {};
    if (schema->arguments[i].name == "dtype") states_type = !arguments[i].Is<None>();
  }
  const std::optional<DType> to = OperandType(node, states_type, *autocast_.back());
  if (!to) return {};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    // By the types in the program, of which an optional is not a tensor.
    const auto* tensor = arguments[i].As<TensorRef>();
    if (tensor == nullptr || !node.operand(i)->type().is_tensor()) continue;
    DRAGOMAN_ASSIGN(Value * value, heap_.Read(builder(), *tensor));
    if (value->type().dtype() == DType::kUnknown) {
      return Unsupported("operator " + op.ToString() +
                         " under autocast on a tensor whose element type is unknown; give --shape "
                         "NAME=TYPE:D,…");
    }
    if (!IsCast(value->type().dtype(), *to)) continue;
    Composer c(builder());
    DRAGOMAN_ASSIGN(value, c.Done(c.Cast(value, *to)));
    arguments[i] = heap_.NewTensor(value, Strides::Unknown());
  }
  return {};
}

Flow Evaluator::RunContext(const Node& node, Frame& frame) {
  std::vector<Abstract> arguments = Operands(node, frame);
  const bool enters = node.op().type == "Enter";
  if (!arguments.empty()) EnterOrLeaveRegion(node, arguments.front(), enters);
  Result<const Graph*> method = Method(arguments.empty() ? Abstract(None()) : arguments.front(),
                                       enters ? "__enter__" : "__exit__");
  std::vector<Abstract> results;
  Flow flow = Flow::kNext;
  if (method.ok()) {
    arguments.resize(1);
    while (arguments.size() < (*method)->num_inputs()) arguments.emplace_back(None());
    flow = CallFunction(**method, std::move(arguments), results);
  } else {
    Report(node, method.error());
  }
  SetResults(node, frame, std::move(results));
  return flow;
}

namespace {

// The text that the message of an exception is formatted by, or a general one.
std::string FormatOf(const Node& raise) {
  const Value* message = raise.operand(0);
  const Node* format = message != nullptr ? message->producer() : nullptr;
  const bool formats = format != nullptr && format->op().type == "format";
  const Node* constant = formats ? format->operand(0)->producer() : nullptr;
  const Attribute* value = constant != nullptr ? constant->attribute("value") : nullptr;
  const auto* text = value != nullptr ? value->As<std::string>() : nullptr;
  return text != nullptr ? *text : "an exception";
}

}  // namespace

Flow Evaluator::RunRaise(const Node& node, Frame& frame) {
  const std::vector<Abstract> operands = Operands(node, frame);
  const auto* text = operands.empty() ? nullptr : operands.front().As<String>();
  entry_.raised = text != nullptr && text->known() ? text->text() : FormatOf(node);
  refused_ = AtSource(node, {ErrorKind::kUnsupported, "", "",
                             "always raises an exception for these inputs: " + entry_.raised});
  return Flow::kRaised;
}

// An operator raises an exception where it cannot take its arguments.
Flow Evaluator::RaiseRefusal(const Node& node, const Error& error) {
  const Finding& finding = error.findings().front();
  refused_ = AtSource(node, finding);
  entry_.raised = refused_->place + ": " + finding.message;
  return Flow::kRaised;
}

Flow Evaluator::RunOperator(const Node& node, Frame& frame) {
  std::vector<Abstract> arguments = Operands(node, frame);
  const bool poisoned = std::any_of(arguments.begin(), arguments.end(),
                                    [](const Abstract& value) { return IsPoisoned(value); });
  if (poisoned && !PassesPoison(node.op())) {
    if (!IsSupported(node.op())) Report(node, NotSupported(node.op()));
    Poisoned(node, frame);
    return Flow::kNext;
  }
  const Status cast = poisoned ? Status() : CastOperands(node, arguments);
  Result<Results> results = cast.ok() ? Lower(node, arguments) : Result<Results>(cast.error());
  if (results.ok()) {
    SetResults(node, frame, std::move(*results));
    return Flow::kNext;
  }
  if (!poisoned && results.error().kind() == ErrorKind::kInvalidInput && entry_.in_side())
    return RaiseRefusal(node, results.error());
  if (!poisoned) Report(node, results.error());
  Poisoned(node, frame);
  return Flow::kNext;
}

Result<Results> Evaluator::Lower(const Node& node, std::span<const Abstract> arguments) {
  const OpName& op = node.op();
  const Schema* schema = schemas_.Find(op.dialect, op.type, op.overload);
  const std::vector<std::string> names = ArgumentNames(schema);
  const std::string prefix = op.dialect + ".";
  if (op.dialect == kKeptDialect) return LowerKept(node, arguments, heap_, builder());
  if (schema != nullptr) {
    Call call(heap_, builder(), node, names, arguments);
    DRAGOMAN_TRY(CheckOverlap(call, *schema));
  }
  if (const std::optional<OpLowering> lower = FindScriptLowering(op, arguments)) {
    Call call(heap_, builder(), node, names, arguments);
    return (*lower)(call);
  }
  if (const OpRow* row = FindOpRow(prefix + op.type)) {
    DRAGOMAN_TRY(CheckComplex(heap_, builder(), *row, arguments));
    const bool writes = schema != nullptr && schema->arguments.size() > 1 &&
                        schema->arguments.back().mutated() && schema->arguments.back().keyword_only;
    if (writes) return LowerOut(node, row->lower, *schema, names, arguments);
    Call call(heap_, builder(), node, names, arguments);
    const std::uint64_t last_cell = heap_.last_cell();
    DRAGOMAN_ASSIGN(Results results,
                    has_quantized_tensors_ ? LowerOnGrid(row->lower, call) : row->lower(call));
    DRAGOMAN_TRY(SetResultStrides(call, row->facts.order, last_cell, results));
    return results;
  }
  const std::string base = InPlaceBase(op.type);
  const OpRow* row = base.empty() ? nullptr : FindOpRow(prefix + base);
  if (row == nullptr) return NotSupported(op);
  DRAGOMAN_TRY(CheckComplex(heap_, builder(), *row, arguments));
  return LowerInPlace(node, row->lower, names, arguments);
}

Result<Results> Evaluator::LowerInPlace(const Node& node, const OpLowering& lower,
                                        std::span<const std::string> names,
                                        std::span<const Abstract> arguments) {
  Call call(heap_, builder(), node, names, arguments);
  const auto* self = arguments.empty() ? nullptr : arguments.front().As<TensorRef>();
  if (self == nullptr) return Unsupported(node.op().ToString() + " needs a tensor to write to");
  if (ChangesAxes(node.op())) return LowerInPlaceAxes(call, lower, *self);
  DRAGOMAN_ASSIGN(Value * before, heap_.Read(builder(), *self));
  DRAGOMAN_ASSIGN(Results results, has_quantized_tensors_ ? LowerOnGrid(lower, call) : lower(call));
  const auto* computed = results.empty() ? nullptr : results.front().As<TensorRef>();
  if (computed == nullptr) return Internal(node.op().ToString() + " has no functional result");
  DRAGOMAN_ASSIGN(Value * after, heap_.Read(builder(), *computed));
  if (before->type().dtype() != DType::kUnknown) {
    DRAGOMAN_ASSIGN(after, call.Cast(after, before->type().dtype()));
  }
  if (call.Declares("other")) {
    Composer c(builder());
    DRAGOMAN_ASSIGN(after, c.Done(WithSizesOf(c, after, before)));
  }
  // detach_ and the like change nothing: what they are called on stays a constant.
  if (after != before) DRAGOMAN_TRY(heap_.Write(builder(), *self, after));
  results.front() = arguments.front();
  return results;
}

// t_, unsqueeze_ and the like give the tensor itself other axes; what shares its elements keeps its
// own. So the whole storage is rearranged, which no view of it may see.
Result<Results> Evaluator::LowerInPlaceAxes(Call& call, const OpLowering& lower,
                                            const TensorRef& self) {
  if (self.path != nullptr || self.storage->has_views)
    return call.Unsupported("of a tensor that shares its elements with another one");
  DRAGOMAN_ASSIGN(Results results, lower(call));
  const auto* computed = results.empty() ? nullptr : results.front().As<TensorRef>();
  if (computed == nullptr) return Internal(call.op().ToString() + " has no functional result");
  DRAGOMAN_ASSIGN(Value * after, heap_.Read(builder(), *computed));
  heap_.Replace(self.storage, StorageContents{after, std::nullopt});
  self.storage->strides =
      computed->path == nullptr ? computed->storage->strides : Strides::Unknown();
  self.storage->has_views = false;  // the one that was just made is not used any more
  results.front() = self;
  return results;
}

Result<Results> Evaluator::LowerOut(const Node& node, const OpLowering& lower, const Schema& schema,
                                    std::span<const std::string> names,
                                    std::span<const Abstract> arguments) {
  Call call(heap_, builder(), node, names, arguments);
  DRAGOMAN_ASSIGN(Results results, lower(call));
  std::size_t next = 0;
  for (std::size_t i = 0; i < schema.arguments.size() && i < arguments.size(); ++i) {
    if (!schema.arguments[i].mutated() || arguments[i].Is<None>() || next >= results.size())
      continue;
    DRAGOMAN_TRY(WriteOut(call, arguments[i], results[next]));
    results[next++] = arguments[i];
  }
  return results;
}

// `computed` becomes what `target` holds: a tensor, or a list of as many.
Status Evaluator::WriteOut(Call& call, const Abstract& target, const Abstract& computed) {
  const auto* list = target.As<ListRef>();
  const auto* items = computed.As<ListRef>();
  if (list != nullptr && items != nullptr) {
    const auto& targets = std::get<ListContents>(list->cell->contents);
    const auto& parts = std::get<ListContents>(items->cell->contents);
    if (targets.sequence != nullptr || parts.sequence != nullptr ||
        targets.items.size() != parts.items.size())
      return call.Unsupported("a list of another length, or of one known at run time only, as out");
    for (std::size_t i = 0; i < parts.items.size(); ++i)
      DRAGOMAN_TRY(WriteOut(call, targets.items[i], parts.items[i]));
    return {};
  }
  const auto* tensor = target.As<TensorRef>();
  const auto* result = computed.As<TensorRef>();
  if (tensor == nullptr || result == nullptr) return call.Unsupported("out that is not a tensor");
  DRAGOMAN_ASSIGN(Value * value, heap_.Read(builder(), *result));
  DRAGOMAN_ASSIGN(const Value* before, heap_.Read(builder(), *tensor));
  if (before->type().dtype() != DType::kUnknown) {
    DRAGOMAN_ASSIGN(value, call.Cast(value, before->type().dtype()));
  }
  return tensor->path == nullptr ? heap_.Overwrite(tensor->storage, value)
                                 : heap_.Write(builder(), *tensor, value);
}

}  // namespace dragoman::torch
