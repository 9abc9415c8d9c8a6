// SPDX-License-Identifier: Apache-2.0
#include "driver/convert_model.h"

#include <utility>

#include "core/rewrite/match/run_rules.h"
#include "core/rewrite/pipeline.h"
#include "core/rewrite/unroll.h"
#include "driver/model_costs.h"

namespace dragoman {
namespace {

LoweringOptions LoweringOf(const ConversionOptions& options, const Format& target) {
  LoweringOptions lowering;
  lowering.facts = options.facts;
  lowering.cut_inputs = options.cut_inputs;
  lowering.cut_outputs = options.cut_outputs;
  lowering.passes = options.passes.value_or(std::string(target.passes));
  lowering.batch = options.batch;
  return lowering;
}

// The model that was lowered to `common`, without the rules of the session.
Result<Model> Reference(const Session& session, const Model& source,
                        const LoweringOptions& lowering, const Model& common) {
  if (session.rules == nullptr) return Clone(common);
  return session.WithoutRules().ToCommon(source, lowering);
}

// The products of the file itself; of the sizes that are stated where it leaves them open.
std::optional<std::int64_t> ProductsOf(const Session& session, const Model& source,
                                       const ConversionOptions& options, const Model& common) {
  if (!options.has_facts()) return CostsOf(common).multiply_adds;
  Facts own;
  own.entry = options.facts.entry;
  const Result<Model> lowered = session.WithoutRules().Lower(source, own);
  const std::optional<std::int64_t> products =
      lowered.ok() ? CostsOf(*lowered).multiply_adds : std::nullopt;
  return products ? products : CostsOf(common).multiply_adds;
}

// Sequence operators become cells, which then are simplified as the passes say.
Result<Model> Unrolled(const Session& session, const Model& source, LoweringOptions lowering) {
  lowering.passes += ",-fuse-recurrences,-reroll-loops,-fuse-gates";
  DRAGOMAN_ASSIGN(Model model, session.ToCommon(source, lowering));
  DRAGOMAN_TRY(UnrollSequences(model, session.explain));
  DRAGOMAN_TRY(RunPipeline(model, session.Pipeline(lowering.passes)));
  return model;
}

}  // namespace

Status CheckConversion(const Format& target, const ConversionOptions& options) {
  if (target.write == nullptr)
    return Unsupported("files of format " + std::string(target.name) + " cannot be written" +
                       std::string(target.instead));
  return CheckWriteOptions(target, options.write);
}

std::optional<std::int64_t> KeptOpset(const Model& source) {
  const bool from_onnx = source.level == Level::kSource && source.dialect == "onnx";
  return from_onnx ? source.OpsetVersion("") : std::nullopt;
}

bool IsPlainCopy(const Model& source, const Format& target, const ConversionOptions& options) {
  if (options.has_facts() || options.has_cut() || options.unroll) return false;
  if (NeedsCommonGraph(target, options.write)) return false;
  if (options.passes.value_or("none") != "none" || options.level == Level::kCommon) return false;
  if (target.is_container) return true;
  return source.level == Level::kSource && target.dialect == source.dialect;
}

Result<ConvertedModel> ConvertModel(const Session& session, Model source, const Format& target,
                                    const ConversionOptions& options) {
  const bool rules_lower = session.rules != nullptr && NeedLowering(*session.rules, source.level);
  const bool is_copy = IsPlainCopy(source, target, options);
  if (is_copy && !rules_lower) {
    DRAGOMAN_TRY(session.ApplyRules(source));
    return ConvertedModel{.model = std::move(source)};
  }
  if (options.level == Level::kSource)
    return InvalidInput(
        "--level source keeps the file's graph: it does not go with sizes, an entry, cuts, "
        "passes or a format of another dialect");
  LoweringOptions lowering = LoweringOf(options, target);
  // A container at the common level gets what lowering gives, unless passes are asked for; so does
  // a file of which only rules need the common graph.
  if ((target.is_container || is_copy) && !options.passes) lowering.passes = "none";
  ConvertedModel converted;
  lowering.tell_batch = [&](const BatchReport& report) { converted.batch = report; };
  if (target.dialect == source.dialect) converted.kept_opset = KeptOpset(source);
  if (options.unroll) {
    if (options.keep_reference) converted.reference = Clone(source);
    DRAGOMAN_ASSIGN(converted.model, Unrolled(session, source, std::move(lowering)));
    return converted;
  }
  const std::string passes = std::exchange(lowering.passes, "none");
  DRAGOMAN_ASSIGN(converted.model, session.ToCommon(source, lowering));
  if (converted.kept_opset && !options.has_cut())
    converted.products = ProductsOf(session, source, options, converted.model);
  if (options.keep_reference) {
    DRAGOMAN_ASSIGN(converted.reference, Reference(session, source, lowering, converted.model));
  }
  DRAGOMAN_TRY(session.Rewrite(converted.model, passes));
  return converted;
}

WriteOptions WriteOptionsOf(const ConvertedModel& converted, const ConversionOptions& options) {
  WriteOptions write = options.write;
  write.kept_opset = converted.kept_opset;
  return write;
}

}  // namespace dragoman
