// SPDX-License-Identifier: Apache-2.0
#include "driver/compiled_model.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "codegen/onednn/native.h"
#include "core/ir/dtype.h"
#include "runtime/params/unsupported.h"
#include "runtime/program/loaded_model.h"

namespace dragoman {

namespace fs = std::filesystem;

struct CompiledModel::Loaded {
  struct Close {
    void operator()(void* library) const { ::dlclose(library); }
  };

  std::unique_ptr<void, Close> library;
  const rt::LoadedModel* model = nullptr;
  std::unique_ptr<rt::LoadedTarget> target;  // whose code is in the library
  std::uint64_t seed = 0;

  ~Loaded() { target.reset(); }
};

namespace {

Error ErrorOf(const char* message) {
  return rt::IsUnsupported(message) ? Unsupported(message) : InvalidInput(message);
}

Error NotLoaded() {
  const char* const why = ::dlerror();
  return Internal(std::string("the compiled model cannot be loaded: ") + (why ? why : ""));
}

// On the memory of `array`, but for strings.
rt::AnyTensor ToAnyTensor(const Array& array) {
  rt::AnyTensor tensor;
  const std::string type(NumpyName(array.dtype()));
  if (array.dtype() == DType::kString) {
    tensor.Resize(type.c_str(), array.shape());
    const auto* strings = static_cast<const std::string*>(array.data());
    std::copy_n(strings, array.size(), tensor.strings.begin());
    return tensor;
  }
  tensor.type = rt::FindElementType(type);
  tensor.shape = array.shape();
  tensor.lent = array.data();
  return tensor;
}

Result<Array> ToArray(const rt::AnyTensor& tensor) {
  const std::optional<DType> dtype = DTypeFromName(tensor.type->name);
  if (!dtype) return Internal(std::string("an output of type ") + tensor.type->name);
  DRAGOMAN_ASSIGN(Array array, Array::Make(*dtype, tensor.shape));
  if (*dtype == DType::kString) {
    std::ranges::copy(tensor.strings, static_cast<std::string*>(array.data()));
  } else if (array.size() > 0) {
    const auto width = static_cast<std::int64_t>(tensor.type->bytes);
    std::memcpy(array.data(), tensor.bytes.data(), static_cast<std::size_t>(array.size() * width));
  }
  return array;
}

// The slot that the runtime's description of an input stands for; sizes are those of the elements
// of a sequence.
Slot SlotOf(const rt::TensorInfo& info) {
  std::optional<Shape> shape;
  if (info.known_rank) {
    shape.emplace();
    for (const std::int64_t size : info.sizes)
      shape->push_back(size < 0 ? Dim::Unknown() : Dim(size));
  }
  Type type = Type::Tensor(DTypeFromName(info.dtype).value_or(DType::kUnknown), std::move(shape));
  if (info.IsSequence()) type = Type::Sequence(std::move(type));
  if (info.kind == rt::ValueKind::kOptional || info.kind == rt::ValueKind::kOptionalSequence)
    type = Type::Optional(std::move(type));
  return {info.name, std::move(type)};
}

Result<std::vector<RuntimeValue>> BindInputs(const rt::EntryInfo& entry,
                                             const std::vector<NamedArray>& arrays) {
  std::vector<Slot> slots;
  for (const rt::TensorInfo& info : entry.inputs) slots.push_back(SlotOf(info));
  DRAGOMAN_ASSIGN(std::vector<RuntimeValue> values, BindArrays(slots, arrays, "input"));
  DRAGOMAN_TRY(CheckSizes(slots, values));
  return values;
}

// On the memory of `values`.
std::vector<rt::AnyValue> ToAnyValues(const std::vector<RuntimeValue>& values) {
  std::vector<rt::AnyValue> inputs;
  for (const RuntimeValue& value : values) {
    rt::AnyValue& input = inputs.emplace_back();
    if (value.kind == RuntimeValue::Kind::kTensor) input.push_back(ToAnyTensor(value.array));
    for (const RuntimeValue& item : value.sequence) input.push_back(ToAnyTensor(item.array));
  }
  return inputs;
}

Result<FlatArrays> FlattenOutputs(const rt::EntryInfo& entry,
                                  const std::vector<rt::AnyValue>& outputs) {
  FlatArrays flat;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const rt::TensorInfo& info = entry.outputs[static_cast<int>(i)];
    for (std::size_t k = 0; k < outputs[i].size(); ++k) {
      DRAGOMAN_ASSIGN(Array array, ToArray(outputs[i][k]));
      flat.emplace_back(info.IsSequence() ? fmt::format("{}.{}", info.name, k) : info.name,
                        std::move(array));
    }
  }
  return flat;
}

}  // namespace

