// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/export_archive/script_form.h"

#include <map>
#include <memory>
#include <set>
#include <utility>

#include "core/ir/find_as.h"
#include "importers/torch/export_archive/composed.h"
#include "importers/torch/export_archive/script_writer.h"
#include "importers/torch/export_archive/tree_spec.h"
#include "importers/torch/script/class_table.h"

namespace dragoman::torch {
namespace {

constexpr const char* kRootClass = "__torch__.ExportedProgram";

const Attribute::Dict* DictOf(const Attribute* attribute) {
  return attribute != nullptr ? attribute->As<Attribute::Dict>() : nullptr;
}

// The name in the module: "layer.weight".
std::string FqnOf(const Value& constant) {
  const auto* spec = FindAs<Attribute::Dict>(constant.extra_if_any(), "pt2.spec");
  const auto* said = spec != nullptr && !spec->empty() ? DictOf(&spec->front().value) : nullptr;
  if (said == nullptr) return constant.name();
  for (const char* key : {"parameter_name", "buffer_name", "tensor_constant_name"}) {
    if (std::string name = FindText(*said, key); !name.empty()) return name;
  }
  return constant.name();
}

// What orders calls, which only its operators read.
bool IsToken(const Value& constant) {
  const auto* spec = FindAs<Attribute::Dict>(constant.extra_if_any(), "pt2.spec");
  return spec != nullptr && Find(*spec, "token") != nullptr;
}

// One result of the graph and what it is: {arg = …, spec = {user_output = …}}.
struct Output {
  const Attribute* argument;
  std::string kind;
  const Attribute::Dict* said;
};

Result<std::vector<Output>> OutputsOf(const Graph& graph) {
  const auto* list = FindAs<Attribute::List>(graph.extra_if_any(), "pt2.outputs");
  if (list == nullptr) return InvalidInput("the graph lists no outputs");
  std::vector<Output> outputs;
  for (const Attribute& item : *list) {
    const auto* dict = DictOf(&item);
    const auto* spec = dict != nullptr ? DictOf(Find(*dict, "spec")) : nullptr;
    const Attribute* argument = dict != nullptr ? Find(*dict, "arg") : nullptr;
    if (argument == nullptr || spec == nullptr || spec->size() != 1)
      return InvalidInput("the graph has an output without a description");
    outputs.push_back({argument, spec->front().name, DictOf(&spec->front().value)});
  }
  return outputs;
}

// How the results are nested, as far as the file says so.
std::optional<TreeSpec> ResultTree(const Model& source) {
  const auto* program = DictOf(Find(source.extra, "pt2.program"));
  const auto* module = program != nullptr ? DictOf(Find(*program, "graph_module")) : nullptr;
  const auto* list = FindAs<Attribute::List>(module, "module_call_graph");
  if (list == nullptr || list->empty()) return std::nullopt;
  const auto* call = DictOf(&list->front());
  const auto* signature = call != nullptr ? DictOf(Find(*call, "signature")) : nullptr;
  if (signature == nullptr) return std::nullopt;
  Result<TreeSpec> tree = ParseTreeSpec(FindText(*signature, "out_spec"));
  return tree.ok() ? std::optional(*std::move(tree)) : std::nullopt;
}

class ScriptForm {
 public:
  ScriptForm(const Model& source, const std::map<std::string, Dim>& sizes)
      : source_(source),
        graph_(*source.entries.front().graph),
        sizes_(sizes),
        composed_(FindComposed(source)) {}

  Result<Model> Run() {
    Model script;
    script.level = Level::kSource;
    script.dialect = source_.dialect;
    script.opsets = source_.opsets;
    script.metadata = source_.metadata;
    Entry entry;
    entry.name = source_.entries.front().name;
    entry.graph = std::make_unique<Graph>();
    entry.graph->set_name(entry.name);
    ScriptWriter writer(*entry.graph, sizes_, &composed_);
    const Type root = Type::Opaque("torch", kRootClass);
    Value* self = entry.graph->AddInput("self", root);
    script.states.push_back({"self", root, Attribute()});
    ReadWeights(script, *self, writer);
    for (const auto& input : graph_.inputs()) {
      Value* argument = entry.graph->AddInput(input->name(), ArgumentType(*input));
      writer.Bind(*input, argument);
      arguments_.emplace(input->name(), argument);
    }
    DRAGOMAN_TRY(writer.WriteNodes(graph_));
    DRAGOMAN_TRY(WriteResults(*self, writer));
    script.entries.push_back(std::move(entry));
    return script;
  }

