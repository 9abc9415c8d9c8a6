// SPDX-License-Identifier: Apache-2.0
// Conditions on sizes of inputs that a program was exported under, each a line of Python:
// "L['y'].size()[0] == (1 + L['x'].size()[0])". Parsed by a small grammar, never evaluated.
#ifndef DRAGOMAN_IMPORTERS_TORCH_EXPORT_ARCHIVE_GUARDS_H_
#define DRAGOMAN_IMPORTERS_TORCH_EXPORT_ARCHIVE_GUARDS_H_

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "core/ir/dim.h"

namespace dragoman::torch {

// The size of an axis of an input; unknown if there is no such one. Inputs that lie in lists and
// dictionaries have the names of torch's placeholders, "xs_0" of L['xs'][0].
using SizeOfInput = std::function<Dim(const std::string& input, std::size_t axis)>;

// Whether the condition holds; kUnknown also where it is not a comparison of sizes.
Truth HoldsFor(std::string_view guard, const SizeOfInput& size_of);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_EXPORT_ARCHIVE_GUARDS_H_
