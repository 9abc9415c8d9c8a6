// SPDX-License-Identifier: Apache-2.0
// dragoman.load and dragoman.Model.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dragoman/dragoman.h"
#include "python/src/attributes.h"
#include "python/src/bind.h"
#include "python/src/model_object.h"

namespace dragoman::binding {

void CheckChanged(const ModelObject& object) {
  if (!object.owner->changed()) return;
  Status status = Verify(object.model());
  if (status.ok()) return;
  for (Finding& finding : status.error().findings()) finding.kind = ErrorKind::kInvalidInput;
  Raise(status.error());
}

namespace {

using Texts = std::vector<std::string>;

Texts ToTexts(nb::handle object) {
  Texts texts;
  if (object.is_none()) return texts;
  if (PyUnicode_Check(object.ptr())) return {Bytes(object)};
  for (nb::handle item : nb::borrow<nb::object>(object)) texts.push_back(Bytes(item));
  return texts;
}

std::optional<std::string> ToOptionalText(nb::handle object) {
  return object.is_none() ? std::nullopt : std::optional(Bytes(object));
}

// A path of text, of bytes, or of anything with __fspath__.
std::string ToPath(nb::handle object) {
  const nb::object path = nb::module_::import_("os").attr("fspath")(object);
  return PyBytes_Check(path.ptr()) ? std::string(nb::cast<nb::bytes>(path).c_str()) : Bytes(path);
}

// "default,-fold-constants", or a list of such words.
std::optional<std::string> ToPasses(nb::handle object) {
  if (object.is_none()) return std::nullopt;
  std::string passes;
  for (const std::string& word : ToTexts(object)) passes += (passes.empty() ? "" : ",") + word;
  return passes.empty() ? "none" : passes;
}

ShapeFact ToShapeFact(std::string input, nb::handle sizes) {
  ShapeFact fact;
  if (PyUnicode_Check(sizes.ptr())) fact = Unwrap(ParseShapeFact("x=" + Bytes(sizes)));
  fact.input = std::move(input);
  if (PyUnicode_Check(sizes.ptr())) return fact;
  for (nb::handle size : nb::borrow<nb::object>(sizes)) {
    const bool is_left = size.is_none();
    const bool is_unknown = PyUnicode_Check(size.ptr()) && Bytes(size) == "?";
    fact.dims.push_back(is_left      ? std::nullopt
                        : is_unknown ? std::optional(Dim::Unknown())
                                     : std::optional(ToDim(size)));
  }
  return fact;
}

}  // namespace

Facts ToFacts(nb::handle shapes, nb::handle dims, nb::handle entry) {
  Facts facts;
  if (!shapes.is_none()) {
    for (auto [input, sizes] : nb::cast<nb::dict>(shapes))
      facts.shapes.push_back(ToShapeFact(Bytes(nb::str(input)), sizes));
  }
  if (!dims.is_none()) {
    for (auto [symbol, size] : nb::cast<nb::dict>(dims))
      facts.dims.emplace(Bytes(symbol), ToDim(size));
  }
  facts.entry = ToOptionalText(entry);
  return facts;
}

namespace {

// Facts that are stated now go before those that were stated when the model was loaded.
Facts WithFacts(const ModelObject& object, nb::handle shapes, nb::handle dims, nb::handle entry) {
  Facts facts = ToFacts(shapes, dims, entry);
  for (const ShapeFact& fact : object.facts.shapes) {
    if (std::ranges::find(facts.shapes, fact.input, &ShapeFact::input) == facts.shapes.end())
      facts.shapes.push_back(fact);
  }
  for (const auto& [symbol, size] : object.facts.dims) facts.dims.emplace(symbol, size);
  if (!facts.entry) facts.entry = object.facts.entry;
  return facts;
}

// A path, the bytes of a file, or a file that is open for reading.
ModelObject Load(nb::object source, nb::object shapes, nb::object dims, nb::object entry,
                 nb::object tags, nb::object format, bool strict,
                 std::optional<std::uint64_t> expand_limit) {
  ModelObject object;
  object.facts = ToFacts(shapes, dims, entry);
  object.session.strict = strict;
  object.session.expand_limit = expand_limit;
  object.owner = std::make_shared<SharedModel>(Model());
  ReadOptions options;
  if (!tags.is_none()) options.tags = ToTexts(tags);
  const std::optional<std::string> name = ToOptionalText(format);
  if (nb::hasattr(source, "read")) source = source.attr("read")();
  std::optional<Model> model;
  if (PyObject_CheckBuffer(source.ptr())) {
    object.path = "bytes";
    const auto bytes = nb::cast<nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>>(
        nb::module_::import_("dragoman._arrays").attr("bytes_array")(source));
    const std::span view(static_cast<const std::byte*>(bytes.data()), bytes.nbytes());
    model = *Call(object, [&](Session& session) { return session.ReadBytes(view, name, options); });
  } else {
    object.path = ToPath(source);
    model =
        *Call(object, [&](Session& session) { return session.Read(object.path, name, options); });
  }
  object.owner = std::make_shared<SharedModel>(std::move(*model));
  if (Status known = CheckEntry(object.model(), object.facts); !known.ok())
    Raise(known.error().InFile(object.path));
  return object;
}

// What `work` makes of the model, as a model that has nothing left to be stated of it.
template <class Work>
ModelObject Derive(const ModelObject& object, Work&& work) {
  CheckChanged(object);
  ModelObject derived;
  derived.session = object.session;
  derived.path = object.path;
  derived.kept_opset = object.kept_opset;
  const Model& source = object.model();
  if (const auto opset = KeptOpset(source)) derived.kept_opset = opset;
  derived.owner = std::make_shared<SharedModel>(std::move(*Call(object, work)));
  return derived;
}

// The settings with which passes tell Python's functions what they do, each None or callable.
Session Watched(Session session, nb::object explain, nb::object progress) {
  if (!explain.is_none()) {
    session.explain = [call = Callback(std::move(explain))](std::string_view line) {
      const nb::gil_scoped_acquire lock;
      call(Text(line));
    };
  }
  if (!progress.is_none()) {
    session.after_pass = [call = Callback(std::move(progress))](const PassRun& run, const Model&) {
      const nb::gil_scoped_acquire lock;
      call(Text(run.pass), run.changed);
      return Status();
    };
  }
  return session;
}

// `object` with the rules of a file, of which the path or the bytes are given; None changes
// nothing.
ModelObject WithRules(const ModelObject& object, nb::handle rules) {
  if (rules.is_none()) return object;
  ModelObject with_rules = object;
  if (PyBytes_Check(rules.ptr())) {
    const auto bytes = nb::cast<nb::bytes>(rules);
    const std::string_view text(bytes.c_str(), bytes.size());
    with_rules.session.rules = std::make_shared<const RuleSet>(Unwrap(ReadRules(text)));
  } else {
    with_rules.session.rules = Unwrap(LoadRules(ToPath(nb::borrow(rules))));
  }
  return with_rules;
}

ModelObject ToCommon(const ModelObject& object, nb::object passes, nb::object rules,
                     nb::object shapes, nb::object dims, nb::object entry, nb::object cut_inputs,
                     nb::object cut_outputs, nb::object explain, nb::object progress) {
  LoweringOptions options;
  options.facts = WithFacts(object, shapes, dims, entry);
  options.cut_inputs = ToTexts(cut_inputs);
  options.cut_outputs = ToTexts(cut_outputs);
  options.passes = ToPasses(passes).value_or("default");
  ModelObject watched = WithRules(object, rules);
  watched.session = Watched(watched.session, std::move(explain), std::move(progress));
  ModelObject common = Derive(
      watched, [&](const Session& session) { return session.ToCommon(object.model(), options); });
  common.session = object.session;
  return common;
}

ModelObject Simplify(const ModelObject& object, std::int64_t check, std::uint64_t seed,
                     nb::object passes) {
  SimplifyOptions options{.lowering = {.facts = object.facts}, .check = check, .seed = seed};
  options.lowering.passes = ToPasses(passes).value_or(kSimplifyingPasses);
  return Derive(object, [&](const Session& session) {
    return SimplifyModel(session, object.model(), options);
  });
}

// --- Writing

// What Model.save and Model.to_text take besides the format.
struct SaveOptions {
  nb::object passes = nb::none();
  nb::object rules = nb::none();
  nb::object level = nb::none();
  nb::object opset = nb::none();
  nb::object torch_version = nb::none();
  nb::object relax_version = nb::none();
  nb::object cut_inputs = nb::none();
  nb::object cut_outputs = nb::none();
  bool lift_state = false;
  bool functions = false;
  bool own_domain = false;
  bool packed = false;
  bool unroll = false;
};

ConversionOptions ToConversion(const ModelObject& object, const SaveOptions& given) {
  ConversionOptions options;
  options.facts = object.facts;
  options.cut_inputs = ToTexts(given.cut_inputs);
  options.cut_outputs = ToTexts(given.cut_outputs);
  options.passes = ToPasses(given.passes);
  if (const auto level = ToOptionalText(given.level)) {
    if (*level != "source" && *level != "common")
      throw nb::value_error("level is 'source' or 'common'");
    options.level = *level == "source" ? Level::kSource : Level::kCommon;
  }
  WriteOptions& write = options.write;
  if (!given.opset.is_none()) write.opset = nb::cast<std::int64_t>(given.opset);
  write.torch_version = ToOptionalText(given.torch_version);
  write.relax_version = ToOptionalText(given.relax_version);
  if (given.lift_state) write.state = "lift";
  write.functions = given.functions;
  if (given.own_domain) write.allowed_domain = "dragoman";
  write.packed = given.packed;
  options.unroll = given.unroll;
  return options;
}

struct Conversion {
  const Format* format;
  ConvertedModel converted;
  WriteOptions write;
};

Result<Conversion> Convert(const Session& session, const ModelObject& object, const Format* format,
                           ConversionOptions options) {
  DRAGOMAN_TRY(CheckConversion(*format, options));
  // A common model that the user made is written as it is.
  if (object.model().level == Level::kCommon && !options.passes) options.passes = "none";
  DRAGOMAN_ASSIGN(ConvertedModel converted,
                  ConvertModel(session, Clone(object.model()), *format, options));
  if (!converted.kept_opset && format->dialect == "onnx") converted.kept_opset = object.kept_opset;
  WriteOptions write = WriteOptionsOf(converted, options);
  return Conversion{format, std::move(converted), std::move(write)};
}

void Save(const ModelObject& object, nb::object path, nb::object format, const SaveOptions& given) {
  CheckChanged(object);
  const std::string file = ToPath(path);
  const std::optional<std::string> name = ToOptionalText(format);
  const ConversionOptions options = ToConversion(object, given);
  Check(Call(WithRules(object, given.rules), [&](const Session& session) -> Status {
    DRAGOMAN_ASSIGN(const Format* target, name ? FormatByName(session.formats, *name)
                                               : FormatOfOutput(session.formats, file));
    DRAGOMAN_ASSIGN(const Conversion made, Convert(session, object, target, options));
    return session.Write(made.converted.model, file, *target, made.write);
  }));
}

nb::str Print(const ModelObject& object, nb::str format, const SaveOptions& given) {
  CheckChanged(object);
  const std::string name = Bytes(format);
  const ConversionOptions options = ToConversion(object, given);
  return Text(
      *Call(WithRules(object, given.rules), [&](const Session& session) -> Result<std::string> {
        DRAGOMAN_ASSIGN(const Format* target, FormatByName(session.formats, name));
        DRAGOMAN_ASSIGN(const Conversion made, Convert(session, object, target, options));
        return session.Print(made.converted.model, *target, made.write);
      }));
}

// --- C++ programs

void Generate(const ModelObject& object, nb::object folder, nb::str name, nb::object passes,
              bool exact_conv, bool embed_weights, nb::str precision) {
  CheckChanged(object);
  LoweringOptions lowering{.facts = object.facts};
  lowering.passes = ToPasses(passes).value_or("default");
  CodegenOptions codegen;
  codegen.name = Bytes(name);
  codegen.loadable = true;
  codegen.plan.exact_conv = exact_conv;
  codegen.embed_weights = embed_weights;
  const std::string wanted = Bytes(precision);
  if (wanted == "bf16")
    codegen.plan.precision = rt::Precision::kBF16;
  else if (wanted == "f16")
    codegen.plan.precision = rt::Precision::kF16;
  else if (wanted != "f32")
    throw nb::value_error("precision is 'f32', 'bf16' or 'f16'");
  const std::string target = ToPath(folder);
  Check(Call(object, [&](const Session& session) -> Status {
    DRAGOMAN_ASSIGN(const Model model, session.ToCommon(object.model(), lowering));
    return session.Generate(model, target, codegen);
  }));
}

// --- What is in it

// An entry, with the model that it is of.
struct EntryObject {
  ModelObject object;
  std::string name;

