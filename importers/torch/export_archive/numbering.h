// SPDX-License-Identifier: Apache-2.0
// The numbers that stand in the JSON of torch.export for element types, layouts and memory formats
// (torch/_export/serde/schema.py), which are not those of TorchScript.
#ifndef DRAGOMAN_IMPORTERS_TORCH_EXPORT_ARCHIVE_NUMBERING_H_
#define DRAGOMAN_IMPORTERS_TORCH_EXPORT_ARCHIVE_NUMBERING_H_

#include <cstdint>
#include <optional>

#include "importers/torch/container/torch_dtype.h"

namespace dragoman::torch {

inline constexpr std::int64_t kStridedLayout = 7;

// nullopt: no such number, or a type that nothing here holds (float8_e8m0fnu).
std::optional<TorchDType> DTypeOfExport(std::int64_t number);
// torch's own number of a layout or memory format (c10/core); nullopt: no such number.
std::optional<std::int64_t> LayoutOfExport(std::int64_t number);
std::optional<std::int64_t> MemoryFormatOfExport(std::int64_t number);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_EXPORT_ARCHIVE_NUMBERING_H_
