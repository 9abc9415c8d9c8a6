// SPDX-License-Identifier: Apache-2.0
// Checkpoints: the values of variables.
//
// A bundle (v2) is PREFIX.index, a table of entries, and PREFIX.data-00000-of-00001, …, where the
// elements lie. The first format (v1) is one table, PREFIX, with elements and all.
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_CONTAINER_CHECKPOINT_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_CONTAINER_CHECKPOINT_H_

#include <string>
#include <vector>

#include "core/ir/attribute.h"
#include "core/support/result.h"

namespace dragoman::tf_reader {

struct CheckpointEntry {
  std::string key;
  Type type;
  // A tensor. What has no elements of ours (resources, variants) is a Dict of its `entry` and its
  // `bytes`.
  Attribute value;
};

// In order of keys; parts are joined. Numbers of a bundle are windows on its mapped files. Errors:
// neither file is there; damaged tables and elements (checksums are checked).
Result<std::vector<CheckpointEntry>> ReadCheckpoint(const std::string& prefix);

// Whether there is a checkpoint of that prefix.
bool HasCheckpoint(const std::string& prefix);

}  // namespace dragoman::tf_reader

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_CONTAINER_CHECKPOINT_H_
