// SPDX-License-Identifier: Apache-2.0
// The formats of model files, a row each: how a file is recognized, read, brought to the common
// level and written. A new format is one row here and one folder of importers/ or exporters/.
#ifndef DRAGOMAN_DRIVER_FORMATS_H_
#define DRAGOMAN_DRIVER_FORMATS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/analysis/facts.h"
#include "core/ir/model.h"
#include "core/ops/op_support.h"
#include "core/support/missing_file.h"
#include "core/support/result.h"

namespace dragoman {

// Takes a line on what is left out or assumed.
using Note = std::function<void(std::string_view)>;

// A file or a folder whose format is asked for.
struct Candidate {
  std::string path;
  bool is_folder = false;
  std::span<const std::byte> bytes;  // of a file

  std::string_view Head() const;  // its first 4096 bytes
  // Of a folder: whether it holds a file of that name.
  bool Holds(std::string_view name) const;
};

// How surely a format recognizes its own. A certain one goes before a likely one (a format without
// a signature, of which only the structure fits); of several alike the first row is taken.
enum class Likeness : std::uint8_t { kNone, kLikely, kCertain };

struct ReadOptions {
  // The tags of one of several graphs in the file (Format::has_tagged_graphs); nullopt: the one
  // that the format reads by default.
  std::optional<std::vector<std::string>> tags;
};

// What a file is written with. The first are the values of the options that the rows of formats
// have (Format::options), which say what each means.
struct WriteOptions {
  std::optional<std::int64_t> opset;
  std::optional<std::string> state;  // "keep" (nullopt, too), "lift"
  bool functions = false;
  std::optional<std::string> allowed_domain;  // "dragoman"
  std::optional<std::string> external_data;   // a number of bytes, "none"; nullopt: as the source
  std::optional<std::string> data_files;      // "one" (nullopt, too), "each"
  std::optional<std::string> torch_version;   // nullopt: "latest"
  std::optional<std::string> relax_version;   // nullopt: "latest"
  bool packed = false;

  std::optional<std::int64_t> kept_opset;  // as `opset`, where it can be met (ExportOptions)
  // ONNX: given what is written of a common graph, in operators of ONNX; false: it is not.
  std::function<bool(const Model& written)> show = nullptr;
  // Of the session that writes, which sets both.
  bool strict = false;  // what would be a warning is an error
  Note warn = nullptr;
};

// An option of writing, as the command line has it.
struct WriteOption {
  std::string_view name;  // "--relax-version"
  // Where its value goes: a flag, a number, a text.
  std::variant<bool WriteOptions::*, std::optional<std::int64_t> WriteOptions::*,
               std::optional<std::string> WriteOptions::*>
      value;
  std::string what;                      // for --help
  std::string_view placeholder = {};     // of the value there
  std::vector<std::string> one_of = {};  // what a text may be; empty: anything
  std::optional<std::pair<std::int64_t, std::int64_t>> range = std::nullopt;  // of a number
  bool lowers = false;  // it is about files that are made from a common graph
};

// Calls of source entries whose arguments are structured and have no declared sizes: data give the
// types, and the flat inputs are known when the model is lowered.
struct StructuredCalls {
  std::size_t first = 0;  // the graph's inputs before it are not arguments (self)
  // The argument, or the part of one, that a user calls `name`; nullopt: there is none such.
  std::optional<std::string> (*canonical)(const Graph& method, const std::string& name);
  // The type of the example that the file records of an argument; nullptr: it records none.
  const Type* (*example)(const Value& argument);
};

// An operator that a source dialect has and that can be lowered.
struct SourceOperator {
  std::string name;
  std::string schema;  // empty: the dialect has none
};

// Which names of a common graph a file keeps, beside those of inputs.
struct KeptNames {
  bool outputs = false;
  bool sizes = false;
  bool inner = false;  // of nodes and of their results
};
inline constexpr KeptNames kAllNames{.outputs = true, .sizes = true, .inner = true};

struct Format {
  std::string_view name;                   // as --from and --to take it
  std::vector<std::string_view> suffixes;  // ".onnx"; the first is the usual one
  std::string_view what;                   // in a few words
  bool is_container = false;               // holds any graph, of either level

  // nullptr: only the suffix or the user says so.
  Likeness (*detect)(const Candidate& candidate) = nullptr;

