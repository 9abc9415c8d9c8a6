// dragoman ops [OP]
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/options.h"
#include "codegen/relax/write_relax.h"
#include "core/interpreter/interpreter.h"
#include "core/ops/op_def.h"
#include "core/rewrite/pipeline.h"
#include "importers/onnx/ops/domains.h"
#include "importers/torch/ops/supported.h"

namespace dragoman::cli {
namespace {

struct OpsOptions {
  std::optional<std::string> op;
  std::optional<std::string> from;
  std::optional<std::string> to;
  CommonOptions common;
};

// What can be done with an operator: the coverage table, a row an operator.
struct Coverage {
  bool runs;
  bool relax;
};

Coverage CoverageOf(const OpDef& def) { return {RunsInInterpreter(def), RelaxHasOp(def.Label())}; }

bool Chosen(const Coverage& coverage, const std::optional<std::string>& target) {
  if (!target || *target == "onnx") return true;
  return *target == "relax" ? coverage.relax : coverage.runs;
}

const char* YesNo(bool yes) { return yes ? "yes" : "-"; }

nlohmann::ordered_json OpJson(const OpDef& def) {
  const Coverage coverage = CoverageOf(def);
  return {{"op", def.Label()},
          {"signature", def.signature.ToString()},
          {"runs", coverage.runs},
          {"relax", coverage.relax}};
}

void PrintOpJson(const OpDef& def) {
  nlohmann::ordered_json json = OpJson(def);
  for (const TypeVariable& variable : def.signature.variables)
    json["types"][variable.name] = variable.allowed.ToString();
  for (const AttributeDef& attribute : def.attributes)
    json["attributes"][attribute.name] = Name(attribute.kind);
  json["kernel"] = def.kernel.header;
  PrintJson(json);
}

void PrintOp(const OpDef& def) {
  const Coverage coverage = CoverageOf(def);
  fmt::print("{}{}\n", def.Label(), def.signature.ToString());
  for (const TypeVariable& variable : def.signature.variables) {
    fmt::print("  {}: {}\n", variable.name, variable.allowed.ToString());
  }
  for (const AttributeDef& attribute : def.attributes) {
    fmt::print("  attribute {}: {}\n", attribute.name, Name(attribute.kind));
  }
  fmt::print("  runs and C++: {}; relax: {}; kernel: {}\n", YesNo(coverage.runs),
             YesNo(coverage.relax), def.kernel.header.empty() ? "-" : def.kernel.header);
}

void PrintTable(const OpsOptions& options) {
  fmt::print("{:<32} {:<12} {:<6}\n", "operator", "run and C++", "relax");
  for (const OpDef* def : AllOps()) {
    const Coverage coverage = CoverageOf(*def);
    if (!Chosen(coverage, options.to)) continue;
    fmt::print("{:<32} {:<12} {:<6}\n", def->Label(), YesNo(coverage.runs), YesNo(coverage.relax));
  }
  fmt::print("\npasses, in order (* by default)\n");
  for (const PassInfo& pass : AllPasses()) {
    fmt::print("{} {:<28} {}\n", pass.by_default ? "*" : " ", pass.name, pass.sentence);
  }
  fmt::print("\nformats\n");
  for (const FormatInfo& format : AllFormats()) {
    fmt::print("  {:<12} {:<8} {:<6} {:<6} {}\n", format.name, format.suffix,
               format.reads ? "reads" : "", format.writes ? "writes" : "", format.what);
  }
}

void PrintTableJson(const OpsOptions& options) {
  nlohmann::ordered_json ops = nlohmann::ordered_json::array();
  for (const OpDef* def : AllOps()) {
    const Coverage coverage = CoverageOf(*def);
    if (!Chosen(coverage, options.to)) continue;
    ops.push_back(OpJson(*def));
  }
  nlohmann::ordered_json passes = nlohmann::ordered_json::array();
  for (const PassInfo& pass : AllPasses()) {
    passes.push_back(
        {{"pass", pass.name}, {"by_default", pass.by_default}, {"what", pass.sentence}});
  }
  nlohmann::ordered_json formats = nlohmann::ordered_json::array();
  for (const FormatInfo& format : AllFormats()) {
    formats.push_back({{"format", format.name},
                       {"suffix", format.suffix},
                       {"reads", format.reads},
                       {"writes", format.writes},
                       {"what", format.what}});
  }
  PrintJson({{"operators", ops}, {"passes", passes}, {"formats", formats}});
}

// The operators of torch that are lowered, an overload a line.
int PrintTorch(const OpsOptions& options, const std::string& dialect) {
  const std::vector<torch::SupportedOverload> all = torch::SupportedOverloads(dialect);
  if (all.empty()) return Report(InvalidInput("there is no dialect '" + dialect + "'"));
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  std::size_t chosen = 0;
  for (const torch::SupportedOverload& overload : all) {
    const std::string& name = overload.name;
    if (options.op && name != *options.op && !name.starts_with(*options.op + ".")) continue;
    ++chosen;
    if (options.common.json) {
      rows.push_back({{"op", name}, {"schema", overload.schema}});
    } else {
      fmt::print("{:<40} {}\n", name, overload.schema);
    }
  }
  if (options.op && chosen == 0)
    return Report(InvalidInput("there is no operator '" + *options.op + "'"));
  if (options.common.json) PrintJson(rows);
  return kDone;
}

// The operators of an ONNX domain beside ai.onnx that are lowered, one a line.
int PrintDomain(const OpsOptions& options, const std::vector<std::string_view>& operators) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (std::string_view name : operators) {
    if (options.op && name != *options.op) continue;
    rows.push_back({{"op", name}});
    if (!options.common.json) fmt::print("{}\n", name);
  }
  if (rows.empty()) return Report(InvalidInput("there is no operator '" + *options.op + "'"));
  if (options.common.json) PrintJson(rows);
  return kDone;
}

int RunOps(const OpsOptions& options) {
  if (options.from) {
    const std::vector<std::string_view> operators = LoweredOperators(*options.from);
    if (!operators.empty()) return PrintDomain(options, operators);
  }
  if (options.from && *options.from != "onnx")
    return PrintTorch(options, *options.from == "torchscript" ? "aten" : *options.from);
  if (options.op) {
    const OpDef* def = FindOp(*options.op);
    if (def == nullptr) def = FindOp("dragoman." + *options.op);
    if (def == nullptr) return Report(InvalidInput("there is no operator '" + *options.op + "'"));
    if (options.common.json) {
      PrintOpJson(*def);
    } else {
      PrintOp(*def);
    }
  } else if (options.common.json) {
    PrintTableJson(options);
  } else {
    PrintTable(options);
  }
  return kDone;
}

}  // namespace

void AddOps(CLI::App& program, int& exit_code) {
  auto options = std::make_shared<OpsOptions>();
  CLI::App* command = program.add_subcommand("ops", "List operators, passes and formats");
  command->add_option("OP", options->op, "Tell all about one operator");
  command->add_option(
      "--from", options->from,
      "Those that are read from a dialect or domain: onnx, aten, prim, torchvision, "
      "ai.onnx.ml, com.microsoft, …");
  command->add_option("--to", options->to, "Only those that this target has: onnx, relax, cpp")
      ->check(CLI::IsMember({"onnx", "relax", "cpp"}));
  AddCommonOptions(*command, options->common);
  command->callback([options, &exit_code] { exit_code = RunOps(*options); });
}

}  // namespace dragoman::cli
