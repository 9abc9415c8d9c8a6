// SPDX-License-Identifier: Apache-2.0
#include "importers/relax/lower/lower.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/analysis/declared_types.h"
#include "core/analysis/no_entry.h"
#include "core/ir/verify.h"
#include "core/lowering/last_states.h"
#include "core/lowering/number_value.h"
#include "core/lowering/results.h"
#include "core/lowering/tuples.h"
#include "core/support/findings.h"
#include "importers/relax/graph/expr_text.h"
#include "importers/relax/lower/border.h"
#include "importers/relax/lower/evaluator.h"

namespace dragoman {
namespace tvmscript {
namespace {

// What the text calls the results of a function, as far as it names them.
std::vector<std::string> ResultNames(const Graph& source) {
  std::vector<std::string> names;
  for (const Use& output : source.outputs())
    names.push_back(output.value() != nullptr ? output.value()->name() : "");
  return names;
}

// A tensor's type without the sizes that have names, which mean nothing elsewhere.
Type WithKnownSizes(const Type& type) {
  if (!type.is_tensor() || type.shape() == nullptr) return Type();
  Shape sizes = *type.shape();
  for (Dim& size : sizes) {
    if (!size.known()) size = Dim::Unknown();
  }
  return type.WithShape(std::move(sizes));
}

// What the text says of the type of a value: that of a condition is what its ways have in common.
Type StatedType(const Value& value) {
  std::vector<const Value*> open = {&value};
  std::optional<Type> stated;
  while (!open.empty()) {
    const Value* next = open.back();
    open.pop_back();
    const Node* node = next->producer();
    if (node == nullptr || node->op().type != "if") {
      stated = stated ? Generalize(*stated, next->type()) : next->type();
      continue;
    }
    for (const char* way : {"then_branch", "else_branch"}) {
      const Attribute* body = node->attribute(way);
      if (body == nullptr || body->graph() == nullptr || body->graph()->num_outputs() != 1)
        return Type();
      open.push_back(body->graph()->output(0));
    }
  }
  return *stated;
}

class ModuleLowering {
 public:
  ModuleLowering(const Model& source, const FunctionTable& functions, const ComposedNodes& composed,
                 const Facts& facts)
      : source_(source), functions_(functions), composed_(composed), facts_(facts) {}

  Result<Entry> Lower(const Entry& source) {
    Entry entry;
    entry.name = source.name;
    entry.graph = std::make_unique<Graph>();
    Heap heap;
    Inference inference;
    Evaluator evaluator(source_, functions_, composed_, heap, *entry.graph, inference);
    Scope scope;
    const Border border = BorderOf(*source.graph);
    DRAGOMAN_TRY(AddInputs(*source.graph, border, evaluator, heap, scope));
    const Abstract result = evaluator.Run(*source.graph, scope);
    if (!evaluator.findings().empty()) return Error(evaluator.findings());
    if (HoldsPoison(result)) return Internal("function '" + source.name + "' has no result");
    DRAGOMAN_TRY(AddResults(result, heap, evaluator.builder()));
    DRAGOMAN_TRY(JoinComplex(border, *entry.graph, evaluator.builder()));
    declared_ = DeclaredTypes(*entry.graph);
    NameResults(*source.graph, *entry.graph, evaluator.builder());
    DRAGOMAN_TRY(JoinLists(border, *entry.graph, evaluator.builder()));
    DRAGOMAN_TRY(BindStates(*source.graph, border, entry));
    return entry;
  }

  const DeclaredTypes& declared() const { return declared_; }

 private:
  Status AddInputs(const Graph& source, const Border& border, Evaluator& evaluator, Heap& heap,
                   Scope& scope) {
    Inputs inputs{evaluator.builder(), heap, {}};
    for (std::size_t i = 0; i < source.num_inputs(); ++i) {
      const Value& input = *source.input(i);
      if (const auto drawn = border.drawn.find(i); drawn != border.drawn.end()) {
        DRAGOMAN_ASSIGN(Value * numbers, Draw(drawn->second, input, evaluator, scope));
        evaluator.SetInput(input, heap.NewTensor(numbers), scope);
        continue;
      }
      // Objects that nothing reads: handles of what runs the module.
      if (input.type().kind() == Type::Kind::kOpaque && !input.used() &&
          !SizesOfShapeType(input.type()))
        continue;
      const bool is_complex = border.complex_inputs.contains(i) && IsPair(input.type());
      Result<Abstract> value =
          is_complex ? ComplexInput(input, inputs) : InputOf(input.name(), input.type(), inputs);
      if (!value.ok()) return std::move(value).error().At("parameter '" + input.name() + "'");
      evaluator.SetInput(input, *std::move(value), scope);
    }
    return CheckFacts(facts_, inputs.names);
  }

  struct Inputs {
    GraphBuilder& builder;
    Heap& heap;
    std::vector<std::string> names;
  };

