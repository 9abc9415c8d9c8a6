// SPDX-License-Identifier: Apache-2.0
// A zip archive of a pickle, in which tensors name their storages, and a record for each storage.
#include "exporters/pt2/saved_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/support/zip_writer.h"

namespace dragoman::pt2 {
namespace {

std::optional<std::string_view> StorageOf(DType dtype) {
  switch (dtype) {
    case DType::kBool:
      return "BoolStorage";
    case DType::kU8:
      return "ByteStorage";
    case DType::kI8:
      return "CharStorage";
    case DType::kI16:
      return "ShortStorage";
    case DType::kI32:
      return "IntStorage";
    case DType::kI64:
      return "LongStorage";
    case DType::kF16:
      return "HalfStorage";
    case DType::kBF16:
      return "BFloat16Storage";
    case DType::kF32:
      return "FloatStorage";
    case DType::kF64:
      return "DoubleStorage";
    case DType::kC64:
      return "ComplexFloatStorage";
    case DType::kC128:
      return "ComplexDoubleStorage";
    default:
      return std::nullopt;
  }
}

// Instructions of a pickle, protocol 2.
class Pickle {
 public:
  Pickle() : bytes_("\x80\x02") {}

  void Mark() { bytes_ += '('; }
  void Tuple() { bytes_ += 't'; }  // of what lies above the last mark
  void Reduce() { bytes_ += 'R'; }
  void Bool(bool value) { bytes_ += value ? '\x88' : '\x89'; }
  void EmptyDict() { bytes_ += '}'; }
  void SetItems() { bytes_ += 'u'; }
  void PersistentId() { bytes_ += 'Q'; }
  void Global(std::string_view module, std::string_view name) {
    bytes_ += fmt::format("c{}\n{}\n", module, name);
  }
  void Text(std::string_view text) {
    bytes_ += 'X';
    PutBytes(text.size(), 4);
    bytes_ += text;
  }
  void Int(std::int64_t value) {
    bytes_ += "\x8a\x08";
    PutBytes(static_cast<std::uint64_t>(value), 8);
  }
  void Ints(const std::vector<std::int64_t>& values) {
    Mark();
    for (std::int64_t value : values) Int(value);
    Tuple();
  }
  void EmptyOrderedDict() {
    Global("collections", "OrderedDict");
    bytes_ += ')';
    Reduce();
  }
  std::string Finish() && { return std::move(bytes_) + '.'; }

 private:
  void PutBytes(std::uint64_t value, int count) {
    for (int i = 0; i < count; ++i) bytes_ += static_cast<char>(value >> (8 * i) & 0xff);
  }

  std::string bytes_;
};

std::vector<std::int64_t> StridesOf(const dragoman::Tensor& tensor) {
  std::vector<std::int64_t> strides(tensor.sizes().size());
  std::int64_t stride = 1;
  for (std::size_t i = strides.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= std::max<std::int64_t>(tensor.sizes()[i], 1);
  }
  return strides;
}

void PutTensor(const dragoman::Tensor& tensor, std::string_view storage, std::size_t record,
               Pickle& pickle) {
  pickle.Global("torch._utils", "_rebuild_tensor_v2");
  pickle.Mark();
  pickle.Mark();
  pickle.Text("storage");
  pickle.Global("torch", storage);
  pickle.Text(std::to_string(record));
  pickle.Text("cpu");
  pickle.Int(tensor.size());
  pickle.Tuple();
  pickle.PersistentId();
  pickle.Int(0);
  pickle.Ints(tensor.sizes());
  pickle.Ints(StridesOf(tensor));
  pickle.Bool(false);
  pickle.EmptyOrderedDict();
  pickle.Tuple();
  pickle.Reduce();
}

void PutWeight(const Weight& weight, std::string_view storage, std::size_t record, Pickle& pickle) {
  pickle.Text(weight.path);
  if (weight.kind != WeightKind::kParameter)
    return PutTensor(weight.tensor, storage, record, pickle);
  pickle.Global("torch._utils", "_rebuild_parameter");
  pickle.Mark();
  PutTensor(weight.tensor, storage, record, pickle);
  pickle.Bool(true);
  pickle.EmptyOrderedDict();
  pickle.Tuple();
  pickle.Reduce();
}

}  // namespace

Result<std::string> SavedTensors(const std::vector<const Weight*>& weights) {
  Pickle pickle;
  pickle.EmptyDict();
  pickle.Mark();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const DType dtype = weights[i]->tensor.dtype();
    const std::optional<std::string_view> storage = StorageOf(dtype);
    if (!storage)
      return Unsupported(fmt::format("PyTorch before 2.9 saves no weights of type {}", Name(dtype)))
          .At("weight '" + weights[i]->path + "'");
    PutWeight(*weights[i], *storage, i, pickle);
  }
  pickle.SetItems();
  std::string archive;
  ZipWriter zip(archive);
  const auto text = [](std::string_view bytes) { return std::as_bytes(std::span(bytes)); };
  const std::string instructions = std::move(pickle).Finish();
  DRAGOMAN_TRY(zip.Add("archive/data.pkl", text(instructions)));
  DRAGOMAN_TRY(zip.Add("archive/byteorder", text("little")));
  for (std::size_t i = 0; i < weights.size(); ++i)
    DRAGOMAN_TRY(zip.Add(fmt::format("archive/data/{}", i), weights[i]->tensor.bytes()));
  DRAGOMAN_TRY(zip.Add("archive/version", text("3\n")));
  DRAGOMAN_TRY(zip.Finish());
  return archive;
}

}  // namespace dragoman::pt2
