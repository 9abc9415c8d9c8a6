// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/program/infer_runs.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

#include "runtime/params/map_names.h"
#include "runtime/program/error.h"
#include "runtime/program/map_json.h"
#include "runtime/program/npy.h"
#include "runtime/program/npz.h"
#include "runtime/program/output_folder.h"
#include "runtime/program/printable.h"

namespace dragoman::rt {
namespace {

using Arrays = std::vector<std::pair<std::string, NpyArray>>;

bool IsJson(const std::string& path) {
  return path.size() > 5 && path.compare(path.size() - 5, 5, ".json") == 0;
}

NpyArray ToArray(AnyTensor tensor) {
  return {tensor.type->kind, tensor.type->bytes, std::move(tensor)};
}

const TensorInfo* FindInput(const ModelInfo& info, const std::string& name) {
  for (const EntryInfo& entry : info.entries) {
    for (const TensorInfo& input : entry.inputs) {
      if (name == input.name) return &input;
    }
  }
  return nullptr;
}

// Adds the two tensors of map `name`.
void ReadMaps(const ModelInfo& info, const std::string& name, const std::string& path,
              Arrays& arrays) {
  const TensorInfo* const keys = FindInput(info, name + kMapKeys);
  const TensorInfo* const values = FindInput(info, name + kMapValues);
  if (keys == nullptr || values == nullptr)
    throw Error("input '" + name + "' is not a map: " + path);
  AnyTensor key, value;
  const std::string problem = ParseMaps(ReadWholeFile(path), *FindElementType(keys->dtype),
                                        *FindElementType(values->dtype), &key, &value);
  if (!problem.empty()) throw Error(path + ": " + problem);
  arrays.emplace_back(name + kMapKeys, ToArray(std::move(key)));
  arrays.emplace_back(name + kMapValues, ToArray(std::move(value)));
}

Arrays ReadInputs(const ModelInfo& info, const InferOptions& options) {
  Arrays arrays;
  for (const std::string& archive : options.archives) {
    for (auto& array : ReadNpz(archive)) arrays.push_back(std::move(array));
  }
  for (const auto& [name, path] : options.inputs) {
    if (IsJson(path)) {
      ReadMaps(info, name, path, arrays);
    } else {
      arrays.emplace_back(name, ReadNpy(path));
    }
  }
  return arrays;
}

const NpyArray* FindArray(const Arrays& arrays, const std::string& name) {
  for (const auto& [each, array] : arrays) {
    if (each == name) return &array;
  }
  return nullptr;
}

// Copies `count` elements between tensors of one type, from and to these places.
void CopyPart(const AnyTensor& from, std::int64_t from_at, std::int64_t count, AnyTensor& to,
              std::int64_t to_at) {
  if (from.type->bytes == 0) {
    std::copy_n(from.strings.begin() + from_at, count, to.strings.begin() + to_at);
  } else {
    const std::int64_t size = from.type->bytes;
    std::copy_n(from.bytes.begin() + from_at * size, count * size, to.bytes.begin() + to_at * size);
  }
}

InputTensor MakeTensor(const NpyArray& array, const TensorInfo& info, const std::string& name,
                       bool stacked, std::int64_t calls) {
  InputTensor input;
  try {
    input.whole = ToTensor(array, *FindElementType(info.dtype));
  } catch (const Error& error) {
    throw Error("input '" + name + "': " + error.what());
  }
  const Shape& shape = input.whole.shape;
  if (!info.known_rank) return input;
  input.sliced = stacked && shape.size() == info.sizes.size() + 1 && shape[0] == calls;
  if (!input.sliced && shape.size() != info.sizes.size()) {
    throw Error("input '" + name + "' has rank " + std::to_string(shape.size()) + ", expected " +
                info.dtype + info.shape);
  }
  return input;
}

// By name, else by position.
InputData MakeInput(const Arrays& arrays, const TensorInfo& info, int index, bool stacked,
                    std::int64_t calls) {
  InputData input;
  const std::string names[] = {info.name, Printable(info.name), std::to_string(index)};
  for (const std::string& name : names) {
    for (int i = 0; input.tensors.empty() || info.IsSequence(); ++i) {
      const std::string part = info.IsSequence() ? name + "." + std::to_string(i) : name;
      const NpyArray* array = FindArray(arrays, part);
      if (array == nullptr) break;
      input.tensors.push_back(MakeTensor(*array, info, part, stacked, calls));
    }
    if (!input.tensors.empty()) return input;
  }
  if (info.kind == ValueKind::kTensor) {
    throw Error("input '" + names[0] + "' is missing; give --input " + names[0] + "=FILE.npy");
  }
  return input;
}

std::string FileStem(const std::string& name, std::set<std::string>& taken) {
  std::string stem;
  for (const char c : name) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                       std::strchr("_.-", c) != nullptr;
    stem += plain && c != '\0' ? c : '_';
  }
  stem.resize(std::min<std::size_t>(stem.size(), 200));
  if (stem.empty()) stem = "_";
  std::string unique = stem;
  for (int i = 2; !taken.insert(unique).second; ++i) unique = stem + "_" + std::to_string(i);
  return unique;
}

template <class F>
void ForEachOutput(const std::vector<EntryRun>& runs, F&& visit) {
  for (const EntryRun& run : runs) {
    for (const OutputData& output : run.outputs) {
      for (const OutputTensor& tensor : output.tensors) visit(tensor);
    }
  }
}

// A row of the index.
std::string IndexRow(const std::string& name, const std::string& file, const char* dtype,
                     const std::string& keys, const Shape& shape, int rank) {
  std::string sizes;
  for (int i = 0; i < rank; ++i) sizes += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  return "{\"name\": " + JsonString(name) + ", \"file\": " + JsonString(file) + ", \"dtype\": \"" +
         dtype + "\"" + keys + ", \"shape\": [" + sizes + "]}";
}

std::string WriteTensor(const OutputTensor& output, std::set<std::string>& taken,
                        StagedOutputs& staged) {
  const std::string file = FileStem(output.name, taken) + ".npy";
  WriteNpy(staged.PathOf(file), output.tensor);
  const Shape& shape = output.tensor.shape;
  return IndexRow(output.name, file, output.tensor.type->name, "", shape, shape.size());
}

std::string WriteMaps(const std::string& name, const AnyTensor& keys, const AnyTensor& values,
                      std::set<std::string>& taken, StagedOutputs& staged) {
  const std::string file = FileStem(name, taken) + ".json";
  const bool is_list = values.shape.size() > 1;
  WriteWholeFile(staged.PathOf(file),
                 PrintMaps({keys.type, keys.elements()}, {values.type, values.elements()},
                           keys.size(), is_list ? values.shape[0] : 1, is_list));
  return IndexRow(name, file, values.type->name,
                  std::string(", \"keys\": \"") + keys.type->name + "\"", values.shape,
                  is_list ? 1 : 0);
}

void ThrowIfProblem(const std::string& folder, const std::string& problem) {
  if (!problem.empty()) throw Error(folder + ": " + problem);
}

}  // namespace

