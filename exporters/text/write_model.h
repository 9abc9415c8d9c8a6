// SPDX-License-Identifier: Apache-2.0
// Writes models in the text form (docs/text-form.md).
#ifndef DRAGOMAN_EXPORTERS_TEXT_WRITE_MODEL_H_
#define DRAGOMAN_EXPORTERS_TEXT_WRITE_MODEL_H_

#include <cstdint>
#include <string>

#include "core/ir/model.h"
#include "core/support/result.h"

namespace dragoman {

struct WriteTextOptions {
  // Tensors of more elements go to the file "<path>.bin" beside the text, which names them by
  // digest and offset; each content is there once. false: they stand in the text as base64.
  bool side_file = false;
  std::int64_t inline_elements = 256;
};

// The files appear whole or not at all. Without a tensor for it, no side file is written.
Status WriteText(const Model& model, const std::string& path, const WriteTextOptions& options = {});

}  // namespace dragoman

#endif  // DRAGOMAN_EXPORTERS_TEXT_WRITE_MODEL_H_
