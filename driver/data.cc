// SPDX-License-Identifier: Apache-2.0
#include "driver/data.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/interpreter/fits.h"
#include "core/ops/infer_context.h"
#include "core/ops/kernel_name.h"
#include "core/support/mapped_file.h"
#include "core/support/nearest_name.h"
#include "core/support/new_folders.h"
#include "core/support/output_file.h"
#include "core/support/port_name.h"
#include "core/support/text.h"
#include "core/support/unfinished.h"
#include "driver/map_data.h"
#include "runtime/params/map_names.h"
#include "runtime/program/named_file.h"
#include "runtime/program/output_folder.h"

namespace dragoman {
namespace {

// How NumPy holds an element type: its letter and the bytes of one element.
struct NpyKind {
  char kind;
  std::int64_t bytes;
};

NpyKind KindOf(DType dtype) {
  const DTypeInfo& info = Info(dtype);
  const auto bytes = static_cast<std::int64_t>(RuntimeBytes(dtype));
  if (dtype == DType::kString) return {'U', 0};
  if (dtype == DType::kBool) return {'b', 1};
  if (IsComplex(dtype)) return {'c', bytes};
  if (info.is_integer) return {info.is_signed ? 'i' : 'u', bytes};
  const bool native = dtype == DType::kF16 || dtype == DType::kF32 || dtype == DType::kF64;
  return {native ? 'f' : 'u', bytes};
}

// How to give numbers that NumPy lacks; empty: it has them.
std::string HowNumpyHolds(DType dtype) {
  if (!IsFloating(dtype) || KindOf(dtype).kind == 'f') return {};
  return fmt::format(", whose bits an array of uint{} holds", 8 * KindOf(dtype).bytes);
}

std::string Describe(DType dtype, const NpyArray& npy) {
  if (dtype == DType::kString) return "strings";
  if (dtype != DType::kUnknown) return std::string(NumpyName(dtype));
  return std::string(1, npy.kind) + std::to_string(npy.item_bytes);
}

Status CheckSizesOf(const std::string& name, const Type& type, const RuntimeValue& value) {
  if (MapTypeOf(type)) return {};
  for (const RuntimeValue& item : value.sequence)
    DRAGOMAN_TRY(CheckSizesOf(name, type.element(), item));
  if (value.kind != RuntimeValue::Kind::kTensor || type.shape() == nullptr) return {};
  const rt::Shape& sizes = value.array.shape();
  if (sizes.size() == 1 && sizes[0] == 1) return {};
  if (Fits(value.array, type)) return {};
  return InvalidInput(fmt::format("input '{}' is given sizes [{}], expected {}", name,
                                  fmt::join(sizes, ", "), type.ToString()));
}

// The type of what a slot holds if it is given.
const Type& PresentType(const Slot& slot) {
  return slot.type.kind() == Type::Kind::kOptional ? slot.type.element() : slot.type;
}

Result<RuntimeValue> BindTensor(const Slot& slot, const NamedArray& given, std::string_view what) {
  const NpyArray& npy = given.array;
  const DType plain = PlainDType(given);
  DType dtype = PresentType(slot).dtype();
  if (dtype == DType::kUnknown) dtype = plain;
  if (npy.shape.size() > static_cast<std::size_t>(rt::kMaxRank)) {
    return Unsupported(fmt::format("{} '{}' is given rank {}, which is above {}", what, slot.name,
                                   npy.shape.size(), rt::kMaxRank));
  }
  const bool contradicts = given.dtype != DType::kUnknown && given.dtype != dtype;
  Result<Array> array = FromNpy(npy, dtype, given.lent);
  if (contradicts || !array.ok()) {
    if (plain == dtype) return std::move(array).error();
    return InvalidInput(fmt::format("{} '{}' is given {}, expected {}{}", what, slot.name,
                                    Describe(plain, npy), NumpyName(dtype), HowNumpyHolds(dtype)));
  }
  return RuntimeValue::Of(std::move(*array));
}

// The place of the array called `name`; arrays.size() if there is none.
std::size_t FindArray(const std::vector<NamedArray>& arrays, const std::string& name) {
  const auto found = std::ranges::find(arrays, name, &NamedArray::name);
  return static_cast<std::size_t>(found - arrays.begin());
}

// The elements "name.0", "name.1", … of a sequence.
Result<RuntimeValue> BindSequence(const Slot& slot, const std::vector<NamedArray>& arrays,
                                  std::string_view what, std::set<std::size_t>& used) {
  RuntimeValue value;
  value.kind = RuntimeValue::Kind::kSequence;
  const Slot element{slot.name, slot.type.element()};
  value.sequence_dtype = element.type.dtype();
  for (std::size_t next = 0;; ++next) {
    const std::string name = slot.name + "." + std::to_string(next);
    const std::size_t i = FindArray(arrays, name);
    if (i == arrays.size()) return value;
    used.insert(i);
    DRAGOMAN_ASSIGN(RuntimeValue item, BindTensor({name, element.type}, arrays[i], what));
    value.sequence.push_back(std::move(item));
  }
}

Error NoSlot(const std::vector<Slot>& slots, const std::string& name, const std::string& what) {
  return InvalidInput("the model has no " + what + " '" + name + "'" +
                      WhatThereIs(name, "its " + what + "s are", NamesOf(slots)));
}

// The two arrays of a map, as a sequence.
Result<RuntimeValue> BindMap(const Slot& slot, const MapType& type,
                             const std::vector<NamedArray>& arrays, std::string_view what,
                             std::set<std::size_t>& used) {
  RuntimeValue map;
  map.kind = RuntimeValue::Kind::kSequence;
  for (const Slot& part : {KeysSlot(slot.name, type), ValuesSlot(slot.name, type)}) {
    const std::size_t i = FindArray(arrays, part.name);
    if (i == arrays.size()) {
      return InvalidInput(fmt::format("{} '{}' ({}) is not given; --input {}=FILE.json", what,
                                      slot.name, slot.type.ToString(), slot.name));
    }
    used.insert(i);
    DRAGOMAN_ASSIGN(RuntimeValue value, BindTensor(part, arrays[i], what));
    map.sequence.push_back(std::move(value));
  }
  return map;
}

// Errors: an array that no slot took.
Status CheckAllUsed(const std::vector<Slot>& slots, const std::vector<NamedArray>& arrays,
                    const std::string& what, const std::set<std::size_t>& used) {
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    if (used.contains(i)) continue;
    const std::string& name = arrays[i].name;
    const auto same = [&](std::size_t other) { return arrays[other].name == name; };
    if (std::ranges::any_of(used, same))
      return InvalidInput(what + " '" + name + "' is given twice");
    return NoSlot(slots, name, what);
  }
  return {};
}

// Errors: an array whose name no slot can have. It may be a misspelt one that is missed otherwise.
Status CheckNames(const std::vector<Slot>& slots, const std::vector<NamedArray>& arrays,
                  const std::string& what) {
  for (const NamedArray& array : arrays) {
    const std::string head = array.name.substr(0, array.name.find('.'));
    bool known = false;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      known = known || array.name == slots[i].name || head == std::to_string(i) ||
              array.name.starts_with(slots[i].name + ".");
    }
    if (!known) return NoSlot(slots, array.name, what);
  }
  return {};
}

