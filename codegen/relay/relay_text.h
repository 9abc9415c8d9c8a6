// SPDX-License-Identifier: Apache-2.0
// Pieces of Relay text: types, literals, attributes.
#ifndef DRAGOMAN_CODEGEN_RELAY_RELAY_TEXT_H_
#define DRAGOMAN_CODEGEN_RELAY_RELAY_TEXT_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/ir/attribute.h"
#include "core/ir/tensor.h"
#include "core/ir/type.h"

namespace dragoman::relay::emit {

// The text of a named size ("meta[tir.SizeVar][0]").
using SizeText = std::function<std::string(const std::string& symbol)>;

// "Tensor[(2, ?), float32]", "float32", "(Tensor[(2), bool], int64)". nullopt for what Relay has no
// text of: an unknown type or rank, optionals.
std::optional<std::string> TypeText(const Type& type, const SizeText& size);

// A number as the text has it: "5", "5i64", "1.5f", "inff", "True". nullopt where only the metadata
// can say it: arrays, NaN, element types without a suffix.
std::optional<std::string> ScalarText(const Tensor& tensor);

// "1e-05f", "[1, 0]", "\"NCHW\"", "None". nullopt for tensors and graphs.
std::optional<std::string> AttributeText(const Attribute& value);

// The name of a variable or function: letters, digits and '_', no digit in front.
std::string LocalName(std::string_view name);

// What a comment can hold of the name of a node.
std::string SpanText(std::string_view name);

}  // namespace dragoman::relay::emit

#endif  // DRAGOMAN_CODEGEN_RELAY_RELAY_TEXT_H_
