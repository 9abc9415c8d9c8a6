// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <span>

#include "codegen/onednn/plan/build.h"
#include "codegen/onednn/plan/value_queries.h"
#include "core/ir/node_attributes.h"
#include "core/ir/producer.h"
#include "core/ops/declared_attributes.h"
#include "core/ops/kernel_name.h"

namespace dragoman::onednn {
namespace {

// Operators whose result has the sizes of their first operand, whatever its rank.
bool KeepsShape(const OpDef& def) {
  return def.op_class == OpClass::kUnary || def.kernel.header == "runtime/kernels/softmax.h";
}

// The type under which a kernel wants elements of `formal`, "" for their own: kernels that only
// move elements take storage by size.
std::string PassedAs(const OpDef& def, std::string_view types, const Formal* formal, DType dtype) {
  if (formal == nullptr || formal->variable < 0) return "";
  const std::string& variable =
      def.signature.variables[static_cast<std::size_t>(formal->variable)].name;
  for (std::string_view word : SpacedWords(types)) {
    if (word == "bits(" + variable + ")") {
      const std::string_view bits = CppBitsType(dtype);
      return bits == CppType(dtype) ? "" : std::string(bits);
    }
  }
  return "";
}

// "fc1 (Gemm): 'x' f32[1, 41], 'w' f32[10, 41] -> 'y' f32[1, 10]"
std::string Comment(const Node& node, const OpDef* def) {
  std::string text = def != nullptr ? def->Label() : node.op().type;
  if (!node.name().empty()) text += " '" + node.name() + "'";
  text += ":";
  for (std::size_t i = 0; i < node.num_operands(); ++i) {
    if (node.operand(i) != nullptr) text += (i == 0 ? " " : ", ") + Label(node.operand(i));
  }
  text += " ->";
  bool first = true;
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    if (node.result(i) == nullptr) continue;
    text += (first ? " " : ", ") + Label(node.result(i));
    first = false;
  }
  return text + SourcePlace(node);
}

// Whether `operand` has the sizes of `x` from `axis` on, or is absent.
bool IsRowOf(const Value* operand, const Value& x, std::int64_t axis) {
  if (operand == nullptr) return true;
  const Shape &shape = *operand->type().shape(), &whole = *x.type().shape();
  const auto rank = static_cast<std::int64_t>(whole.size());
  const auto row =
      std::span(whole).subspan(static_cast<std::size_t>(axis < 0 ? axis + rank : axis));
  return std::ranges::equal(shape, row, [](const Dim& own, const Dim& other) {
    return Equal(own, other) == Truth::kYes;
  });
}

bool IsSoftmax(const Node& node) { return node.Is("Softmax") || node.Is("LogSoftmax"); }

// Softmax, and normalisations along the last axes, for which runtime/fast has loops of its own.
bool IsAlongRows(const Node& node) {
  const bool normalizes = node.Is("LayerNormalization") || node.Is("RMSNormalization");
  if ((!normalizes && !IsSoftmax(node)) || node.num_results() != 1) return false;
  for (const Use& use : node.operands()) {
    const Value* value = use.value();
    if (value != nullptr && (value->type().dtype() != DType::kF32 || !value->type().rank()))
      return false;
  }
  const Value& x = *node.operand(0);
  if (*x.type().rank() == 0) return false;
  if (!normalizes) return true;
  const std::int64_t axis = IntAttribute(node, "axis");
  return IsRowOf(node.operand(1), x, axis) && IsRowOf(node.operand(2), x, axis);
}

// QuantizeLinear or DequantizeLinear between f32 and 8-bit integers, or DynamicQuantizeLinear, for
// which runtime/fast has loops of its own.
bool QuantizesTensor(const Node& node) {
  if (node.Is("DynamicQuantizeLinear")) return true;
  const bool quantizes = node.Is("QuantizeLinear");
  if (!quantizes && !node.Is("DequantizeLinear")) return false;
  const Value* integers = quantizes ? node.result() : node.operand(0);
  const Value* reals = quantizes ? node.operand(0) : node.result();
  return IsInt8(integers) && IsF32(reals) && IsF32(node.operand(1));
}

std::string QuantizingFunction(const Node& node) {
  if (node.Is("DynamicQuantizeLinear")) return "DynamicQuantizeTensor";
  const bool quantizes = node.Is("QuantizeLinear");
  const Value& integers = quantizes ? *node.result() : *node.operand(0);
  return std::string(quantizes ? "Q" : "Deq") + "uantizeTensor<" +
         std::string(CppType(integers.type().dtype())) + ">";
}

// GridSample of images and points in f32, for which runtime/fast has a loop of its own.
bool SamplesFloats(const Node& node) {
  return node.Is("GridSample") && IsF32(node.operand(0)) && IsF32(node.operand(1));
}

// A kernel whose loops gain by longer vectors than baseline x86-64 has: numbers of other widths
// side by side, what is chosen element by element, reductions and running sums.
bool GainsByVectors(const Node& node, const OpDef& def) {
  if (node.operand(0) == nullptr) return false;
  const DType from = node.operand(0)->type().dtype();
  if (node.Is("ArgMax") || node.Is("ArgMin")) return true;
  if (node.Is("QuantizeLinear") || node.Is("DequantizeLinear")) return true;
  const bool converts = node.Is("Cast") && node.result()->type().dtype() != DType::kString;
  const bool reduces = def.kernel.header == "runtime/kernels/reduce.h";
  return (converts || reduces || node.Is("CumSum")) && (from == DType::kF32 || from == DType::kF16);
}

}  // namespace