// A file as one string.
Result<NpyArray> ReadTextElements(const std::string& path) {
  DRAGOMAN_ASSIGN(std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  const std::span<const std::byte> bytes = file->bytes();
  NpyArray text;
  text.kind = 'U';
  text.strings.emplace_back(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return text;
}

void FlattenValue(const std::string& name, const RuntimeValue& value, FlatArrays& flat) {
  if (value.kind == RuntimeValue::Kind::kTensor) flat.emplace_back(name, value.array);
  for (std::size_t i = 0; i < value.sequence.size(); ++i) {
    FlattenValue(name + "." + std::to_string(i), value.sequence[i], flat);
  }
}

}  // namespace

DType PlainDType(const NpyArray& npy) {
  if (npy.kind == 'U' || npy.kind == 'S') return DType::kString;
  for (const DTypeInfo& info : AllDTypes()) {
    const NpyKind kind = KindOf(info.dtype);
    if (kind.kind == npy.kind && kind.bytes == npy.item_bytes) return info.dtype;
  }
  return DType::kUnknown;
}

DType PlainDType(const NamedArray& array) {
  return array.dtype == DType::kUnknown ? PlainDType(array.array) : array.dtype;
}

Result<std::vector<NamedArray>> LoadInputs(const InputOptions& options) {
  std::vector<NamedArray> arrays;
  if (options.archive) {
    auto archive = ReadNpz(*options.archive);
    if (!archive.ok() && ReadNpy(*options.archive).ok())
      return InvalidInput("is one array; --input NAME=FILE.npy takes it").InFile(*options.archive);
    if (!archive.ok()) return std::move(archive).error();
    for (auto& [name, array] : *archive) arrays.push_back({name, std::move(array)});
  }
  for (const std::string& input : options.inputs) {
    const std::size_t equals = rt::EqualsBeforeFile(input);
    if (equals == std::string::npos || equals == 0)
      return InvalidInput("--input " + input + " is not NAME=FILE.npy");
    const std::string file = input.substr(equals + 1);
    Result<NpyArray> array = file.ends_with(".json") ? ReadTextElements(file) : ReadNpy(file);
    if (!array.ok()) return std::move(array).error().InFile(file);
    arrays.push_back({input.substr(0, equals), std::move(*array)});
  }
  return arrays;
}

std::vector<Slot> InputSlots(const Entry& entry) {
  std::vector<Slot> slots;
  std::set<std::size_t> states;
  for (const StateBinding& binding : entry.states) states.insert(binding.input);
  for (const auto& input : entry.graph->inputs()) {
    if (input->data() == nullptr && !states.contains(input->index()))
      slots.push_back({input->name(), input->type()});
  }
  return slots;
}

std::vector<Slot> OutputSlots(const Entry& entry) {
  std::vector<Slot> slots;
  std::set<std::size_t> states;
  for (const StateBinding& binding : entry.states) states.insert(binding.output);
  for (const Use& use : entry.graph->outputs()) {
    if (use.value() != nullptr && !states.contains(use.index()))
      slots.push_back({use.value()->name(), use.value()->type()});
  }
  return slots;
}

std::vector<std::string> NamesOf(const std::vector<Slot>& slots) {
  std::vector<std::string> names;
  for (const Slot& slot : slots) names.push_back(slot.name);
  return names;
}

Result<std::vector<RuntimeValue>> BindArrays(const std::vector<Slot>& slots,
                                             const std::vector<NamedArray>& given,
                                             std::string_view what) {
  const std::string label(what);
  std::vector<NamedArray> arrays = given;
  for (NamedArray& array : arrays) array.name = WithoutPort(array.name, NamesOf(slots));
  std::vector<RuntimeValue> values;
  std::set<std::size_t> used;
  for (std::size_t s = 0; s < slots.size(); ++s) {
    const Slot& slot = slots[s];
    const bool optional = slot.type.kind() == Type::Kind::kOptional;
    const Type& type = PresentType(slot);
    if (const std::optional<MapType> map = MapTypeOf(type)) {
      DRAGOMAN_ASSIGN(RuntimeValue value, BindMap(slot, *map, arrays, what, used));
      values.push_back(std::move(value));
      continue;
    }
    if (type.kind() == Type::Kind::kSequence) {
      DRAGOMAN_ASSIGN(RuntimeValue value, BindSequence({slot.name, type}, arrays, what, used));
      values.push_back(optional && value.sequence.empty() ? RuntimeValue() : std::move(value));
      continue;
    }
    std::size_t i = FindArray(arrays, slot.name);
    if (i == arrays.size()) i = FindArray(arrays, std::to_string(s));
    if (i == arrays.size() && optional) {
      values.emplace_back();
      continue;
    }
    if (i == arrays.size()) {
      DRAGOMAN_TRY(CheckNames(slots, arrays, label));
      return InvalidInput(label + " '" + slot.name + "' (" + slot.type.ToString() +
                          ") is not given" +
                          (what == "input" ? "; --input " + slot.name + "=FILE.npy" : ""));
    }
    used.insert(i);
    DRAGOMAN_ASSIGN(RuntimeValue value, BindTensor(slot, arrays[i], what));
    values.push_back(std::move(value));
  }
  DRAGOMAN_TRY(CheckAllUsed(slots, arrays, label, used));
  return values;
}

Status CheckSizes(const std::vector<Slot>& slots, const std::vector<RuntimeValue>& values) {
  for (std::size_t i = 0; i < slots.size(); ++i) {
    DRAGOMAN_TRY(CheckSizesOf(slots[i].name, PresentType(slots[i]), values[i]));
  }
  return {};
}

Type TypeOf(const RuntimeValue& value) {
  if (value.kind != RuntimeValue::Kind::kTensor) return {};
  return Type::Tensor(value.array.dtype(), FromRuntimeShape(value.array.shape()));
}

Status ApplyFactsToSlots(const Facts& facts, std::vector<Slot>& slots) {
  const Facts named = WithNames(facts, NamesOf(slots));
  for (Slot& slot : slots) {
    DRAGOMAN_ASSIGN(slot.type, ApplyFacts(named, slot.name, kNoPosition, slot.type));
  }
  return {};
}

Facts FactsOf(const std::vector<Slot>& slots, const std::vector<RuntimeValue>& values,
              Facts facts) {
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const Type type = TypeOf(values[i]);
    if (!type.is_tensor() || !(slots[i].type.is_tensor() || !slots[i].type.known())) continue;
    ShapeFact fact;
    fact.input = slots[i].name;
    fact.dtype = type.dtype();
    fact.from_data = true;
    for (const Dim& dim : *type.shape()) fact.dims.emplace_back(dim);
    facts.shapes.push_back(std::move(fact));
  }
  return facts;
}

