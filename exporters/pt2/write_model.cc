// SPDX-License-Identifier: Apache-2.0
#include "exporters/pt2/write_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/ir/find_as.h"
#include "exporters/pt2/archive_contents.h"
#include "exporters/pt2/graph_json.h"
#include "exporters/pt2/json.h"

namespace dragoman {
namespace pt2 {
namespace {

std::vector<std::int64_t> IntsOf(const Json& meta, const char* key) {
  std::vector<std::int64_t> ints;
  for (const Json& item : meta.value(key, Json::array()))
    ints.push_back(item.value("as_int", std::int64_t{0}));
  return ints;
}

Json IntsJson(const std::vector<std::int64_t>& ints) {
  Json items = Json::array();
  for (std::int64_t value : ints) items.push_back({{"as_int", value}});
  return items;
}

// Calls `visit` with the place in its record, and the place in `tensor`, of every element, both in
// bytes. False: `meta` places one beyond `size` bytes, or `visit` gives false.
template <class Visit>
bool ForEachElement(const Tensor& tensor, const Json& meta, std::size_t size, Visit visit) {
  const std::vector<std::int64_t> strides = IntsOf(meta, "strides");
  const std::vector<std::int64_t>& sizes = tensor.sizes();
  const auto width = static_cast<std::size_t>(Info(tensor.dtype()).bits / 8);
  if (strides.size() != sizes.size() || width == 0) return false;
  std::vector<std::int64_t> index(sizes.size(), 0);
  std::int64_t at = meta.value("storage_offset", Json::object()).value("as_int", std::int64_t{0});
  for (std::size_t done = 0; done < tensor.bytes().size(); done += width) {
    if (at < 0 || static_cast<std::size_t>(at) >= size / width) return false;
    if (!visit(static_cast<std::size_t>(at) * width, done, width)) return false;
    for (std::size_t axis = index.size(); axis-- > 0;) {
      if (++index[axis] < sizes[axis]) {
        if (__builtin_add_overflow(at, strides[axis], &at)) return false;
        break;
      }
      std::int64_t way = 0;
      if (__builtin_mul_overflow(strides[axis], sizes[axis] - 1, &way) ||
          __builtin_sub_overflow(at, way, &at))
        return false;
      index[axis] = 0;
    }
  }
  return true;
}

// Whether the elements of `constant` are those of `record` from byte `at` on, where its payload
// says that they lie.
bool IsUnchanged(const Tensor& tensor, const Json& meta, std::span<const std::byte> record,
                 std::int64_t at) {
  if (IntsOf(meta, "sizes") != tensor.sizes()) return false;
  if (at < 0 || static_cast<std::size_t>(at) > record.size()) return false;
  const std::span<const std::byte> storage = record.subspan(static_cast<std::size_t>(at));
  return ForEachElement(
      tensor, meta, storage.size(), [&](std::size_t there, std::size_t here, std::size_t width) {
        return std::memcmp(storage.data() + there, tensor.bytes().data() + here, width) == 0;
      });
}

// One weight in a record.
struct Stored {
  const Value* constant;
  Json meta;  // tensor_meta
};

// The bytes of a record that `weights` share, or that holds more than the elements of one.
Result<std::string> SharedRecord(const std::vector<Stored>& weights) {
  std::span<const std::byte> base = weights.front().constant->tensor()->bytes();
  for (const Stored& weight : weights) {
    const Extra* extra = weight.constant->extra_if_any();
    const Attribute* said = extra != nullptr ? Find(*extra, "pt2.storage") : nullptr;
    if (said != nullptr && said->tensor() != nullptr) base = said->tensor()->bytes();
  }
  std::string record(reinterpret_cast<const char*>(base.data()), base.size());
  const auto each = [&](const Stored& weight, auto visit) {
    const auto* elements = reinterpret_cast<const char*>(weight.constant->tensor()->bytes().data());
    return ForEachElement(*weight.constant->tensor(), weight.meta, record.size(),
                          [&](std::size_t to, std::size_t from, std::size_t width) {
                            return visit(record.data() + to, elements + from, width);
                          });
  };
  const auto put = [](char* to, const char* from, std::size_t width) {
    std::memcpy(to, from, width);
    return true;
  };
  const auto is_there = [](const char* to, const char* from, std::size_t width) {
    return std::memcmp(to, from, width) == 0;
  };
  for (const Stored& weight : weights) {
    if (!each(weight, put)) {
      return InvalidInput("its elements do not fit in their record of the archive")
          .At("constant %" + weight.constant->name());
    }
  }
  for (const Stored& weight : weights) {
    if (!each(weight, is_there)) {
      return InvalidInput("it shares elements with another weight, which has others there")
          .At("constant %" + weight.constant->name());
    }
  }
  return record;
}

// Where the elements of a weight of other sizes than `meta` says lie: in order.
bool Resize(const std::vector<std::int64_t>& sizes, Json& meta) {
  if (IntsOf(meta, "sizes") == sizes) return false;
  std::vector<std::int64_t> strides(sizes.size(), 1);
  for (std::size_t i = strides.size(); i-- > 1;)
    strides[i - 1] = strides[i] * std::max<std::int64_t>(sizes[i], 1);
  meta["sizes"] = IntsJson(sizes);
  meta["strides"] = IntsJson(strides);
  meta["storage_offset"] = Json{{"as_int", 0}};
  return true;
}

class ModelWriter {
 public:
  explicit ModelWriter(const Model& model) : model_(model) {}

