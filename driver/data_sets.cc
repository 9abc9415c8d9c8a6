// SPDX-License-Identifier: Apache-2.0
#include "driver/data_sets.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <numbers>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "core/ir/half.h"
#include "core/support/port_name.h"
#include "driver/given_names.h"
#include "driver/map_data.h"
#include "driver/structured_calls.h"
#include "importers/onnx/read_value.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;

bool IsDataSet(const fs::path& folder) {
  std::error_code ignored;
  for (const char* name : {"input_0.pb", "output_0.pb", "outputs.npz"}) {
    if (fs::exists(folder / name, ignored)) return true;
  }
  return false;
}

// Files older than ONNX's bfloat16 hold its bits as uint16.
Result<Array> ToArray(const Attribute& value, const Type& type) {
  const Tensor* tensor = value.tensor();
  if (tensor == nullptr) return Unsupported("a nested sequence");
  if (tensor->dtype() == DType::kU16 && type.dtype() == DType::kBF16) {
    DRAGOMAN_ASSIGN(Tensor bits, Tensor::Make(DType::kBF16, tensor->sizes(), tensor->buffer()));
    return Array::FromTensor(bits);
  }
  return Array::FromTensor(*tensor);
}

// The recorded value of `slot` in `file`, flattened under the slot's name.
Result<FlatArrays> ReadSlot(const fs::path& file, const Slot& slot) {
  FlatArrays flat;
  DRAGOMAN_ASSIGN(Attribute value, ReadOnnxValue(file.string(), slot.type));
  if (value.kind() == Attribute::Kind::kNone) return flat;
  if (const std::optional<MapType> map = MapTypeOf(slot.type)) {
    const auto& parts = *value.As<Attribute::List>();
    const Slot slots[] = {KeysSlot(slot.name, *map), ValuesSlot(slot.name, *map)};
    for (std::size_t i = 0; i < parts.size(); ++i) {
      DRAGOMAN_ASSIGN(Array part, ToArray(parts[i], slots[i].type));
      flat.emplace_back(slots[i].name, std::move(part));
    }
    return flat;
  }
  if (const auto* list = value.As<Attribute::List>()) {
    for (std::size_t i = 0; i < list->size(); ++i) {
      DRAGOMAN_ASSIGN(Array item, ToArray((*list)[i], {}));
      flat.emplace_back(slot.name + "." + std::to_string(i), std::move(item));
    }
    return flat;
  }
  DRAGOMAN_ASSIGN(Array array, ToArray(value, slot.type));
  flat.emplace_back(slot.name, std::move(array));
  return flat;
}

Result<FlatArrays> ReadSlots(const fs::path& folder, const std::string& stem,
                             const std::vector<Slot>& slots) {
  FlatArrays flat;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const fs::path file = folder / (stem + std::to_string(i) + ".pb");
    std::error_code ignored;
    if (!fs::exists(file, ignored)) continue;
    DRAGOMAN_ASSIGN(FlatArrays values, ReadSlot(file, slots[i]));
    for (auto& value : values) flat.push_back(std::move(value));
  }
  return flat;
}

// Tensors for the files `stem`0.pb, `stem`1.pb, … in `folder`, called by their number after
// `prefix`.
std::vector<Slot> SlotsOfFiles(const fs::path& folder, const std::string& stem,
                               const std::string& prefix) {
  std::vector<Slot> slots;
  std::error_code ignored;
  while (fs::exists(folder / (stem + std::to_string(slots.size()) + ".pb"), ignored))
    slots.push_back({prefix + std::to_string(slots.size()), Type::Tensor(DType::kUnknown)});
  return slots;
}

// A result that is a tuple of tensors is recorded element by element.
std::vector<Slot> RecordedSlots(const fs::path& folder, const std::vector<Slot>& outputs) {
  std::error_code ignored;
  if (outputs.size() != 1 || !fs::exists(folder / "output_1.pb", ignored)) return outputs;
  return SlotsOfFiles(folder, "output_", outputs.front().name + ".");
}

}  // namespace

bool NamesAny(const std::vector<Slot>& slots, const std::vector<NamedArray>& arrays) {
  return std::any_of(arrays.begin(), arrays.end(), [&](const NamedArray& array) {
    if (WithoutPort(array.name, NamesOf(slots)) != array.name) return true;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const std::string& name = slots[i].name;
      if (array.name == name || array.name == std::to_string(i)) return true;
      if (array.name.starts_with(name + ".")) return true;
    }
    return false;
  });
}