 private:
  // Numbers are numbers of the program, though they come in as tensors.
  static Type ArgumentType(const Value& input) {
    for (const auto& [table, name] :
         {std::pair("pt2.sym_int_values", "int"), std::pair("pt2.sym_bool_values", "bool"),
          std::pair("pt2.sym_float_values", "float")}) {
      if (FindIn(input.extra_if_any(), table) != nullptr) return Type::Opaque("torch", name);
    }
    return input.type().is_tensor() ? Type::Tensor(DType::kUnknown) : input.type();
  }

  static Value* ReadAttribute(Value& self, const std::string& name, const std::string& result,
                              ScriptWriter& writer) {
    Value* read =
        writer.Append({"prim", "GetAttr"}, {&self}, Type::Tensor(DType::kUnknown), result);
    read->producer()->SetAttribute("name", Attribute(name));
    return read;
  }

  // A cell for each weight; those that are one tensor of the file share it.
  void ReadWeights(Model& script, Value& self, ScriptWriter& writer) {
    Attribute::Dict attributes;
    Attribute::Strings buffers;
    std::multimap<std::string, const Value*> known;  // by the record that holds the elements
    std::map<std::string, std::int64_t> storages;    // numbers of records
    std::map<std::string, std::string> users;        // of a record, the first
    for (const auto& constant : graph_.constants()) {
      if (IsToken(*constant)) writer.Bind(*constant, writer.Bool(true));
      if (constant->tensor() == nullptr || IsToken(*constant)) continue;
      const std::string fqn = FqnOf(*constant);
      std::string state = "self." + fqn;
      const auto* spec = FindAs<Attribute::Dict>(constant->extra_if_any(), "pt2.spec");
      if (spec != nullptr && Find(*spec, "parameter") == nullptr) buffers.push_back(fqn);
      const auto [user, is_first] = users.emplace(RecordOf(*constant), fqn);
      if (!is_first) sharing_.insert({user->second, fqn});
      const auto [begin, end] = known.equal_range(RecordOf(*constant));
      for (auto other = begin; other != end; ++other) {
        if (IsSameTensor(*constant, *other->second)) state = "self." + FqnOf(*other->second);
      }
      if (state == "self." + fqn) {
        known.emplace(RecordOf(*constant), constant.get());
        script.states.push_back({state, constant->type(), InitialOf(*constant, storages)});
      }
      attributes.emplace_back(fqn, Attribute(Symbol{std::move(state)}));
      if (!constant->used()) continue;
      writer.Bind(*constant, ReadAttribute(self, fqn, constant->name(), writer));
    }
    script.states.front().initial = Attribute(std::move(attributes));
    Attribute::Dict root = {{"kind", "module"}, {"buffers", std::move(buffers)}};
    script.extra.emplace_back(kClassTable, Attribute::Dict{{kRootClass, std::move(root)}});
  }

  static std::string RecordOf(const Value& constant) {
    const auto* payload = FindAs<Attribute::Dict>(constant.extra_if_any(), "pt2.payload");
    return payload != nullptr ? FindText(*payload, "record") : "";
  }

  // The elements, and where they lie among those of the record.
  static Attribute InitialOf(const Value& constant, std::map<std::string, std::int64_t>& storages) {
    const auto* payload = FindAs<Attribute::Dict>(constant.extra_if_any(), "pt2.payload");
    const auto* meta = payload != nullptr ? DictOf(Find(*payload, "meta")) : nullptr;
    const Attribute elements(*constant.tensor());
    if (meta == nullptr) return elements;
    if (const auto* inner = DictOf(Find(*meta, "tensor_meta"))) meta = inner;
    Attribute::Ints strides;
    if (const auto* list = FindAs<Attribute::List>(*meta, "strides")) {
      for (const Attribute& stride : *list) strides.push_back(SizeIn(stride).value_or(0));
    }
    const Attribute* at = Find(*payload, "at");
    const std::int64_t place =
        at != nullptr && at->As<std::int64_t>() ? *at->As<std::int64_t>() : 0;
    const Attribute* first = Find(*meta, "storage_offset");
    const std::int64_t offset = first != nullptr ? SizeIn(*first).value_or(0) : 0;
    const std::string record = RecordOf(constant) + ":" + std::to_string(place);
    const std::int64_t number = storages.emplace(record, std::ssize(storages)).first->second;
    return Attribute(Attribute::Dict{{"tensor", elements},
                                     {"strides", Attribute(std::move(strides))},
                                     {"storage", Attribute(number)},
                                     {"offset", Attribute(offset)}});
  }

