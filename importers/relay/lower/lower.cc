// SPDX-License-Identifier: Apache-2.0
#include "importers/relay/lower/lower.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/ir/dim.h"
#include "core/lowering/arguments.h"
#include "core/lowering/lower_entries.h"
#include "core/lowering/results.h"
#include "importers/relay/graph/relay_ops.h"
#include "importers/relay/lower/evaluator.h"

namespace dragoman {
namespace relay {
namespace {

std::vector<DeclaredArgument> ArgumentsOf(const Graph& entry) {
  std::vector<DeclaredArgument> arguments;
  for (const auto& input : entry.inputs()) {
    if (input->data() == nullptr) arguments.push_back({input->name(), input->type()});
  }
  return arguments;
}

// Parameters are tensors or tuples of them.
class RelayArguments : public ArgumentMaker {
 public:
  RelayArguments(const Facts& facts, Heap& heap, GraphBuilder& builder,
                 std::vector<std::string>& assumed)
      : ArgumentMaker(facts, heap, builder, assumed), heap_(heap) {}

  Result<Abstract> MakeParameter(const std::string& path, const Type& type) {
    if (type.is_tensor() || !type.known()) {
      DRAGOMAN_ASSIGN(Value * made,
                      AddInput(path, type.known() ? type : Type::Tensor(DType::kUnknown)));
      return heap_.NewTensor(made);
    }
    if (type.kind() != Type::Kind::kTuple) return MakeOpaque(path, type, nullptr);
    std::vector<Abstract> items;
    for (std::size_t i = 0; i < type.elements().size(); ++i) {
      DRAGOMAN_ASSIGN(Abstract item,
                      MakeParameter(path + "." + std::to_string(i), type.element(i)));
      items.push_back(std::move(item));
    }
    return Abstract(Tuple{std::make_shared<const std::vector<Abstract>>(std::move(items))});
  }

 protected:
  Result<Abstract> MakeOpaque(const std::string& path, const Type& type,
                              const Attribute*) override {
    return Unsupported("parameter %" + path + " is of type " + type.ToString() +
                       ", which has no tensor form");
  }
  std::optional<Number::Kind> NumberKind(const Type&) const override { return std::nullopt; }

 private:
  Heap& heap_;
};

// Whether TVM up to 0.7 would have computed a · bᵀ and later ones a · b: no attribute says which,
// and the sizes, as far as they are stated, fit both.
bool HasTwoReadings(const Node& node) {
  if (OperatorText(node.op()) != "nn.batch_matmul" || node.num_operands() != 2) return false;
  if (node.attribute("transpose_a") != nullptr || node.attribute("transpose_b") != nullptr)
    return false;
  const Shape* shape = node.operand(1) != nullptr ? node.operand(1)->type().shape() : nullptr;
  return shape == nullptr || shape->size() != 3 || Equal((*shape)[1], (*shape)[2]) != Truth::kNo;
}

void NoteTwoReadings(const Model& source, const std::function<void(std::string_view)>& note) {
  std::string places;
  ForEachGraph(source, [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) {
      if (HasTwoReadings(node)) places += (places.empty() ? "" : ", ") + PlaceOf(node);
    }
  });
  if (note && !places.empty() && !TransposesByDefault(source))
    note(
        "nn.batch_matmul without attributes is a · b, as in TVM 0.8 and later; TVM 0.7 and older "
        "computed a · bᵀ (" +
        places + ")");
}

class RelayLowering {
 public:
  explicit RelayLowering(const Model& source) : source_(source), composed_(FindComposed(source)) {}

  Result<Model> Run(const Facts& facts, const std::function<void(std::string_view)>& note) {
    EntryProgram program;
    program.arguments = [](const Entry& entry) { return ArgumentsOf(*entry.graph); };
    program.run = [this](EntryRun& run) { return RunEntry(run); };
    return LowerEntries(source_, facts, note, heap_, program);
  }

 private:
  Status RunEntry(EntryRun& run) {
    Inference inference;
    Evaluator evaluator(source_, composed_, heap_, *run.lowered.entry.graph, inference);
    GraphBuilder& builder = evaluator.builder();
    RelayArguments maker(run.facts, heap_, builder, run.lowered.assumed);
    const Graph& source = *run.source.graph;
    std::vector<Abstract> arguments;
    for (const auto& input : source.inputs()) {
      if (input->tensor() != nullptr) {
        const CellPtr cell = heap_.NewCell(StorageContents{nullptr, *input->tensor()});
        cell->path = input->name();
        arguments.push_back(TensorRef{cell, nullptr});
        continue;
      }
      DRAGOMAN_ASSIGN(Abstract made, maker.MakeParameter(input->name(), input->type()));
      arguments.push_back(std::move(made));
    }
    run.Begin(builder);
    const Abstract result = evaluator.RunEntry(source, std::move(arguments));
    Status status;
    if (evaluator.findings().empty()) status = AddResults(result, heap_, builder);
    run.lowered.findings = evaluator.findings();
    return run.End(std::move(status), builder);
  }

  const Model& source_;
  const ComposedNodes composed_;
  Heap heap_;
};

}  // namespace
}  // namespace relay

Result<Model> LowerRelay(const Model& source, const Facts& facts,
                         const std::function<void(std::string_view)>& note) {
  relay::NoteTwoReadings(source, note);
  return relay::RelayLowering(source).Run(facts, note);
}

std::span<const std::string_view> RelayConstructs() {
  static constexpr std::string_view kConstructs[] = {
      "Call",    "Construct", "Constructor", "Function", "GlobalVar",
      "If",      "Let",       "Match",       "Operator", "RefCreate",
      "RefRead", "RefWrite",  "Self",        "Tuple",    "TupleGetItem"};
  return kConstructs;
}

}  // namespace dragoman
