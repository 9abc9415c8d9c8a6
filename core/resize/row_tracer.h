// SPDX-License-Identifier: Apache-2.0
// Follows the samples of a batch through a common graph and changes what stood for their number:
// constants that hold it, and shapes.
//
// The graph computes a result of each sample from that sample alone, or the trace fails: so the
// changed graph gives, for any number of samples, what the given one gives for each of them. Every
// operator says by a rule (rules.h) where it takes the samples; inference checks the sizes that
// follow.
#ifndef DRAGOMAN_CORE_RESIZE_ROW_TRACER_H_
#define DRAGOMAN_CORE_RESIZE_ROW_TRACER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/ir/graph.h"
#include "core/resize/choices.h"
#include "core/resize/constant_changes.h"
#include "core/resize/rows.h"
#include "core/rewrite/pass_context.h"
#include "core/support/result.h"

namespace dragoman {

// What traces of one model keep from one to the next.
struct TraceMemory {
  Choices choices;
  // By loop, the states that iterations make depend on samples, and where.
  std::map<std::size_t, std::map<std::size_t, Rows>> carried;
  bool repeats_inputs = false;  // inputs without samples may be repeated where samples are needed
};

class RowTracer {
 public:
  // Of `entry`, whose types are those of `old_samples` samples; there are to be `samples` (a
  // symbol) of them.
  static Result<RowTracer> Make(Graph& entry, Dim samples, std::int64_t old_samples,
                                TraceMemory& memory);

  // Input `i` holds samples at `rows`.
  void SetInput(std::size_t i, const Rows& rows);
  // All nodes, in order. What is refused is a finding each.
  Status TraceEntry();
  // Whether TraceEntry, which failed, may succeed when it is done again on a fresh copy.
  bool TryAgain();
  // The same after `sites` turned out to be wrong.
  bool TryOthers(const Value& wrong) { return memory_->choices.TryNext(SitesBefore(wrong)); }

  const Rows& RowsOf(const Value* value) const;
  void SetRows(const Value* value, Rows rows);
  // Of `old_samples` samples; nullptr: not even the rank is known.
  const Shape* OldShape(const Value* value) const;
  int OldRank(const Value* value) const { return static_cast<int>(OldShape(value)->size()); }
  // Of any number of them.
  Shape NewShape(const Value* value) const;
  const Dim& samples() const { return samples_; }
  const Dim& old_samples() const { return old_samples_; }
  bool single() const { return old_samples_ == Dim(1); }

  // Makes operand `i`, which depends on no sample, one that holds it once for each, at `rows`; an
  // operand that holds samples must hold them there.
  Status Align(Node& node, std::size_t i, const Rows& rows);
  // The same for an operand that is broadcast to a result of rank `rank`, which holds them there.
  Status AlignBroadcast(Node& node, std::size_t i, const Rows& rows, int rank);

  // The same for output `i` of a body.
  Status AlignOutput(Graph& body, std::size_t i, const Rows& rows);

  // One of `count` places, at `node`; `pattern` says what is alike at other nodes.
  std::size_t Choose(const Node& node, std::size_t count, const std::string& pattern);
  std::size_t ChooseInput(std::size_t input, std::size_t count);
  // Rows of state `i` of a loop that an earlier trace found to be needed.
  std::optional<Rows> CarriedRows(const Node& loop, std::size_t i) const;
  void NeedCarried(const Node& loop, std::size_t i, const Rows& rows);

  // A node before `position` with one result, of the type `old` for `old_samples` samples.
  Result<Value*> Insert(Node& position, std::string_view label, std::vector<Value*> operands,
                        std::vector<NamedAttribute> attributes, Shape old, Rows rows);
  Value* Ints(Node& position, std::vector<std::int64_t> values);
  // Replaces operand `i`, integers that state sizes.
  Status SetInts(Node& node, std::size_t i, const std::vector<std::int64_t>& values);
  // Infers the results of `node` anew and checks that they hold the samples where they should.
  Status Infer(Node& node);
  // The same, without errors: whether they do.
  bool InfersAsExpected(Node& node);

  // Input `i` of a body holds samples where an operand of its node does.
  Status SetBodyInput(Graph& body, std::size_t i, const Rows& rows);
  // The nodes of a body.
  Status TraceBody(Graph& body);

  PassContext& context() { return context_; }
  Error Refuse(const Node& node, std::string why) const;
  const ConstantChanges& changes() const { return changes_; }

 private:
  RowTracer() = default;

  Status TraceNodes(Graph& graph);
  Status TraceNode(Node& node);
  // Errors: the rank of an operand or result that may be a tensor is not known.
  Status CheckRanks(const Node& node) const;
  Status TraceCount(Node& node);
  Status TakeFirstOfExpanded(Node& node);
  void SetResults(Node& node, const Rows& rows);
  Rows Reads(const Node& node) const;
  Status CheckResult(const Node& node, Value& result) const;
  Result<Value*> Repeated(Node& node, Value* value, const Rows& rows);
  Result<Value*> FirstSample(Node& node, Value* value, const Rows& rows);
  Result<Value*> CountVector(Node& node);
  std::set<std::size_t> SitesBefore(const Node& node) const;
  std::set<std::size_t> SitesBefore(const Value& value) const;

  Graph* entry_ = nullptr;
  PassContext context_;
  Dim samples_;
  Dim old_samples_;
  TraceMemory* memory_ = nullptr;
  std::unordered_map<const Value*, Rows> rows_;
  std::unordered_map<const Value*, Type> old_types_;
  std::unordered_map<const Node*, std::size_t> sites_;
  Value* count_ = nullptr;
  ConstantChanges changes_;
  std::vector<const Node*> refused_;
  bool again_ = false;
  std::size_t in_group_ = 0;  // bodies that read nothing of the graphs around them
};

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_RESIZE_ROW_TRACER_H_
