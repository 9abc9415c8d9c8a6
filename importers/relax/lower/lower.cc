#include "importers/relax/lower/lower.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "core/analysis/no_entry.h"
#include "core/lowering/results.h"
#include "importers/relax/lower/evaluator.h"

namespace dragoman {
namespace tvmscript {
namespace {

std::string Summary(const Error& error) {
  const std::vector<Finding>& findings = error.findings();
  std::string text = findings.front().place + ": " + findings.front().message;
  if (findings.size() > 1) text += fmt::format(" (and {} more)", findings.size() - 1);
  return text;
}

// What the text calls the results of a function, as far as it names them.
std::vector<std::string> ResultNames(const Graph& source) {
  std::vector<std::string> names;
  for (const Use& output : source.outputs())
    names.push_back(output.value() != nullptr ? output.value()->name() : "");
  return names;
}

class ModuleLowering {
 public:
  ModuleLowering(const Model& source, const Facts& facts) : source_(source), facts_(facts) {}

  Result<Entry> Lower(const Entry& source) {
    Entry entry;
    entry.name = source.name;
    entry.graph = std::make_unique<Graph>();
    Heap heap;
    Inference inference;
    Evaluator evaluator(source_, heap, *entry.graph, inference);
    Scope scope;
    DRAGOMAN_TRY(AddInputs(*source.graph, evaluator, heap, scope));
    const Abstract result = evaluator.Run(*source.graph, scope);
    if (!evaluator.findings().empty()) return Error(evaluator.findings());
    if (IsPoisoned(result)) return Internal("function '" + source.name + "' has no result");
    DRAGOMAN_TRY(AddResults(result, heap, evaluator.builder()));
    NameResults(*source.graph, *entry.graph, evaluator.builder());
    DRAGOMAN_TRY(BindStates(*source.graph, entry));
    return entry;
  }

 private:
  Status AddInputs(const Graph& source, Evaluator& evaluator, Heap& heap, Scope& scope) {
    std::vector<std::string> names;
    for (const auto& input : source.inputs()) {
      if (!input->type().is_tensor())
        return Unsupported("it is of type " + input->type().ToString() + ", which is no tensor")
            .At("parameter '" + input->name() + "'");
      DRAGOMAN_ASSIGN(Type type, ApplyFacts(facts_, input->name(), names.size(), input->type()));
      names.push_back(input->name());
      GraphBuilder& builder = evaluator.builder();
      Value* value = builder.graph().AddInput(builder.UniqueName(input->name()), std::move(type));
      evaluator.SetInput(*input, heap.NewTensor(value), scope);
    }
    return CheckFacts(facts_, names);
  }

  // An output that is no input has the name of the text.
  static void NameResults(const Graph& source, Graph& graph, GraphBuilder& builder) {
    const std::vector<std::string> names = ResultNames(source);
    if (names.size() != graph.num_outputs()) return;
    for (std::size_t i = 0; i < names.size(); ++i) {
      Value* output = graph.output(i);
      if (!names[i].empty() && output->kind() == Value::Kind::kResult)
        output->set_name(builder.UniqueName(names[i]));
    }
  }

  Status BindStates(const Graph& source, Entry& entry) const {
    for (const auto& input : source.inputs()) {
      const Extra* extra = input->extra_if_any();
      const Attribute* bound = extra != nullptr ? Find(*extra, "relax.state") : nullptr;
      const auto* places = bound != nullptr ? bound->As<Attribute::Ints>() : nullptr;
      if (places == nullptr || places->size() != 2) continue;
      const auto state = static_cast<std::size_t>((*places)[0]);
      const auto output = static_cast<std::size_t>((*places)[1]);
      if (state >= source_.states.size() || output >= entry.graph->num_outputs())
        return InvalidInput("it is bound to a result that is not there")
            .At("state of parameter '" + input->name() + "'");
      entry.states.push_back({state, input->index(), output});
    }
    return {};
  }

  const Model& source_;
  const Facts& facts_;
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
  for (const Entry& entry : source.entries) {
    const bool is_default = entry.name == chosen;
    if (facts.entry && !is_default) continue;
    Result<Entry> lowered = tvmscript::ModuleLowering(source, facts).Lower(entry);
    if (lowered.ok()) {
      model.entries.push_back(std::move(*lowered));
    } else if (is_default) {
      return std::move(lowered).error();
    } else if (note) {
      note("function '" + entry.name + "' is left out: " + tvmscript::Summary(lowered.error()));
    }
  }
  model.states = source.states;
  return model;
}

std::vector<std::string_view> LoweredRelaxOperators() {
  std::vector<std::string_view> names;
  for (const tvmscript::LoweringRow& row : tvmscript::AllLowerings()) names.push_back(row.op);
  return names;
}

}  // namespace dragoman
