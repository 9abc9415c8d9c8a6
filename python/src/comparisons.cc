// SPDX-License-Identifier: Apache-2.0
// dragoman.diff and dragoman.verify, and what they report.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dragoman/run.h"
#include "dragoman/session.h"
#include "python/src/arrays.h"
#include "python/src/bind.h"
#include "python/src/model_object.h"

namespace dragoman::binding {
namespace {

CompareOptions ToCompareOptions(nb::handle ignore, bool strict_attributes, bool strict_types,
                                bool commute, bool modulo_sharing, std::optional<double> rtol) {
  CompareOptions options;
  for (nb::handle word : nb::borrow<nb::object>(ignore)) {
    const std::string what = Bytes(word);
    if (what == "weights") {
      options.ignore_weights = true;
    } else if (what == "shapes") {
      options.ignore_shapes = true;
    } else if (what == "origins") {
      options.ignore_origins = true;
    } else {
      throw nb::value_error("what is ignored is 'weights', 'shapes' or 'origins'");
    }
  }
  options.strict_attributes = strict_attributes;
  options.strict_types = strict_types;
  options.commute = commute;
  options.modulo_sharing = modulo_sharing;
  options.rtol = rtol;
  return options;
}

std::optional<Level> ToLevel(nb::handle level) {
  if (level.is_none()) return std::nullopt;
  const std::string name = Bytes(level);
  if (name != "source" && name != "common") throw nb::value_error("level is 'source' or 'common'");
  return name == "source" ? Level::kSource : Level::kCommon;
}

DiffReport Diff(const ModelObject& a, const ModelObject& b, nb::handle level, nb::handle passes,
                nb::handle ignore, bool strict_attributes, bool strict_types, bool commute,
                bool modulo_sharing, std::optional<double> rtol) {
  CheckChanged(a);
  CheckChanged(b);
  DiffRequest request;
  request.level = ToLevel(level);
  if (!passes.is_none()) request.passes = Bytes(passes);
  request.facts = {a.facts, b.facts};
  request.compare =
      ToCompareOptions(ignore, strict_attributes, strict_types, commute, modulo_sharing, rtol);
  return *Call(a, [&](const Session& session) {
    std::array<Model, 2> models = {Clone(a.model()), Clone(b.model())};
    return DiffSources(session, models, {a.path, b.path}, request);
  });
}

nb::object PlaceText(const std::string& text) {
  return text.empty() ? nb::none() : nb::object(Text(text));
}

std::string_view PartName(Edit::Part part) {
  switch (part) {
    case Edit::Part::kAttribute:
      return "attribute";
    case Edit::Part::kOperand:
      return "operand";
    case Edit::Part::kResult:
      return "result";
    case Edit::Part::kInput:
      return "input";
    case Edit::Part::kOutput:
      return "output";
    case Edit::Part::kWhole:
      break;
  }
  return "whole";
}

void BindDiff(nb::module_& m) {
  nb::class_<Edit::Elements>(m, "Elements", "How the contents of two constants differ.")
      .def_ro("count", &Edit::Elements::count)
      .def_ro("total", &Edit::Elements::total)
      .def_ro("first", &Edit::Elements::first)
      .def_ro("largest_absolute", &Edit::Elements::largest_absolute)
      .def_ro("largest_relative", &Edit::Elements::largest_relative);

  const auto text = [](std::string Edit::*member) {
    return [member](const Edit& edit) { return Text(edit.*member); };
  };
  nb::class_<Edit>(m, "Edit", "One of the edits that lead from the first model to the second.")
      .def_prop_ro(
          "kind", [](const Edit& edit) { return Text(Name(edit.kind)); },
          "\"changed attribute\", \"inserted node\", ...")
      .def_prop_ro("part", [](const Edit& edit) { return Text(PartName(edit.part)); })
      .def_prop_ro("attribute", text(&Edit::attribute))
      .def_ro("index", &Edit::index)
      .def_prop_ro(
          "path",
          [](const Edit& edit) {
            nb::list path;
            for (const std::string& name : edit.path) path.append(Text(name));
            return path;
          },
          nb::sig("def path(self) -> list[str]"))
      .def_prop_ro("node_a", text(&Edit::node_a))
      .def_prop_ro("node_b", text(&Edit::node_b))
      .def_prop_ro("op", text(&Edit::op))
      .def_prop_ro("what", text(&Edit::what))
      .def_prop_ro(
          "place_a", [](const Edit& edit) { return PlaceText(edit.place_a); },
          nb::sig("def place_a(self) -> str | None"))
      .def_prop_ro(
          "place_b", [](const Edit& edit) { return PlaceText(edit.place_b); },
          nb::sig("def place_b(self) -> str | None"))
      .def_prop_ro("before", text(&Edit::old_value))
      .def_prop_ro("after", text(&Edit::new_value))
      .def_prop_ro("origin_a", text(&Edit::origin_a))
      .def_prop_ro("origin_b", text(&Edit::origin_b))
      .def_ro("elements", &Edit::elements)
      .def("__repr__", [](const Edit& edit) {
        return Text("<dragoman.Edit " + std::string(Name(edit.kind)) + ": " +
                    (edit.place_a.empty() ? edit.place_b : edit.place_a) + ">");
      });

  nb::class_<DiffReport>(m, "DiffReport", "Whether two models are the same, and where they differ.")
      .def_prop_ro("equal", &DiffReport::equal)
      .def(
          "__bool__", [](const DiffReport& report) { return !report.equal(); },
          "Whether there is a difference.")
      .def_prop_ro("level",
                   [](const DiffReport& report) {
                     return Text(report.level == Level::kSource ? "source" : "common");
                   })
      .def_prop_ro(
          "verdict", [](const DiffReport& report) { return Text(Verdict(report)); },
          "In a few words; empty if the models are equal.")
      .def_ro("edits", &DiffReport::edits)
      .def("json", [](const DiffReport& report) { return Text(RenderJson(report)); })
      .def("__str__", [](const DiffReport& report) { return Text(RenderText(report)); })
      .def("__repr__", [](const DiffReport& report) {
        return Text(report.equal() ? "<dragoman.DiffReport, equal>"
                                   : "<dragoman.DiffReport, " + Verdict(report) + ">");
      });

  m.def("diff_models", &Diff, nb::arg("a"), nb::arg("b"), nb::arg("level").none(),
        nb::arg("passes").none(), nb::arg("ignore"), nb::arg("strict_attributes"),
        nb::arg("strict_types"), nb::arg("commute"), nb::arg("modulo_sharing"),
        nb::arg("rtol").none());
}

// --- verify

struct VerifyReport {
  std::vector<Verification> verifications;

