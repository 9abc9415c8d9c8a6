// SPDX-License-Identifier: Apache-2.0
#include "proto/tensorflow/signature_codec.h"

#include "proto/tensorflow/data_type.h"

namespace dragoman::tf_codec {

std::vector<FlatInfo> Flatten(const std::string& key, const tf_pb::TensorInfo& info) {
  std::vector<FlatInfo> flat;
  if (info.has_composite_tensor()) {
    const auto& components = info.composite_tensor().components();
    for (int i = 0; i < components.size(); ++i) {
      for (FlatInfo& part : Flatten(key + "." + std::to_string(i), components.Get(i)))
        flat.push_back(std::move(part));
    }
    return flat;
  }
  const Type elements = TypeOfDataType(info.dtype());
  if (info.has_coo_sparse()) {
    const auto& sparse = info.coo_sparse();
    flat.push_back({key + ".values", sparse.values_tensor_name(), elements});
    flat.push_back({key + ".indices", sparse.indices_tensor_name(), Type::Tensor(DType::kI64)});
    flat.push_back(
        {key + ".dense_shape", sparse.dense_shape_tensor_name(), Type::Tensor(DType::kI64)});
    return flat;
  }
  flat.push_back({key, info.name(), TypeOf(info.dtype(), info.tensor_shape())});
  return flat;
}

void FillPlain(const std::string& tensor, const Type& type, tf_pb::TensorInfo* info) {
  info->set_name(tensor);
  info->set_dtype(static_cast<tf_pb::DataType>(DataTypeOf(type).value_or(0)));
  FillShape(type, info->mutable_tensor_shape());
}

}  // namespace dragoman::tf_codec
