#include "importers/torch/export_archive/payloads.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "core/support/bytes.h"
#include "core/support/text.h"
#include "importers/torch/container/value.h"
#include "importers/torch/export_archive/numbering.h"

namespace dragoman::torch {
namespace {

// {"as_int": 3}
std::optional<std::int64_t> SizeOf(const Json& json) {
  const Json* value = FindMember(json, "as_int");
  if (value == nullptr || !value->is_number_integer()) return std::nullopt;
  const auto size = value->get<std::int64_t>();
  return size >= 0 ? std::optional(size) : std::nullopt;
}

std::optional<std::vector<std::int64_t>> SizesOf(const Json* json) {
  if (json == nullptr || !json->is_array()) return std::nullopt;
  std::vector<std::int64_t> sizes;
  for (const Json& item : *json) {
    const auto size = SizeOf(item);
    if (!size) return std::nullopt;
    sizes.push_back(*size);
  }
  return sizes;
}

std::optional<std::int64_t> NumberOf(const Json* json) {
  if (json == nullptr || !json->is_number_integer()) return std::nullopt;
  return json->get<std::int64_t>();
}

Result<StoredTensor> StoredFrom(const Json& meta) {
  StoredTensor tensor;
  const auto dtype = NumberOf(FindMember(meta, "dtype"));
  const auto layout = NumberOf(FindMember(meta, "layout"));
  auto sizes = SizesOf(FindMember(meta, "sizes"));
  auto strides = SizesOf(FindMember(meta, "strides"));
  const Json* offset_json = FindMember(meta, "storage_offset");
  const auto offset = offset_json != nullptr ? SizeOf(*offset_json) : 0;
  if (!dtype || !sizes || !strides || !offset || sizes->size() != strides->size())
    return InvalidInput("its description has no element type, sizes and strides");
  if (layout && *layout != kStridedLayout)
    return Unsupported(
        fmt::format("its layout has number {}; only strided tensors are read", *layout));
  const std::optional<TorchDType> known = DTypeOfExport(*dtype);
  if (!known) return Unsupported(fmt::format("its element type has number {}", *dtype));
  tensor.dtype = *known;
  tensor.sizes = *std::move(sizes);
  tensor.strides = *std::move(strides);
  tensor.offset = *offset;
  return tensor;
}

}  // namespace

Result<Payloads> Payloads::Read(const Archive& archive) {
  Payloads payloads(archive);
  for (std::string_view folder : {"data/weights/", "data/constants/"}) {
    for (std::string_view record : archive.NamesUnder(folder)) {
      if (!record.ends_with(".json")) continue;
      Status status = payloads.ReadConfig(record);
      if (!status.ok()) return std::move(status).error().At(fmt::format("record {}", record));
    }
  }
  return payloads;
}

Status Payloads::ReadConfig(std::string_view record) {
  DRAGOMAN_ASSIGN(const Buffer bytes, archive_->Read(record));
  DRAGOMAN_ASSIGN(Json json, ParseJson(AsText(bytes.bytes())));
  const Json* config = FindMember(json, "config");
  if (config == nullptr || !config->is_object())
    return InvalidInput("found no object config, which tells where tensors lie");
  for (const auto& [fqn, meta] : config->items()) {
    const bool fresh = payloads_.emplace(fqn, Payload{std::string(record), meta}).second;
    if (!fresh) return InvalidInput("two tensors have the name " + Quote(fqn));
  }
  configs_.emplace(record, std::move(json));
  taken_.emplace(record);
  return {};
}

Result<Tensor> Payloads::ElementsOf(const Payload& payload, Buffer& record,
                                    std::string& path) const {
  const Json* pickled = FindMember(payload.meta, "use_pickle");
  if (pickled != nullptr && *pickled == true)
    return Unsupported("its data are a pickled Python object; export plain tensors");
  const Json* meta = FindMember(payload.meta, "tensor_meta");
  const std::string name = TextMember(payload.meta, "path_name");
  if (meta == nullptr || name.empty())
    return InvalidInput("its payload has no path_name and tensor_meta");
  DRAGOMAN_ASSIGN(StoredTensor tensor, StoredFrom(*meta));
  path = payload.config.substr(0, payload.config.rfind('/') + 1) + name;
  DRAGOMAN_ASSIGN(record, archive_->Read(path));
  StoredStorage storage;
  storage.key = name;
  storage.dtype = tensor.dtype;
  storage.count = static_cast<std::int64_t>(record.size()) * 8 / Info(tensor.dtype).bits;
  storage.bytes = record;
  tensor.storage = &storage;
  DRAGOMAN_TRY(CheckReach(tensor));
  return DenseTensor(tensor);
}

Result<Value*> Payloads::AddConstant(const std::string& fqn, const std::string& name,
                                     Graph& graph) {
  const auto found = payloads_.find(fqn);
  if (found == payloads_.end())
    return InvalidInput("the archive has no data of tensor " + Quote(fqn));
  const Payload& payload = found->second;
  Buffer record;
  std::string path;
  Result<Tensor> elements = ElementsOf(payload, record, path);
  if (!elements.ok()) return std::move(elements).error().At("tensor " + Quote(fqn));
  const bool is_window = elements->bytes().data() == record.bytes().data() &&
                         elements->bytes().size() == record.size();
  DRAGOMAN_ASSIGN(Attribute meta, ToAttribute(payload.meta));
  Value* constant = graph.AddConstant(name, *std::move(elements));
  constant->extra().emplace_back(
      "pt2.payload",
      Attribute(Attribute::Dict{
          {"record", Attribute(path)},
          {"config", Attribute(payload.config)},
          {"dtype", Attribute(std::string(dragoman::Info(constant->type().dtype()).name))},
          {"meta", std::move(meta)}}));
  if (!is_window && record.size() > 0) {
    const auto size = static_cast<std::int64_t>(record.size());
    DRAGOMAN_ASSIGN(Tensor bytes, Tensor::Make(DType::kU8, {size}, record));
    constant->extra().emplace_back("pt2.storage", Attribute(std::move(bytes)));
  }
  configs_.at(payload.config)["config"].erase(fqn);
  taken_.insert(path);
  return constant;
}

Result<Attribute> Payloads::Rest() const {
  Attribute::Dict rest;
  for (const auto& [record, json] : configs_) {
    DRAGOMAN_ASSIGN(Attribute said, ToAttribute(json));
    rest.emplace_back(record, std::move(said));
  }
  return Attribute(std::move(rest));
}

}  // namespace dragoman::torch