  Result<Value*> AddInput(const std::string& name, const Type& given, Inputs& inputs) {
    DRAGOMAN_ASSIGN(Type type, ApplyFacts(facts_, name, inputs.names.size(), given));
    inputs.names.push_back(name);
    GraphBuilder& builder = inputs.builder;
    return builder.graph().AddInput(builder.UniqueName(name), std::move(type));
  }

  Result<Abstract> ComplexInput(const Value& input, Inputs& inputs) {
    DRAGOMAN_ASSIGN(Value * value, AddInput(input.name(), ComplexOf(input.type()), inputs));
    DRAGOMAN_ASSIGN(value, inputs.builder.Add("dragoman.ComplexToReal", {value}));
    return inputs.heap.NewTensor(value);
  }

  // Elements of tuples, "t.0", and sizes of shapes, "s.0", are inputs each.
  Result<Abstract> InputOf(const std::string& name, const Type& type, Inputs& inputs) {
    if (type.is_tensor()) {
      DRAGOMAN_ASSIGN(Value * value, AddInput(name, type, inputs));
      return inputs.heap.NewTensor(value);
    }
    std::vector<Abstract> items;
    if (type.kind() == Type::Kind::kTuple) {
      for (const Type& element : type.elements()) {
        const std::string part = fmt::format("{}.{}", name, items.size());
        DRAGOMAN_ASSIGN(Abstract item, InputOf(part, element, inputs));
        items.push_back(std::move(item));
      }
      return NewTuple(std::move(items));
    }
    const std::optional<Shape> sizes = SizesOfShapeType(type);
    if (!sizes)
      return Unsupported("it is of type " + type.ToString() +
                         ", which is not a tensor, tuple or shape of known rank");
    for (std::size_t i = 0; i < sizes->size(); ++i) {
      DRAGOMAN_ASSIGN(Value * size, AddInput(fmt::format("{}.{}", name, i),
                                             Type::Tensor(DType::kI64, Shape()), inputs));
      items.emplace_back(NumberFrom(inputs.builder, Number::Kind::kInt, size));
    }
    return NewTuple(std::move(items));
  }

  // What an input stands for whose numbers were drawn by a node.
  static Result<Value*> Draw(const Drawn& drawn, const Value& input, Evaluator& evaluator,
                             const Scope& scope) {
    GraphBuilder& builder = evaluator.builder();
    const Type& type = input.type();
    std::vector<NamedAttribute> attributes = drawn.attributes;
    attributes.push_back({"dtype", Attribute(static_cast<std::int64_t>(type.dtype()))});
    if (type.shape() == nullptr)
      return Unsupported("its rank is not known").At("parameter '" + input.name() + "'");
    if (const auto sizes = KnownShape(*type.shape())) {
      attributes.push_back({"shape", Attribute(*sizes)});
      return builder.Add(drawn.op, {}, std::move(attributes), input.name());
    }
    DRAGOMAN_ASSIGN(Value * sizes, evaluator.SizesValue(*type.shape(), scope));
    DRAGOMAN_ASSIGN(Value * like, builder.Add("ConstantOfShape", {sizes}));
    return builder.Add(drawn.op + "Like", {like}, std::move(attributes), input.name());
  }

  static bool IsPair(const Type& type) {
    const bool is_real = type.dtype() == DType::kF32 || type.dtype() == DType::kF64;
    return is_real && type.shape() != nullptr && !type.shape()->empty() &&
           type.shape()->back() == Dim(2);
  }
  static Type ComplexOf(const Type& pair) {
    const DType whole = pair.dtype() == DType::kF64 ? DType::kC128 : DType::kC64;
    return Type::Tensor(whole, Shape(pair.shape()->begin(), pair.shape()->end() - 1));
  }

  static Status JoinComplex(const Border& border, Graph& graph, GraphBuilder& builder) {
    for (const std::size_t i : border.complex_outputs) {
      if (i >= graph.num_outputs() || !IsPair(graph.output(i)->type())) continue;
      DRAGOMAN_ASSIGN(Value * numbers, builder.Add("dragoman.RealToComplex", {graph.output(i)}));
      graph.SetOutput(i, numbers);
    }
    return {};
  }

  // An empty list has no element that would tell its type, and is left out.
  static Status JoinLists(const Border& border, Graph& graph, GraphBuilder& builder) {
    std::vector<Value*> outputs;
    for (const Use& output : graph.outputs()) outputs.push_back(output.value());
    for (auto list = border.lists.rbegin(); list != border.lists.rend(); ++list) {
      if (list->count == 0 || list->first + list->count > outputs.size()) continue;
      const auto begin = outputs.begin() + static_cast<std::ptrdiff_t>(list->first);
      const std::vector<Value*> elements(begin, begin + static_cast<std::ptrdiff_t>(list->count));
      DRAGOMAN_ASSIGN(Value * joined,
                      builder.Add(list->is_optional ? "Optional" : "SequenceConstruct", elements));
      *begin = joined;
      outputs.erase(begin + 1, begin + static_cast<std::ptrdiff_t>(list->count));
    }
    if (border.lists.empty()) return {};
    while (graph.num_outputs() > 0) graph.RemoveOutput(graph.num_outputs() - 1);
    for (Value* output : outputs) graph.AddOutput(output);
    return {};
  }

