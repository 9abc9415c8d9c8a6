// SPDX-License-Identifier: Apache-2.0
// The edits that lead from one model to another.
//
// Nodes of the two models are matched in this order, each step among what is left:
//   1. what the node computes, and what uses it, are equal; then either of them and the name;
//   2. what it computes occurs once on either side (upstream of a change), or op, attributes and
//   what
//      uses it do (downstream);
//   3. the same whatever the contents of floating-point weights, then what lies within six edges,
//      then op and what uses it;
//   4. nodes of one operator by their matched neighbours, the best supported first;
//   5. between matched nodes, what a longest common subsequence of the orders pairs; then 4 again;
//   6. of several that are alike as many as both sides have; op and name;
//   7. nodes of two operators with the same neighbours: one replaced the other.
// Hashes are over whole subgraphs, so each step is a sort or a queue of edges: O(n log n). What
// remains was inserted or removed. Matches only decide how the difference is described: whether
// there is one, CompareModels says.
#ifndef DRAGOMAN_CORE_COMPARE_DIFF_H_
#define DRAGOMAN_CORE_COMPARE_DIFF_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/compare/equal.h"

namespace dragoman {

struct DiffTrace;  // diff_trace.h

struct Edit {
  enum class Kind : std::uint8_t {
    kChangedAttribute,
    kChangedOp,
    kChangedOperand,
    kChangedResult,  // present on one side only
    kChangedType,
    kChangedConstant,
    kInsertedNode,
    kRemovedNode,
    kChangedInput,
    kChangedOutput,
    kChangedModel,  // states, entries, functions, versions
  };
  // How the contents of two constants of equal type differ.
  struct Elements {
    std::int64_t count = 0;  // of those that differ
    std::int64_t total = 0;
    std::int64_t first = 0;       // in row-major order
    double largest_absolute = 0;  // 0 for strings
    double largest_relative = 0;  // to the larger of the two elements, as rtol is
  };

  // What of the place differs; kWhole: the place itself, or what the kind names.
  enum class Part : std::uint8_t { kWhole, kAttribute, kOperand, kResult, kInput, kOutput };

  // A value at the end of an edge.
  struct End {
    enum class Kind : std::uint8_t { kNothing, kConstant, kInput, kResult };
    Kind kind = Kind::kNothing;  // of which alone nothing else is stated
    std::string name;
    std::string type;
    std::string node;  // of a result: what gives it
    std::string op;
    std::size_t result = 0;  // which of its results
  };

  Kind kind = Kind::kChangedModel;
  Part part = Part::kWhole;
  std::string attribute;          // kAttribute: its name
  std::size_t index = 0;          // other parts: which one
  std::vector<std::string> path;  // the entry or function, then the nodes in whose bodies it lies
  std::string node_a;             // names of the nodes; of one without a name, of its first result
  std::string node_b;
  std::string op;         // "onnx.Gemm": in the first model, of an inserted node in the second
  std::string what;       // in words: "attribute 'axis'", "operand 1"; may be empty
  std::string place_a;    // "node 'fc1' (onnx.Gemm)"; empty for what was inserted
  std::string place_b;    // empty for what was removed
  std::string old_value;  // as in the first model
  std::string new_value;
  std::string origin_a;  // source operators of the places: "onnx.Gemm 'fc1' policy.py:87"
  std::string origin_b;
  std::optional<Elements> elements;  // kChangedConstant
  // Operands, inputs, outputs and constants that old_value and new_value describe.
  std::optional<End> old_end, new_end;
  std::optional<End> first_operand;  // of a node that was inserted or removed, if it has operands
};

// "changed attribute", "inserted node", …
std::string_view Name(Edit::Kind kind);

struct DiffReport {
  Level level = Level::kSource;
  std::optional<Difference> first;  // nullopt: equal
  std::vector<Edit> edits;          // in order of the first model; what was inserted comes last
  std::size_t constants = 0;        // of the first model
  std::string assumption;  // under which they are equal: "inputs between -1 and 1"; mostly none

  bool equal() const { return !first.has_value(); }
};

// Fills `trace`, unless it is nullptr. Errors: those of CompareModels.
Result<DiffReport> DiffModels(const Model& a, const Model& b, const CompareOptions& options,
                              DiffTrace* trace = nullptr);

// In a few words: "same structure; 42 of 42 weights differ, by at most 0.00031", "1 node inserted:
// node 'drop' (onnx.Dropout)". Empty if the models are equal.
std::string Verdict(const DiffReport& report);
// Whether edits that say the same of four nodes or more are one line.
enum class Listing { kGroups, kEach };
// "equal (source level)", or the verdict, the first difference and all edits with their number by
// kind.
std::string RenderText(const DiffReport& report, Listing listing = Listing::kGroups);
// {"equal", "level", "assumption" if there is one, "verdict", "first": {…}, "counts": {…}, "edits":
// [{"kind", "operator", "path", "node_a", "node_b", "attribute" or "operand", "result", "input",
// "output", "before", "after", or "first_operand" of a node that was inserted or removed}]}, where
// that, and what is before and after of values, is an object (Edit::End).
std::string RenderJson(const DiffReport& report);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_COMPARE_DIFF_H_
