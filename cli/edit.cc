// SPDX-License-Identifier: Apache-2.0
// dragoman edit MODEL -o OUT
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/options.h"
#include "driver/convert_model.h"
#include "driver/edit_model.h"

namespace dragoman::cli {
namespace {

struct EditOptions {
  std::string model;
  std::string output;
  std::optional<std::string> from;
  std::optional<std::string> to;
  std::vector<std::string> rename_inputs, rename_outputs, rename_values, rename_nodes, rename_dims;
  std::vector<std::string> input_order, output_order;
  std::vector<std::string> dropped_inputs, dropped_outputs, exposed;
  std::vector<std::string> types, layouts, scales, means, stds;
  std::vector<std::string> argmax, softmax;
  std::vector<std::string> constants, metadata, removed_metadata;
  std::vector<std::string> stripped;
  LoweringFlags lowering;
  CommonOptions common;
};

using Pair = std::pair<std::string, std::string>;

// "NAME=VALUE" at the last "=", or at the first where values have some.
Result<Pair> ParsePair(std::string_view option, const std::string& text, bool at_first = false) {
  const std::size_t equals = at_first ? text.find('=') : text.rfind('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    return InvalidInput(fmt::format("{} {} is not NAME=VALUE", option, text));
  return Pair(text.substr(0, equals), text.substr(equals + 1));
}

Result<std::vector<float>> ParseNumbers(std::string_view option, const std::string& text) {
  std::vector<float> numbers;
  const char* at = text.c_str();
  while (true) {
    char* end = nullptr;
    const float number = std::strtof(at, &end);
    if (end == at || !std::isfinite(number) || (*end != ',' && *end != '\0'))
      return InvalidInput(fmt::format("{}: '{}' is not a list of numbers", option, text));
    numbers.push_back(number);
    if (*end == '\0') return numbers;
    at = end + 1;
  }
}

Status AddRenames(std::string_view option, Renamed what, const std::vector<std::string>& texts,
                  EditRequest& request) {
  for (const std::string& text : texts) {
    DRAGOMAN_ASSIGN(Pair pair, ParsePair(option, text));
    request.renames.push_back({what, std::move(pair.first), std::move(pair.second)});
  }
  return {};
}

// Calls set(preprocessing, value) for each input that is named.
template <class Set>
Status AddPreprocessing(std::string_view option, const std::vector<std::string>& texts,
                        EditRequest& request, Set set) {
  for (const std::string& text : texts) {
    DRAGOMAN_ASSIGN(const Pair pair, ParsePair(option, text));
    Preprocessing& wanted = request.preprocessing[pair.first];
    wanted.input = pair.first;
    DRAGOMAN_TRY(set(wanted, pair.second));
  }
  return {};
}

Status AddAllPreprocessing(const EditOptions& options, EditRequest& request) {
  const auto type = [](Preprocessing& wanted, const std::string& text) -> Status {
    wanted.dtype = DTypeFromName(text);
    if (wanted.dtype && (IsInteger(*wanted.dtype) || IsFloating(*wanted.dtype))) return {};
    return InvalidInput("--input-type: '" + text + "' is not an element type, such as uint8");
  };
  const auto layout = [](Preprocessing& wanted, const std::string& text) -> Status {
    wanted.layout = text;
    return {};
  };
  const auto scale = [](Preprocessing& wanted, const std::string& text) -> Status {
    DRAGOMAN_ASSIGN(const std::vector<float> numbers, ParseNumbers("--input-scale", text));
    if (numbers.size() != 1) return InvalidInput("--input-scale takes one number");
    wanted.scale = numbers.front();
    return {};
  };
  const auto mean = [](Preprocessing& wanted, const std::string& text) -> Status {
    DRAGOMAN_ASSIGN(wanted.mean, ParseNumbers("--input-mean", text));
    return {};
  };
  const auto std = [](Preprocessing& wanted, const std::string& text) -> Status {
    DRAGOMAN_ASSIGN(wanted.std, ParseNumbers("--input-std", text));
    return {};
  };
  DRAGOMAN_TRY(AddPreprocessing("--input-type", options.types, request, type));
  DRAGOMAN_TRY(AddPreprocessing("--input-layout", options.layouts, request, layout));
  DRAGOMAN_TRY(AddPreprocessing("--input-scale", options.scales, request, scale));
  DRAGOMAN_TRY(AddPreprocessing("--input-mean", options.means, request, mean));
  return AddPreprocessing("--input-std", options.stds, request, std);
}

// "y" or "y=1".
Status AddPostprocessing(Postprocessing what, const std::vector<std::string>& texts,
                         EditRequest& request) {
  for (const std::string& text : texts) {
    PostEdit post{text, what, -1};
    const std::size_t equals = text.rfind('=');
    if (equals != std::string::npos) {
      const char* const begin = text.data() + equals + 1;
      const char* const end = text.data() + text.size();
      const auto [at, error] = std::from_chars(begin, end, post.axis);
      if (begin == end || at != end || error != std::errc())
        return InvalidInput("'" + text + "' is not OUTPUT=AXIS");
      post.output = text.substr(0, equals);
    }
    request.postprocessing.push_back(std::move(post));
  }
  return {};
}

Result<EditRequest> ParseRequest(const EditOptions& options) {
  EditRequest request;
  request.exposed = options.exposed;
  request.dropped_inputs = options.dropped_inputs;
  request.dropped_outputs = options.dropped_outputs;
  request.input_order = options.input_order;
  request.output_order = options.output_order;
  request.removed_metadata = options.removed_metadata;
  for (const std::string& what : options.stripped)
    (what == "docs" ? request.strips_documentation : request.strips_names) = true;
  DRAGOMAN_TRY(AddAllPreprocessing(options, request));
  DRAGOMAN_TRY(AddPostprocessing(Postprocessing::kSoftmax, options.softmax, request));
  DRAGOMAN_TRY(AddPostprocessing(Postprocessing::kArgMax, options.argmax, request));
  for (const std::string& text : options.constants) {
    DRAGOMAN_ASSIGN(Pair pair, ParsePair("--set-constant", text));
    request.constants.push_back(std::move(pair));
  }
  for (const std::string& text : options.metadata) {
    DRAGOMAN_ASSIGN(Pair pair, ParsePair("--metadata", text, /*at_first=*/true));
    request.metadata.push_back(std::move(pair));
  }
  DRAGOMAN_TRY(AddRenames("--rename-value", Renamed::kValue, options.rename_values, request));
  DRAGOMAN_TRY(AddRenames("--rename-input", Renamed::kInput, options.rename_inputs, request));
  DRAGOMAN_TRY(AddRenames("--rename-output", Renamed::kOutput, options.rename_outputs, request));
  DRAGOMAN_TRY(AddRenames("--rename-node", Renamed::kNode, options.rename_nodes, request));
  DRAGOMAN_TRY(AddRenames("--rename-dim", Renamed::kDim, options.rename_dims, request));
  return request;
}

Result<const Format*> FormatToWrite(const Session& session, const EditOptions& options) {
  return options.to ? FormatByName(session.formats, *options.to)
                    : FormatOfOutput(session.formats, options.output);
}

Status Edit(const EditOptions& options) {
  const Session session = MakeSession(options.common, options.model);
  DRAGOMAN_ASSIGN(const EditRequest request, ParseRequest(options));
  DRAGOMAN_ASSIGN(const Facts facts, ParseFacts(options.lowering));
  DRAGOMAN_ASSIGN(const Format* const target, FormatToWrite(session, options));
  DRAGOMAN_TRY(CheckEdits(request, *target));
  DRAGOMAN_ASSIGN(Model source,
                  session.Read(options.model, options.from, ReadOptionsOf(options.lowering)));
  const std::optional<std::int64_t> opset = KeptOpset(source);
  Result<Model> model = EditableModel(session, std::move(source), facts);
  if (!model.ok()) return std::move(model).error().InFile(options.model);
  Status edited = EditModel(*model, request);
  if (!edited.ok()) return std::move(edited).error().InFile(options.model);
  if (!target->is_container && target->dialect != "onnx") {
    DRAGOMAN_ASSIGN(*model, session.ToCommon(*model));
  }
  DRAGOMAN_TRY(session.Write(*model, options.output, *target, {.kept_opset = opset}));
  if (options.common.json) PrintJson(WrittenJson(options.output, target->name));
  return {};
}

int RunEdit(const EditOptions& options) { return Report(Edit(options), options.model); }

void AddNames(Command& command, EditOptions& options) {
  command.Add("--rename-input", &options.rename_inputs,
              "Rename inputs; PATTERN is a name, or a regular expression that matches all of it; "
              "$1 in NAME is its first group",
              {.placeholder = "PATTERN=NAME", .repeatable = true});
  command.Add("--rename-output", &options.rename_outputs, "Rename outputs",
              {.placeholder = "PATTERN=NAME", .repeatable = true});
  command.Add("--rename-value", &options.rename_values, "Rename values of any kind",
              {.placeholder = "PATTERN=NAME", .repeatable = true});
  command.Add("--rename-node", &options.rename_nodes, "Rename nodes",
              {.placeholder = "PATTERN=NAME", .repeatable = true});
  command.Add("--rename-dim", &options.rename_dims, "Rename symbols in sizes",
              {.placeholder = "PATTERN=NAME", .repeatable = true});
  command.Add("--order-inputs", &options.input_order, "Inputs that come first, in this order",
              {.placeholder = "NAME,…", .commas = true});
  command.Add("--order-outputs", &options.output_order, "Outputs that come first, in this order",
              {.placeholder = "NAME,…", .commas = true});
  command.Add("--drop-input", &options.dropped_inputs,
              "An input that nothing reads, or that has a default, which becomes a constant",
              {.placeholder = "NAME", .repeatable = true});
  command.Add("--drop-output", &options.dropped_outputs,
              "An output, with what is computed for it alone",
              {.placeholder = "NAME", .repeatable = true});
  command.Add("--expose", &options.exposed, "An inner value that becomes an output",
              {.placeholder = "NAME", .repeatable = true});
}

void AddProcessing(Command& command, EditOptions& options) {
  command.Add("--input-type", &options.types, "Type of the data, such as x=uint8",
              {.placeholder = "INPUT=TYPE", .repeatable = true});
  command.Add("--input-layout", &options.layouts,
              "Layout of the data, where it is not the model's, such as x=nhwc",
              {.placeholder = "INPUT=LAYOUT", .repeatable = true});
  command.Add("--input-scale", &options.scales, "Number that the data are multiplied by",
              {.placeholder = "INPUT=N", .repeatable = true});
  command.Add("--input-mean", &options.means,
              "One number, or one per channel, that is subtracted then",
              {.placeholder = "INPUT=N,…", .repeatable = true});
  command.Add("--input-std", &options.stds, "What the difference is divided by",
              {.placeholder = "INPUT=N,…", .repeatable = true});
  command.Add("--softmax", &options.softmax,
              "Give the softmax of an output; default: over the last axis",
              {.placeholder = "OUTPUT[=AXIS]", .repeatable = true});
  command.Add("--argmax", &options.argmax,
              "Give the index of the largest element of an output; default: along the last axis",
              {.placeholder = "OUTPUT[=AXIS]", .repeatable = true});
}

}  // namespace

void AddEdit(CommandLine& program) {
  auto options = std::make_shared<EditOptions>();
  Command command = program.AddCommand(
      "edit", "Change names, inputs, outputs, constants and metadata of a model");
  command.Add("MODEL", &options->model, "A model file", {.required = true});
  command.Add("-o,--output", &options->output, "File to write",
              {.placeholder = "FILE", .required = true});
  command.Add("--from", &options->from,
              "Format of MODEL, if content and suffix do not determine it",
              {.placeholder = "FORMAT"});
  command.Add("--to", &options->to, "Format of OUT, if its suffix does not determine it",
              {.placeholder = "FORMAT"});
  AddNames(command, *options);
  AddProcessing(command, *options);
  command.Add("--set-constant", &options->constants,
              "Other elements of a constant, of the same type and sizes",
              {.placeholder = "NAME=FILE.npy", .repeatable = true});
  command.Add("--metadata", &options->metadata, "Set an entry of the metadata",
              {.placeholder = "KEY=VALUE", .repeatable = true});
  command.Add("--remove-metadata", &options->removed_metadata, "Remove an entry of the metadata",
              {.placeholder = "KEY", .repeatable = true});
  command.Add("--strip", &options->stripped,
              "docs: texts for people; names: those of nodes and inner values",
              {.one_of = {"docs", "names"}, .repeatable = true});
  AddFacts(command, options->lowering);
  AddCommonOptions(command, options->common);
  command.SetFooter(
      "Values have the names of MODEL in all options, for renaming is done last. Whatever is not\n"
      "edited stays as it is in a file of ONNX operators; other models are lowered before.\n"
      "\n"
      "  dragoman edit model.onnx -o out.onnx --rename-input x=image --rename-dim batch_size=n\n"
      "  dragoman edit model.onnx -o out.onnx --input-type x=uint8 --input-layout x=nhwc \\\n"
      "      --input-mean x=123.7,116.3,103.5 --input-std x=58.4,57.1,57.4 --argmax y\n"
      "  dragoman edit model.onnx -o out.onnx --expose /encoder/out --drop-output aux");
  command.SetRun([options] { return RunEdit(*options); });
}

}  // namespace dragoman::cli
