// Functions with the attribute Composite, which group what one operator of another library
// computes: they stay groups, dragoman.Fused, and keep their name and attributes.
#include <algorithm>
#include <optional>
#include <utility>

#include "importers/relax/lower/evaluator.h"

namespace dragoman::tvmscript {
namespace {

const Node* AttributesOf(const Graph& function) {
  for (const Node& node : function.nodes()) {
    if (node.op().type == "func_attr") return &node;
  }
  return nullptr;
}

// Whether all values that the nodes of `body` read are its own or those of bodies in it.
bool IsClosed(const Graph& body) {
  bool closed = true;
  const auto see = [&](const Value* value) {
    const Graph* graph = value != nullptr ? value->graph() : &body;
    while (graph != nullptr && graph != &body) graph = graph->parent_graph();
    closed = closed && graph == &body;
  };
  ForEachGraph(body, [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) {
      for (const Use& use : node.operands()) see(use.value());
    }
    for (const Use& output : graph.outputs()) see(output.value());
  });
  return closed;
}

}  // namespace

// Groups of our own are what a rewrite makes of their members wherever they are, and are found
// again.
bool Evaluator::IsGroup(const FunctionValue& function, const std::vector<Abstract>& arguments) {
  const Node* attributes = AttributesOf(*function.body);
  const Attribute* name = attributes != nullptr ? attributes->attribute("Composite") : nullptr;
  const auto* text = name != nullptr ? name->As<std::string>() : nullptr;
  const auto is_tensor = [](const Abstract& value) { return value.Is<TensorRef>(); };
  return text != nullptr && !text->starts_with("dragoman.") && function.environment == nullptr &&
         !arguments.empty() && std::ranges::all_of(arguments, is_tensor);
}

// nullopt: it gives or reads what a group cannot, and is run in place.
Result<std::optional<Abstract>> Evaluator::RunGroup(const FunctionValue& function,
                                                    const std::vector<Abstract>& arguments) {
  std::vector<Value*> operands;
  for (const Abstract& argument : arguments) {
    DRAGOMAN_ASSIGN(Value * operand, heap_.Read(builder(), *argument.As<TensorRef>()));
    operands.push_back(operand);
  }
  Side side = entry_.NewSide();
  side.body->set_name("body");
  std::vector<Abstract> inner;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const std::string name = side.builder->UniqueName(function.body->input(i)->name());
    inner.push_back(heap_.NewTensor(side.body->AddInput(name, operands[i]->type())));
  }
  const std::size_t findings = entry_.findings.size();
  std::vector<Value*> outputs;
  bool plain = true, single = true;
  entry_.RunInto(side, [&](std::vector<Abstract>&) {
    Scope scope = Enter(function, inner);
    const Abstract result = Run(*function.body, scope);
    const auto* tuple = result.As<Tuple>();
    single = tuple == nullptr;
    for (const Abstract& item : tuple != nullptr ? *tuple->items : std::vector{result}) {
      const auto* tensor = item.As<TensorRef>();
      const Result<Value*> value =
          tensor != nullptr ? heap_.Read(builder(), *tensor) : Result<Value*>(nullptr);
      plain = plain && value.ok() && *value != nullptr;
      outputs.push_back(plain ? *value : nullptr);
    }
    return Flow::kNext;
  });
  if (entry_.findings.size() != findings) return std::optional<Abstract>(Poison());
  if (!plain || outputs.empty()) return std::optional<Abstract>();
  DRAGOMAN_TRY(EntryBuilder::AddOutputs(side, outputs));
  if (!IsClosed(*side.body)) return std::optional<Abstract>();
  const std::vector<std::string> names(outputs.size(), function.name);
  DRAGOMAN_ASSIGN(Node * group, builder().Append("dragoman.Fused", operands,
                                                 {{"body", Attribute(side.body)}}, names));
  group->set_name(function.name);
  Attribute::Dict attributes;
  for (const NamedAttribute& attribute : AttributesOf(*function.body)->attributes())
    attributes.push_back(attribute);
  group->extra().emplace_back("tvm.attributes", Attribute(std::move(attributes)));
  std::vector<Abstract> results;
  for (std::size_t i = 0; i < outputs.size(); ++i)
    results.push_back(heap_.NewTensor(group->result(i)));
  return std::optional(single ? results.front() : NewTuple(std::move(results)));
}

}  // namespace dragoman::tvmscript
