// SPDX-License-Identifier: Apache-2.0
// Operators that torch itself defines in TorchScript: overloads such as torch.mul(2, tensor), and
// the older meanings of operators that changed (upgraders). script_functions.py holds them.
#ifndef DRAGOMAN_IMPORTERS_TORCH_SCRIPT_SCRIPT_FUNCTIONS_H_
#define DRAGOMAN_IMPORTERS_TORCH_SCRIPT_SCRIPT_FUNCTIONS_H_

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "importers/torch/script/program.h"

namespace dragoman::torch {

// The text of script_functions.py; the source is generated (cmake/EmbedText.cmake).
std::string_view ScriptFunctionText();

class ScriptFunctions {
 public:
  // Of an archive of operator-set version `version`.
  explicit ScriptFunctions(int version);

  // The definitions that overload operator "aten::mul" after its schemas.
  const std::vector<ScriptFunction>& Overloads(const std::string& name) const;
  // What overload "aten::div.Tensor" meant in that version; nullptr: what it means today.
  const ScriptFunction* Upgrader(const std::string& full_name) const;

 private:
  std::unique_ptr<CodeFile> file_;
  std::map<std::string, std::vector<ScriptFunction>> overloads_;
  std::map<std::string, ScriptFunction> upgraders_;
};

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_SCRIPT_SCRIPT_FUNCTIONS_H_