AnyTensor InputTensor::At(std::int64_t call) const {
  if (!sliced) return whole;
  AnyTensor slice;
  Shape shape;
  for (int i = 1; i < whole.shape.size(); ++i) shape.push_back(whole.shape[i]);
  slice.Resize(whole.type->name, shape);
  const std::int64_t count = NumElements(shape);
  CopyPart(whole, call * count, count, slice, 0);
  return slice;
}

AnyValue InputData::At(std::int64_t call) const {
  AnyValue value;
  for (const InputTensor& tensor : tensors) value.push_back(tensor.At(call));
  return value;
}

void OutputTensor::Add(const AnyTensor& one, std::int64_t call, std::int64_t calls, bool stacked) {
  if (!stacked) {
    tensor = one;
    return;
  }
  if (call == 0) {
    if (one.shape.size() == kMaxRank) throw Error("the stacked outputs' rank is too high");
    Shape shape = {calls};
    for (std::int64_t size : one.shape) shape.push_back(size);
    tensor.Resize(one.type->name, shape);
  }
  const std::int64_t count = one.size();
  if (!std::equal(one.shape.begin(), one.shape.end(), tensor.shape.begin() + 1) ||
      one.shape.size() + 1 != tensor.shape.size()) {
    throw Error("output '" + name + "' has other sizes in call " + std::to_string(call) +
                " and cannot be stacked");
  }
  CopyPart(one, 0, count, tensor, call * count);
}