  // The model as the file says it; nullptr: cannot be read. Weights that lie in a file which is not
  // there are constants without elements.
  Result<Model> (*read)(const std::string& path, const ReadOptions& options) = nullptr;
  bool has_tagged_graphs = false;  // files hold several graphs, which ReadOptions::tags distinguish
  bool reader_verifies = false;    // else the verifier looks at what was read

  // Of the source models that `read` gives (Model::dialect); empty: none of its own.
  std::string_view dialect;
  // For a format that is not written: what to write for its users.
  std::string_view instead;
  // Dialects of operators that change what other nodes read, so that all run in program order.
  std::vector<std::string_view> ordered;
  // A source model of `dialect` as a common one. `note` may be empty.
  Result<Model> (*lower)(const Model& source, const Facts& facts, const Note& note) = nullptr;
  // Cuts the default entry of a source model as CutModel does a common one, so that what is cut off
  // is never lowered. nullptr: the common model is cut.
  Status (*cut)(Model& source, const std::vector<std::string>& inputs,
                const std::vector<std::string>& outputs) = nullptr;
  // What a source model that was edited by hand breaks of its dialect's rules: operators,
  // attributes and types that the dialect lacks. nullptr: nobody knows.
  Status (*validate)(const Model& source) = nullptr;
  // `error` about a model that was read from `path`, with places in the file in its findings about
  // nodes. nullptr: nodes have no places that a user sees.
  Error (*locate)(Error error, const std::string& path) = nullptr;
  // Files of weights that a source model names and that were not there; nullptr: it names none.
  std::vector<MissingFile> (*missing_files)(const Model& source) = nullptr;
  // Paths of files, there or not, that lie beside the model at `path` and hold its weights;
  // nullptr: none do.
  std::vector<std::string> (*data_files)(const std::string& path) = nullptr;
  const StructuredCalls* calls = nullptr;  // nullptr: entries take their flat inputs
  // Whether some inputs of `source` turn out to be states, or of another type, or none, when it is
  // lowered.
  bool (*changes_inputs)(const Model& source) = nullptr;
  // What to say of `source` beyond what every model has, as text, at most `max_places` lines on a
  // method.
  std::string (*describe)(const Model& source, std::size_t max_places) = nullptr;
  bool describes_at_length = false;  // in more lines than a screen has
  // Dialects and domains of operators that it may have, those that users ask for first.
  std::vector<std::string_view> vocabularies;
  // The operators of one of these that are lowered, by name.
  std::vector<SourceOperator> (*operators)(std::string_view dialect) = nullptr;

  std::vector<WriteOption> options;  // what else it can be written with
  // nullptr: cannot be written.
  Status (*write)(const Model& model, const std::string& path,
                  const WriteOptions& options) = nullptr;
  // The file as text; nullptr: it is none.
  Result<std::string> (*print)(const Model& model, const WriteOptions& options) = nullptr;
  // What `write` would refuse of a common model, every node of it; nullptr: a container, which
  // refuses none. With it goes `support`: how nodes of operator `def` are written.
  Status (*check)(const Model& common) = nullptr;
  OpSupport (*support)(const OpDef& def) = nullptr;
  KeptNames names = {};                 // by `write` of a common model; a container keeps all
  bool keeps_metadata = false;          // the same
  std::string_view passes = "default";  // that a common model goes through before it is written
};

// Errors: an option is set that is for other formats, or to what it cannot be.
Status CheckWriteOptions(const Format& format, const WriteOptions& options);
// Whether one is set that is about files made from a common graph.
bool NeedsCommonGraph(const Format& format, const WriteOptions& options);

// In the order in which they are listed.
const std::vector<Format>& BuiltInFormats();

// Pointers are into `formats`.
using Formats = std::span<const Format>;
// Errors: no such format.
Result<const Format*> FormatByName(Formats formats, std::string_view name);
// Of a file to be written. Errors: the suffix says nothing.
Result<const Format*> FormatOfOutput(Formats formats, const std::string& path);
// Of a file or folder that is there. Errors: it cannot be opened; its format is unknown.
Result<const Format*> FormatOfInput(Formats formats, const std::string& path);
// Of a file, or of all files in a folder; 0: it is neither.
std::uint64_t BytesAt(const std::string& path);
// The same, with those of the files beside it that hold its weights.
std::uint64_t BytesWithData(const Format* format, const std::string& path);
// Of a source model; nullptr: none has its dialect.
const Format* FormatOfModel(Formats formats, const Model& source);

}  // namespace dragoman

#endif  // DRAGOMAN_DRIVER_FORMATS_H_
