// SPDX-License-Identifier: Apache-2.0
// Loop and Scan as what they do: states that pass from iteration to iteration, slices that an
// iteration reads, results that are collected.
#ifndef DRAGOMAN_CORE_REWRITE_RECURRENCE_LOOP_VIEW_H_
#define DRAGOMAN_CORE_REWRITE_RECURRENCE_LOOP_VIEW_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/rewrite/pass_context.h"

namespace dragoman {

struct LoopState {
  Value* initial = nullptr;  // outside
  Value* input = nullptr;    // of the body
  Value* output = nullptr;   // of the body
  Value* last = nullptr;     // the result of the node; nullptr: omitted
};

// Values that the iterations read one after another: slices of `sequence` along `axis`.
struct LoopSlice {
  Value* sequence = nullptr;
  int axis = 0;
  bool reverse = false;
};

// One value per iteration, stacked along `axis`.
struct LoopCollection {
  Value* output = nullptr;  // of the body
  Value* result = nullptr;  // of the node; nullptr: omitted
  int axis = 0;
  bool reverse = false;
};

// What the iterations read of operand 0 of `node`, a Gather or Slice: every slice along `axis`, or
// every second and so on, in order or backwards, but for some at its ends.
struct LoopPart {
  Node* node = nullptr;
  int axis = 0;
  std::int64_t begin = 0;  // how many come before these
  std::int64_t rest = 0;   // and after
  std::int64_t stride = 1;
};

// factor * iteration + offset
struct IterationNumber {
  std::int64_t factor = 0;
  Dim offset;
};

struct LoopView {
  Node* node = nullptr;
  Graph* body = nullptr;
  std::vector<LoopState> states;
  std::vector<LoopCollection> collections;
  // By the value in the body that is the slice: an input, or what picks a slice by the number of
  // the iteration.
  std::unordered_map<const Value*, LoopSlice> slices;
  // Values in the body that are the number of the slice that an iteration reads: the number of the
  // iteration, or (true) counted from the last slice.
  std::unordered_map<const Value*, bool> numbers;
  // These and all others that are such.
  std::unordered_map<const Value*, IterationNumber> iterations;
  // Slices from the number of an iteration to the next, of values with one element per iteration:
  // the axis.
  std::unordered_map<const Node*, int> cuts;
  // Nodes by which the iterations read a part of a sequence only.
  std::vector<LoopPart> parts;
  Dim trips = Dim::Unknown();  // how many iterations there are, where it can be expressed
};

// Entry `i` of an attribute of Scan that is a list, as "scan_output_axes"; 0 where it is left out.
std::int64_t EntryOf(const Node& node, std::string_view name, std::size_t i);

// The view of a Scan, or of a Loop that runs once for every slice that it reads, a number of times
// or while a counter is below that number; nullopt for any other node, and for a loop that may end
// early or has effects.
std::optional<LoopView> ViewLoop(Node& node, const PassContext& context);

// Whether the number counts `trips` iterations from 0, or (true) down to it; nullopt: neither.
std::optional<bool> CountsIterations(const IterationNumber& number, const Dim& trips);

// Whether the elements are 0, 1, 2, …
bool CountsSteps(const Value& value, const Inference& inference);

// Slices from an iteration's number to the next become Gathers, whose size is known to be 1, and
// those of a part of a sequence Gathers of all of a Slice before the loop. Returns whether there
// was one; what reads them is inferred anew by the next pass.
Result<bool> GatherSlices(const LoopView& loop, PassContext& context);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_RECURRENCE_LOOP_VIEW_H_
