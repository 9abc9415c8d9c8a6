// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/pipeline.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "core/ir/for_each_value.h"
#include "core/ir/verify.h"
#include "core/rewrite/checked_pass.h"
#include "core/rewrite/drop_effects.h"
#include "core/rewrite/lower_to_loops.h"
#include "core/rewrite/passes.h"
#include "core/rewrite/patterns/fold_size_operands.h"
#include "core/rewrite/patterns/function_patterns.h"
#include "core/rewrite/patterns/identity_patterns.h"
#include "core/rewrite/patterns/linear_patterns.h"
#include "core/rewrite/patterns/spelling_patterns.h"
#include "core/rewrite/rules/built_in_rules.h"
#include "core/support/nearest_name.h"

namespace dragoman {
namespace {

// Every pass removes or simplifies, so a fixed point comes soon; this many rounds are never needed
// in practice.
constexpr int kMaxRounds = 32;

constexpr PatternFamily kIdentities[] = {
    BranchPatterns, CopyPatterns, ReshapePatterns, RegionPatterns, RowPatterns,  CutPatterns,
    PartPatterns,   ListPatterns, AxisPatterns,    SortedPatterns, IdentityRules};
constexpr PatternFamily kSizes[] = {KnownSizePatterns, SizeOperandPatterns};
constexpr PatternFamily kSpellings[] = {
    AttributePatterns, OperandPatterns,    OperatorPatterns, ChoicePatterns,   PaddingPatterns,
    WrapPatterns,      MirrorPatterns,     WindowPatterns,   TrianglePatterns, ElementwisePatterns,
    IndexPatterns,     JoinedSizePatterns, SpellingRules};
constexpr PatternFamily kSharedSizes[] = {SizePatterns};
constexpr PatternFamily kReferringSizes[] = {ReferringSizePatterns};
constexpr PatternFamily kFactors[] = {FactorPatterns};
constexpr PatternFamily kProducts[] = {ProductPatterns, BatchPatterns};
constexpr PatternFamily kFunctions[] = {FunctionPatterns,
                                        FunctionRules,
                                        PReluPatterns,
                                        NormalizationPatterns,
                                        ChannelNormalizationPatterns,
                                        ShufflePatterns,
                                        AttentionPatterns};
constexpr PatternFamily kConstantFamilies[] = {ConstantPatterns};
constexpr PatternFamily kWeights[] = {WeightPatterns};
constexpr PatternFamily kLargeConstants[] = {LargeConstantPatterns};
constexpr PatternFamily kLinear[] = {LinearPatterns};
constexpr PatternFamily kNumbers[] = {NumberPatterns};
constexpr PatternFamily kSinking[] = {SinkingPatterns};
constexpr PatternFamily kAnyOrder[] = {AnyOrderPatterns};
constexpr PatternFamily kTransposes[] = {TransposePatterns};
constexpr PatternFamily kNormalizations[] = {BatchNormalizationPatterns};
constexpr PatternFamily kDequantizations[] = {DequantizationPatterns};
constexpr PatternFamily kIntegerProducts[] = {QuantizedConstantPatterns, QuantizedResultPatterns,
                                              IntegerSumPatterns};

constexpr PassInfo kPasses[] = {
    {.name = "eliminate-identities",
     .sentence =
         "removes nodes that give an operand unchanged, or an operand of a Concat, and Ifs whose "
         "condition is known; makes one Concat of what is put together row by row, computes in "
         "parts what is read in parts, and reads elements of lists where they come from",
     .families = kIdentities},
    {.name = "fold-sizes",
     .sentence = "makes constants of integers that are known from the sizes of tensors",
     .families = kSizes},
    {.name = "canonicalize",
     .sentence =
         "leaves out attributes and operands that change nothing, counts axes and bounds from the "
         "front, makes Pads of zeros the padding of windows, and Pads of what joins an axis to its "
         "other end or reads elements of it again, and spells Flatten, Resize, Split, bounds, "
         "means "
         "of planes and choices by masks in one way",
     .families = kSpellings},
    {.name = "split-slices",
     .sentence = "makes one Split of Slices that together are a value",
     .run = SplitSlices},
    {.name = "read-products",
     .sentence = "makes dragoman.Linear of Einsum with a constant, and of Gemm between Reshapes, "
                 "and leaves the axes of a batch apart that Reshapes put together for a MatMul",
     .families = kProducts},
    {.name = "read-functions",
     .sentence = "makes Sigmoid, Gelu, HardSwish, Mish, PRelu, Elu, Softplus, DepthToSpace and "
                 "normalisations along the last axes, of channels and of groups of the formulas "
                 "that spell them, and gives attention one factor and one form of safe softmax",
     .families = kFunctions},
    {.name = "omit-guards",
     .sentence = "leaves out what guards a softmax against infinities and NaN that its operand "
                 "cannot have, as bounds of it show",
     .run = OmitGuards,
     .at_end = true,
     .reads_weights = true},
    {.name = "dce",
     .sentence = "removes nodes without effect whose results nothing reads, and constants "
                 "that nothing reads",
     .run = EliminateDeadCode,
     .only_removes = true},
    {.name = "open-groups",
     .sentence = "takes groups that the source has made apart where they hide a recurrence",
     .run = OpenGroups,
     .reads_weights = true},
    {.name = "fuse-recurrences",
     .sentence = "makes one LSTM, GRU or RNN of cells that follow one another in time",
     .run = FuseRecurrences,
     .checked = true,
     .reads_weights = true},
    {.name = "fold-constants",
     .sentence = "computes small nodes whose operands are all constant",
     .families = kConstantFamilies},
    {.name = "cse",
     .sentence = "keeps one of several nodes that compute the same",
     .run = MergeCommonSubexpressions,
     .reads_weights = true},
    {.name = "fuse-linear",
     .sentence = "makes dragoman.Linear of Gemm, or of MatMul and Add, with a constant weight",
     .families = kLinear,
     .reads_weights = true},
    {.name = "sink-transposes",
     .sentence = "moves what makes channels the last axis after the operators that read it",
     .families = kSinking},
    {.name = "fold-transposes",
     .sentence = "merges successive Transposes, and transposes constants",
     .families = kTransposes,
     .reads_weights = true},
    {.name = "fold-batch-normalization",
     .sentence =
         "moves a BatchNormalization, and products and sums with one number a channel, into "
         "the weight and bias of the Conv before it or the BatchNormalization before it",
     .families = kNormalizations},
    {.name = "infer-trip-counts",
     .sentence = "infers how many iterations loops have, and makes lists of results of their "
                 "iterations that states collect",
     .run = InferTripCounts,
     .at_end = true,
     .checked = true,
     .in_loops_only = true},
    {.name = "reroll-loops",
     .sentence = "makes a Scan of what unrolling made of a loop: equal steps, one after the other",
     .run = RerollLoops,
     .at_end = true,
     .checked = true,
     .reads_weights = true},
    {.name = "fuse-loop-cells",
     .sentence = "makes one LSTM, GRU or RNN of one step of a cell that passes its states on in a "
                 "loop each of whose iterations reads what the one before gave",
     .run = FuseLoopCells,
     .at_end = true,
     .checked = true,
     .in_loops_only = true,
     .reads_weights = true},
    {.name = "use-numbers",
     .sentence = "has elementwise operators read a number in place of a tensor that is that number "
                 "in all its elements, where such a tensor is not a first state of a recurrence",
     .families = kNumbers,
     .at_end = true},
    {.name = "fuse-gates",
     .sentence = "makes one dragoman.Fused of a product, the parts that it is split into and "
                 "the gates computed from these",
     .run = FuseGates,
     .at_end = true,
     .reads_weights = true},
    {.name = "fold-large",
     .sentence = "computes large nodes, too, whose operands are all constant, but for those that "
                 "dequantise: part of simplify",
     .families = kWeights,
     .by_default = false,
     .reads_weights = true},
    {.name = "fold-weights",
     .sentence =
         "computes large nodes, too, whose operands are all constant, and narrows constants "
         "that repeat elements: for graphs that are compared, not written",
     .families = kLargeConstants,
     .by_default = false,
     .reads_weights = true},
    {.name = "unify-sizes",
     .sentence = "reads sizes of the first input that has them, and takes elements by places along "
                 "open axes axis by axis: for graphs that are compared",
     .families = kSharedSizes,
     .by_default = false},
    {.name = "unify-factors",
     .sentence = "multiplies the first operand of a product of matrices by the number that its "
                 "result is multiplied or divided by: for graphs that are compared",
     .families = kFactors,
     .by_default = false},
    {.name = "sink-all-transposes",
     .sentence = "moves every Transpose after the operators that read it, as far as these take "
                 "elements in any order: for graphs that are compared",
     .families = kAnyOrder,
     .by_default = false},
    {.name = "lower-scans",
     .sentence = "makes Loops of Scans: for graphs that are compared",
     .run = LowerScans,
     .by_default = false,
     .at_end = true,
     .in_loops_only = true},
    {.name = "hide-by-infinity",
     .sentence = "hides scores of attention by -inf in place of large negative numbers, where "
                 "constant masks show an element of each row: for graphs that are compared",
     .run = HideByInfinity,
     .by_default = false,
     .at_end = true,
     .reads_weights = true},
    {.name = "assume-checks",
     .sentence =
         "leaves out checks that a program makes of its inputs: for graphs that are compared",
     .run = AssumeChecks,
     .by_default = false},
    {.name = "assume-sizes",
     .sentence = "has Reshape refer to the sizes of its operand, which is another thing for sizes "
                 "of 0: for graphs that are compared",
     .families = kReferringSizes,
     .by_default = false},
    {.name = "assume-usual-inputs",
     .sentence =
         "does what omit-guards and hide-by-infinity do for inputs between -1e6 and 1e6 and "
         "masks that hide no whole row: changes what others give",
     .run = AssumeUsualInputs,
     .by_default = false,
     .at_end = true,
     .reads_weights = true},
    {.name = "move-dequantization",
     .sentence = "has operators that only move or compare elements work on the integers of "
                 "quantised tensors",
     .families = kDequantizations,
     .by_default = false},
    {.name = "use-integer-products",
     .sentence =
         "computes products of dequantised operands by ConvInteger, MatMulInteger, QLinearConv and "
         "QLinearMatMul",
     .families = kIntegerProducts,
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

const PassInfo* FindPass(std::span<const PassInfo> passes, std::string_view name) {
  const auto found = std::ranges::find(passes, name, &PassInfo::name);
  return found == passes.end() ? nullptr : &*found;
}

std::set<std::string_view> PatternsOf(const PassInfo& pass) {
  std::set<std::string_view> names;
  for (const PatternFamily family : pass.families) {
    for (const Pattern& pattern : family()) names.insert(pattern.name);
  }
  return names;
}

// Names that passes had before.
constexpr std::pair<std::string_view, std::string_view> kRenamed[] = {
    {"count-turns", "infer-trip-counts"},
    {"eliminate-dead", "dce"},
    {"merge-common", "cse"},
    {"roll-chains", "reroll-loops"},
    {"unify-spellings", "canonicalize"},
};

Error UnknownPass(std::span<const PassInfo> passes, std::string_view name) {
  for (const auto& [before, now] : kRenamed) {
    if (name == before) return InvalidInput(fmt::format("pass '{}' is called {} now", name, now));
  }
  std::vector<std::string> names = {"none", "default"};
  for (const PassInfo& pass : passes) {
    names.emplace_back(pass.name);
    for (const std::string_view pattern : PatternsOf(pass)) names.emplace_back(pattern);
  }
  return InvalidInput(fmt::format("there is no pass '{}'{}; `dragoman ops` lists them", name,
                                  DidYouMean(name, names)));
}

// Of a list of passes: which are chosen, and the patterns of each that are not.
struct Selection {
  std::vector<bool> chosen;
  std::vector<std::set<std::string_view>> left_out;

  void ChoosePass(std::size_t i, bool wanted) {
    chosen[i] = wanted;
    left_out[i].clear();
  }
  // Whether any pass has such a pattern. One that is wanted is the only one of a pass that is not
  // chosen.
  bool ChoosePattern(std::span<const PassInfo> passes, std::string_view name, bool wanted) {
    bool found = false;
    for (std::size_t i = 0; i < passes.size(); ++i) {
      std::set<std::string_view> patterns = PatternsOf(passes[i]);
      if (!patterns.contains(name)) continue;
      found = true;
      if (wanted && !chosen[i]) left_out[i] = std::move(patterns);
      chosen[i] = chosen[i] || wanted;
      if (wanted) {
        left_out[i].erase(name);
      } else {
        left_out[i].insert(name);
      }
    }
    return found;
  }
};

Result<Selection> SelectPasses(std::span<const PassInfo> passes, std::string_view text) {
  Selection selection{std::vector<bool>(passes.size(), false),
                      std::vector<std::set<std::string_view>>(passes.size())};
  for (std::string_view word : SplitAtCommas(text)) {
    if (word == "none") continue;
    if (word == "default") {
      for (std::size_t i = 0; i < passes.size(); ++i) {
        if (passes[i].by_default) selection.ChoosePass(i, true);
      }
      continue;
    }
    const bool wanted = !word.starts_with('-');
    const std::string_view name = wanted ? word : word.substr(1);
    if (name == "none" || name == "default")
      return InvalidInput(fmt::format("'{}': only passes and rewrites can be left out", word));
    if (const PassInfo* pass = FindPass(passes, name)) {
      selection.ChoosePass(static_cast<std::size_t>(pass - passes.data()), wanted);
    } else if (!selection.ChoosePattern(passes, name, wanted)) {
      return UnknownPass(passes, name);
    }
  }
  return selection;
}

Result<bool> RunOnGraph(const PassInfo& pass, Graph& graph, PassContext& context) {
  context.rule = pass.name;
  if (pass.run != nullptr) return pass.run(graph, context);
  bool changed = false;
  for (const PatternFamily family : pass.families) {
    DRAGOMAN_ASSIGN(const bool applied, ApplyPatterns(graph, context, family()));
    changed = changed || applied;
  }
  return changed;
}

// Bodies after the graph around them, for a pass may remove the nodes that own them.
Result<bool> RunPass(const PassInfo& pass, Graph& graph, PassContext& context) {
  DRAGOMAN_ASSIGN(bool changed, RunOnGraph(pass, graph, context));
  for (Node& node : graph.nodes()) {
    for (Graph* body : node.subgraphs()) {
      DRAGOMAN_ASSIGN(const bool body_changed, RunPass(pass, *body, context));
      changed = changed || body_changed;
    }
  }
  return changed;
}

bool HasLoops(const Graph& entry) {
  bool found = false;
  ForEachGraph(entry, [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) found = found || node.Is("Loop") || node.Is("Scan");
  });
  return found;
}

// Values that got another name than was wanted take that if it has become free.
void RestoreNames(Graph& entry, const std::unordered_map<std::string, std::string>& wanted) {
  if (wanted.empty()) return;
  std::unordered_set<std::string> taken;
  std::unordered_set<const Value*> outputs;
  for (const Use& output : entry.outputs()) outputs.insert(output.value());
  ForEachGraph(entry, [&](const Graph& graph) {
    ForEachValue(graph, [&](const Value& value) { taken.insert(value.name()); });
  });
  ForEachGraph(entry, [&](Graph& graph) {
    ForEachValue(graph, [&](Value& value) {
      std::string name = value.name();
      for (auto found = wanted.find(name); found != wanted.end(); found = wanted.find(name))
        name = found->second;
      if (name == value.name() || outputs.contains(&value)) return;
      if (taken.insert(name).second) value.set_name(name);
    });
  });
}

// The rounds over one entry.
class EntryPipeline {
 public:
  EntryPipeline(std::span<const PassInfo> passes, Selection selection, const Model& model,
                Entry& entry, const PipelineOptions& options, std::int64_t& runs)
      : passes_(passes),
        selection_(std::move(selection)),
        model_(model),
        entry_(entry),
        options_(options),
        runs_(runs),
        settled_(passes.size(), false),
        left_out_(passes.size()) {}

  Status Run() {
    // Every round finds the same near misses.
    std::unordered_set<std::string> explained;
    const auto explain = [&](std::string_view line) {
      if (options_.explain && explained.emplace(line).second) options_.explain(line);
    };
    std::size_t folded_bytes = 0;
    std::unordered_map<std::string, std::string> wanted;
    bool changed = true;
    for (int round = 0; changed && round < kMaxRounds; ++round) {
      DRAGOMAN_ASSIGN(PassContext context, PassContext::Make(*entry_.graph, explain));
      context.folded_bytes = folded_bytes;
      context.wanted_names = std::move(wanted);
      if (round == 0) DRAGOMAN_TRY(RemoveUnread(context));
      DRAGOMAN_ASSIGN(changed, RunRound(context));
      folded_bytes = context.folded_bytes;
      wanted = std::move(context.wanted_names);
    }
    if (options_.restores_names) RestoreNames(*entry_.graph, wanted);
    return {};
  }

 private:
  // What reads a value but is itself not read must keep no rewrite from it, nor bring one about.
  Status RemoveUnread(PassContext& context) {
    for (std::size_t i = 0; i < passes_.size(); ++i) {
      if (!selection_.chosen[i] || !passes_[i].only_removes || IsOver()) continue;
      DRAGOMAN_TRY(RunNext(i, context));
    }
    return {};
  }

  // Types are inferred anew before the next round, by which any pass may find more, unless all that
  // went was dead.
  Result<bool> RunRound(PassContext& context) {
    bool changed = false;
    bool rewritten = false;
    for (std::size_t i = 0; i < passes_.size(); ++i) {
      const PassInfo& pass = passes_[i];
      if (!selection_.chosen[i] || settled_[i] || (changed && pass.at_end)) continue;
      if (pass.in_loops_only && !HasLoops(*entry_.graph)) continue;
      if (IsOver()) return false;
      DRAGOMAN_ASSIGN(const CheckedRun run, RunNext(i, context));
      if (run.changed || !run.undone.empty()) settled_.assign(settled_.size(), false);
      if (!run.undone.empty()) return true;  // `context` is about a graph that is gone
      settled_[i] = !run.changed;
      changed = changed || run.changed;
      rewritten = rewritten || (run.changed && !pass.only_removes);
    }
    if (rewritten) settled_.assign(settled_.size(), false);
    return changed;
  }

  bool IsOver() const { return options_.max_runs && runs_ >= *options_.max_runs; }

  Result<CheckedRun> RunNext(std::size_t index, PassContext& context) {
    const auto start = std::chrono::steady_clock::now();
    DRAGOMAN_ASSIGN(CheckedRun run, RunOnce(index, context));
    DRAGOMAN_TRY(AfterPass(passes_[index], run.changed, std::chrono::steady_clock::now() - start));
    return run;
  }

  Result<CheckedRun> RunOnce(std::size_t index, PassContext& context) {
    if (passes_[index].checked) return RunChecked(index, context);
    context.left_out = selection_.left_out[index];
    DRAGOMAN_ASSIGN(const bool changed, RunPass(passes_[index], *entry_.graph, context));
    return CheckedRun{.changed = changed, .undone = {}};
  }

  Status AfterPass(const PassInfo& pass, bool changed, std::chrono::nanoseconds time) {
    ++runs_;
    if (changed && options_.verify_each) {
      if (Status status = Verify(model_); !status.ok())
        return std::move(status.error().At("after pass " + std::string(pass.name)));
    }
    if (!options_.after_pass) return {};
    return options_.after_pass({.number = runs_,
                                .pass = pass.name,
                                .entry = entry_.name,
                                .changed = changed,
                                .time = time},
                               model_);
  }

  CheckedRun RunChecked(std::size_t index, PassContext& context) {
    const PassInfo& pass = passes_[index];
    const auto run = [&](Graph& graph, PassContext& own) {
      own.left_out = selection_.left_out[index];
      return RunPass(pass, graph, own);
    };
    CheckedRun checked =
        dragoman::RunChecked(run, model_, entry_, options_.checked_work, context, left_out_[index]);
    for (const UndoneChange& change : checked.undone) {
      if (change.site.empty()) selection_.chosen[index] = false;
      if (!options_.warn) continue;
      const std::string place = change.site.empty() ? "" : " at %" + change.site;
      options_.warn(
          fmt::format("a bug in dragoman: pass {} {}, so it is not applied{}; please report it",
                      pass.name, change.fault, place));
    }
    return checked;
  }

  std::span<const PassInfo> passes_;
  Selection selection_;
  const Model& model_;
  Entry& entry_;
  const PipelineOptions& options_;
  std::int64_t& runs_;         // of all entries
  std::vector<bool> settled_;  // passes that have found nothing since anything changed
  std::vector<std::set<std::string>> left_out_;  // by pass: sites at which it is wrong
};

}  // namespace

std::span<const PassInfo> AllPasses() { return kPasses; }

Status CheckPass(std::string_view name) {
  return FindPass(kPasses, name) != nullptr ? Status() : UnknownPass(kPasses, name);
}

Status RunPipeline(Model& model, const PipelineOptions& options) {
  return RunPasses(kPasses, model, options);
}

Status RunPasses(std::span<const PassInfo> passes, Model& model, const PipelineOptions& options) {
  DRAGOMAN_ASSIGN(const Selection selection, SelectPasses(passes, options.passes));
  if (std::ranges::count(selection.chosen, true) == 0) return {};
  std::int64_t runs = 0;
  for (Entry& entry : model.entries) {
    DRAGOMAN_TRY(EntryPipeline(passes, selection, model, entry, options, runs).Run());
  }
  return InferModel(model);
}

}  // namespace dragoman