bool IsStatic(const Value* value) {
  return value == nullptr ||
         (value->type().shape() != nullptr && KnownShape(*value->type().shape()).has_value());
}

Status PlanBuilder::BuildNodes(const Graph& graph, Block& block) {
  FindFusions(graph, fusions_);
  for (const Node& node : graph.nodes()) {
    const bool is_needed = AnyResultUsed(node) || HasEffect(node);
    if (fusions_.absorbed.contains(&node) || !is_needed || BuildFusion(node, block)) continue;
    Status status = CanBeFixed(node) ? BuildFixed(node) : BuildNode(node, block);
    if (!status.ok()) return std::move(status).error().At(node.Describe());
  }
  return {};
}

bool PlanBuilder::IsFixed(const Value* value) const {
  return (value->is_constant() && value->tensor() != nullptr) || fixed_.contains(value);
}

// Not in bodies, whose nodes need not run.
bool PlanBuilder::CanBeFixed(const Node& node) const {
  if (bound_.size() != 1 || HasEffect(node) || IsRandom(node) || !node.subgraphs().empty()) {
    return false;
  }
  for (const Use& use : node.operands()) {
    if (use.value() != nullptr && !IsFixed(use.value())) return false;
  }
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    const Value* result = node.result(i);
    const bool fits = result == nullptr || (IsStatic(result) && !direct_.contains(result) &&
                                            result->type().dtype() != DType::kString);
    if (!fits) return false;
  }
  return true;
}

Status PlanBuilder::BuildCall(const Node& node, const OpDef& def, Step& step) {
  DRAGOMAN_TRY(SetSizes(node, def, step));
  if (def.kernel.copies) {
    BuildAlias(node, step);
  } else {
    DRAGOMAN_TRY(BuildKernel(node, def, step));
  }
  FinishResults(node, step);
  return {};
}

Status PlanBuilder::BuildFixed(const Node& node) {
  const OpDef& def = *FindOp(node);
  Step step = NewStep(node);
  DRAGOMAN_TRY(BuildCall(node, def, step));
  for (BufferId id : step.results) {
    if (plan_.buffer(id).storage == Storage::kArena) SetHolder(id, Storage::kOwn);
  }
  for (std::size_t i = 0; i < node.num_results(); ++i) fixed_.insert(node.result(i));
  plan_.constants.steps.push_back(std::move(step));
  return {};
}

Step PlanBuilder::NewStep(const Node& node) {
  const OpDef* def = FindOp(node);
  Step step;
  step.node = &node;
  step.number = static_cast<int>(plan_.step_names.size());
  step.comment = Comment(node, def);
  plan_.step_names.push_back(node.Describe());
  return step;
}

Status PlanBuilder::BuildNode(const Node& node, Block& block) {
  const OpDef& def = *FindOp(node);
  Step step = NewStep(node);
  if (node.Is("If")) {
    DRAGOMAN_TRY(BuildIf(node, step));
  } else if (node.Is("Loop")) {
    DRAGOMAN_TRY(BuildLoop(node, step));
  } else if (node.Is("Scan")) {
    DRAGOMAN_TRY(BuildScan(node, step));
  } else if (node.IsDragoman("Assert")) {
    BuildAssert(node, step);
  } else if (node.IsDragoman("Print")) {
    BuildPrint(node, step);
  } else if (HandlesLists(node)) {
    DRAGOMAN_TRY(BuildList(node, step));
    FinishResults(node, step);
  } else if (!BuildPrepared(node, def, step) && !BuildInt8(node, def, step)) {
    DRAGOMAN_TRY(BuildCall(node, def, step));
    UseDynamic(node, def, step);
  }
  DRAGOMAN_TRY(AddChecks(node, def, step));
  block.steps.push_back(std::move(step));
  return {};
}

