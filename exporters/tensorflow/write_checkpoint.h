// SPDX-License-Identifier: Apache-2.0
// The States of a model as a checkpoint (a bundle, v2, of one file of elements).
#ifndef DRAGOMAN_EXPORTERS_TENSORFLOW_WRITE_CHECKPOINT_H_
#define DRAGOMAN_EXPORTERS_TENSORFLOW_WRITE_CHECKPOINT_H_

#include <string>

#include "core/ir/model.h"
#include "core/support/output_file.h"
#include "core/support/result.h"

namespace dragoman::tf_writer {

// Writes the elements to `data` and returns the index. Errors: a State that is not a tensor.
Result<std::string> WriteCheckpoint(const Model& model, OutputFile* data);

}  // namespace dragoman::tf_writer

#endif  // DRAGOMAN_EXPORTERS_TENSORFLOW_WRITE_CHECKPOINT_H_
