// SPDX-License-Identifier: Apache-2.0
// Writes what stands for a source node as an expression (core/lowering/composer.h).
#ifndef DRAGOMAN_IMPORTERS_ONNX_OP_COMPOSER_H_
#define DRAGOMAN_IMPORTERS_ONNX_OP_COMPOSER_H_

#include <string_view>
#include <vector>

#include "core/lowering/composer.h"
#include "importers/onnx/op_lowering.h"

namespace dragoman {

class OpComposer : public Composer {
 public:
  explicit OpComposer(OpLowering& op) : Composer(op.builder), source_(op.source) {}

  // A Cast called `name`, also where `value` is of `dtype` already.
  Value* NamedCast(Value* value, DType dtype, std::string_view name);
  // What stands for the source node's results, or the first error.
  Result<std::vector<Value*>> Finish(std::vector<Value*> results) const;

 private:
  const Node& source_;
};

}  // namespace dragoman

#endif  // DRAGOMAN_IMPORTERS_ONNX_OP_COMPOSER_H_
