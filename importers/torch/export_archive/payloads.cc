// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/export_archive/payloads.h"

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "core/support/bytes.h"
#include "core/support/text.h"
#include "core/support/zip_file.h"
#include "importers/torch/container/unpickle.h"
#include "importers/torch/export_archive/numbering.h"

namespace dragoman::torch {
namespace {

// {"as_int": 3}
std::optional<std::int64_t> SizeOf(const Json& json) {
  const Json* value = FindMember(json, "as_int");
  const auto size = value != nullptr ? IntegerOf(*value) : std::nullopt;
  return size && *size >= 0 ? size : std::nullopt;
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
  return json != nullptr ? IntegerOf(*json) : std::nullopt;
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

Json SizesJson(const std::vector<std::int64_t>& sizes) {
  Json items = Json::array();
  for (std::int64_t size : sizes) items.push_back({{"as_int", size}});
  return items;
}

// What the configuration of a newer archive says of a tensor.
Json MetaOf(const StoredTensor& tensor) {
  return {{"sizes", SizesJson(tensor.sizes)},
          {"strides", SizesJson(tensor.strides)},
          {"storage_offset", {{"as_int", tensor.offset}}}};
}

// The entries of what torch.save wrote, by name without the top folder; stored ones are windows.
class SavedArchive {
 public:
  static Result<SavedArchive> Open(const Buffer& bytes) {
    DRAGOMAN_ASSIGN(ZipFile zip, ZipFile::Open(bytes.bytes()));
    SavedArchive archive(bytes, std::move(zip));
    for (std::size_t i = 0; i < archive.zip_.entries().size(); ++i) {
      const std::string& name = archive.zip_.entries()[i].name;
      archive.records_.emplace(name.substr(name.find('/') + 1), i);
    }
    return archive;
  }

  Result<Buffer> Read(const std::string& name) {
    const auto found = records_.find(name);
    if (found == records_.end()) return InvalidInput("it has no record " + name);
    if (!zip_.entries()[found->second].is_stored) {
      DRAGOMAN_ASSIGN(std::string bytes, zip_.Read(found->second));
      return Buffer::Own(std::move(bytes));
    }
    DRAGOMAN_ASSIGN(const std::span<const std::byte> bytes, zip_.View(found->second));
    return Buffer::Window(bytes, std::make_shared<Buffer>(bytes_));
  }

  bool Has(const std::string& name) const { return records_.contains(name); }

 private:
  SavedArchive(const Buffer& bytes, ZipFile zip) : bytes_(bytes), zip_(std::move(zip)) {}

  Buffer bytes_;
  ZipFile zip_;
  std::map<std::string, std::size_t> records_;
};

// The value that torch.save wrote, in `heap`.
Result<Stored> ReadSaved(const Buffer& bytes, StoredHeap& heap) {
  DRAGOMAN_ASSIGN(SavedArchive archive, SavedArchive::Open(bytes));
  if (archive.Has("byteorder")) {
    DRAGOMAN_ASSIGN(const Buffer order, archive.Read("byteorder"));
    if (AsText(order.bytes()) != "little") return Unsupported("its data are not little-endian");
  }
  const auto load = [&archive](const std::string& key,
                               std::size_t size) -> Result<std::optional<Buffer>> {
    if (size == 0) return std::optional<Buffer>(Buffer());
    DRAGOMAN_ASSIGN(Buffer elements, archive.Read("data/" + key));
    if (elements.size() >= size) return std::optional(std::move(elements));
    return InvalidInput(
        fmt::format("storage {} has {} bytes, expected {}", key, elements.size(), size));
  };
  Rebuilder rebuilder(&heap, load);
  DRAGOMAN_ASSIGN(const Buffer pickle, archive.Read("data.pkl"));
  return Unpickle(pickle.bytes(), rebuilder, kPickleMemoryBase + kPickleMemoryRatio * bytes.size());
}

// `status` with the record in front of where each finding is.
Status InRecord(std::string_view record, Status status) {
  if (status.ok()) return status;
  Error error = std::move(status).error();
  for (Finding& finding : error.findings())
    finding.place =
        fmt::format("record {}{}{}", record, finding.place.empty() ? "" : ":", finding.place);
  return error;
}

}  // namespace

struct Payloads::Pickle {
  std::string record;
  Buffer bytes;  // of the record
  StoredHeap heap;
  std::map<std::string, const StoredTensor*, std::less<>> tensors;
};

Payloads::Payloads(const Archive& archive) : archive_(&archive) {}
Payloads::Payloads(Payloads&&) noexcept = default;
Payloads& Payloads::operator=(Payloads&&) noexcept = default;
Payloads::~Payloads() = default;

namespace {

// Whether a record is a configuration, or the pickle, of a program.
bool IsOf(std::string_view program, std::string_view record) {
  if (!record.starts_with(program)) return false;
  const std::string_view rest = record.substr(program.size());
  return rest == ".pt" || rest.starts_with("_weights_") || rest.starts_with("_constants_") ||
         rest.starts_with("_model_");
}

}  // namespace

Result<Payloads> Payloads::Read(const Archive& archive, std::string_view program) {
  Payloads payloads(archive);
  for (std::string_view folder : {"data/weights/", "data/constants/"}) {
    for (std::string_view record : archive.NamesUnder(folder)) {
      if (!program.empty() && !IsOf(program, record.substr(folder.size()))) continue;
      const bool is_pickle = record.ends_with(".pt");
      if (!is_pickle && !record.ends_with(".json")) continue;
      DRAGOMAN_TRY(
          InRecord(record, is_pickle ? payloads.ReadPickled(record) : payloads.ReadConfig(record)));
    }
  }
  for (std::string_view record : {"serialized_state_dict.pt", "serialized_constants.pt"}) {
    if (archive.Has(record)) DRAGOMAN_TRY(InRecord(record, payloads.ReadPickled(record)));
  }
  return payloads;
}

Status Payloads::ReadPickled(std::string_view record) {
  Pickle pickle;
  pickle.record = record;
  DRAGOMAN_ASSIGN(pickle.bytes, archive_->Read(record));
  if (pickle.bytes.size() == 0) return {};  // of a program without weights
  DRAGOMAN_ASSIGN(const Stored root, ReadSaved(pickle.bytes, pickle.heap));
  const auto* dict = std::get_if<const StoredDict*>(&root);
  if (dict == nullptr) return InvalidInput("found " + Describe(root) + ", expected a dictionary");
  for (const auto& [key, value] : (*dict)->items) {
    const auto* name = std::get_if<StoredString>(&key);
    const auto* tensor = std::get_if<const StoredTensor*>(&value);
    if (name != nullptr && tensor != nullptr) pickle.tensors.emplace(**name, *tensor);
  }
  pickles_.push_back(std::move(pickle));
  return {};
}

Status Payloads::ReadConfig(std::string_view record) {
  DRAGOMAN_ASSIGN(const Buffer bytes, archive_->Read(record));
  DRAGOMAN_ASSIGN(Json json, ParseJson(AsText(bytes.bytes())));
  const Json* config = FindMember(json, "config");
  if (config == nullptr || !config->is_object())
    return InvalidInput("found no object config, which gives the places of tensors");
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
  if (const auto found = payloads_.find(fqn); found != payloads_.end()) {
    Result<Value*> constant = AddStored(found->second, name, graph);
    if (!constant.ok()) return std::move(constant).error().At("tensor " + Quote(fqn));
    configs_.at(found->second.config)["config"].erase(fqn);
    return constant;
  }
  for (const Pickle& pickle : pickles_) {
    const auto found = pickle.tensors.find(fqn);
    if (found == pickle.tensors.end()) continue;
    Result<Value*> constant = AddPickled(pickle, *found->second, name, graph);
    if (!constant.ok()) return std::move(constant).error().At("tensor " + Quote(fqn));
    return constant;
  }
  return InvalidInput("the archive has no data of tensor " + Quote(fqn));
}

Result<Value*> Payloads::AddStored(const Payload& payload, const std::string& name, Graph& graph) {
  Buffer record;
  std::string path;
  DRAGOMAN_ASSIGN(Tensor elements, ElementsOf(payload, record, path));
  const bool is_window =
      elements.bytes().data() == record.bytes().data() && elements.bytes().size() == record.size();
  DRAGOMAN_ASSIGN(Attribute meta, ToAttribute(payload.meta));
  Value* constant = graph.AddConstant(name, std::move(elements));
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
  taken_.insert(path);
  return constant;
}

Result<Value*> Payloads::AddPickled(const Pickle& pickle, const StoredTensor& tensor,
                                    const std::string& name, Graph& graph) const {
  if (tensor.layout != TensorLayout::kStrided || tensor.quantization || tensor.conjugated ||
      tensor.negated)
    return Unsupported("only plain strided tensors are read of a pickle");
  DRAGOMAN_ASSIGN(Tensor elements, DenseTensor(tensor));
  Value* constant = graph.AddConstant(name, std::move(elements));
  DRAGOMAN_ASSIGN(Attribute meta, ToAttribute(MetaOf(tensor)));
  Attribute::Dict payload = {{"record", Attribute(pickle.record)}, {"meta", std::move(meta)}};
  // Where the storage begins in the record, unless it is compressed there.
  const std::byte* begin = pickle.bytes.bytes().data();
  const std::byte* storage = tensor.storage->bytes.bytes().data();
  const bool is_inside =
      std::greater_equal<>()(storage, begin) && std::less<>()(storage, begin + pickle.bytes.size());
  if (is_inside) payload.emplace_back("at", Attribute(std::int64_t{storage - begin}));
  constant->extra().emplace_back("pt2.payload", Attribute(std::move(payload)));
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
