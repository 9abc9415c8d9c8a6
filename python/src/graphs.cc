// SPDX-License-Identifier: Apache-2.0
// dragoman.Graph, Node, Value, Origin: walking a graph, and changing it.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "dragoman/graph.h"
#include "dragoman/session.h"
#include "python/src/arrays.h"
#include "python/src/attributes.h"
#include "python/src/bind.h"
#include "python/src/errors.h"
#include "python/src/handles.h"

namespace dragoman::binding {
namespace {

using OptionalValue = std::optional<ValueHandle>;
using Origins = std::vector<SourceOp>;

template <class Part>
OptionalValue HandleOf(const Handle<Part>& near, dragoman::Value* value) {
  return value == nullptr ? OptionalValue() : near.To(value);
}

Origins OriginsOf(const OriginPtr& origin) {
  Origins origins;
  for (const SourceOp* op : Flatten(origin)) origins.push_back(*op);
  return origins;
}

// No other thread reads the model while it is changed.
std::unique_lock<std::shared_mutex> LockForChange(const SharedModelPtr& owner) {
  std::unique_lock lock(owner->in_use(), std::try_to_lock);
  if (!lock) throw std::runtime_error("the model is in use by another thread");
  owner->set_changed();
  return lock;
}

// `value` as an operand in the graph of `near`.
template <class Part>
dragoman::Value* Operand(const Handle<Part>& near, const OptionalValue& value) {
  if (!value) return nullptr;
  if (value->owner() != near.owner()) throw nb::value_error("a value of another model");
  return &**value;
}

// "Conv", "com.microsoft.Gelu", "dragoman.Linear", in the dialect of the model: of a common or an
// ONNX model a domain may stand in front, of others the dialect, and an overload after it.
const OpName* OpOf(const Model& model, const std::string& type, const std::string& domain,
                   const std::string& overload) {
  const bool own = model.level == Level::kCommon && domain == "dragoman";
  const std::string dialect = model.level == Level::kCommon || model.dialect == "onnx"
                                  ? std::string(own ? "dragoman" : "onnx")
                                  : domain;
  return InternOp(dialect, type, dialect == "onnx" ? domain : "", overload);
}

bool IsWide(const SharedModelPtr& owner) {
  const Model& model = owner->model();
  return model.level == Level::kSource && model.dialect != "onnx";
}

// Whether a value of this name is visible anywhere in the model's graph of `graph` or its bodies.
bool IsNameTaken(const Graph& graph, const std::string& name) {
  const Graph* root = &graph;
  while (root->parent_graph() != nullptr) root = root->parent_graph();
  bool taken = false;
  ForEachGraph(*root, [&](const Graph& each) {
    for (const auto& input : each.inputs()) taken = taken || input->name() == name;
    for (const auto& constant : each.constants()) taken = taken || constant->name() == name;
    for (const Node& node : each.nodes()) {
      for (std::size_t i = 0; i < node.num_results(); ++i)
        taken = taken || (node.result(i) != nullptr && node.result(i)->name() == name);
    }
  });
  return taken;
}

void CheckFree(const Graph& graph, const std::string& name) {
  if (name.empty() || IsNameTaken(graph, name))
    Raise(InvalidInput("the name of a value is taken or empty: '" + name + "'"));
}

// New nodes, before `before` or at the end: results have the given names and types.
NodeHandle Insert(const GraphHandle& graph, nb::str type, const std::vector<OptionalValue>& inputs,
                  nb::list outputs, nb::dict attributes, nb::str domain, nb::str overload,
                  nb::str name, std::optional<NodeHandle> before) {
  const SharedModelPtr& owner = graph.owner();
  const auto lock = LockForChange(owner);
  if (before && (before->owner() != owner || (*before)->graph() != &*graph))
    throw nb::value_error("'before' is a node of another graph");
  std::vector<dragoman::Value*> operands;
  for (const OptionalValue& input : inputs) operands.push_back(Operand(graph, input));
  std::vector<std::string> results;
  for (nb::handle output : outputs) {
    results.push_back(Bytes(output));
    CheckFree(*graph, results.back());
  }
  std::vector<NamedAttribute> given;
  for (auto [key, value] : attributes)
    given.emplace_back(Bytes(key), ToAttribute(value, IsWide(owner)));
  const OpName* const op = OpOf(owner->model(), Bytes(type), Bytes(domain), Bytes(overload));
  Node* const node = graph->Insert(before ? &**before : nullptr, op, operands, Bytes(name));
  for (std::string& result : results) node->AddResult(std::move(result));
  for (NamedAttribute& attribute : given) node->AddAttribute(std::move(attribute));
  return graph.To(node);
}

void Erase(const NodeHandle& node) {
  const auto lock = LockForChange(node.owner());
  for (std::size_t i = 0; i < node->num_results(); ++i) {
    if (node->result(i) != nullptr && node->result(i)->used())
      Raise(InvalidInput("result " + std::to_string(i) + " is used").At(node->Describe()));
  }
  Node& erased = *node;
  node.owner()->CutOff(erased);
  erased.graph()->Erase(&erased);
}

void ReplaceAllUses(const ValueHandle& value, const ValueHandle& other) {
  const auto lock = LockForChange(value.owner());
  dragoman::Value* const by = Operand(value, other);
  if (by == &*value) return;
  value->ReplaceAllUsesWith(by);
}

void SetOperand(const NodeHandle& node, std::size_t index, const OptionalValue& value) {
  const auto lock = LockForChange(node.owner());
  if (index >= node->num_operands()) throw nb::index_error("the node has fewer operands");
  node->set_operand(index, Operand(node, value));
}

void SetOutput(const GraphHandle& graph, std::size_t index, const ValueHandle& value) {
  const auto lock = LockForChange(graph.owner());
  if (index >= graph->num_outputs()) throw nb::index_error("the graph has fewer outputs");
  graph->SetOutput(index, Operand(graph, value));
}

ValueHandle AddConstant(const GraphHandle& graph, nb::str name, nb::handle array) {
  const auto lock = LockForChange(graph.owner());
  CheckFree(*graph, Bytes(name));
  return graph.To(graph->AddConstant(Bytes(name), ToTensor(array)));
}

nb::object ConstantObject(const ValueHandle& value) {
  if (value->tensor() != nullptr) return TensorObject(*value->tensor());
  if (value->data() == nullptr) return nb::none();
  return AttributeObject(*value->data(), value.owner());
}

std::vector<std::pair<std::optional<NodeHandle>, std::size_t>> UsesOf(const ValueHandle& value) {
  std::vector<std::pair<std::optional<NodeHandle>, std::size_t>> uses;
  for (const Use* use = value->first_use(); use != nullptr; use = use->next()) {
    uses.emplace_back(use->user() == nullptr ? std::nullopt : std::optional(value.To(use->user())),
                      use->index());
  }
  return uses;
}

template <class Part>
void BindIdentity(nb::class_<Handle<Part>>& type) {
  type.def("__eq__",
           [](const Handle<Part>& a, const Handle<Part>& b) { return a.place() == b.place(); });
  type.def("__hash__", [](const Handle<Part>& a) { return std::hash<const Place*>()(a.place()); });
}

void BindOrigins(nb::module_& m) {
  nb::class_<SourceOp>(m, "Origin", "One operator call of the source file.")
      .def_prop_ro("op", [](const SourceOp& op) { return Text(op.op); })
      .def_prop_ro("name", [](const SourceOp& op) { return Text(op.name); })
      .def_prop_ro("scope", [](const SourceOp& op) { return Text(op.scope); })
      .def_prop_ro("location", [](const SourceOp& op) { return Text(op.location); })
      .def_prop_ro("attributes",
                   [](const SourceOp& op) { return AttributesObject(op.attributes, nullptr); })
      .def("__repr__", [](const SourceOp& op) {
        return Text("<dragoman.Origin " + op.op + (op.name.empty() ? "" : " '" + op.name + "'") +
                    (op.location.empty() ? "" : " " + op.location) + ">");
      });
}

void BindValues(nb::module_& m) {
  nb::class_<ValueHandle> value(m, "Value", "One edge: a result, an input, or a constant.");
  BindIdentity(value);
  value
      .def_prop_rw(
          "name", [](const ValueHandle& v) { return Text(v->name()); },
          [](const ValueHandle& v, nb::str name) {
            const auto lock = LockForChange(v.owner());
            if (Bytes(name) == v->name()) return;
            CheckFree(*v->graph(), Bytes(name));
            v->set_name(Bytes(name));
          })
      .def_prop_rw(
          "type", [](const ValueHandle& v) { return v->type(); },
          [](const ValueHandle& v, const Type& type) {
            const auto lock = LockForChange(v.owner());
            v->set_type(type);
          })
      .def_prop_ro("graph", [](const ValueHandle& v) { return v.To(v->graph()); })
      .def_prop_ro(
          "producer",
          [](const ValueHandle& v) {
            return v->producer() == nullptr ? std::nullopt : std::optional(v.To(v->producer()));
          },
          "The node whose result it is; None for inputs and constants.")
      .def_prop_ro(
          "index", [](const ValueHandle& v) { return v->index(); },
          "Among the results, inputs or constants of its owner.")
      .def_prop_ro("is_constant", [](const ValueHandle& v) { return v->is_constant(); })
      .def_prop_ro("is_input",
                   [](const ValueHandle& v) { return v->kind() == dragoman::Value::Kind::kInput; })
      .def_prop_ro("constant", &ConstantObject, nb::sig("def constant(self) -> object"),
                   "The contents of a constant, or the default of an input, without a copy; else "
                   "None.")
      .def_prop_ro("uses", &UsesOf,
                   "(node, index of the operand), or (None, index of the graph's output).")
      .def_prop_ro("origins", [](const ValueHandle& v) { return OriginsOf(v->origin()); })
      .def("replace_all_uses", &ReplaceAllUses, nb::arg("other"),
           "Whatever reads this value reads `other` from now on.")
      .def("__repr__", [](const ValueHandle& v) {
        if (v.erased()) return Text("<dragoman.Value, erased>");
        return Text(Printable("<dragoman.Value " + v->name() + ": " + v->type().ToString() + ">"));
      });
}

std::vector<OptionalValue> OperandsOf(const NodeHandle& node) {
  std::vector<OptionalValue> operands;
  for (const Use& use : node->operands()) operands.push_back(HandleOf(node, use.value()));
  return operands;
}

std::vector<OptionalValue> ResultsOf(const NodeHandle& node) {
  std::vector<OptionalValue> results;
  for (std::size_t i = 0; i < node->num_results(); ++i)
    results.push_back(HandleOf(node, node->result(i)));
  return results;
}

void BindNodes(nb::module_& m) {
  nb::class_<NodeHandle> node(m, "Node", "One operator call.");
  BindIdentity(node);
  node.def_prop_ro(
          "op", [](const NodeHandle& n) { return Text(n->op().ToString()); },
          "As in graph text: \"onnx.Conv\", \"aten.add.Tensor\".")
      .def_prop_ro("op_type", [](const NodeHandle& n) { return Text(n->op().type); })
      .def_prop_ro("dialect", [](const NodeHandle& n) { return Text(n->op().dialect); })
      .def_prop_ro("domain", [](const NodeHandle& n) { return Text(n->op().domain); })
      .def_prop_ro("overload", [](const NodeHandle& n) { return Text(n->op().overload); })
      .def_prop_rw(
          "name", [](const NodeHandle& n) { return Text(n->name()); },
          [](const NodeHandle& n, nb::str name) {
            const auto lock = LockForChange(n.owner());
            n->set_name(Bytes(name));
          })
      .def_prop_ro("graph", [](const NodeHandle& n) { return n.To(n->graph()); })
      .def_prop_ro("inputs", &OperandsOf, "Its operands; None where an optional one is omitted.")
      .def_prop_ro("outputs", &ResultsOf, "Its results; None where an optional one is omitted.")
      .def_prop_ro(
          "attributes",
          [](const NodeHandle& n) { return AttributesObject(n->attributes(), n.owner()); },
          nb::sig("def attributes(self) -> dict[str, object]"), "A copy; see set_attribute.")
      .def_prop_ro(
          "bodies",
          [](const NodeHandle& n) {
            std::vector<GraphHandle> bodies;
            for (Graph* body : n->subgraphs()) bodies.push_back(n.To(body));
            return bodies;
          },
          "The graphs among its attributes.")
      .def_prop_ro(
          "origins", [](const NodeHandle& n) { return OriginsOf(n->origin()); },
          "The operator calls of the source file that it came from.")
      .def(
          "set_attribute",
          [](const NodeHandle& n, nb::str name, nb::handle value) {
            const auto lock = LockForChange(n.owner());
            n->SetAttribute(Bytes(name), ToAttribute(value, IsWide(n.owner())));
          },
          nb::arg("name"), nb::arg("value").none())
      .def(
          "remove_attribute",
          [](const NodeHandle& n, nb::str name) {
            const auto lock = LockForChange(n.owner());
            n->RemoveAttribute(Bytes(name));
          },
          nb::arg("name"))
      .def("set_input", &SetOperand, nb::arg("index"), nb::arg("value").none())
      .def("erase", &Erase, "Removes the node, whose results must be unused.")
      .def("__repr__", [](const NodeHandle& n) {
        if (n.erased()) return Text("<dragoman.Node, erased>");
        return Text(Printable("<dragoman.Node " + n->op().ToString() +
                              (n->name().empty() ? "" : " '" + n->name() + "'") + ">"));
      });
}

void BindGraph(nb::module_& m) {
  nb::class_<GraphHandle> graph(m, "Graph",
                                "Nodes in order, with the inputs, constants and outputs.");
  BindIdentity(graph);
  graph
      .def_prop_rw(
          "name", [](const GraphHandle& g) { return Text(g->name()); },
          [](const GraphHandle& g, nb::str name) {
            const auto lock = LockForChange(g.owner());
            g->set_name(Bytes(name));
          })
      .def_prop_ro(
          "nodes",
          [](const GraphHandle& g) {
            std::vector<NodeHandle> nodes;
            nodes.reserve(g->num_nodes());
            for (Node& node : g->nodes()) nodes.push_back(g.To(&node));
            return nodes;
          },
          "Those of this graph, in order, without those of bodies.")
      .def_prop_ro("inputs",
                   [](const GraphHandle& g) {
                     std::vector<ValueHandle> values;
                     for (const auto& input : g->inputs()) values.push_back(g.To(input.get()));
                     return values;
                   })
      .def_prop_ro("constants",
                   [](const GraphHandle& g) {
                     std::vector<ValueHandle> values;
                     for (const auto& constant : g->constants())
                       values.push_back(g.To(constant.get()));
                     return values;
                   })
      .def_prop_ro("outputs",
                   [](const GraphHandle& g) {
                     std::vector<OptionalValue> values;
                     for (const Use& use : g->outputs()) values.push_back(HandleOf(g, use.value()));
                     return values;
                   })
      .def_prop_ro(
          "parent",
          [](const GraphHandle& g) {
            return g->parent() == nullptr ? std::nullopt : std::optional(g.To(g->parent()));
          },
          "The node whose body this is.")
      .def(
          "walk",
          [](const GraphHandle& g) {
            std::vector<NodeHandle> nodes;
            ForEachGraph(*g, [&](Graph& each) {
              for (Node& node : each.nodes()) nodes.push_back(g.To(&node));
            });
            return nodes;
          },
          "All nodes, those of bodies after those of the graph around them.")
      .def("insert", &Insert, nb::arg("op_type"), nb::arg("inputs"), nb::arg("outputs"),
           nb::arg("attributes") = nb::dict(), nb::kw_only(), nb::arg("domain") = nb::str(""),
           nb::arg("overload") = nb::str(""), nb::arg("name") = nb::str(""),
           nb::arg("before").none() = nb::none(),
           "A new node before another one, or at the end; `outputs` are the names of its results.")
      .def("add_constant", &AddConstant, nb::arg("name"), nb::arg("array"))
      .def("set_output", &SetOutput, nb::arg("index"), nb::arg("value"))
      .def("__len__", [](const GraphHandle& g) { return g->num_nodes(); })
      .def("__str__", [](const GraphHandle& g) { return Text(PrintGraph(*g)); })
      .def("__repr__", [](const GraphHandle& g) {
        if (g.erased()) return Text("<dragoman.Graph, erased>");
        return Text("<dragoman.Graph '" + g->name() + "' of " + std::to_string(g->num_nodes()) +
                    " nodes>");
      });
}

}  // namespace

void BindGraphs(nb::module_& m) {
  BindOrigins(m);
  BindValues(m);
  BindNodes(m);
  BindGraph(m);
}

}  // namespace dragoman::binding