  // An output that is not an input has the name of the text, and the sizes that it states.
  void NameResults(const Graph& source, Graph& graph, GraphBuilder& builder) {
    const std::vector<std::string> names = ResultNames(source);
    if (names.size() != graph.num_outputs()) return;
    for (std::size_t i = 0; i < names.size(); ++i) {
      Value* output = graph.output(i);
      if (names[i].empty() || output->kind() != Value::Kind::kResult) continue;
      output->set_name(builder.UniqueName(names[i]));
      output->set_type(
          declared_.Merge(output->type(), WithKnownSizes(StatedType(*source.output(i))), names[i]));
    }
  }

  Status BindStates(const Graph& source, const Border& border, Entry& entry) const {
    std::size_t next = 0;
    for (const auto& input : source.inputs()) {
      if (border.drawn.contains(input->index())) continue;
      const std::size_t place = next++;
      const Extra* extra = input->extra_if_any();
      const Attribute* bound = extra != nullptr ? Find(*extra, "relax.state") : nullptr;
      const auto* places = bound != nullptr ? bound->As<Attribute::Ints>() : nullptr;
      if (places == nullptr || places->size() != 2) continue;
      const auto state = static_cast<std::size_t>((*places)[0]);
      auto output = static_cast<std::size_t>((*places)[1]);
      for (auto list = border.lists.rbegin(); list != border.lists.rend(); ++list) {
        if (list->count > 0 && list->first < output) output -= list->count - 1;
      }
      if (state >= source_.states.size() || output >= entry.graph->num_outputs())
        return InvalidInput("it is bound to a result that is not there")
            .At("state of parameter '" + input->name() + "'");
      entry.states.push_back({state, place, output});
    }
    PutStatesLast(entry);
    return {};
  }

  const Model& source_;
  const FunctionTable& functions_;
  const ComposedNodes& composed_;
  const Facts& facts_;
  DeclaredTypes declared_;
};

}  // namespace
}  // namespace tvmscript

Result<Model> LowerRelax(const Model& source, const Facts& facts,
                         const std::function<void(std::string_view)>& note) {
  if (facts.entry && source.FindEntry(*facts.entry) == nullptr)
    return NoEntry(source, *facts.entry);
  const std::string chosen = facts.entry.value_or(source.entries.front().name);
  Model model;
  model.level = Level::kCommon;
  model.dialect = source.dialect;
  model.opsets.push_back({"", kCommonOpset});
  const tvmscript::FunctionTable functions = tvmscript::FunctionsOf(source);
  const ComposedNodes composed = tvmscript::FindComposed(source);
  for (const Entry& entry : source.entries) {
    const bool is_default = entry.name == chosen;
    if (facts.entry && !is_default) continue;
    tvmscript::ModuleLowering lowering(source, functions, composed, facts);
    Result<Entry> lowered = lowering.Lower(entry);
    if (lowered.ok()) {
      model.entries.push_back(std::move(*lowered));
      if (note) lowering.declared().NoteContradictions(facts, note);
    } else if (is_default) {
      return std::move(lowered).error();
    } else if (note) {
      note("function '" + entry.name + "' is left out: " + Summary(lowered.error()));
    }
  }
  model.states = source.states;
  DRAGOMAN_TRY(VerifyStates(model));
  return model;
}

bool RelaxChangesInputs(const Model& source) {
  return !source.states.empty() || std::ranges::any_of(source.entries, [](const Entry& entry) {
    const tvmscript::Border border = tvmscript::BorderOf(*entry.graph);
    return !border.drawn.empty() || !border.complex_inputs.empty() ||
           std::ranges::any_of(entry.graph->inputs(),
                               [](const auto& input) { return !input->type().is_tensor(); });
  });
}

std::vector<std::string_view> LoweredRelaxOperators() {
  std::vector<std::string_view> names;
  for (const tvmscript::LoweringRow& row : tvmscript::AllLowerings()) names.push_back(row.op);
  return names;
}

std::span<const std::string_view> RelaxConstructs() {
  static constexpr std::string_view kConstructs[] = {
      "List",      "T.int32",    "T.int64",    "Tuple",   "TupleGetItem", "alias",
      "binary",    "call",       "call_value", "const",   "dataflow",     "dtype",
      "func_attr", "function",   "if",         "literal", "metadata",     "module",
      "output",    "prim_value", "shape",      "str",     "tuple",        "unary"};
  return kConstructs;
}

}  // namespace dragoman
