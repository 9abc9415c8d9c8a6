// SPDX-License-Identifier: Apache-2.0
// The edits that lead from one model to another.
//
// Nodes of the two models are matched in this order, each step among what is left:
//   1. what the node computes, and what uses it, are equal; then either of them and the name;
//   2. what it computes is equal and occurs once on either side (upstream of a change);
//   3. op, attributes and what uses it are equal (downstream of a change);
//   4. what uses it is equal and occurs once on either side (the changed node itself);
//   5. neighbours of matches: producers of the same operand, single users of the same kind;
//   6. what it computes, among several; then op, attributes and what it reads; of nodes that
//   nothing
//      uses op with name, attributes, or alone; then op and name; then name; then neighbours again.
// Hashes are over whole subgraphs, so each step is a sort: O(n log n). What remains was inserted or
// removed. Matches only decide how the difference is told: whether there is one, CompareModels
// says.
#ifndef DRAGOMAN_CORE_COMPARE_DIFF_H_
#define DRAGOMAN_CORE_COMPARE_DIFF_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/compare/equal.h"

namespace dragoman {

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

  Kind kind = Kind::kChangedModel;
  std::string what;       // "attribute 'axis'", "operand 1"; may be empty
  std::string place_a;    // "node 'fc1' (onnx.Gemm)"; empty for what was inserted
  std::string place_b;    // empty for what was removed
  std::string old_value;  // as in the first model
  std::string new_value;
  std::string origin_a;  // source operators of the places: "onnx.Gemm 'fc1' policy.py:87"
  std::string origin_b;
  std::optional<Elements> elements;  // kChangedConstant
};

// "changed attribute", "inserted node", …
std::string_view Name(Edit::Kind kind);

struct DiffReport {
  Level level = Level::kSource;
  std::optional<Difference> first;  // nullopt: equal
  std::vector<Edit> edits;          // in order of the first model; what was inserted comes last
  std::size_t constants = 0;        // of the first model

  bool equal() const { return !first.has_value(); }
};

// Errors: those of CompareModels.
Result<DiffReport> DiffModels(const Model& a, const Model& b, const CompareOptions& options);

// In a few words: "same structure; 42 of 42 weights differ, by at most 0.00031", "1 node inserted:
// node 'drop' (onnx.Dropout)". Empty if the models are equal.
std::string Verdict(const DiffReport& report);
// "equal (source level)", or the verdict, the first difference and all edits with their number by
// kind.
std::string RenderText(const DiffReport& report);
// {"equal", "level", "verdict", "first": {…}, "counts": {…}, "edits": [{…}]}
std::string RenderJson(const DiffReport& report);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_COMPARE_DIFF_H_
