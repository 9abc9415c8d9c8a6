// SPDX-License-Identifier: Apache-2.0
// The text of torch_schemas.txt: one schema a line, sorted by operator, overloads in the order in
// which torch 1.13 registers them, later ones after. The source is generated
// (cmake/EmbedText.cmake).
#ifndef DRAGOMAN_IMPORTERS_TORCH_SCHEMA_SCHEMA_TEXT_H_
#define DRAGOMAN_IMPORTERS_TORCH_SCHEMA_SCHEMA_TEXT_H_

#include <string_view>

namespace dragoman::torch {

std::string_view TorchSchemaText();

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_SCHEMA_SCHEMA_TEXT_H_
