// SPDX-License-Identifier: Apache-2.0
// The weights of a program: parameters, buffers and constants under the paths that modules of
// PyTorch give them.
#ifndef DRAGOMAN_EXPORTERS_PT2_WEIGHTS_H_
#define DRAGOMAN_EXPORTERS_PT2_WEIGHTS_H_

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/tensor.h"
#include "core/support/text.h"
#include "exporters/pt2/aten_value.h"
#include "exporters/pt2/json.h"

namespace dragoman::pt2 {

// Whether every module of torch has an attribute of that name, so that none of its weights, modules
// and methods may be called so.
bool IsAttributeOfModules(std::string_view name);

enum class WeightKind { kParameter, kBuffer, kConstant };

struct Weight {
  WeightKind kind = WeightKind::kBuffer;
  std::string path;  // "encoder.layers.0.weight"
  Term term;         // its placeholder
  dragoman::Tensor tensor;
};

class Weights {
 public:
  // The placeholder of a weight whose name in the source is `name`. Elements of less than 8 bits
  // become a byte each.
  const Weight& Add(WeightKind kind, std::string_view name, const dragoman::Tensor& tensor,
                    NameScope& names);

  const std::vector<Weight>& all() const { return weights_; }

 private:
  std::string NewPath(std::string_view name);

  std::vector<Weight> weights_;
  std::set<std::string> paths_;
  std::set<std::string> modules_;  // that hold them
};

// The specification of the weight as an input of the program.
Json InputSpecOf(const Weight& weight);
// What a program says of the weight's record.
Json PayloadOf(const Weight& weight, const std::string& record);

}  // namespace dragoman::pt2

#endif  // DRAGOMAN_EXPORTERS_PT2_WEIGHTS_H_
