// SPDX-License-Identifier: Apache-2.0
#include "core/lowering/lower_entries.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "core/analysis/no_entry.h"
#include "core/support/findings.h"

namespace dragoman {
namespace {

constexpr int kMaxStatePasses = 32;

class ModelLowering {
 public:
  using Note = std::function<void(std::string_view)>;

  ModelLowering(const Model& source, const Facts& facts, const Note& note, Heap& heap,
                const EntryProgram& program)
      : source_(source),
        facts_(facts),
        note_(note),
        heap_(heap),
        last_cell_(heap.last_cell()),
        program_(program) {}

  Result<Model> Run();

 private:
  Result<std::vector<LoweredEntry>> RunEntries();
  Result<LoweredEntry> RunEntry(const Entry& entry, bool is_default);
  Result<Facts> FactsOfDefault(const Entry& entry) const;
  void ReportNotes(std::span<const LoweredEntry> entries) const;

  const Model& source_;
  const Facts& facts_;
  const Note& note_;
  Heap& heap_;
  const std::uint64_t last_cell_;
  const EntryProgram& program_;
  std::map<std::string, std::string> left_out_;  // entries, and why
  StatePlan plan_;
};

// Without those that name arguments of other entries only.
Result<Facts> ModelLowering::FactsOfDefault(const Entry& entry) const {
  Facts facts = facts_;
  const auto names = [&](const Entry& of, const std::string& input) {
    return CanonicalInput(program_.arguments(of), input).has_value();
  };
  std::erase_if(facts.shapes, [&](const ShapeFact& fact) {
    const bool by_name = fact.input.find_first_not_of("0123456789.") != std::string::npos;
    if (!by_name || facts_.entry || names(entry, fact.input)) return false;
    return std::ranges::any_of(source_.entries,
                               [&](const Entry& other) { return names(other, fact.input); });
  });
  return CanonicalFacts(program_.arguments(entry), facts);
}

Result<LoweredEntry> ModelLowering::RunEntry(const Entry& entry, bool is_default) {
  LoweredEntry lowered;
  lowered.entry.name = entry.name;
  lowered.entry.graph = std::make_unique<Graph>();
  lowered.entry.graph->set_name(entry.name);
  Facts facts = facts_;
  if (is_default) {
    DRAGOMAN_ASSIGN(facts, FactsOfDefault(entry));
  }
  heap_.Enter();
  EntryRun run{entry, facts, plan_, heap_, last_cell_, lowered};
  Status status = program_.run(run);
  if (!status.ok() || lowered.planned.stable) heap_.Leave();
  if (!status.ok()) {
    if (lowered.findings.empty()) return std::move(status).error();
    return Error(lowered.findings);
  }
  return lowered;
}

void ModelLowering::ReportNotes(std::span<const LoweredEntry> entries) const {
  if (!note_) return;
  for (const auto& [name, reason] : left_out_) note_("entry '" + name + "' is left out: " + reason);
  for (const LoweredEntry& lowered : entries) {
    if (lowered.assumed.empty()) continue;
    note_(
        fmt::format("entry '{}': no element type is known of {}; float32 is assumed, --shape "
                    "NAME=TYPE:D,… states another",
                    lowered.entry.name, fmt::join(lowered.assumed, ", ")));
  }
}

Result<std::vector<LoweredEntry>> ModelLowering::RunEntries() {
  std::vector<LoweredEntry> entries;
  const std::string chosen = facts_.entry.value_or(source_.entries.front().name);
  for (const Entry& entry : source_.entries) {
    const bool is_default = entry.name == chosen;
    if (facts_.entry && !is_default) continue;
    Result<LoweredEntry> lowered = RunEntry(entry, is_default);
    if (!lowered.ok() || !lowered->findings.empty()) {
      if (lowered.ok() && !lowered->planned.stable) heap_.Leave();
      Error error = lowered.ok() ? Error(lowered->findings) : std::move(lowered).error();
      if (is_default) return error;
      left_out_[entry.name] = Summary(error);
      continue;
    }
    const bool stable = lowered->planned.stable;
    if (!stable) {
      DRAGOMAN_TRY(plan_.Extend(lowered->planned, heap_));
      plan_.kept.push_back(std::move(lowered->entry.graph));
    }
    entries.push_back(std::move(*lowered));
    if (!stable) break;
  }
  return entries;
}

Result<Model> ModelLowering::Run() {
  for (int pass = 0; pass < kMaxStatePasses; ++pass) {
    DRAGOMAN_ASSIGN(std::vector<LoweredEntry> entries, RunEntries());
    if (!entries.back().planned.stable) continue;
    ReportNotes(entries);
    Model model;
    model.level = Level::kCommon;
    model.dialect = source_.dialect;
    model.metadata = source_.metadata;
    model.opsets.push_back({"", kCommonOpset});
    model.states = plan_.States();
    for (LoweredEntry& lowered : entries) {
      BindStates(lowered.planned, lowered.entry);
      model.entries.push_back(std::move(lowered.entry));
    }
    DropUnusedStates(model);
    return model;
  }
  return Unsupported("what the entries leave changed does not settle");
}

}  // namespace

void EntryRun::Begin(GraphBuilder& builder) {
  lowered.planned = plan.Begin(heap, builder);
  heap.Enter();
}

Status EntryRun::End(Status status, GraphBuilder& builder,
                     const std::function<Status(std::span<const CellChange>)>& check) {
  const std::vector<CellChange> changes = heap.Leave();
  DRAGOMAN_TRY(std::move(status));
  if (check) DRAGOMAN_TRY(check(changes));
  return StatePlan::Compare(lowered.planned, changes, last_cell, heap, builder);
}

Result<Model> LowerEntries(const Model& source, const Facts& facts,
                           const std::function<void(std::string_view)>& note, Heap& heap,
                           const EntryProgram& program) {
  if (source.entries.empty() || (facts.entry && !source.FindEntry(*facts.entry)))
    return NoEntry(source, facts.entry.value_or("forward"));
  return ModelLowering(source, facts, note, heap, program).Run();
}

}  // namespace dragoman
