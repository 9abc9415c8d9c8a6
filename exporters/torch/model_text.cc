// SPDX-License-Identifier: Apache-2.0
#include "exporters/torch/model_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/support/text.h"
#include "exporters/torch/growing_lists.h"
#include "exporters/torch/local_names.h"

namespace dragoman::pytorch {
namespace {

constexpr std::string_view kLoad = R"(

def load() -> Model:
    """The model with the weights that lie beside this file."""
    model = Model()
    model.load_state_dict(load_file(Path(__file__).with_name("model.safetensors")))
    return model.eval()
)";

std::string ResultType(std::size_t results) {
  if (results == 0) return "None";
  if (results == 1) return "Tensor";
  return results == 2 ? "tuple[Tensor, Tensor]" : "tuple[Tensor, ...]";
}

std::size_t ResultsOf(const Function& function) {
  const Statements& statements = function.statements;
  if (statements.empty() || statements.back().kind != Statement::Kind::kReturn) return 0;
  const Expr& value = statements.back().value;
  return value.kind == Expr::Kind::kTuple ? value.parts.size() : 1;
}

class ModelPrinter {
 public:
  ModelPrinter(const ProgramCalls& program, const ModuleTree& tree, const Regions& regions,
               const Classes& classes)
      : program_(program), tree_(tree), regions_(regions), classes_(classes) {}

  std::string Print(const std::vector<ModelMethod>& methods) {
    std::vector<std::string> texts;
    const std::vector<Class>& all = classes_.all();
    hints_.resize(all.size());
    hints_.back() = program_.inputs;
    // Classes that call others say what these call their arguments.
    for (std::size_t i = all.size(); i-- > 0;) {
      PythonText text;
      PrintClass(all[i], i, i + 1 == all.size() ? methods : std::vector<ModelMethod>(), text);
      texts.push_back(text.text());
    }
    std::string body;
    for (auto text = texts.rbegin(); text != texts.rend(); ++text) body += "\n\n" + *text;
    body += kLoad;
    std::string head = "from pathlib import Path\n\n";
    if (Mentions(body, "torch.")) head += "import torch\n";
    if (Mentions(body, "F.")) head += "import torch.nn.functional as F\n";
    head += "from safetensors.torch import load_file\n";
    head += Mentions(body, "Tensor") ? "from torch import Tensor, nn\n" : "from torch import nn\n";
    return head + body;
  }

 private:
  static bool Mentions(const std::string& text, std::string_view what) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
      const char before = at == 0 ? ' ' : text[at - 1];
      if (before != '.' && before != '_' && std::isalnum(static_cast<unsigned char>(before)) == 0)
        return true;
    }
    return false;
  }

  static std::string PlacesOf(const Class& made) {
    if (made.modules.front()->path.empty()) return "The model.";
    std::string places = Dotted(made.modules.front()->path);
    constexpr std::size_t kLongest = 60;
    if (places.size() > kLongest) places = "…" + places.substr(places.size() - kLongest);
    const std::size_t others = made.modules.size() - 1;
    if (others == 1) return places + " and 1 other.";
    return others == 0 ? places + "." : fmt::format("{} and {} others.", places, others);
  }

  void PrintClass(const Class& made, std::size_t index, const std::vector<ModelMethod>& methods,
                  PythonText& text) {
    text.Line(0, "class " + made.name + "(nn.Module):");
    text.Line(4, "\"\"\"" + PlacesOf(made) + "\"\"\"");
    if (!made.members.empty() || !made.parameters.empty()) PrintInit(made, text);
    if (made.has_forward)
      PrintMethod("forward", made.forward, *made.modules.front(), hints_[index], text, true);
    for (const ModelMethod& method : methods)
      PrintMethod(method.name, method.function, *made.modules.front(), method.function.inputs, text,
                  false);
  }

  static void PrintInit(const Class& made, PythonText& text) {
    Exprs parameters = {Code("self")};
    for (const std::string& name : made.parameters) parameters.push_back(Code(name + ": int"));
    text.Blank();
    text.Print(4, "", CallOf("def __init__", std::move(parameters)), " -> None:");
    text.Line(8, "super().__init__()");
    for (const std::string& name : made.parameters) {
      if (made.kept.contains(name)) text.Line(8, fmt::format("self.{0} = {0}", name));
    }
    for (const auto& [name, value] : made.members) {
      if (IsNumber(name)) {
        text.Print(8, "", CallOf("self.add_module", {Code("\"" + name + "\""), value}), "");
      } else {
        // What takes the place of a weight later is a plain Tensor.
        const std::string made = value.parts.empty() ? "" : value.parts.front().text;
        const bool is_weight = made == "nn.Buffer" || made == "nn.Parameter";
        text.Print(8, "self." + name + (is_weight ? ": Tensor = " : " = "), value, "");
      }
    }
  }

  void PrintMethod(const std::string& name, Function function, const Module& module,
                   const std::vector<std::string>& hints, PythonText& text, bool hints_below) {
    const std::vector<std::string> many = {"features"};
    const std::size_t results = ResultsOf(function);
    FoldModuleLoops(function, module);
    FoldGrowingCalls(function);
    InlineValues(function.statements);
    const std::map<std::string, std::string> names =
        NameValues(function, function.takes_any ? many : hints);
    Exprs parameters = {Code("self")};
    for (const std::string& input : function.inputs) {
      const auto info = program_.values.find(input);
      const bool is_size = info != program_.values.end() && info->second.is_size;
      parameters.push_back(Code((function.takes_any ? "*" : "") + names.at(input) +
                                (is_size ? ": int" : ": Tensor")));
    }
    text.Blank();
    text.Print(4, "", CallOf("def " + name, std::move(parameters)),
               " -> " + ResultType(results) + ":");
    text.Print(8, function.statements);
    if (hints_below) HintNames(module, names);
  }

  // What modules below are given is called there as here.
  void HintNames(const Module& module, const std::map<std::string, std::string>& names) {
    const Region* region = regions_.Find(module);
    if (region == nullptr) return;
    for (const Item& item : region->items) {
      if (item.module == nullptr || item.module->form != Module::Form::kClass) continue;
      std::vector<std::string>& hints = hints_[classes_.IndexOf(*item.module)];
      if (!hints.empty()) continue;
      for (const std::string& input : regions_.BoundaryOf(*item.module).inputs) {
        const auto name = names.find(input);
        const ModulePath* weight = tree_.PathOfWeight(program_, input);
        hints.push_back(name != names.end() ? name->second
                        : weight != nullptr ? weight->back()
                                            : "x");
      }
    }
  }

  const ProgramCalls& program_;
  const ModuleTree& tree_;
  const Regions& regions_;
  const Classes& classes_;
  std::vector<std::vector<std::string>> hints_;  // by class: names of arguments
};

}  // namespace

std::string ModelText(const ProgramCalls& program, const ModuleTree& tree, const Regions& regions,
                      const Classes& classes, const std::vector<ModelMethod>& methods) {
  return ModelPrinter(program, tree, regions, classes).Print(methods);
}

}  // namespace dragoman::pytorch
