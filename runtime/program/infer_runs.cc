#include "runtime/program/infer_runs.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <set>
#include <utility>

#include "runtime/program/error.h"
#include "runtime/program/npy.h"
#include "runtime/program/npz.h"
#include "runtime/program/output_folder.h"

namespace dragoman::rt {
namespace {

using Arrays = std::vector<std::pair<std::string, NpyArray>>;

Arrays ReadInputs(const InferOptions& options) {
  Arrays arrays;
  for (const std::string& archive : options.archives) {
    for (auto& array : ReadNpz(archive)) arrays.push_back(std::move(array));
  }
  for (const auto& [name, path] : options.inputs) arrays.emplace_back(name, ReadNpy(path));
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
  const std::string names[] = {info.name, std::to_string(index)};
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

std::string JsonString(const std::string& text) {
  std::string json = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      json += '\\';
      json += c;
    } else if (byte < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", byte);
      json += escape;
    } else {
      json += c;
    }
  }
  return json + "\"";
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
  const Arrays arrays = ReadInputs(options);
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
    if (found == nullptr && output.name == name) found = &output;
  });
  if (found == nullptr) throw Error("--expect: there is no output '" + name + "'");
  return *found;
}

void WriteOutputs(const std::string& folder, const std::vector<EntryRun>& runs) {
  StagedOutputs staged(folder);
  ThrowIfProblem(folder, staged.Begin());
  std::string index;
  std::set<std::string> taken;
  ForEachOutput(runs, [&](const OutputTensor& output) {
    const std::string file = FileStem(output.name, taken) + ".npy";
    WriteNpy(staged.PathOf(file), output.tensor);
    std::string sizes;
    for (std::int64_t size : output.tensor.shape)
      sizes += (sizes.empty() ? "" : ", ") + std::to_string(size);
    index += std::string(index.empty() ? "" : ",") + "\n    {\"name\": " + JsonString(output.name) +
             ", \"file\": " + JsonString(file) + ", \"dtype\": \"" + output.tensor.type->name +
             "\", \"shape\": [" + sizes + "]}";
  });
  WriteWholeFile(staged.PathOf(kOutputIndex),
                 kOutputIndexHead + index + (index.empty() ? "" : "\n  ") + "]\n}\n");
  ThrowIfProblem(folder, staged.Commit());
}

}  // namespace dragoman::rt