Result<Array> FromNpy(const NpyArray& npy, DType dtype, std::shared_ptr<const void> lent) {
  const NpyKind kind = KindOf(dtype);
  const bool text = npy.kind == 'U' || npy.kind == 'S';
  const bool fits = kind.kind == 'U' ? text
                                     : !text && kind.bytes == npy.item_bytes &&
                                           (kind.kind == npy.kind || npy.kind == 'V');
  if (!fits || npy.shape.size() > static_cast<std::size_t>(rt::kMaxRank)) {
    return InvalidInput("an array of " + Describe(PlainDType(npy), npy) + " is not " +
                        std::string(NumpyName(dtype)));
  }
  rt::Shape shape;
  for (std::int64_t d : npy.shape) shape.push_back(d);
  if (lent != nullptr) return Array::On(std::move(lent), dtype, shape);
  DRAGOMAN_ASSIGN(Array array, Array::Make(dtype, shape));
  if (dtype == DType::kString) {
    std::copy(npy.strings.begin(), npy.strings.end(), static_cast<std::string*>(array.data()));
  } else if (!npy.bytes.empty()) {
    std::memcpy(array.data(), npy.bytes.data(), npy.bytes.size());
  }
  return array;
}

NpyArray ToNpy(const Array& array) {
  const NpyKind kind = KindOf(array.dtype());
  NpyArray npy;
  npy.kind = kind.kind;
  npy.item_bytes = kind.bytes;
  npy.shape.assign(array.shape().begin(), array.shape().end());
  const auto count = static_cast<std::size_t>(array.size());
  if (array.dtype() == DType::kString) {
    const auto* strings = static_cast<const std::string*>(array.data());
    npy.strings.assign(strings, strings + count);
    return npy;
  }
  const auto* bytes = static_cast<const std::byte*>(array.data());
  npy.bytes.assign(bytes, bytes + count * RuntimeBytes(array.dtype()));
  return npy;
}