  bool ok() const {
    return std::ranges::all_of(verifications, [](const Verification& v) { return v.ok(); });
  }
};

VerifyReport Verify(const ModelObject& model, std::optional<ModelObject> other,
                    const std::vector<std::string>& data, nb::handle inputs, std::int64_t random,
                    std::uint64_t seed, bool bisect, std::optional<double> rtol,
                    std::optional<double> atol, const std::string& engine,
                    std::optional<std::string> steps) {
  CheckChanged(model);
  VerifyRequest request;
  request.run.engine = engine;
  request.run.facts = model.facts;
  request.run.steps = std::move(steps);
  request.tolerance = {rtol, atol};
  request.bisect = bisect;
  request.inputs = ToNamedArrays(inputs);
  request.random = random;
  request.seed = seed;
  if (!other) {
    return {*Call(model, [&](const Session& session) {
      return VerifyAgainstData(session, model.model(), data, request);
    })};
  }
  CheckChanged(*other);
  return {*Call(model, [&](const Session& session) {
    const std::shared_lock reading(other->owner->in_use());
    return VerifyAgainstModel(session, model.model(), other->model(), other->path, request);
  })};
}

std::string ReportText(const VerifyReport& report) {
  std::string text;
  for (const Verification& verification : report.verifications) {
    text += verification.what + (verification.ok() ? ": ok\n" : ": different\n");
    for (const OutputComparison& output : verification.outputs)
      text += "  " + output.message + "\n";
    if (verification.bisection && verification.bisection->first) {
      const Divergence& first = *verification.bisection->first;
      text += "  first value that differs: " + first.compared.message + "\n    of " + first.node +
              (first.origin.empty() ? "" : ", from " + first.origin) + "\n";
    }
  }
  return text;
}

void BindVerify(nb::module_& m) {
  nb::class_<OutputComparison>(m, "OutputComparison", "An output held against what is expected.")
      .def_prop_ro("name", [](const OutputComparison& o) { return Text(o.name); })
      .def_ro("ok", &OutputComparison::ok)
      .def_ro("largest", &OutputComparison::largest, "The largest difference of two elements.")
      .def_ro("elements", &OutputComparison::elements)
      .def_ro("different", &OutputComparison::different)
      .def_ro("worst", &OutputComparison::worst, "Where the largest difference is.")
      .def_prop_ro("message", [](const OutputComparison& o) { return Text(o.message); })
      .def("__repr__", [](const OutputComparison& o) { return Text("<" + o.message + ">"); });
  nb::class_<Divergence>(m, "Divergence", "The first value that differs.")
      .def_ro("compared", &Divergence::compared)
      .def_prop_ro("node", [](const Divergence& d) { return Text(d.node); })
      .def_prop_ro("origin", [](const Divergence& d) { return Text(d.origin); })
      .def_ro("agreeing", &Divergence::agreeing, "Values before it that agree.");
  nb::class_<Verification>(m, "Verification", "The answer for one data set, or one input.")
      .def_prop_ro("what", [](const Verification& v) { return Text(v.what); })
      .def_prop_ro("ok", &Verification::ok)
      .def_ro("outputs", &Verification::outputs)
      .def_prop_ro("first_difference", [](const Verification& v) {
        return v.bisection ? v.bisection->first : std::optional<Divergence>();
      });
  nb::class_<VerifyReport>(m, "VerifyReport", "Whether a model computes what it should.")
      .def_prop_ro("ok", &VerifyReport::ok)
      .def("__bool__", &VerifyReport::ok)
      .def_ro("verifications", &VerifyReport::verifications)
      .def("__str__", [](const VerifyReport& r) { return Text(ReportText(r)); })
      .def("__repr__", [](const VerifyReport& r) {
        return Text(std::string("<dragoman.VerifyReport, ") + (r.ok() ? "ok>" : "different>"));
      });
  m.def("verify_model", &Verify, nb::arg("model"), nb::arg("other").none(), nb::arg("data"),
        nb::arg("inputs").none(), nb::arg("random"), nb::arg("seed"), nb::arg("bisect"),
        nb::arg("rtol").none(), nb::arg("atol").none(), nb::arg("engine"), nb::arg("steps").none());
}

}  // namespace

void BindComparisons(nb::module_& m) {
  BindDiff(m);
  BindVerify(m);
}

}  // namespace dragoman::binding
