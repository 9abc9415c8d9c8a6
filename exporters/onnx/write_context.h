// SPDX-License-Identifier: Apache-2.0
// What every part of the ONNX writer shares.
#ifndef DRAGOMAN_EXPORTERS_ONNX_WRITE_CONTEXT_H_
#define DRAGOMAN_EXPORTERS_ONNX_WRITE_CONTEXT_H_

#include "exporters/onnx/bulk.h"
#include "exporters/onnx/external_data.h"
#include "exporters/onnx/value_names.h"
#include "exporters/onnx/write_model.h"

namespace dragoman::onnx_writer {

struct WriteContext {
  WriteOnnxOptions options;
  Bulk bulk;
  ExternalData external;
  ValueNames names;
};

}  // namespace dragoman::onnx_writer

#endif  // DRAGOMAN_EXPORTERS_ONNX_WRITE_CONTEXT_H_
