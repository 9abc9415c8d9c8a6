// SPDX-License-Identifier: Apache-2.0
// Calls of ATen that compute one operator of the common graph say so in the metadata of the call
// that gives its first result, beside their origin:
//
//     "custom": {"source": "onnx.Hardmax", "name": "/head/Hardmax",
//                "operator": {"type": "Hardmax", "operands": ["x"], "attributes": "{axis = 1}",
//                             "results": ["to"], "digest": "5c0a…"}}
//
// Loops, and operators whose operands the program lacks with those that gave them, are of type
// "graph"; their attribute `body` is a graph whose inputs are the operands.
//
// A reader that knows operators of ONNX takes the operator in place of the calls if the digest is
// theirs (core/compare/composed_part.h), so that what passes of torch have changed is read as it
// stands. Only who reads archives can compute it.
#ifndef DRAGOMAN_EXPORTERS_PT2_OPERATOR_REMARK_H_
#define DRAGOMAN_EXPORTERS_PT2_OPERATOR_REMARK_H_

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/compare/composed_text.h"
#include "core/ir/tensor.h"
#include "core/support/result.h"
#include "exporters/pt2/json.h"

namespace dragoman::pt2 {

// Adds the remark to the metadata of a node. Nothing where JSON cannot hold it.
void AddRemark(const ComposedText& remark, Json& metadata);

// The digests of the remarks of a program, a JSON, by the first result that each names; "" where
// calls take more than the operands. `weight` gives the elements of a placeholder, or nullptr.
using WeightOf = std::function<const dragoman::Tensor*(const std::string& placeholder)>;
using RemarkDigests =
    std::function<Result<std::map<std::string, std::string>>(const std::string&, const WeightOf&)>;

// Completes the remarks of `program`. Those without a digest go, as all do where `digests` is not
// set.
Status StateDigests(const RemarkDigests& digests, const WeightOf& weight, Json& program);

}  // namespace dragoman::pt2

#endif  // DRAGOMAN_EXPORTERS_PT2_OPERATOR_REMARK_H_
