// SPDX-License-Identifier: Apache-2.0
// The files of runtime/ that a program needs.
#ifndef DRAGOMAN_CODEGEN_ONEDNN_RUNTIME_CLOSURE_H_
#define DRAGOMAN_CODEGEN_ONEDNN_RUNTIME_CLOSURE_H_

#include <span>
#include <vector>

#include "codegen/onednn/codegen.h"
#include "codegen/onednn/runtime_files.h"

namespace dragoman::onednn {

// What `files` include, directly or not; with each header the source of the same name, and with
// what may use oneDNN its stand-in. Sorted.
std::vector<const RuntimeFile*> RuntimeClosure(std::span<const GeneratedFile> files);

}  // namespace dragoman::onednn

#endif  // DRAGOMAN_CODEGEN_ONEDNN_RUNTIME_CLOSURE_H_