namespace {

Result<DataSet> ReadArchives(const fs::path& folder, const std::vector<Slot>& outputs) {
  DataSet set;
  std::error_code ignored;
  if (fs::exists(folder / "inputs.npz", ignored)) {
    InputOptions options;
    options.archive = (folder / "inputs.npz").string();
    DRAGOMAN_ASSIGN(set.inputs, LoadInputs(options));
  }
  InputOptions options;
  options.archive = (folder / "outputs.npz").string();
  DRAGOMAN_ASSIGN(std::vector<NamedArray> recorded, LoadInputs(options));
  if (!NamesAny(outputs, recorded)) {
    // Outputs that are not known before lowering, or called otherwise, are matched by their order.
    for (const NamedArray& output : recorded) {
      DRAGOMAN_ASSIGN(Array array, FromNpy(output.array, PlainDType(output.array)));
      set.outputs.emplace_back(output.name, std::move(array));
    }
    return set;
  }
  DRAGOMAN_ASSIGN(std::vector<RuntimeValue> values, BindArrays(outputs, recorded, "output"));
  set.outputs = Flatten(outputs, values);
  return set;
}

// Elements from the normal distribution, or small integers.
Result<Array> Draw(DType dtype, const rt::Shape& shape, std::mt19937_64& generator) {
  const auto not_drawn = [&] {
    return Unsupported("inputs of element type " + std::string(Name(dtype)) + " are not drawn");
  };
  if (dtype != DType::kBool && !IsFloating(dtype) && !IsInteger(dtype)) return not_drawn();
  DRAGOMAN_ASSIGN(Array array, Array::Make(dtype, shape));
  // Box and Muller; std::normal_distribution is not the same everywhere.
  auto uniform = [&] { return (static_cast<double>(generator() >> 11) + 0.5) * 0x1p-53; };
  auto normal = [&] {
    return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * std::numbers::pi * uniform());
  };
  for (std::int64_t i = 0; i < array.size(); ++i) {
    switch (dtype) {
      case DType::kF32:
        static_cast<float*>(array.data())[i] = static_cast<float>(normal());
        break;
      case DType::kF64:
        static_cast<double*>(array.data())[i] = normal();
        break;
      case DType::kF16:
        static_cast<std::uint16_t*>(array.data())[i] =
            FloatToHalfBits(static_cast<float>(normal()));
        break;
      case DType::kBF16:
        static_cast<std::uint16_t*>(array.data())[i] =
            FloatToBFloat16Bits(static_cast<float>(normal()));
        break;
      case DType::kBool:
        static_cast<std::uint8_t*>(array.data())[i] = generator() & 1;
        break;
      case DType::kI8:
      case DType::kU8:
        static_cast<std::uint8_t*>(array.data())[i] = generator() & 3;
        break;
      case DType::kI16:
      case DType::kU16:
        static_cast<std::uint16_t*>(array.data())[i] = generator() & 3;
        break;
      case DType::kI32:
      case DType::kU32:
        static_cast<std::uint32_t*>(array.data())[i] = generator() & 3;
        break;
      case DType::kI64:
      case DType::kU64:
        static_cast<std::uint64_t*>(array.data())[i] = generator() & 3;
        break;
      default:
        return not_drawn();
    }
  }
  return array;
}

// The size `dim`. One that is not known is 2 to 5; those of the symbols are kept in `symbols`.
std::int64_t DrawSize(const Dim& dim, std::map<std::string, Dim>& symbols,
                      std::mt19937_64& generator) {
  const auto draw = [&] { return static_cast<std::int64_t>(2 + generator() % 4); };
  for (const std::string& symbol : dim.Symbols()) {
    if (!symbols.contains(symbol)) symbols.emplace(symbol, Dim(draw()));
  }
  const Dim size = dim.Substitute(symbols);
  return size.known() ? std::max<std::int64_t>(size.value(), 0) : draw();
}

// The arrays of one input after another, with equal symbols of equal sizes.
class Drawing {
 public:
  explicit Drawing(std::mt19937_64& generator) : generator_(generator) {}