  const Entry& entry() const {
    const Entry* const entry = object.model().FindEntry(name);
    if (entry == nullptr) throw nb::key_error(name.c_str());
    return *entry;
  }
  std::vector<Slot> inputs() const {
    return GivenSlots(FormatOfModel(object.session.formats, object.model()), entry());
  }
  GraphHandle graph() const { return {object.owner, entry().graph.get()}; }
};

std::vector<EntryObject> EntriesOf(const ModelObject& object) {
  std::vector<EntryObject> entries;
  for (const Entry& entry : object.model().entries) entries.push_back({object, entry.name});
  return entries;
}

EntryObject ChosenEntryOf(const ModelObject& object) { return {object, object.entry().name}; }

nb::dict OpsetsOf(const ModelObject& object) {
  nb::dict opsets;
  for (const OpsetImport& opset : object.model().opsets) opsets[Text(opset.domain)] = opset.version;
  return opsets;
}

nb::dict MetadataOf(const ModelObject& object) {
  nb::dict metadata;
  for (const auto& [key, value] : object.model().metadata) metadata[Text(key)] = Text(value);
  return metadata;
}

nb::list StatesOf(const ModelObject& object) {
  nb::list states;
  const nb::object make = nb::module_::import_("dragoman._arrays").attr("State");
  for (const State& state : object.model().states)
    states.append(make(Text(state.name), state.type, AttributeObject(state.initial, object.owner)));
  return states;
}

nb::list FunctionsOf(const ModelObject& object) {
  nb::list functions;
  for (const Function& function : object.model().functions) {
    functions.append(nb::make_tuple(Text(function.op->ToString()),
                                    GraphHandle(object.owner, function.graph.get())));
  }
  return functions;
}

ModelObject Copy(const ModelObject& object) {
  ModelObject copy = object;
  copy.owner = std::make_shared<SharedModel>(Clone(object.model()));
  return copy;
}

// All that stands in the way of a target: "onnx", "relax", "relay", "cpp", "run".
nb::list Unsupported(const ModelObject& object, nb::str name) {
  CheckChanged(object);
  const std::string target = Bytes(name);
  const Result<std::vector<Finding>> findings =
      Call(object, [&](const Session& session) -> Result<std::vector<Finding>> {
        DRAGOMAN_ASSIGN(const Model common,
                        session.ToCommon(object.model(), {.facts = object.facts}));
        DRAGOMAN_ASSIGN(const Target found, TargetByName(session.formats, target));
        const Status status = found.check(common);
        return status.ok() ? std::vector<Finding>() : status.error().findings();
      });
  nb::list list;
  for (const Finding& finding : *findings) list.append(FindingObject(finding));
  return list;
}

std::string Describe(const ModelObject& object) {
  const Model& model = object.model();
  std::size_t nodes = 0;
  ForEachGraph(model, [&](const Graph& graph) { nodes += graph.num_nodes(); });
  return "<dragoman.Model " + model.dialect +
         (model.level == Level::kSource ? ", source level, " : ", common level, ") +
         std::to_string(nodes) + " nodes>";
}

SaveOptions ToSaveOptions(const nb::kwargs& given) {
  SaveOptions options;
  for (auto [key, value] : given) {
    const std::string name = Bytes(key);
    if (name == "passes")
      options.passes = nb::borrow(value);
    else if (name == "rules")
      options.rules = nb::borrow(value);
    else if (name == "level")
      options.level = nb::borrow(value);
    else if (name == "opset")
      options.opset = nb::borrow(value);
    else if (name == "torch_version")
      options.torch_version = nb::borrow(value);
    else if (name == "relax_version")
      options.relax_version = nb::borrow(value);
    else if (name == "cut_inputs")
      options.cut_inputs = nb::borrow(value);
    else if (name == "cut_outputs")
      options.cut_outputs = nb::borrow(value);
    else if (name == "lift_state")
      options.lift_state = nb::cast<bool>(value);
    else if (name == "functions")
      options.functions = nb::cast<bool>(value);
    else if (name == "own_domain")
      options.own_domain = nb::cast<bool>(value);
    else if (name == "packed")
      options.packed = nb::cast<bool>(value);
    else if (name == "unroll")
      options.unroll = nb::cast<bool>(value);
    else
      throw nb::type_error(("unexpected keyword argument '" + name + "'").c_str());
  }
  return options;
}

#define DRAGOMAN_SAVE_OPTIONS                                                            \
  "passes: str | collections.abc.Sequence[str] | None = None, "                          \
  "rules: str | os.PathLike | bytes | None = None, "                                     \
  "level: typing.Literal['source', 'common'] | None = None, opset: int | None = None, "  \
  "torch_version: str | None = None, relax_version: str | None = None, "                 \
  "cut_inputs: collections.abc.Sequence[str] | None = None, "                            \
  "cut_outputs: collections.abc.Sequence[str] | None = None, lift_state: bool = False, " \
  "functions: bool = False, own_domain: bool = False, packed: bool = False, "            \
  "unroll: bool = False"

void BindWriters(nb::class_<ModelObject>& model) {
  model
      .def(
          "save",
          [](const ModelObject& o, nb::object path, nb::object format, nb::kwargs options) {
            Save(o, path, format, ToSaveOptions(options));
          },
          nb::arg("path"), nb::arg("format") = nb::none(), nb::arg("options"),
          nb::sig("def save(self, path: str | os.PathLike, format: str | None = None, "
                  "*, " DRAGOMAN_SAVE_OPTIONS ") -> None"),
          "Writes a file; the suffix says which format, unless it is given. A source model is\n"
          "written as it is where the format can hold it and nothing asks for more; else it is\n"
          "lowered and rewritten by passes. The options are those of `dragoman convert`:\n"
          "own_domain is --allow-domain, lift_state is --state lift.")
      .def(
          "to_text",
          [](const ModelObject& o, nb::str format, nb::kwargs options) {
            return Print(o, format, ToSaveOptions(options));
          },
          nb::arg("format") = nb::str("text"), nb::arg("options"),
          nb::sig("def to_text(self, format: str = 'text', *, " DRAGOMAN_SAVE_OPTIONS ") -> str"),
          "What `save` would write in a format of text: text, json, dot, relax, relay.");
}

#undef DRAGOMAN_SAVE_OPTIONS

void BindEntries(nb::module_& m) {
  nb::class_<Slot>(m, "Slot", "An input or output that a caller gives or gets.")
      .def_prop_ro("name", [](const Slot& slot) { return Text(slot.name); })
      .def_prop_ro("type", [](const Slot& slot) { return slot.type; })
      .def("__repr__", [](const Slot& slot) {
        return Text(Printable("<dragoman.Slot " + slot.name + ": " + slot.type.ToString() + ">"));
      });
  nb::class_<EntryObject>(m, "Entry", "A graph that one can call.")
      .def_prop_ro("name", [](const EntryObject& e) { return Text(e.name); })
      .def_prop_ro("graph", &EntryObject::graph)
      .def_prop_ro("inputs", &EntryObject::inputs, "Without states.")
      .def_prop_ro(
          "outputs", [](const EntryObject& e) { return OutputSlots(e.entry()); }, "Without states.")
      .def("__repr__",
           [](const EntryObject& e) { return Text("<dragoman.Entry '" + e.name + "'>"); });
}

}  // namespace

nb::class_<ModelObject> BindModels(nb::module_& m) {
  BindEntries(m);
  m.def(
      "load", &Load, nb::arg("source"), nb::kw_only(), nb::arg("shapes") = nb::none(),
      nb::arg("dims") = nb::none(), nb::arg("entry") = nb::none(), nb::arg("tags") = nb::none(),
      nb::arg("format") = nb::none(), nb::arg("strict") = false,
      nb::arg("expand_limit") = nb::none(),
      nb::sig("def load(source: str | os.PathLike | bytes | typing.BinaryIO, *, "
              "shapes: dict[str, str | collections.abc.Sequence[int | str | None]] | None = None, "
              "dims: dict[str, int | str] | None = None, entry: str | None = None, "
              "tags: collections.abc.Sequence[str] | None = None, format: str | None = None, "
              "strict: bool = False, expand_limit: int | None = None) -> Model"),
      "Reads a model of any format from a path, from bytes, or from an open file.\n\n"
      "shapes: sizes of inputs, {\"x\": (\"n\", 3, None)}; a size is a number, an expression over\n"
      "symbols, \"?\" if it is unknown, or None to leave it as it was. \"int64:1,n\" also states\n"
      "the element type. dims: sizes of symbols, wherever they occur. entry: the only one to\n"
      "keep. tags: of a graph of a SavedModel. format: where content and suffix do not say.\n"
      "strict: warnings are errors. expand_limit: bytes that data of the model may expand to.");

  nb::class_<ModelObject> model(m, "Model",
                                "A model of any format, at the source or common level.");
  model
      .def_prop_ro("level",
                   [](const ModelObject& o) {
                     return Text(o.model().level == Level::kSource ? "source" : "common");
                   })
      .def_prop_ro("dialect", [](const ModelObject& o) { return Text(o.model().dialect); })
      .def_prop_ro("path", [](const ModelObject& o) { return Text(o.path); })
      .def_prop_ro("opsets", &OpsetsOf, nb::sig("def opsets(self) -> dict[str, int]"))
      .def_prop_ro("metadata", &MetadataOf, nb::sig("def metadata(self) -> dict[str, str]"))
      .def_prop_ro("entries", &EntriesOf)
      .def_prop_ro(
          "inputs", [](const ModelObject& o) { return ChosenEntryOf(o).inputs(); },
          "Those of the default entry, without states.")
      .def_prop_ro(
          "outputs", [](const ModelObject& o) { return OutputSlots(o.entry()); },
          "Those of the default entry, without states.")
      .def_prop_ro("states", &StatesOf, nb::sig("def states(self) -> list[State]"))
      .def_prop_ro(
          "graph", [](const ModelObject& o) { return ChosenEntryOf(o).graph(); },
          "That of the default entry.")
      .def_prop_ro("functions", &FunctionsOf,
                   nb::sig("def functions(self) -> list[tuple[str, Graph]]"),
                   "The graphs that nodes call by name.")
      .def("copy", &Copy, "A copy, which shares the weights.")
      .def("check", &CheckChanged, "Raises what is wrong with a graph that was changed.")
      .def("unsupported", &Unsupported, nb::arg("target"),
           nb::sig("def unsupported(self, target: str) -> list[Finding]"),
           "All that stands in the way of a target: \"onnx\", \"relax\", \"relay\", \"cpp\", "
           "\"run\".")
      .def(
          "__str__",
          [](const ModelObject& o) {
            PrintOptions options;
            options.store = [](const Tensor&) { return std::string(kElided); };
            return Text(PrintText(o.model(), options));
          },
          "Graph text, without the elements of large tensors.")
      .def("__repr__", [](const ModelObject& o) { return Text(Printable(Describe(o))); });

  model
      .def(
          "lower",
          [](const ModelObject& o, nb::object shapes, nb::object dims, nb::object entry,
             nb::object cut_inputs, nb::object cut_outputs) {
            return ToCommon(o, nb::str("none"), nb::none(), shapes, dims, entry, cut_inputs,
                            cut_outputs, nb::none(), nb::none());
          },
          nb::kw_only(), nb::arg("shapes") = nb::none(), nb::arg("dims") = nb::none(),
          nb::arg("entry") = nb::none(), nb::arg("cut_inputs") = nb::none(),
          nb::arg("cut_outputs") = nb::none(), "The model at the common level.")
      .def("optimize", &ToCommon, nb::arg("passes") = nb::str("default"), nb::kw_only(),
           nb::arg("rules") = nb::none(), nb::arg("shapes") = nb::none(),
           nb::arg("dims") = nb::none(), nb::arg("entry") = nb::none(),
           nb::arg("cut_inputs") = nb::none(), nb::arg("cut_outputs") = nb::none(),
           nb::arg("explain") = nb::none(), nb::arg("progress") = nb::none(),
           "The model at the common level, rewritten by passes: \"default\", \"none\", names, or\n"
           "\"default,-NAME\", after the rules of a file, given as a path or its bytes. `explain` "
           "is called with a line for each rewrite, `progress` with "
           "the\n"
           "name of each pass that has run and whether it has changed anything.")
      .def("simplify", &Simplify, nb::arg("check") = 3, nb::kw_only(), nb::arg("seed") = 0,
           nb::arg("passes") = nb::none(),
           "The model rewritten by the default passes and fold-large, and held against itself on\n"
           "`check` random inputs.")
      .def("_codegen", &Generate, nb::arg("folder"), nb::arg("name") = nb::str("model"),
           nb::kw_only(), nb::arg("passes") = nb::none(), nb::arg("exact_conv") = false,
           nb::arg("embed_weights") = false, nb::arg("precision") = nb::str("f32"));
  BindWriters(model);
  return model;
}

}  // namespace dragoman::binding
