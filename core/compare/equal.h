// SPDX-License-Identifier: Apache-2.0
// Structural equality of models.
//
// Two graphs are equal if there is a one-to-one map between their values that respects
//  - entries (by name if both sides have the same names, else by position), their calling
//    conventions, state bindings and states,
//  - inputs and outputs by position, with their types and default values,
//  - op types, operands by position (an omitted operand is not a present one), results, types
//    (what is not known of a result fits what the other side states),
//  - attributes as a set by name, floats by their bits; one that has its default value equals an
//    absent one,
//  - subgraphs: a captured value is the same value of the enclosing graph,
//  - constants by element type, sizes and bits,
//  - called functions by their definition,
//  - effects, in order. Where a dialect mutates (CompareOptions::ordered_dialects) every node is
//  one.
// What does not count: names, the order of independent nodes, whether equal constants are shared
// and in which graph they lie, `extra`, origins, metadata. Symbols of shapes map one to one.
//
// At the common level dead nodes are ignored, trailing omitted operands do not count, and of the
// versions of operator sets only those do that foreign operators come from. At the source level
// the presence of operands counts, with `strict_attributes` that of attributes too, versions of
// operator sets count, and every node counts, also one that no output needs: such nodes are paired
// by what they compute and by what uses them. Among nodes that these hashes cannot distinguish,
// those of equal names are paired, then those of equal rank in the list. Defaults are known of
// operators of ai.onnx.
//
// The walk goes through both graphs at once from outputs, states and effects, which forces the map:
// linear time, no recursion. Cycles of the source level end where they meet a pair already made.
#ifndef DRAGOMAN_CORE_COMPARE_EQUAL_H_
#define DRAGOMAN_CORE_COMPARE_EQUAL_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/model.h"
#include "core/support/result.h"

namespace dragoman {

struct CompareOptions {
  Level level = Level::kSource;

  // Both compare by hash-consing: equal up to duplication of pure nodes. Effects and random nodes
  // stay one to one, in order of the walk. `commute` also takes operands of commutative operators
  // in any order.
  bool commute = false;
  bool modulo_sharing = false;

  // At the source level an attribute that has its default value differs from an absent one.
  bool strict_attributes = false;
  // A result of a node whose type, rank or size one side does not state differs from a stated one.
  // Always so under `commute` and `modulo_sharing`, which compare classes.
  bool strict_types = false;
  bool ignore_weights = false;  // contents of constants and of tensor attributes
  bool ignore_shapes = false;   // sizes and ranks; a value without any type then fits every type
  bool ignore_origins = false;  // a diff does not name the source operators of what it lists
  // Floating-point and complex constants may differ: |a - b| <= rtol * max(|a|, |b|) for every
  // element (runtime/program/closeness.h). Not together with `commute` or `modulo_sharing`, for
  // which equality has to be transitive.
  std::optional<double> rtol;
  // Dialects of operators that change what other nodes read: all their nodes count as effects.
  std::span<const std::string_view> ordered_dialects = {};
};

// The first place where two models differ, in the order of the walk.
struct Difference {
  std::string reason;             // "attribute 'axis' differs"
  std::string place_a;            // "node 'fc1' (onnx.Gemm)"
  std::string place_b;            // the place on the other side that was held against it
  std::string expected;           // what the first model has there
  std::string found;              // what the second has
  std::vector<std::string> path;  // from an entry down to the place; long ones are cut inside
  std::vector<std::string> Lines() const;  // as text, one finding
};

// nullopt: equal. Errors: the options exclude each other; a cyclic graph under hash-consing.
Result<std::optional<Difference>> CompareModels(const Model& a, const Model& b,
                                                const CompareOptions& options);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_COMPARE_EQUAL_H_
