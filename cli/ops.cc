// SPDX-License-Identifier: Apache-2.0
// dragoman ops [OP]
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/options.h"
#include "core/ops/op_def.h"
#include "core/rewrite/pipeline.h"
#include "core/support/nearest_name.h"
#include "driver/targets.h"

namespace dragoman::cli {
namespace {

struct OpsOptions {
  std::optional<std::string> op;
  std::optional<std::string> from;
  std::optional<std::string> to;
  CommonOptions common;
};

// What --from takes. A format may have several, "torchscript" is short for "aten".
std::vector<std::string> Dialects() {
  std::vector<std::string> dialects;
  for (const Format& format : BuiltInFormats())
    dialects.insert(dialects.end(), format.vocabularies.begin(), format.vocabularies.end());
  return dialects;
}

const std::vector<Target>& Targets() {
  static const std::vector<Target> targets = TargetsOf(BuiltInFormats());
  return targets;
}

bool IsChosen(const Target& target, const OpsOptions& options) {
  return !options.to || target.name == *options.to;
}

// Whether the target that is asked for has the operator; without one, always.
bool IsChosen(const OpDef& def, const OpsOptions& options) {
  if (!options.to) return true;
  return std::ranges::find(Targets(), *options.to, &Target::name)->support(def).works();
}

nlohmann::ordered_json SupportJson(const OpDef& def, const OpsOptions& options) {
  nlohmann::ordered_json json;
  for (const Target& target : Targets()) {
    if (!IsChosen(target, options)) continue;
    const OpSupport support = target.support(def);
    json[std::string(target.name)]["support"] = Name(support.kind);
    if (!support.why.empty()) json[std::string(target.name)]["why"] = support.why;
  }
  return json;
}

nlohmann::ordered_json OpJson(const OpDef& def, const OpsOptions& options) {
  return {{"op", def.Label()},
          {"signature", def.signature.ToString()},
          {"targets", SupportJson(def, options)}};
}

void PrintOpJson(const OpDef& def, const OpsOptions& options) {
  nlohmann::ordered_json json = OpJson(def, options);
  for (const TypeVariable& variable : def.signature.variables)
    json["types"][variable.name] = variable.allowed.ToString();
  for (const AttributeDef& attribute : def.attributes)
    json["attributes"][attribute.name] = Name(attribute.kind);
  json["kernel"] = def.kernel.header;
  PrintJson(json);
}

void PrintOp(const OpDef& def, const OpsOptions& options) {
  fmt::print("{}{}\n", def.Label(), def.signature.ToString());
  for (const TypeVariable& variable : def.signature.variables) {
    fmt::print("  {}: {}\n", variable.name, variable.allowed.ToString());
  }
  for (const AttributeDef& attribute : def.attributes) {
    fmt::print("  attribute {}: {}\n", attribute.name, Name(attribute.kind));
  }
  fmt::print("  kernel: {}\n", def.kernel.header.empty() ? "-" : def.kernel.header);
  for (const Target& target : Targets()) {
    if (!IsChosen(target, options)) continue;
    const OpSupport support = target.support(def);
    fmt::print("  {:<6} {}{}{}\n", target.name, Name(support.kind), support.why.empty() ? "" : ": ",
               support.why);
  }
}

// The targets that lack an operator, by reason: "relay, relax: TVM has no strings".
std::string WhyLacking(const OpDef& def) {
  std::vector<std::pair<std::string_view, std::string>> reasons;  // and their targets
  for (const Target& target : Targets()) {
    const OpSupport support = target.support(def);
    if (support.why.empty()) continue;
    const auto known =
        std::ranges::find(reasons, support.why, &decltype(reasons)::value_type::first);
    if (known == reasons.end()) {
      reasons.emplace_back(support.why, target.name);
    } else {
      known->second += ", " + std::string(target.name);
    }
  }
  std::vector<std::string> texts;
  for (const auto& [why, targets] : reasons) texts.push_back(fmt::format("{}: {}", targets, why));
  return fmt::format("{}", fmt::join(texts, "; "));
}

void PrintOperators(const OpsOptions& options) {
  fmt::print("{:<28}", "operator");
  for (const Target& target : Targets()) fmt::print(" {:<8}", target.name);
  fmt::print("\n");
  for (const OpDef* def : AllOps()) {
    if (!IsChosen(*def, options)) continue;
    std::string row = fmt::format("{:<28}", def->Label());
    for (const Target& target : Targets())
      row += fmt::format(" {:<8}", Name(target.support(*def).kind));
    row += " " + WhyLacking(*def);
    fmt::print("{}\n", std::string_view(row).substr(0, row.find_last_not_of(' ') + 1));
  }
}

void PrintTable(const OpsOptions& options) {
  PrintOperators(options);
  fmt::print("\npasses, in order (* by default)\n");
  for (const PassInfo& pass : AllPasses()) {
    fmt::print("{} {:<28} {}\n", pass.by_default ? "*" : " ", pass.name, pass.sentence);
  }
  fmt::print("\nformats\n");
  for (const Format& format : BuiltInFormats()) {
    const std::string suffixes = fmt::format("{}", fmt::join(format.suffixes, " "));
    fmt::print("  {:<12} {:<16} {:<6} {:<6} {}\n", format.name, suffixes,
               format.read != nullptr ? "reads" : "", format.write != nullptr ? "writes" : "",
               format.what);
  }
}

void PrintTableJson(const OpsOptions& options) {
  nlohmann::ordered_json ops = nlohmann::ordered_json::array();
  for (const OpDef* def : AllOps()) {
    if (IsChosen(*def, options)) ops.push_back(OpJson(*def, options));
  }
  nlohmann::ordered_json passes = nlohmann::ordered_json::array();
  for (const PassInfo& pass : AllPasses()) {
    passes.push_back(
        {{"pass", pass.name}, {"by_default", pass.by_default}, {"what", pass.sentence}});
  }
  nlohmann::ordered_json formats = nlohmann::ordered_json::array();
  for (const Format& format : BuiltInFormats()) {
    formats.push_back({{"format", format.name},
                       {"suffix", format.suffixes.front()},
                       {"reads", format.read != nullptr},
                       {"writes", format.write != nullptr},
                       {"what", format.what}});
  }
  PrintJson({{"operators", ops}, {"passes", passes}, {"formats", formats}});
}

// A name as `inspect` prints it, "onnx.Gemm", "onnx:com.microsoft.Gelu", "relay:nn.dense", or as
// torch does, "aten::add.Tensor": its dialect or domain, and what it is called there.
struct OperatorName {
  std::string dialect;  // empty: none that is known
  std::string rest;
};

OperatorName SplitName(std::string name) {
  std::erase(name, '"');  // relax."nn.relu"
  OperatorName split{"", name};
  for (const std::string& dialect : Dialects()) {
    if (!name.starts_with(dialect) || dialect.size() < split.dialect.size()) continue;
    const std::size_t rest = name.find_first_not_of(':', dialect.size());
    const bool ends = rest != dialect.size() || name[rest] == '.';
    if (ends && rest != std::string::npos)
      split = {dialect, name.substr(name[rest] == '.' ? rest + 1 : rest)};
  }
  const OperatorName inner = split.dialect == "onnx" ? SplitName(split.rest) : OperatorName();
  return inner.dialect.empty() ? split : inner;
}

// `others` are those of its dialect; empty: it is not a dialect, and common ones are suggested.
int NoOperator(const std::string& given, const OperatorName& name,
               const std::vector<SourceOperator>& others) {
  if (name.rest.empty()) return Report(InvalidInput("'" + given + "' names no operator"));
  std::vector<std::string> names;
  for (const SourceOperator& other : others) names.push_back(other.name);
  if (others.empty()) {
    for (const OpDef* def : AllOps()) names.push_back(def->Label());
  }
  const std::string full = name.dialect + "." + name.rest;
  const bool holds_dialect = !names.empty() && names.front().starts_with(name.dialect + ".");
  const std::string meant = DidYouMean(holds_dialect ? full : name.rest, names);
  if (!others.empty() && meant.empty())
    return Report(Unsupported("operator '" + given + "' has no lowering"));
  return Report(InvalidInput("there is no operator '" + given + "'" + meant));
}

// The operators of a source dialect or domain that are lowered, each in a line; those called
// `wanted` alone, or all. The names of torch's hold their dialect.
int PrintSourceOperators(const OpsOptions& options, const std::vector<SourceOperator>& operators,
                         const OperatorName& wanted) {
  const std::string full = wanted.dialect + "." + wanted.rest;
  // Programs of torch.export call the overload without a name so.
  constexpr std::string_view kDefault = ".default";
  constexpr std::string_view kLowered = "read, and lowered to operators of the common dialect";
  const bool is_default = full.ends_with(kDefault);
  const std::string exact = full.substr(0, full.size() - (is_default ? kDefault.size() : 0));
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const auto& [name, schema] : operators) {
    const bool is_overload = !is_default && name.starts_with(full + ".");
    if (options.op && name != wanted.rest && name != exact && !is_overload) continue;
    rows.push_back({{"op", name}});
    if (!schema.empty()) rows.back()["schema"] = schema;
    if (options.common.json) continue;
    const std::string_view what = options.op && schema.empty() ? kLowered : schema;
    fmt::print("{}\n", what.empty() ? name : fmt::format("{:<40} {}", name, what));
  }
  if (rows.empty()) return NoOperator(*options.op, wanted, operators);
  if (options.common.json) PrintJson(rows);
  return kDone;
}

// Those of the format that has the dialect or domain; empty: none has it.
std::vector<SourceOperator> OperatorsOf(std::string_view dialect) {
  for (const Format& format : BuiltInFormats()) {
    if (std::ranges::count(format.vocabularies, dialect) > 0) return format.operators(dialect);
  }
  return {};
}

int RunOps(const OpsOptions& options) {
  if (options.from) {
    const std::vector<SourceOperator> operators = OperatorsOf(*options.from);
    OperatorName name = SplitName(options.op.value_or(""));
    if (name.dialect.empty()) name.dialect = *options.from;
    if (!operators.empty()) return PrintSourceOperators(options, operators, name);
    // The operators of ai.onnx are those of the common dialect.
    if (*options.from != "onnx") {
      return Report(InvalidInput("there is no dialect '" + *options.from + "'" +
                                 WhatThereIs(*options.from, "dialects are", Dialects())));
    }
  }
  if (options.op) {
    const OperatorName name = SplitName(*options.op);
    const bool is_common = name.dialect.empty() || name.dialect == "onnx";
    const OpDef* def = is_common ? FindOp(name.rest) : nullptr;
    if (def == nullptr) def = FindOp("dragoman." + *options.op);
    if (def == nullptr) {
      std::vector<SourceOperator> read = OperatorsOf(is_common ? "ai.onnx" : name.dialect);
      if (is_common && std::ranges::find(read, name.rest, &SourceOperator::name) == read.end())
        read.clear();
      return PrintSourceOperators(options, read, name);
    }
    if (options.common.json) {
      PrintOpJson(*def, options);
    } else {
      PrintOp(*def, options);
    }
  } else if (options.common.json) {
    PrintTableJson(options);
  } else {
    PrintTable(options);
  }
  return kDone;
}

}  // namespace

void AddOps(CommandLine& program) {
  auto options = std::make_shared<OpsOptions>();
  Command command = program.AddCommand("ops", "List operators, passes and formats");
  std::vector<std::string> operators;
  for (const OpDef* def : AllOps()) operators.push_back(def->Label());
  command.Add("OP", &options->op, "Describe one operator: LSTM, dragoman.Linear, aten.lstm.input",
              {.suggested = std::move(operators)});
  command.Add("--from", &options->from,
              "Operators that are read from a dialect or domain, such as aten or com.microsoft",
              {.placeholder = "DIALECT", .suggested = Dialects()});
  std::vector<std::string> targets;
  for (const Target& target : Targets()) targets.emplace_back(target.name);
  command.Add("--to", &options->to, "Only what this target has", {.one_of = std::move(targets)});
  AddAnswerOptions(command, options->common);
  command.SetFooter(
      "  dragoman ops\n"
      "  dragoman ops LSTM\n"
      "  dragoman ops --from com.microsoft --to relax");
  command.SetRun([options] { return RunOps(*options); });
}

}  // namespace dragoman::cli
