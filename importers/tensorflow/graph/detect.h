// SPDX-License-Identifier: Apache-2.0
// Distinguishes TensorFlow's files from others, and from one another.
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_GRAPH_DETECT_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_GRAPH_DETECT_H_

#include <cstddef>
#include <span>
#include <string>

namespace dragoman {

enum class TensorFlowFile {
  kNone,
  kGraphDef,
  kMetaGraphDef,
  kSavedModel,
  kGraphDefText,
  kMetaGraphDefText,
  kSavedModelText,
  // Formats that are recognised to be refused by name.
  kChunkedSavedModel,
  kKerasArchive,
  kHdf5,
  kTfLite,
};

// By content alone. A damaged file may be kNone.
TensorFlowFile TensorFlowFileKind(std::span<const std::byte> file);

// Whether the folder holds a SavedModel.
bool IsSavedModelFolder(const std::string& path);

}  // namespace dragoman

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_GRAPH_DETECT_H_
