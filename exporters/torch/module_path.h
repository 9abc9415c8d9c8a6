// SPDX-License-Identifier: Apache-2.0
// Paths of modules, as parts that Python can have as attributes.
#ifndef DRAGOMAN_EXPORTERS_TORCH_MODULE_PATH_H_
#define DRAGOMAN_EXPORTERS_TORCH_MODULE_PATH_H_

#include <string>
#include <string_view>
#include <vector>

namespace dragoman::pytorch {

using ModulePath = std::vector<std::string>;

// The module that a node's nn_module_stack ends with.
ModulePath ScopeOf(std::string_view stack);
// "a.0.class" as a, 0, class_; "a.train" as a, train_.
ModulePath PathOf(std::string_view dotted);
std::string Dotted(const ModulePath& path);

bool IsNumber(std::string_view part);
// Whether `prefix` is `path` or above it.
bool IsAbove(const ModulePath& prefix, const ModulePath& path);

// "EncoderLayer" of "encoder_layer", for a class.
std::string ClassNameOf(std::string_view part);
// "block" of "blocks", "layer" of "layer2".
std::string Singular(std::string_view part);

}  // namespace dragoman::pytorch

#endif  // DRAGOMAN_EXPORTERS_TORCH_MODULE_PATH_H_
