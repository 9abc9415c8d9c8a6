// The classes of a source Model: `torchscript.classes` in its extra, as README.md of this folder
// describes it.
#ifndef DRAGOMAN_IMPORTERS_TORCHSCRIPT_CLASS_TABLE_H_
#define DRAGOMAN_IMPORTERS_TORCHSCRIPT_CLASS_TABLE_H_

#include "core/ir/model.h"
#include "importers/torchscript/program.h"

namespace dragoman::torchscript {

inline constexpr char kClassTable[] = "torchscript.classes";

// Adds every class that `program` has looked at, sorted by name.
void AddClassTable(const Program& program, Model& model);

}  // namespace dragoman::torchscript

#endif  // DRAGOMAN_IMPORTERS_TORCHSCRIPT_CLASS_TABLE_H_