void OutputData::Add(const AnyValue& one, std::int64_t call, std::int64_t calls, bool stacked) {
  if (call == 0 || !stacked) tensors.clear();
  for (std::size_t i = 0; i < one.size() && call == 0; ++i) {
    const std::string name = info->name;
    tensors.push_back({info->IsSequence() ? name + "." + std::to_string(i) : name, {}});
  }
  if (one.size() != tensors.size()) {
    throw Error("output '" + std::string(info->name) + "' has another length in call " +
                std::to_string(call) + " and cannot be stacked");
  }
  for (std::size_t i = 0; i < one.size(); ++i) tensors[i].Add(one[i], call, calls, stacked);
}

std::vector<EntryRun> PrepareRuns(const ModelInfo& info, const InferOptions& options) {
  const Arrays arrays = ReadInputs(info, options);
  std::vector<EntryRun> runs(static_cast<std::size_t>(info.entries.size));
  for (int entry : options.calls) ++runs[static_cast<std::size_t>(entry)].calls;
  for (int e = 0; e < info.entries.size; ++e) {
    EntryRun& run = runs[static_cast<std::size_t>(e)];
    run.info = &info.entries[e];
    if (run.calls == 0) continue;
    for (int i = 0; i < run.info->inputs.size; ++i) {
      run.inputs.push_back(MakeInput(arrays, run.info->inputs[i], i, options.stacked, run.calls));
    }
    for (const TensorInfo& output : run.info->outputs) run.outputs.push_back({&output, {}});
  }
  return runs;
}

const OutputTensor& FindOutput(const std::vector<EntryRun>& runs, const std::string& name) {
  const OutputTensor* found = nullptr;
  ForEachOutput(runs, [&](const OutputTensor& output) {
    const bool is_meant = output.name == name || Printable(output.name) == name;
    if (found == nullptr && is_meant) found = &output;
  });
  if (found == nullptr) throw Error("--expect: there is no output '" + name + "'");
  return *found;
}

void WriteOutputs(const std::string& folder, const std::vector<EntryRun>& runs) {
  StagedOutputs staged(folder);
  ThrowIfProblem(folder, staged.Begin());
  std::vector<const OutputTensor*> outputs;
  ForEachOutput(runs, [&](const OutputTensor& output) { outputs.push_back(&output); });
  std::string index;
  std::set<std::string> taken;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::string map = MapOfKeys(outputs[i]->name);
    const bool is_map = !map.empty() && i + 1 < outputs.size() &&
                        outputs[i + 1]->name == map + kMapValues &&
                        AreMaps(outputs[i]->tensor.shape, outputs[i + 1]->tensor.shape);
    index += (index.empty() ? "\n    " : ",\n    ") +
             (is_map ? WriteMaps(map, outputs[i]->tensor, outputs[i + 1]->tensor, taken, staged)
                     : WriteTensor(*outputs[i], taken, staged));
    i += is_map ? 1 : 0;
  }
  WriteWholeFile(staged.PathOf(kOutputIndex),
                 kOutputIndexHead + index + (index.empty() ? "" : "\n  ") + "]\n}\n");
  ThrowIfProblem(folder, staged.Commit());
}

}  // namespace dragoman::rt
