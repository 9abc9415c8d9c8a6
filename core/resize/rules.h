// SPDX-License-Identifier: Apache-2.0
// How operators treat the samples of a batch: a rule takes a node of which an operand holds
// samples, changes what stood for their number and says where its results hold them.
#ifndef DRAGOMAN_CORE_RESIZE_RULES_H_
#define DRAGOMAN_CORE_RESIZE_RULES_H_

#include <span>
#include <string_view>

#include "core/resize/row_tracer.h"

namespace dragoman {

struct RowRule {
  std::string_view label;  // "Conv", "dragoman.Linear"
  Status (*trace)(Node& node, RowTracer& tracer);
};

std::span<const RowRule> BodyRowRules();      // If, Loop, Scan, Fused
std::span<const RowRule> MovementRowRules();  // elements that go to other places
std::span<const RowRule> ProductRowRules();   // sums over a shared axis
std::span<const RowRule> ReshapeRowRules();   // elements in the same order
std::span<const RowRule> WindowRowRules();    // samples along axis 0, lines along another

// nullptr: it is not known how the operator treats samples.
const RowRule* FindRowRule(const Node& node);

// Elements of a result that depend on those at their place.
Status TraceElementwiseRows(Node& node, RowTracer& tracer);
// Makes a Reshape of `node`, or leaves it one, that gives the elements of its operand 0 in order,
// in the shape that its result has.
Status TraceReshapedRows(Node& node, RowTracer& tracer);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_RESIZE_RULES_H_