  // Adds those of a value. A sequence has one to three elements, an optional is there. `advice`:
  // the option that states a rank.
  Status Add(const std::string& name, const Type& type, std::string_view advice = "--shape") {
    if (type.kind() == Type::Kind::kOptional) return Add(name, type.element(), advice);
    if (type.kind() == Type::Kind::kSequence) return AddSequence(name, type.element());
    const Shape* dims = type.shape();
    if (!type.is_tensor() || dims == nullptr ||
        dims->size() > static_cast<std::size_t>(rt::kMaxRank))
      return Unsupported(fmt::format("input '{}' has type {}: give {}", name, type.ToString(),
                                     type.is_tensor() ? advice : "--input"));
    rt::Shape shape;
    for (const Dim& dim : *dims) shape.push_back(DrawSize(dim, symbols_, generator_));
    DRAGOMAN_ASSIGN(Array array, Draw(type.dtype(), shape, generator_));
    arrays_.push_back({name, ToNpy(array)});
    return {};
  }

  std::vector<NamedArray> TakeArrays() { return std::move(arrays_); }

 private:
  Status AddSequence(const std::string& name, const Type& element) {
    const std::uint64_t count = 1 + generator_() % 3;
    for (std::uint64_t i = 0; i < count; ++i)
      DRAGOMAN_TRY(Add(name + "." + std::to_string(i), element, "--input"));
    return {};
  }

  std::mt19937_64& generator_;
  std::map<std::string, Dim> symbols_;
  std::vector<NamedArray> arrays_;
};

}  // namespace

Result<std::vector<std::string>> FindDataSets(const std::string& path) {
  if (IsDataSet(path)) return std::vector<std::string>{path};
  std::vector<std::string> found;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(path, error)) {
    if (entry.is_directory() && IsDataSet(entry.path())) found.push_back(entry.path().string());
  }
  if (error == std::errc::not_a_directory)
    return InvalidInput("expected a folder of recorded data, found a file").InFile(path);
  if (error) return InvalidInput("cannot open: " + error.message()).InFile(path);
  if (found.empty()) {
    return InvalidInput(
               "holds no recorded data; expected input_0.pb, output_0.pb, …, or inputs.npz and "
               "outputs.npz, or a .npy file for each value")
        .InFile(path);
  }
  std::sort(found.begin(), found.end());
  return found;
}

Result<DataSet> ReadDataSet(const std::string& folder, const std::vector<Slot>& inputs,
                            const std::vector<Slot>& outputs) {
  std::error_code ignored;
  if (fs::exists(fs::path(folder) / "outputs.npz", ignored)) return ReadArchives(folder, outputs);
  DataSet set;
  DRAGOMAN_ASSIGN(
      FlatArrays given,
      ReadSlots(folder, "input_", inputs.empty() ? SlotsOfFiles(folder, "input_", "") : inputs));
  for (auto& [name, array] : given) set.inputs.push_back({name, ToNpy(array)});
  DRAGOMAN_ASSIGN(set.outputs,
                  ReadSlots(folder, "output_",
                            outputs.empty() ? SlotsOfFiles(folder, "output_", "output_")
                                            : RecordedSlots(folder, outputs)));
  return set;
}

Result<std::vector<NamedArray>> DrawInputs(const Entry& entry, const Facts& facts,
                                           std::mt19937_64& generator) {
  Drawing drawing(generator);
  std::vector<Slot> slots = InputSlots(entry);
  DRAGOMAN_TRY(ApplyFactsToSlots(facts, slots));
  for (const Slot& slot : slots) DRAGOMAN_TRY(drawing.Add(slot.name, slot.type));
  return drawing.TakeArrays();
}

Result<std::vector<std::vector<NamedArray>>> DrawInputs(const Session& session, const Model& source,
                                                        const Facts& given, std::uint64_t seed,
                                                        std::int64_t count) {
  const Facts facts = NamesIn(source, given);
  std::optional<Model> lowered;
  if (CallsOf(session, source) != nullptr || ChangesInputs(session, source)) {
    DRAGOMAN_ASSIGN(lowered, session.Lower(source, facts));
  }
  const Entry& entry = ChosenEntry(lowered ? *lowered : source, facts);
  std::mt19937_64 generator(seed);
  std::vector<std::vector<NamedArray>> drawn;
  for (std::int64_t i = 0; i < count; ++i) {
    DRAGOMAN_ASSIGN(std::vector<NamedArray> inputs,
                    DrawInputs(entry, lowered ? Facts() : facts, generator));
    drawn.push_back(std::move(inputs));
  }
  return drawn;
}

}  // namespace dragoman