FlatArrays Flatten(const std::vector<Slot>& slots, const std::vector<RuntimeValue>& values) {
  FlatArrays flat;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const std::optional<MapType> map = MapTypeOf(slots[i].type);
    if (map && values[i].sequence.size() == 2) {
      FlattenValue(KeysSlot(slots[i].name, *map).name, values[i].sequence[0], flat);
      FlattenValue(ValuesSlot(slots[i].name, *map).name, values[i].sequence[1], flat);
    } else {
      FlattenValue(slots[i].name, values[i], flat);
    }
  }
  return flat;
}

Status CheckOutputFolder(const std::string& folder) {
  const std::string refusal = rt::RefusalOf(folder);
  if (refusal.empty()) return {};
  return InvalidInput(refusal).InFile(folder);
}

namespace {

using Json = nlohmann::ordered_json;

// What a file of outputs may be called that is not in `taken`.
std::string FreeStem(const std::string& name, std::set<std::string>& taken) {
  const std::string base = FileName(name);
  std::string stem = base;
  for (int i = 2; !taken.insert(stem).second; ++i) stem = base + "_" + std::to_string(i);
  return stem;
}

// Each writes an output and gives its row of the index.
Result<Json> WriteTensor(const std::string& name, const Array& array, std::set<std::string>& taken,
                         rt::StagedOutputs& staged) {
  const std::string file = FreeStem(name, taken) + ".npy";
  DRAGOMAN_TRY(WriteNpy(staged.PathOf(file), ToNpy(array)));
  const std::vector<std::int64_t> shape(array.shape().begin(), array.shape().end());
  return Json{
      {"name", name}, {"file", file}, {"dtype", NumpyName(array.dtype())}, {"shape", shape}};
}

Result<Json> WriteMap(const FlatArrays& outputs, std::size_t at, std::set<std::string>& taken,
                      rt::StagedOutputs& staged) {
  const Array& values = outputs[at + 1].second;
  const std::string name = rt::MapOfKeys(outputs[at].first);
  const std::string file = FreeStem(name, taken) + ".json";
  DRAGOMAN_TRY(WriteFile(staged.PathOf(file), PrintMapAt(outputs, at)));
  std::vector<std::int64_t> shape;
  if (values.shape().size() > 1) shape.push_back(values.shape()[0]);
  return Json{{"name", name},
              {"file", file},
              {"dtype", NumpyName(values.dtype())},
              {"keys", NumpyName(outputs[at].second.dtype())},
              {"shape", shape}};
}

}  // namespace

