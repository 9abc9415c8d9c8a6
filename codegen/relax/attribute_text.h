// SPDX-License-Identifier: Apache-2.0
// Attributes of functions and source nodes as Python's literals.
#ifndef DRAGOMAN_CODEGEN_RELAX_ATTRIBUTE_TEXT_H_
#define DRAGOMAN_CODEGEN_RELAX_ATTRIBUTE_TEXT_H_

#include <string>

#include "codegen/relax/relax_text.h"
#include "core/ir/attribute.h"
#include "core/ir/type.h"

namespace dragoman::relax {

// Names of sizes that stand for themselves.
SymbolNames NamesIn(const Type& type);

std::string ValueText(const Attribute& attribute);
// `"name": value, …`
std::string ItemsText(const Attribute::Dict& dict);

}  // namespace dragoman::relax

#endif  // DRAGOMAN_CODEGEN_RELAX_ATTRIBUTE_TEXT_H_