CompiledModel::CompiledModel(std::unique_ptr<Loaded> loaded) : loaded_(std::move(loaded)) {}
CompiledModel::~CompiledModel() = default;

Result<std::unique_ptr<CompiledModel>> CompiledModel::Load(const Model& model,
                                                           const onednn::PlanOptions& plan,
                                                           std::uint64_t seed) {
  NativeOptions options;
  options.plan = plan;
  DRAGOMAN_ASSIGN(const NativeLibrary built, BuildNativeLibrary(model, options));
  return Open(built.library, built.weights, seed);
}

Result<std::unique_ptr<CompiledModel>> CompiledModel::Open(const fs::path& library,
                                                           const fs::path& weights,
                                                           std::uint64_t seed) {
  auto loaded = std::make_unique<Loaded>();
  loaded->seed = seed;
  loaded->library.reset(::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL));
  if (loaded->library == nullptr) return NotLoaded();
  const auto get =
      reinterpret_cast<rt::GetLoadedModel>(::dlsym(loaded->library.get(), rt::kGetLoadedModel));
  if (get == nullptr) return NotLoaded();
  loaded->model = get();
  try {
    constexpr int kThreads = 1;  // as `dragoman run` has it
    loaded->target = loaded->model->make(weights.string(), kThreads);
  } catch (const std::exception& error) {
    return ErrorOf(error.what());
  }
  loaded->target->SetSeed(seed);
  loaded->target->SaveState();
  return std::unique_ptr<CompiledModel>(new CompiledModel(std::move(loaded)));
}

Result<FlatArrays> CompiledModel::Run(const std::string& entry,
                                      const std::vector<NamedArray>& arrays) {
  const rt::ModelInfo& info = *loaded_->model->info;
  for (int i = 0; i < info.entries.size; ++i) {
    if (!entry.empty() && entry != info.entries[i].name) continue;
    DRAGOMAN_ASSIGN(const std::vector<RuntimeValue> values, BindInputs(info.entries[i], arrays));
    std::vector<rt::AnyValue> inputs = ToAnyValues(values);
    std::vector<rt::AnyValue> outputs(static_cast<std::size_t>(info.entries[i].outputs.size));
    const rt::Status status = loaded_->target->Call(i, inputs, outputs);
    if (!status.ok()) return ErrorOf(status.message());
    return FlattenOutputs(info.entries[i], outputs);
  }
  return Unsupported("entry '" + entry + "' is left out");
}

Status CompiledModel::Reset() {
  const rt::Status status = loaded_->target->RestoreState();
  if (!status.ok()) return ErrorOf(status.message());
  loaded_->target->SetSeed(loaded_->seed);
  return {};
}

Result<FlatArrays> CompiledModel::States() const {
  FlatArrays states;
  for (const auto& [name, tensor] : loaded_->target->GetStates()) {
    DRAGOMAN_ASSIGN(Array array, ToArray(tensor));
    states.emplace_back(name, std::move(array));
  }
  return states;
}

Status CompiledModel::SetStates(const FlatArrays& states) {
  rt::LoadedTarget::States tensors;
  for (const auto& [name, array] : states) tensors.emplace_back(name, ToAnyTensor(array));
  const rt::Status status = loaded_->target->SetStates(tensors);
  return status.ok() ? Status() : ErrorOf(status.message());
}

}  // namespace dragoman
