// SPDX-License-Identifier: Apache-2.0
// The operators that a file may use: functions of its library, TensorFlow's own, and what its
// stripped_op_list says of others.
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_GRAPH_KNOWN_OPS_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_GRAPH_KNOWN_OPS_H_

#include <map>
#include <string>
#include <string_view>

#include "importers/tensorflow/graph/op_schema.h"
#include "proto/tensorflow/tensorflow.pb.h"

namespace dragoman::tf_reader {

class KnownOps {
 public:
  KnownOps(const tf_pb::FunctionDefLibrary& library, const tf_pb::OpList& others);

  const tf::OpSchema* Find(std::string_view op) const;  // nullptr: it is not known

 private:
  std::map<std::string, tf::OpSchema, std::less<>> functions_;
  std::map<std::string, tf::OpSchema, std::less<>> others_;
};

}  // namespace dragoman::tf_reader

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_GRAPH_KNOWN_OPS_H_
