// SPDX-License-Identifier: Apache-2.0
// Words for values and attributes in findings.
#ifndef DRAGOMAN_CORE_COMPARE_PLACES_H_
#define DRAGOMAN_CORE_COMPARE_PLACES_H_

#include <string>
#include <string_view>
#include <vector>

#include "core/ir/graph.h"
#include "core/ir/origin.h"

namespace dragoman::compare {

// "constant 'W' f32[3, 4]", "input 'x' f32[2]", "result 0 'y' of node 'fc' (onnx.Gemm)"; "nothing"
// for nullptr.
std::string Describe(const Value* value);
// By which a person knows a node: its own name, or that of its first result, since many files name
// results alone.
std::string_view NameOf(const Node& node);
// The value of an attribute, short: long lists and strings are cut, tensors shown as their type.
std::string Describe(const Attribute& attribute);
// The first source operators that an Origin names: "onnx.Gemm 'fc1' policy.py:87, … and 2 more".
std::string DescribeOrigin(const OriginPtr& origin);
// `value` with an absolute precision that reads well: "1e-06", "0.125".
std::string FormatNumber(double value);

// Keeps the first and the last steps of a long path and says how many were left out.
std::vector<std::string> ShortenPath(std::vector<std::string> path);

}  // namespace dragoman::compare

#endif  // DRAGOMAN_CORE_COMPARE_PLACES_H_
