#include "core/rewrite/pipeline.h"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>

#include "core/ir/verify.h"
#include "core/rewrite/passes.h"

namespace dragoman {
namespace {

// Every pass removes or simplifies, so a fixed point comes soon; this many rounds are never needed
// in practice.
constexpr int kMaxRounds = 32;

constexpr PassInfo kPasses[] = {
    {"eliminate-identities",
     "removes nodes that give an operand unchanged, or an operand of a Concat, and Ifs whose "
     "condition is known; makes one Concat of what is put together row by row, computes in parts "
     "what is read in parts, and reads elements of lists where they come from",
     EliminateIdentities},
    {"fold-sizes", "makes constants of integers that are known from the sizes of tensors",
     FoldSizes},
    {"read-products",
     "makes dragoman.Linear of Einsum with a constant, and of Gemm between Reshapes", ReadProducts},
    {"read-functions", "makes Sigmoid of a quotient that spells it", ReadFunctions},
    {.name = "eliminate-dead",
     .sentence = "removes nodes without effect whose results nothing reads, and constants "
                 "that nothing reads",
     .run = EliminateDead,
     .only_removes = true},
    {"fuse-recurrences", "makes one LSTM, GRU or RNN of cells that follow one another in time",
     FuseRecurrences},
    {"fold-constants", "computes small nodes whose operands are all constant", FoldConstants},
    {"merge-common", "keeps one of several nodes that compute the same", MergeCommon},
    {"fuse-linear", "makes dragoman.Linear of Gemm, or of MatMul and Add, with a constant weight",
     FuseLinear},
    {"fold-transposes", "merges successive Transposes, and transposes constants", FoldTransposes},
    {"fold-batch-normalization",
     "moves a BatchNormalization into the weight and bias of the Conv "
     "before it",
     FoldBatchNormalization},
    {.name = "roll-chains",
     .sentence = "makes a Scan of what unrolling made of a loop: equal steps, one after the other",
     .run = RollChains,
     .at_end = true},
    {.name = "fuse-gates",
     .sentence = "makes one dragoman.Fused of a product, the parts that it is split into and "
                 "the gates computed from these",
     .run = FuseGates,
     .at_end = true},
    {.name = "move-dequantization",
     .sentence = "has operators that only move or compare elements work on the integers of "
                 "quantised tensors",
     .run = MoveDequantization,
     .by_default = false},
    {.name = "use-integer-products",
     .sentence =
         "computes products of dequantised operands by ConvInteger, MatMulInteger, QLinearConv and "
         "QLinearMatMul",
     .run = UseIntegerProducts,
     .by_default = false},
};

std::vector<std::string_view> SplitAtCommas(std::string_view text) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t end = std::min(text.find(','), text.size());
    words.push_back(text.substr(0, end));
    if (end == text.size()) return words;
    text.remove_prefix(end + 1);
  }
}

const PassInfo* FindPass(std::string_view name) {
  const auto* found = std::find_if(std::begin(kPasses), std::end(kPasses),
                                   [&](const PassInfo& pass) { return pass.name == name; });
  return found == std::end(kPasses) ? nullptr : found;
}

Error UnknownPass(std::string_view name) {
  std::string message =
      "--passes names '" + std::string(name) + "', which is no pass; expected none, default, or of";
  for (const PassInfo& pass : kPasses) message += " " + std::string(pass.name);
  return InvalidInput(std::move(message));
}

// Which of kPasses are chosen.
Result<std::vector<bool>> SelectPasses(std::string_view text) {
  std::vector<bool> chosen(std::size(kPasses), false);
  for (std::string_view word : SplitAtCommas(text)) {
    if (word == "none") continue;
    if (word == "default") {
      for (std::size_t i = 0; i < chosen.size(); ++i) {
        chosen[i] = chosen[i] || kPasses[i].by_default;
      }
      continue;
    }
    const bool wanted = !word.starts_with('-');
    const PassInfo* pass = FindPass(wanted ? word : word.substr(1));
    if (pass == nullptr) return UnknownPass(word);
    chosen[static_cast<std::size_t>(pass - kPasses)] = wanted;
  }
  return chosen;
}

// Bodies after the graph around them, for a pass may remove the nodes that own them.
Result<bool> RunPass(const PassInfo& pass, Graph& graph, PassContext& context) {
  context.rule = pass.name;
  DRAGOMAN_ASSIGN(bool changed, pass.run(graph, context));
  for (Node& node : graph.nodes()) {
    for (Graph* body : node.subgraphs()) {
      DRAGOMAN_ASSIGN(const bool body_changed, RunPass(pass, *body, context));
      changed = changed || body_changed;
    }
  }
  return changed;
}

// `settled` are the passes that have found nothing since anything changed. Types are inferred anew
// before the next round, by which any pass may find more, unless all that went was dead.
Result<bool> RunRound([[maybe_unused]] const Model& model, const std::vector<bool>& chosen,
                      Graph& entry, std::vector<bool>& settled, PassContext& context) {
  bool changed = false;
  bool rewritten = false;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (!chosen[i] || settled[i] || (changed && kPasses[i].at_end)) continue;
    DRAGOMAN_ASSIGN(const bool pass_changed, RunPass(kPasses[i], entry, context));
    if (pass_changed) settled.assign(settled.size(), false);
    settled[i] = !pass_changed;
    changed = changed || pass_changed;
    rewritten = rewritten || (pass_changed && !kPasses[i].only_removes);
#ifndef NDEBUG
    if (Status status = Verify(model); pass_changed && !status.ok()) {
      return std::move(status.error().At("after pass " + std::string(kPasses[i].name)));
    }
#endif
  }
  if (rewritten) settled.assign(settled.size(), false);
  return changed;
}

}  // namespace

std::span<const PassInfo> AllPasses() { return kPasses; }

Status RunPipeline(Model& model, const PipelineOptions& options) {
  DRAGOMAN_ASSIGN(const std::vector<bool> chosen, SelectPasses(options.passes));
  if (std::find(chosen.begin(), chosen.end(), true) == chosen.end()) return {};
  // Every round finds the same near misses.
  std::unordered_set<std::string> told;
  const auto explain = [&](std::string_view line) {
    if (options.explain && told.emplace(line).second) options.explain(line);
  };
  for (Entry& entry : model.entries) {
    std::size_t folded_bytes = 0;
    std::vector<bool> settled(chosen.size(), false);
    bool changed = true;
    for (int round = 0; changed && round < kMaxRounds; ++round) {
      DRAGOMAN_ASSIGN(PassContext context, PassContext::Make(*entry.graph, explain));
      context.folded_bytes = folded_bytes;
      DRAGOMAN_ASSIGN(changed, RunRound(model, chosen, *entry.graph, settled, context));
      folded_bytes = context.folded_bytes;
    }
  }
  return InferModel(model);
}

}  // namespace dragoman