void PlanBuilder::FinishResults(const Node& node, Step& step) {
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    if (node.result(i) != nullptr) step.results.push_back(buffers_.at(node.result(i)));
  }
  BindResults(step);
}

void PlanBuilder::BindResults(Step& step) {
  for (BufferId id : step.results) std::ranges::move(BindSizes(id), std::back_inserter(step.binds));
}

void PlanBuilder::BuildAlias(const Node& node, Step& step) {
  step.action = AliasStep();
  const BufferId source = Get(node.operand(0));
  step.inputs = {source};
  const BufferId id = AddBuffer(node.result()->name(), node.result()->type(), Storage::kAlias);
  plan_.buffer(id).alias = source;
  buffers_[node.result()] = id;
}

// What programs do not use of them is not compiled.
static std::string RowsHeader(const Node& node, bool is_column) {
  const char* const file = is_column            ? "softmax_columns"
                           : !IsSoftmax(node)   ? "normalize_rows"
                           : node.Is("Softmax") ? "softmax_rows"
                                                : "log_softmax_rows";
  return "runtime/fast/" + std::string(file) + ".h";
}

Status PlanBuilder::BuildKernel(const Node& node, const OpDef& def, Step& step) {
  Result<std::string> instance = KernelInstance(def, BindVariables(node, def));
  if (!instance.ok()) return std::move(instance).error();
  KernelStep call;
  call.function = *instance;
  call.fallible = def.kernel.fallible;
  call.scratch = def.kernel.scratch;
  if (IsAlongRows(node)) {
    const bool is_column = IsSoftmax(node) && !IsAlongLastAxis(node);
    call.function = def.name->type + (is_column ? "Columns" : "Rows");
    call.header = RowsHeader(node, is_column);
  } else if (QuantizesTensor(node)) {
    call.function = QuantizingFunction(node);
    call.header = "runtime/fast/quantize.h";
  } else if (SamplesFloats(node)) {
    call.function = "GridSampleFloats";
    call.header = "runtime/fast/grid_sample.h";
  } else if (GainsByVectors(node, def)) {
    call.function = "OnVectors<rt::" + *instance + ">";
    call.header = def.kernel.header;
    plan_.headers.insert("runtime/fast/on_vectors.h");
  } else {
    call.header = def.kernel.header;
  }
  if (def.fill_params) {
    DRAGOMAN_ASSIGN(Params params, def.fill_params(node));
    step.params = params.cpp();
  }
  DRAGOMAN_TRY(AddArguments(node, def, call));
  step.action = std::move(call);
  return {};
}

Status PlanBuilder::AddArguments(const Node& node, const OpDef& def, KernelStep& call) {
  const Signature& signature = def.signature;
  auto element = [&](const Formal* formal, const Value* value) {
    const DType dtype = value->type().dtype();
    std::string as = PassedAs(def, def.kernel.types, formal, dtype);
    return std::pair(as, as.empty() ? std::string(CppType(dtype)) : as);
  };
  auto add = [&](Argument& argument, const Formal* formal, const Value* value, BufferId id) {
    argument.buffers.push_back(id);
    if (value == nullptr) return;
    std::tie(argument.as, argument.element) = element(formal, value);
  };
  for (std::size_t i = 0; i < signature.operands.size(); ++i) {
    const Formal& formal = signature.operands[i];
    Argument& argument = call.operands.emplace_back();
    argument.variadic = formal.variadic;
    const std::size_t end = formal.variadic ? std::max(node.num_operands(), i) : i + 1;
    for (std::size_t j = i; j < end; ++j)
      add(argument, &formal, node.operand(j), Get(node.operand(j)));
  }
  for (std::size_t i = 0; i < signature.results.size(); ++i) {
    const Formal& formal = signature.results[i];
    Argument& argument = call.outputs.emplace_back();
    argument.variadic = formal.variadic;
    const std::size_t end = formal.variadic ? std::max(node.num_results(), i) : i + 1;
    for (std::size_t j = i; j < end; ++j) {
      const Value* result = node.result(j);
      if (result == nullptr && formal.variadic)
        return Unsupported("no C++ for an omitted result among several");
      add(argument, &formal, result, result == nullptr ? kAbsent : Make(*result));
    }
  }
  return {};
}

// Whether each operand of a broadcasting node has, along each axis, one element or as many as the
// result: then nothing is left for the run to find out.
bool PlanBuilder::BroadcastIsKnown(const Node& node) const {
  const Shape* result = node.result()->type().shape();
  if (result == nullptr) return false;
  return std::ranges::all_of(node.operands(), [&](const Use& use) {
    const Shape* shape = use.value()->type().shape();
    if (shape == nullptr || shape->size() > result->size()) return false;
    const std::size_t lead = result->size() - shape->size();
    for (std::size_t i = 0; i < shape->size(); ++i) {
      const Dim &own = (*shape)[i], &whole = (*result)[lead + i];
      const bool is_one = own.known() && own.value() == 1;
      if (!IsKnown(whole) || (!is_one && Equal(own, whole) != Truth::kYes)) return false;
    }
    return true;
  });
}