  static bool IsSameTensor(const Value& a, const Value& b) {
    const Attribute* payload_a = FindIn(a.extra_if_any(), "pt2.payload");
    const Attribute* payload_b = FindIn(b.extra_if_any(), "pt2.payload");
    return payload_a != nullptr && payload_b != nullptr && Identical(*payload_a, *payload_b) &&
           *a.tensor() == *b.tensor();
  }

  Status WriteResults(Value& self, ScriptWriter& writer) {
    DRAGOMAN_ASSIGN(const std::vector<Output> outputs, OutputsOf(graph_));
    std::vector<Value*> results;
    std::vector<std::pair<Value*, Value*>> arguments;  // and what the program leaves in them
    std::vector<std::pair<std::string, Value*>> attributes;
    for (const Output& output : outputs) {
      if (output.kind == "token") continue;
      DRAGOMAN_ASSIGN(Value * value, writer.Argument(*output.argument, OutputValues(graph_)));
      const bool is_buffer = output.kind == "buffer_mutation";
      if (is_buffer || output.kind == "parameter_mutation") {
        const std::string name =
            output.said != nullptr
                ? FindText(*output.said, is_buffer ? "buffer_name" : "parameter_name")
                : "";
        if (name.empty()) return InvalidInput("a mutation names no buffer or parameter");
        attributes.emplace_back(name, value);
      } else if (output.kind == "user_input_mutation") {
        const auto argument = arguments_.find(
            output.said != nullptr ? FindText(*output.said, "user_input_name") : "");
        if (argument == arguments_.end()) return InvalidInput("a mutation names no input");
        arguments.emplace_back(argument->second, value);
      } else if (output.kind == "user_output" || output.kind == "loss_output") {
        results.push_back(Given(value, writer));
      } else {
        return Unsupported("an output that is a " + output.kind);
      }
    }
    Value* result = Nest(results, writer);
    for (const auto& [name, value] : attributes) WriteAttribute(self, name, value, writer);
    for (const auto& [argument, value] : arguments) Overwrite(argument, value, writer);
    self.graph()->AddOutput(result);
    return {};
  }

  static void Overwrite(Value* tensor, Value* value, ScriptWriter& writer) {
    writer.Append({"aten", "copy_"}, {tensor, value, writer.Bool(false)}, Type());
  }

  // Weights that share their elements with others are written, all else is replaced.
  void WriteAttribute(Value& self, const std::string& name, Value* value, ScriptWriter& writer) {
    if (sharing_.contains(name)) {
      Overwrite(ReadAttribute(self, name, "", writer), value, writer);
      return;
    }
    Node* set = writer.Append({"prim", "SetAttr"}, {&self, value});
    set->SetAttribute("name", Attribute(name));
  }

  // The value, of which reading it as a tensor fails where lowering leaves it out: results of an
  // operator that only serve a backward pass.
  static Value* Given(Value* value, ScriptWriter& writer) {
    const Node* producer = value->producer();
    const bool may_lack = producer != nullptr && producer->op().dialect == "aten" &&
                          producer->num_results() > 1 && value != producer->result(0);
    return may_lack ? writer.Append({"aten", "alias"}, {value}, Type()) : value;
  }

  Value* Nest(const std::vector<Value*>& results, ScriptWriter& writer) {
    std::optional<TreeSpec> tree = ResultTree(source_);
    if (!tree || tree->CountLeaves() != results.size()) {
      tree.emplace();
      tree->kind = TreeSpec::Kind::kTuple;
      tree->children.resize(results.size());
    }
    std::size_t next = 0;
    return writer.Nested(*tree, results, next);
  }

  const Model& source_;
  const Graph& graph_;
  const std::map<std::string, Dim>& sizes_;
  const ComposedNodes composed_;
  std::map<std::string, Value*> arguments_;
  std::set<std::string> sharing_;  // weights that lie in the record of another one
};

}  // namespace

Result<Model> ToScriptForm(const Model& source, const std::map<std::string, Dim>& sizes) {
  return ScriptForm(source, sizes).Run();
}

}  // namespace dragoman::torch