  Status Write(const std::string& path) {
    const Graph& graph = model_.main();
    DRAGOMAN_ASSIGN(Json program, RequiredJson(&model_.extra, "pt2.program"));
    DRAGOMAN_ASSIGN(ProgramGraph made, ProgramGraphJson(graph));
    Json& module = program["graph_module"];
    module["graph"] = std::move(made.graph);
    module["signature"]["input_specs"] = std::move(made.input_specs);
    module["signature"]["output_specs"] = std::move(made.output_specs);
    DRAGOMAN_ASSIGN(const Attribute* records, Required(&model_.extra, "pt2.records"));
    if (const auto* dict = records->As<Attribute::Dict>()) {
      for (const NamedAttribute& record : *dict) {
        if (record.value.tensor() != nullptr)
          contents_.Add(record.name, record.value.tensor()->bytes());
      }
    }
    DRAGOMAN_TRY(AddWeights(graph));
    DRAGOMAN_ASSIGN(const std::string record, TextExtra("pt2.record"));
    contents_.Own(record, program.dump());
    DRAGOMAN_ASSIGN(const std::string top, TextExtra("pt2.top"));
    return contents_.Write(top, path);
  }

 private:
  Result<std::string> TextExtra(std::string_view key) const {
    DRAGOMAN_ASSIGN(const Attribute* found, Required(&model_.extra, key));
    const auto* text = found->As<std::string>();
    return text != nullptr ? Result<std::string>(*text)
                           : InvalidInput(std::string(key) + " is not a string");
  }

  Status AddWeights(const Graph& graph) {
    DRAGOMAN_ASSIGN(Json configs, RequiredJson(&model_.extra, "pt2.configs"));
    for (const auto& constant : graph.constants()) {
      Status status = AddWeight(*constant, configs);
      if (!status.ok()) return std::move(status).error().At("constant %" + constant->name());
    }
    for (const auto& [record, config] : configs.items()) contents_.Own(record, config.dump());
    for (const auto& [record, weights] : stored_) {
      const Value& first = *weights.front().constant;
      const bool is_plain =
          weights.size() == 1 &&
          (resized_.contains(&first) || Find(*first.extra_if_any(), "pt2.storage") == nullptr);
      if (is_plain) {
        contents_.Add(record, first.tensor()->bytes());
        continue;
      }
      DRAGOMAN_ASSIGN(std::string bytes, SharedRecord(weights));
      contents_.Own(record, std::move(bytes));
    }
    return {};
  }

  Status AddWeight(const Value& constant, Json& configs) {
    DRAGOMAN_ASSIGN(const Json spec, RequiredJson(constant.extra_if_any(), "pt2.spec"));
    if (spec.contains("token")) return {};
    DRAGOMAN_ASSIGN(const Attribute* payload, Required(constant.extra_if_any(), "pt2.payload"));
    const auto* dict = payload->As<Attribute::Dict>();
    if (dict == nullptr || constant.tensor() == nullptr)
      return InvalidInput("lacks its elements or where they lie");
    DRAGOMAN_ASSIGN(Json meta, RequiredJson(dict, "meta"));
    if (Find(*dict, "config") == nullptr) return CheckPickled(constant, *dict, meta);
    if (!meta.contains("tensor_meta")) return InvalidInput("lacks its tensor_meta");
    const std::string dtype(Info(constant.tensor()->dtype()).name);
    if (FindText(*dict, "dtype") != dtype) {
      return Unsupported("weights keep their element type; this one was " +
                         FindText(*dict, "dtype") + " and is " + dtype);
    }
    Json& tensor_meta = meta["tensor_meta"];
    if (Resize(constant.tensor()->sizes(), tensor_meta)) resized_.insert(&constant);
    stored_[FindText(*dict, "record")].push_back({&constant, tensor_meta});
    configs[FindText(*dict, "config")]["config"][FqnOf(spec)] = std::move(meta);
    return {};
  }

  // Archives before torch 2.9 hold weights in a pickle, which is written as it was read.
  Status CheckPickled(const Value& constant, const Attribute::Dict& payload,
                      const Json& meta) const {
    const Attribute* at = dragoman::Find(payload, "at");
    const auto* place = at != nullptr ? at->As<std::int64_t>() : nullptr;
    const std::span<const std::byte> record = contents_.Find(FindText(payload, "record"));
    const bool has_elements = constant.tensor()->bytes().size() > 0;
    if (!has_elements ||
        (place != nullptr && IsUnchanged(*constant.tensor(), meta, record, *place)))
      return {};
    return Unsupported(
        "weights of archives that torch 2.8 or older saved are written as they were only; save the "
        "archive again with a newer torch to change them");
  }

  // {"parameter": {"arg": …, "parameter_name": "layer.weight"}}
  static std::string FqnOf(const Json& spec) {
    for (const char* key : {"parameter_name", "buffer_name", "tensor_constant_name"}) {
      if (spec.is_object() && spec.size() == 1 && spec.begin()->contains(key))
        return spec.begin()->value(key, std::string());
    }
    return "";
  }

  const Model& model_;
  ArchiveContents contents_;
  std::map<std::string, std::vector<Stored>> stored_;  // by record
  std::set<const Value*> resized_;
};

}  // namespace
}  // namespace pt2

Status WriteExportArchive(const Model& model, const std::string& path) {
  if (model.level != Level::kSource || model.dialect != "pt2") {
    return Unsupported(
        "files of format pt2 are written from those only, without lowering: an editor of .pt2");
  }
  // Parts that do not fit together, or text that is not UTF-8, in a model that was edited.
  try {
    return pt2::ModelWriter(model).Write(path);
  } catch (const pt2::Json::exception& error) {
    return InvalidInput(
        fmt::format("the model does not describe an archive of torch.export: {}", error.what()));
  }
}

}  // namespace dragoman