bool PlanBuilder::NeedsFunction(const Node& node, const SizeFunction& function) const {
  bool is_static = true;
  for (const Use& use : node.operands()) is_static = is_static && IsStatic(use.value());
  for (std::size_t i = 0; i < node.num_results(); ++i)
    is_static = is_static && IsStatic(node.result(i));
  if (!is_static) return function.function != kBroadcastSizes.function || !BroadcastIsKnown(node);
  for (std::string_view word : SpacedWords(function.arguments)) {
    if (word[0] != 'v' && word[0] != 'f' && word[0] != 'x') continue;
    const Value* value = node.operand(IndexIn(word));
    if (value != nullptr && !value->is_constant()) return true;
  }
  return false;
}

Status PlanBuilder::SetSizes(const Node& node, const OpDef& def, Step& step) {
  if (!def.size_function.function.empty() && NeedsFunction(node, def.size_function))
    return SetSizeFunction(node, def, step);
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    const Value* result = node.result(i);
    if (IsStatic(result)) continue;
    const Shape* shape = result->type().shape();
    if (shape != nullptr && std::ranges::all_of(*shape, [&](const Dim& d) { return IsKnown(d); })) {
      if (step.sizes.kind == SizeRule::Kind::kNone) step.sizes.kind = SizeRule::Kind::kDims;
      continue;
    }
    const Value* first = node.operand(0);
    const Shape* source = first != nullptr ? first->type().shape() : nullptr;
    const bool same = shape != nullptr ? source != nullptr && *shape == *source : KeepsShape(def);
    if (!same) {
      return Unsupported("no C++ for it: the sizes of result '" + result->name() + "', " +
                         result->type().ToString() + ", are not known before it runs");
    }
    step.sizes.kind = SizeRule::Kind::kSame;
    step.sizes.same = Get(first);
  }
  return {};
}

Status PlanBuilder::SetSizeFunction(const Node& node, const OpDef& def, Step& step) {
  const SizeFunction& function = def.size_function;
  step.sizes.kind = SizeRule::Kind::kFunction;
  step.sizes.function = function.function;
  step.sizes.num_sizes = static_cast<std::size_t>(function.sizes);
  plan_.headers.insert(std::string(function.header));
  if (!function.types.empty()) {
    OpDef typed;  // the types of a kernel of that name
    typed.name = def.name;
    typed.signature = def.signature;
    typed.kernel.header = function.header;
    typed.kernel.function = function.function;
    typed.kernel.types = function.types;
    DRAGOMAN_ASSIGN(step.sizes.function, KernelInstance(typed, BindVariables(node, def)));
  }
  for (std::string_view word : SpacedWords(function.arguments)) {
    if (word == "R") {
      step.sizes.counted = true;
      step.sizes.num_sizes = node.num_results();
      continue;
    }
    DRAGOMAN_TRY(AddSizeArgument(node, def, word, step));
  }
  return {};
}

Status PlanBuilder::AddSizeArgument(const Node& node, const OpDef& def, std::string_view word,
                                    Step& step) {
  using Kind = SizeArgument::Kind;
  SizeArgument& argument = step.sizes.arguments.emplace_back();
  const std::size_t index = IndexIn(word);
  auto add_all = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) argument.buffers.push_back(Get(node.operand(i)));
  };
  switch (word[0]) {
    case 'p': {
      DRAGOMAN_ASSIGN(Params params, def.fill_params(node));
      argument.kind = Kind::kParams;
      step.params = params.cpp();
      return {};
    }
    case 'm':
      argument.kind = Kind::kScratch;
      return {};
    case 'S':
      argument.kind = Kind::kShapes;
      add_all(node.num_operands());
      return {};
    case 'B':
      argument.kind = Kind::kGroup;
      add_all(node.num_operands());
      return {};
    case 'g':
      argument.kind = Kind::kGroup;
      add_all(index + 1);
      return {};
    default:
      break;
  }
  argument.kind = word[0] == 's'   ? Kind::kShape
                  : word[0] == 'v' ? Kind::kInts
                  : word[0] == 'f' ? Kind::kFloats
                                   : Kind::kView;
  const Value* value = node.operand(index);
  argument.buffers = {Get(value)};
  if (argument.kind == Kind::kView && value != nullptr) {
    argument.as =
        PassedAs(def, def.size_function.types, def.signature.Operand(index), value->type().dtype());
  }
  return {};
}

}  // namespace dragoman::onednn
