// SPDX-License-Identifier: Apache-2.0
#include "importers/tensorflow/lower/lower.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/lowering/arguments.h"
#include "core/lowering/lower_entries.h"
#include "core/support/plural.h"
#include "importers/tensorflow/graph/entries.h"
#include "importers/tensorflow/graph/graph_names.h"
#include "importers/tensorflow/lower/evaluator.h"
#include "importers/tensorflow/lower/tables.h"
#include "importers/tensorflow/lower/variables.h"

namespace dragoman {
namespace tf {
namespace {

std::vector<DeclaredArgument> ArgumentsOf(const Graph& entry) {
  std::vector<DeclaredArgument> arguments;
  for (const auto& input : entry.inputs()) arguments.push_back({input->name(), input->type()});
  return arguments;
}

// Inputs of an entry are tensors, whose types the file declares.
class TensorArguments : public ArgumentMaker {
 public:
  using ArgumentMaker::ArgumentMaker;

  Result<Value*> MakeInput(const Value& declared) {
    if (!declared.type().is_tensor() && declared.type().known())
      return Unsupported("input '" + declared.name() + "' is of type " +
                         declared.type().ToString());
    const Type type = declared.type().known() ? declared.type() : Type::Tensor(DType::kUnknown);
    return AddInput(declared.name(), type);
  }

 protected:
  Result<Abstract> MakeOpaque(const std::string& path, const Type& type,
                              const Attribute*) override {
    return Unsupported("input '" + path + "' is of type " + type.ToString());
  }
  std::optional<Number::Kind> NumberKind(const Type&) const override { return std::nullopt; }
};

// What the graph of an entry says: which tensors of the main graph its inputs and outputs are.
struct EntryCall {
  std::vector<std::string> feeds;
  std::vector<std::string> fetches;
  std::vector<const Value*> inputs;  // one a feed
  std::vector<std::size_t> outputs;  // of the graph: which fetch
};

Result<EntryCall> ReadCall(const Graph& graph) {
  const Node* call = graph.first_node();
  if (call == nullptr || call->next() != nullptr || &call->op() != MainGraphOp())
    return InvalidInput("an entry is expected to be one call of tf:graph.main");
  EntryCall read;
  const auto texts = [&](std::string_view name) -> std::vector<std::string> {
    const Attribute* attribute = call->attribute(name);
    const std::optional<Attribute::Strings> strings =
        attribute != nullptr ? AsStrings(*attribute) : std::nullopt;
    return strings.value_or(Attribute::Strings());
  };
  read.feeds = texts("feeds");
  read.fetches = texts("fetches");
  if (read.feeds.size() != call->num_operands() || read.fetches.size() != call->num_results())
    return InvalidInput("feeds and fetches do not fit the operands and results")
        .At(call->Describe());
  for (const Use& use : call->operands()) {
    if (use.value() == nullptr || use.value()->kind() != Value::Kind::kInput)
      return InvalidInput("an operand that is not an input of the entry").At(call->Describe());
    read.inputs.push_back(use.value());
  }
  for (const Use& use : graph.outputs()) {
    if (use.value() == nullptr || use.value()->producer() != call)
      return InvalidInput("an output that is not a result of the call").At(call->Describe());
    read.outputs.push_back(use.value()->index());
  }
  return read;
}

class TensorFlowLowering {
 public:
  explicit TensorFlowLowering(const Model& source)
      : source_(source), variables_(source, heap_), tables_(source) {}

  Result<Model> Run(const Facts& facts, const std::function<void(std::string_view)>& note) {
    NoteLeftOver(note);
    EntryProgram program;
    program.arguments = [](const Entry& entry) { return ArgumentsOf(*entry.graph); };
    program.run = [this](EntryRun& run) { return RunEntry(run); };
    DRAGOMAN_ASSIGN(Model model, LowerEntries(source_, facts, note, heap_, program));
    for (Entry& entry : model.entries) {
      const Entry* source = source_.FindEntry(entry.name);
      entry.arguments = source->arguments;
      entry.results = source->results;
    }
    return model;
  }

 private:
  void NoteLeftOver(const std::function<void(std::string_view)>& note) const {
    const Function* main = MainGraph(source_);
    if (!note || main == nullptr) return;
    std::string first;
    std::size_t count = 0;
    for (const Node& node : main->graph->nodes()) {
      if (!tf_reader::IsLeftOver(node)) continue;
      if (count++ == 0) first = node.name();
    }
    if (count == 0) return;
    note("placeholder '" + first + "'" +
         (count == 1 ? " is not an input, since nothing reads it"
                     : " and " + Plural(count - 1, "other") +
                           " are not inputs, since nothing reads them"));
  }

  Status RunEntry(EntryRun& run) {
    const Graph& source = *run.source.graph;
    DRAGOMAN_ASSIGN(const EntryCall call, ReadCall(source));
    Inference inference;
    Evaluator evaluator(source_, variables_, tables_, heap_, *run.lowered.entry.graph, inference);
    GraphBuilder& builder = evaluator.builder();
    TensorArguments maker(run.facts, heap_, builder, run.lowered.assumed);
    std::vector<Abstract> inputs;
    for (const auto& input : source.inputs()) {
      DRAGOMAN_ASSIGN(Value * made, maker.MakeInput(*input));
      inputs.push_back(heap_.NewTensor(made));
    }
    std::vector<Abstract> values;
    for (const Value* input : call.inputs) values.push_back(inputs[input->index()]);
    // Nothing else may have the names of outputs.
    std::vector<std::string> names;
    for (const Use& use : source.outputs())
      names.push_back(builder.UniqueName(use.value()->name()));
    run.Begin(builder);
    const std::vector<Abstract> results = evaluator.RunMain(call.feeds, values, call.fetches);
    Status status;
    for (std::size_t i = 0; i < call.outputs.size() && evaluator.findings().empty(); ++i) {
      const Value& declared = *source.output(i);
      Result<Value*> value = ReadResult(results[call.outputs[i]], builder);
      if (value.ok()) status = AddOutput(*value, names[i], builder);
      if (!value.ok()) {
        for (Finding finding : value.error().findings()) {
          finding.place = "output '" + declared.name() + "'";
          evaluator.findings().push_back(std::move(finding));
        }
      }
      if (!status.ok()) break;
    }
    run.lowered.findings = evaluator.findings();
    return run.End(std::move(status), builder);
  }

  // Makes `value` the next output, called `name`, which nothing else is.
  static Status AddOutput(Value* value, const std::string& name, GraphBuilder& builder) {
    Graph& graph = builder.graph();
    bool own = value->kind() == Value::Kind::kResult && value->graph() == &graph;
    for (const Use& use : graph.outputs()) own = own && use.value() != value;
    if (!own) {
      DRAGOMAN_ASSIGN(value, builder.Add("Identity", {value}));
    }
    value->set_name(name);
    graph.AddOutput(value);
    return {};
  }

  Result<Value*> ReadResult(const Abstract& result, GraphBuilder& builder) {
    if (const auto* tensor = result.As<TensorRef>()) return heap_.Read(builder, *tensor);
    return Unsupported("the result is " + Describe(result) + ", which has no tensor form");
  }

  const Model& source_;
  Heap heap_;
  Variables variables_;
  Tables tables_;
};

}  // namespace
}  // namespace tf

Result<Model> LowerTensorFlow(const Model& source, const Facts& facts,
                              const std::function<void(std::string_view)>& note) {
  return tf::TensorFlowLowering(source).Run(facts, note);
}

}  // namespace dragoman
