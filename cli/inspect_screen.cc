// SPDX-License-Identifier: Apache-2.0
#include "cli/inspect_screen.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cli/inspect_census.h"
#include "cli/inspect_node.h"
#include "cli/inspect_targets.h"
#include "cli/report.h"
#include "core/support/plural.h"
#include "driver/model_costs.h"
#include "driver/structured_calls.h"

namespace dragoman::cli {
namespace {

constexpr std::size_t kMaxRows = 12;

void PrintSlots(std::string_view label, const std::vector<Slot>& slots) {
  for (std::size_t i = 0; i < slots.size() && i < kMaxRows; ++i) {
    Print("  {:<7} {}: {}\n", i == 0 ? label : "", slots[i].name, TypeText(slots[i].type));
  }
  if (slots.size() > kMaxRows) Print("  {:<7} … and {} more\n", "", slots.size() - kMaxRows);
}

void PrintStates(const std::vector<State>& states) {
  for (std::size_t i = 0; i < states.size() && i < kMaxRows; ++i) {
    Print("state    {}: {}\n", states[i].name, TypeText(states[i].type));
  }
  if (states.size() > kMaxRows) Print("         … and {} more\n", states.size() - kMaxRows);
}

void PrintCensus(const Census& census, std::size_t absent) {
  std::string ops;
  for (std::size_t i = 0; i < census.ops.size() && i < kMaxRows; ++i) {
    ops += fmt::format("{}{} {}", i == 0 ? "" : ", ", census.ops[i].second, census.ops[i].first);
  }
  if (census.ops.size() > kMaxRows) ops += ", …";
  Print("nodes    {}{}{}\n", census.nodes, ops.empty() ? "" : ": ", ops);
  Print("weights  {}, {} parameter{}, {}{}\n", Plural(census.weights.constants, "constant"),
        Grouped(census.weights.parameters), census.weights.parameters == 1 ? "" : "s",
        SizeText(census.weights.bytes),
        absent == 0 ? "" : fmt::format("; the elements of {} are not there", absent));
}

// Files of weights that are not there, with the places where they are looked for.
void PrintMissing(const std::vector<MissingFile>& files, const std::string& model) {
  for (const MissingFile& file : files) {
    const std::filesystem::path place = std::filesystem::path(model).parent_path() / file.name;
    Print("missing  {}, at least {}, with the elements of {}\n", place.string(),
          SizeText(file.bytes), Plural(file.constants, "constant"));
  }
}

// "1,024 multiply-adds, 2.1 kB of activations at most"; empty: sizes are missing.
void PrintCosts(const Model& common) {
  const ModelCosts costs = CostsOf(common);
  std::string text;
  if (costs.multiply_adds)
    text = Grouped(static_cast<std::uint64_t>(*costs.multiply_adds)) + " multiply-adds";
  if (costs.peak_activation_bytes) {
    text += fmt::format("{}{} of activations at most", text.empty() ? "" : ", ",
                        SizeText(static_cast<std::uint64_t>(*costs.peak_activation_bytes)));
  }
  if (!text.empty()) Print("a call   {}\n", text);
}

// The tensors that an argument consists of, by their names: "hc.0", "hc.1" of a tuple "hc". Of a
// list or dict of unknown length, one stands for all.
void AppendTensors(const std::string& name, const Type& type, std::vector<std::string>& names) {
  if (type.is_tensor() || !type.known()) names.push_back(name);
  if (type.kind() == Type::Kind::kSequence) AppendTensors(name + ".0", type.element(), names);
  if (type.kind() == Type::Kind::kMap) AppendTensors(name + ".KEY", type.element(), names);
  if (type.kind() != Type::Kind::kTuple) return;
  for (std::size_t i = 0; i < type.elements().size(); ++i)
    AppendTensors(fmt::format("{}.{}", name, i), type.element(i), names);
}

// Sizes of the only argument `name`, with which the model can be lowered, guessed from matrices and
// filters among the weights; "": none is found.
std::string GuessedSizes(const Session& session, const Model& source, const std::string& name) {
  constexpr std::size_t kMost = 8;
  std::vector<std::string> guesses;
  for (const State& state : source.states) {
    const Tensor* tensor = state.initial.tensor();
    const std::size_t rank = tensor != nullptr ? tensor->sizes().size() : 0;
    if (rank != 2 && rank != 4) continue;
    std::string guess = fmt::format("1,{}{}", tensor->sizes()[1], rank == 4 ? ",224,224" : "");
    if (std::ranges::count(guesses, guess) == 0) guesses.push_back(std::move(guess));
  }
  Session silent = session;
  silent.warn = nullptr;
  silent.explain = nullptr;
  for (std::size_t i = 0; i < std::min(guesses.size(), kMost); ++i) {
    const Result<ShapeFact> fact = ParseShapeFact(name + "=" + guesses[i]);
    if (!fact.ok()) continue;
    LoweringOptions lowering;
    lowering.facts.shapes = {*fact};
    lowering.passes = "none";
    if (silent.ToCommon(source, lowering).ok()) return guesses[i];
  }
  return "";
}

// Facts that would let the model be lowered; those that nothing shows are left to the user. Empty:
// there are no sizes to state.
std::string FactsToState(const Session& session, const Model& source,
                         const std::vector<Slot>& slots) {
  std::vector<std::string> names;
  for (const Slot& slot : slots) AppendTensors(slot.name, slot.type, names);
  if (names.empty()) return "";
  const std::string guess =
      names.size() == 1 ? GuessedSizes(session, source, names.front()) : std::string();
  std::string facts;
  for (const std::string& name : names)
    facts += fmt::format(" --shape {}={}", ShellWord(Printable(name)), guess.empty() ? "…" : guess);
  return fmt::format("{}   ({})", facts,
                     guess.empty() ? "write the sizes for …" : "sizes guessed from the weights");
}

// One line in place of the same error of each target.
void PrintWhyNotLowered(const Session& session, const Error& error, const Model& source,
                        const std::vector<Slot>& slots, const ScreenOptions& options) {
  const std::string finding = error.findings().front().ToString();
  Print("  none   {}\n", OneLine(error.findings().front()));
  if (error.findings().size() > 1) Print("         (and {} more)\n", error.findings().size() - 1);
  const std::string facts =
      finding.find("--shape") != std::string::npos ? FactsToState(session, source, slots) : "";
  if (!facts.empty()) {
    Print("\nnext:  dragoman inspect {}{}{}\n", ShellWord(options.model), options.choices, facts);
  } else if (error.findings().size() > 1) {
    Print("\nnext:  dragoman inspect {} --to cpp{}\n", ShellWord(options.model), options.choices);
  }
}

void PrintTargets(const std::vector<Answer>& answers, const ScreenOptions& options) {
  for (const Answer& answer : answers) {
    std::string why;
    if (!answer.works()) {
      why = ": " + OneLine(answer.findings.front());
      if (answer.findings.size() > 1)
        why += fmt::format(" (and {} more)", answer.findings.size() - 1);
    }
    Print("  {:<6} {}{}\n", answer.target,
          answer.works() ? Colored(Color::kGreen, "yes") : Colored(Color::kRed, "no"), why);
  }
  const bool cpp = std::ranges::find(answers, "cpp", &Answer::target)->works();
  Print("\nnext:  dragoman {} {} {}{}\n", cpp ? "codegen" : "inspect", ShellWord(options.model),
        cpp ? "-o model_cpp" : "--to cpp", options.choices);
}

// Without the result of a method that returns nothing.
std::vector<Slot> WithoutNone(std::vector<Slot> slots) {
  std::erase_if(slots, [](const Slot& slot) { return TypeText(slot.type) == "NoneType"; });
  return slots;
}

void PrintDescription(const Model& model, const Format* format, bool verbose) {
  if (format == nullptr || format->describe == nullptr) return;
  if (verbose || !format->describes_at_length)
    PrintLines(format->describe(model, verbose ? SIZE_MAX : kMaxRows));
  else
    Print("classes  with -v, and the lines of the source where their methods call operators\n");
}

void PrintEntries(const Model& model, const Format* format, const Result<Model>& lowered) {
  for (const Entry& entry : model.entries) {
    Print("entry {}\n", entry.name);
    PrintSlots("input", GivenSlots(format, entry));
    PrintSlots("output", WithoutNone(ShownOutputs(entry, lowered)));
  }
}

}  // namespace

void PrintScreen(const Session& session, const Model& model, const Result<Model>& lowered,
                 const ScreenOptions& options) {
  const Format* format = FormatOfModel(session.formats, model);
  std::string versions;
  for (const OpsetImport& opset : model.opsets) {
    versions += fmt::format("{}{} {}", versions.empty() ? "" : ", ",
                            opset.domain.empty() ? "ai.onnx" : opset.domain, opset.version);
  }
  Print("{}: {} model, {} level, operator sets: {}\n", options.model, model.dialect,
        model.level == Level::kSource ? "source" : "common", versions.empty() ? "none" : versions);
  if (const std::string writer = WriterText(model); !writer.empty())
    Print("{}{}\n", writer.starts_with("IR version") ? "" : "written by ", writer);
  // What the user states, and which inputs are states, shows when the model is lowered.
  const bool shows_lowered = lowered.ok() && (options.has_facts || ChangesInputs(session, model));
  PrintEntries(shows_lowered ? *lowered : model, shows_lowered ? nullptr : format, lowered);
  const bool lists_objects = format != nullptr && format->calls != nullptr;
  if (lowered.ok()) {
    PrintStates(lowered->states);
  } else if (!lists_objects) {
    PrintStates(model.states);
  }
  if (!model.functions.empty()) Print("functions {}\n", model.functions.size());
  PrintCensus(CensusOf(model), CountAbsentWeights(model));
  if (format != nullptr && format->missing_files != nullptr)
    PrintMissing(format->missing_files(model), options.model);
  if (lowered.ok()) PrintCosts(*lowered);
  PrintDescription(model, format, options.verbose);
  Print("targets\n");
  if (!lowered.ok()) {
    const Entry& entry = model.entries.front();
    return PrintWhyNotLowered(session, lowered.error(), model, GivenSlots(format, entry), options);
  }
  PrintTargets(AskTargets(session, lowered, std::nullopt), options);
}

}  // namespace dragoman::cli
