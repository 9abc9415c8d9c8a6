// SPDX-License-Identifier: Apache-2.0
// Weights that lie in files beside the model's, and whether these are there.
#ifndef DRAGOMAN_IMPORTERS_ONNX_MISSING_DATA_H_
#define DRAGOMAN_IMPORTERS_ONNX_MISSING_DATA_H_

#include <optional>
#include <string>
#include <vector>

#include "core/ir/graph.h"
#include "core/ir/model.h"
#include "core/support/missing_file.h"

namespace dragoman {

// That of one constant; nullopt: it has its elements, or does not say where they are.
std::optional<MissingFile> MissingFileOf(const Value& constant);
// Of all constants, by name.
std::vector<MissingFile> MissingFiles(const Model& model);

// The files, there or not, that hold elements of constants; relative to the model's folder.
std::vector<std::string> DataFiles(const Model& model);

// Why a constant has no elements, and where they are expected if they lie in a file.
std::string WhyWithoutElements(const Value& constant);

}  // namespace dragoman

#endif  // DRAGOMAN_IMPORTERS_ONNX_MISSING_DATA_H_
