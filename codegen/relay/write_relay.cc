#include "codegen/relay/write_relay.h"

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "codegen/relax/lower_sequences.h"
#include "codegen/relax/resolve_axes.h"
#include "codegen/relax/stack_sequences.h"
#include "codegen/relay/relay_op.h"
#include "codegen/relay/relay_text.h"
#include "codegen/relay/translator.h"
#include "codegen/tvm/prepare.h"
#include "core/rewrite/drop_effects.h"
#include "core/rewrite/lower_factors.h"
#include "core/rewrite/lower_to_loops.h"
#include "core/rewrite/unroll.h"
#include "core/support/text.h"

namespace dragoman {
namespace {

std::vector<Finding> FindingsOf(Status status) {
  return status.ok() ? std::vector<Finding>() : status.error().findings();
}

bool HasOp(std::string_view label) {
  constexpr std::string_view kElsewhere[] = {"GRU", "If",   "LSTM",           "Loop",
                                             "RNN", "Scan", "dragoman.Fused", "dragoman.LSTM"};
  return std::ranges::count(kElsewhere, label) > 0 || relay::emit::FindRow(label) != nullptr;
}

Result<std::unique_ptr<Graph>> TranslateEntry(Graph& entry, const RelayNote& note) {
  DRAGOMAN_TRY(tvm::RefuseMaps(entry));
  for (const std::string& node : DropEffects(entry)) {
    if (note) note(node + " is omitted: Relay has no such effect");
  }
  DRAGOMAN_TRY(relax::ResolveAxes(entry));
  tvm::ExpandOperators(entry, HasOp);
  DRAGOMAN_TRY(LowerFactors(entry, HasOp));
  DRAGOMAN_TRY(relax::LowerSequences(entry));
  DRAGOMAN_TRY(relax::StackSequences(entry));
  std::vector<Finding> findings = FindingsOf(LowerToLoops(entry));
  Inference inference;
  DRAGOMAN_TRY(inference.InferGraph(entry));
  auto target = std::make_unique<Graph>();
  Status status = relay::emit::Translator(entry, inference, *target).Run();
  if (status.ok() && findings.empty()) return target;
  return tvm::Joined(std::move(findings), std::move(status));
}

}  // namespace

OpSupport RelaySupport(const OpDef& def) {
  if (HasOp(def.Label())) return {OpSupport::Kind::kNative};
  return tvm::SupportWithoutEmitter(def);
}

Result<Model> EmitRelay(const Model& common, const RelayNote& note) {
  Model model = Clone(common);
  // Recurrences of known length as cells, as importers of TVM wrote them; the rest as loops.
  std::ignore = UnrollSequences(model, {});
  Model relay;
  relay.dialect = "relay";
  relay.extra.emplace_back("relay.version", "0.0.5");
  NameScope names;
  for (Entry& entry : model.entries) {
    const bool is_main = &entry == &model.entries.front();
    Result<std::unique_ptr<Graph>> graph = TranslateEntry(*entry.graph, note);
    if (!graph.ok()) {
      if (is_main) return std::move(graph).error();
      if (note) note("entry '" + entry.name + "' is left out: " + tvm::Summary(graph.error()));
      continue;
    }
    const std::string name = names.Unique(is_main ? "main" : relay::emit::LocalName(entry.name));
    (*graph)->set_name(name);
    relay.entries.push_back({name, std::move(*graph), {}, {}, {}});
  }
  return relay;
}

}  // namespace dragoman