Status WriteOutputs(const std::string& folder, const FlatArrays& outputs) {
  if (const std::error_code error = MakeFolderOf(folder))
    return InvalidInput("cannot make the folder it is in: " + error.message()).InFile(folder);
  rt::StagedOutputs staged(folder);
  if (std::string problem = staged.Begin(); !problem.empty())
    return InvalidInput(std::move(problem)).InFile(folder);
  const Unfinished unfinished(staged.temporary());
  Json index;
  index["outputs"] = Json::array();
  std::set<std::string> taken;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const bool is_map = IsMapAt(outputs, i);
    Result<Json> row = is_map ? WriteMap(outputs, i, taken, staged)
                              : WriteTensor(outputs[i].first, outputs[i].second, taken, staged);
    if (!row.ok()) return std::move(row).error();
    index["outputs"].push_back(std::move(*row));
    i += is_map ? 1 : 0;
  }
  // A name may be no UTF-8.
  const std::string text = index.dump(2, ' ', false, Json::error_handler_t::replace);
  DRAGOMAN_TRY(WriteFile(staged.PathOf(rt::kOutputIndex), text + "\n"));
  if (std::string problem = staged.Commit(); !problem.empty())
    return InvalidInput(std::move(problem)).InFile(folder);
  return {};
}

Result<FlatArrays> ReadOutputs(const std::string& folder) {
  const std::filesystem::path path = folder;
  DRAGOMAN_ASSIGN(std::shared_ptr<const MappedFile> file,
                  MappedFile::Open((path / rt::kOutputIndex).string()));
  const std::span<const std::byte> text = file->bytes();
  const auto* first = reinterpret_cast<const char*>(text.data());
  const auto index = nlohmann::json::parse(first, first + text.size(), nullptr, false);
  if (!index.is_object()) return InvalidInput("no index of outputs").InFile(folder);
  FlatArrays outputs;
  const auto dtype_of = [](const nlohmann::json& entry, const char* key) {
    return DTypeFromName(entry[key].get<std::string>()).value_or(DType::kUnknown);
  };
  for (const auto& entry : index["outputs"]) {
    const auto name = entry["name"].get<std::string>();
    const std::string data = (path / entry["file"].get<std::string>()).string();
    if (entry.contains("keys")) {
      DRAGOMAN_ASSIGN(const NpyArray text, ReadTextElements(data));
      DRAGOMAN_ASSIGN(FlatArrays map,
                      ParseMapArrays(name, text.strings.front(), dtype_of(entry, "keys"),
                                     dtype_of(entry, "dtype")));
      std::ranges::move(map, std::back_inserter(outputs));
      continue;
    }
    DRAGOMAN_ASSIGN(NpyArray npy, ReadNpy(data));
    DRAGOMAN_ASSIGN(Array array, FromNpy(npy, dtype_of(entry, "dtype")));
    outputs.emplace_back(name, std::move(array));
  }
  return outputs;
}

}  // namespace dragoman
