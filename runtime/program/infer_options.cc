// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/program/infer_options.h"

#include <charconv>
#include <cstdlib>
#include <string_view>

#include "runtime/program/error.h"
#include "runtime/program/named_file.h"
#include "runtime/program/printable.h"

namespace dragoman::rt {
namespace {

constexpr int kMaxCount = 100'000'000;
constexpr int kMaxThreads = 1024;

int ParseCount(const std::string& option, std::string_view text, int most = kMaxCount) {
  int count = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (problem != std::errc() || end != text.data() + text.size() || count < 1 || count > most) {
    throw Error(option + ": '" + std::string(text) + "' is not a number from 1 to " +
                std::to_string(most));
  }
  return count;
}

std::uint64_t ParseSeed(const std::string& option, std::string_view text) {
  std::uint64_t seed = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (problem != std::errc() || end != text.data() + text.size())
    throw Error(option + ": '" + std::string(text) + "' is not a number of 64 bits");
  return seed;
}

double ParseFraction(const std::string& option, const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(value > 0) || value > 1)
    throw Error(option + ": '" + text + "' is not a number above 0, of at most 1");
  return value;
}

int FindEntry(const ModelInfo& info, std::string_view name) {
  for (int i = 0; i < info.entries.size; ++i) {
    const EntryInfo& entry = info.entries[i];
    if (name == entry.name || name == entry.method || name == Printable(entry.name)) return i;
  }
  throw Error("--steps: the model has no entry '" + std::string(name) + "'");
}

// "10", or "forward*5,reset_memory,forward*5".
void ParseSteps(const ModelInfo& info, std::string_view text, std::vector<int>& calls) {
  calls.clear();
  if (text.find_first_not_of("0123456789") == std::string_view::npos) {
    calls.assign(static_cast<std::size_t>(ParseCount("--steps", text)), 0);
    return;
  }
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(part.size() < text.size() ? part.size() + 1 : part.size());
    const std::size_t star = part.rfind('*');
    const bool counted = star != std::string_view::npos;
    const int count = counted ? ParseCount("--steps", part.substr(star + 1)) : 1;
    if (calls.size() + static_cast<std::size_t>(count) > kMaxCount)
      throw Error("--steps: too many calls");
    calls.insert(calls.end(), static_cast<std::size_t>(count),
                 FindEntry(info, counted ? part.substr(0, star) : part));
  }
}

}  // namespace

InferOptions ParseInferOptions(const ModelInfo& info, int argc, char** argv) {
  InferOptions options;
  options.calls = {0};
  for (int i = 1; i < argc; ++i) {
    std::string option = argv[i];
    if (option == "--help" || option == "-h") {
      options.help = true;
      return options;
    }
    if (option == "--profile") {
      options.profile = true;
      continue;
    }
    std::string value;
    if (const std::size_t equals = option.find('=');
        option.compare(0, 2, "--") == 0 && equals != std::string::npos) {
      value = option.substr(equals + 1);
      option.resize(equals);
    } else if (i + 1 < argc) {
      value = argv[++i];
    } else {
      throw Error(option + ": the option is unknown, or its value is missing; see --help");
    }
    if (option == "--input" || option == "--expect") {
      const std::size_t equals = EqualsBeforeFile(value);
      if (equals == std::string::npos) throw Error(option + ": expected NAME=FILE.npy");
      auto& files = option == "--input" ? options.inputs : options.expected;
      files.emplace_back(value.substr(0, equals), value.substr(equals + 1));
    } else if (option == "--inputs") {
      options.archives.push_back(value);
    } else if (option == "--rms") {
      options.rms = ParseFraction(option, value);
    } else if (option == "--output-dir") {
      options.output_dir = value;
    } else if (option == "--weights") {
      options.weights = value;
    } else if (option == "--steps") {
      ParseSteps(info, value, options.calls);
      options.stacked = true;
    } else if (option == "--repeat") {
      options.repeat = ParseCount(option, value);
    } else if (option == "--threads") {
      options.threads = ParseCount(option, value, kMaxThreads);
    } else if (option == "--seed") {
      options.seed = ParseSeed(option, value);
    } else {
      throw Error(option + ": the option is unknown; see --help");
    }
  }
  return options;
}

std::string InferHelp(const ModelInfo& info) {
  std::string text = "Runs the model '" + Printable(info.name) +
                     "'.\n\n"
                     "  --input NAME=FILE.npy  an input, by name or position; for each input one\n"
                     "  --inputs FILE.npz      inputs by name\n"
                     "  --expect NAME=FILE.npy what an output must be; exit code 1 if it is not\n"
                     "  --rms X                expected floats: the r.m.s. of the differences may\n"
                     "                         be X of theirs, instead of a limit for each\n"
                     "  --output-dir DIR       one .npy an output, and index.json\n"
                     "  --steps N              N calls; an input with one more leading axis of N\n"
                     "                         is sliced, outputs are stacked\n"
                     "  --steps A*5,B,A*5      calls of several entries\n"
                     "  --repeat N             time N calls, as JSON in microseconds; with\n"
                     "                         --steps by the inputs of up to 8 in turn\n"
                     "  --profile              time of every step\n"
                     "  --threads N            1 unless given\n"
                     "  --seed N               of random numbers, 0 unless given\n"
                     "  --weights FILE         the weights, if they have moved\n\n";
  const auto list = [&](const char* title, const List<TensorInfo>& tensors) {
    for (const TensorInfo& tensor : tensors) {
      text += std::string("  ") + title + " " +
              Printable(std::string(tensor.name) + ": " + tensor.dtype + tensor.shape) + "\n";
    }
  };
  for (const EntryInfo& entry : info.entries) {
    text += "entry " + Printable(entry.name) + "\n";
    list("input", entry.inputs);
    list("output", entry.outputs);
  }
  return text;
}

}  // namespace dragoman::rt
