// Every operator of torch that is lowered: its functions, one file a family, and the table.
#ifndef DRAGOMAN_IMPORTERS_TORCHSCRIPT_OPS_LOWERINGS_H_
#define DRAGOMAN_IMPORTERS_TORCHSCRIPT_OPS_LOWERINGS_H_

#include <string_view>

#include "importers/torchscript/ops/op_lowering.h"

namespace dragoman::torchscript {

// By name ("aten.add", "torchvision.nms"), overloads together; the in-place form has a row of its
// own only where it is not derived. nullptr: there is none.
const OpLowering* FindOpLowering(std::string_view name);

// neural.cc
Result<Value*> LowerRelu(Call& call);

}  // namespace dragoman::torchscript

#endif  // DRAGOMAN_IMPORTERS_TORCHSCRIPT_OPS_LOWERINGS_H_
