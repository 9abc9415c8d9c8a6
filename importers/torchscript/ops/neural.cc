#include "importers/torchscript/ops/lowerings.h"

namespace dragoman::torchscript {

Result<Value*> LowerRelu(Call& call) {
  DRAGOMAN_ASSIGN(Value * self, call.Tensor("self"));
  return call.Add("Relu", {self});
}

}  // namespace dragoman::torchscript
