// SPDX-License-Identifier: Apache-2.0
// Makes states of the inputs and outputs that were states when the file was written.
#ifndef DRAGOMAN_IMPORTERS_ONNX_RESTORE_STATES_H_
#define DRAGOMAN_IMPORTERS_ONNX_RESTORE_STATES_H_

#include "core/ir/model.h"
#include "core/support/result.h"

namespace dragoman {

// Whether the metadata of `model` have an entry kStatesKey (proto/onnx/extra.h).
bool RecordsStates(const Model& model);

// Takes the entry kStatesKey out of the metadata of a lowered model and binds the inputs and
// outputs that it names. Does nothing if there is no such entry. Errors: invalid input, for a
// record that is not of this form or names what does not exist.
Status RestoreStates(Model& model);

}  // namespace dragoman

#endif  // DRAGOMAN_IMPORTERS_ONNX_RESTORE_STATES_H_
