// SPDX-License-Identifier: Apache-2.0
// The cases of ONNX's backend suite, and what becomes of them.
//
// A manifest lists the cases that are expected to fail, with the reason; one that is listed and
// passes is a failure too. The environment variable DRAGOMAN_CASES limits a run to cases whose name
// contains it, and DRAGOMAN_CASES_OP to those with a node of that type.
#ifndef DRAGOMAN_TESTS_CONFORMANCE_SUITE_CASES_H_
#define DRAGOMAN_TESTS_CONFORMANCE_SUITE_CASES_H_

#include <filesystem>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/interpreter/array.h"
#include "core/ir/model.h"
#include "core/support/result.h"

namespace dragoman {

// "" if it is not set.
std::string Environment(const char* name);

// The folders in `folder` that hold a model and are not filtered by their names, sorted.
std::vector<std::filesystem::path> CasesIn(const std::filesystem::path& folder);

// Whether the run is not limited to an operator that `model` lacks.
bool IsSelected(const Model& model);

// Operators of a common model that its dialect lacks.
std::set<std::string> UnknownOperators(const Model& model);

// A recorded run: one value an input and output of the model `source`.
struct RecordedRun {
  std::vector<RuntimeValue> inputs;
  std::vector<RuntimeValue> outputs;
};
Result<RecordedRun> ReadRecordedRun(const std::filesystem::path& folder, const Model& source);

// Compares what happens to each case with the manifests, and counts.
class CaseReport {
 public:
  // `cases`: the folder that holds them. `manifests`: files of this folder, with lines
  // "NAME: REASON", or "RELEASE/NAME: REASON" for those of that release of ONNX only; '#' starts a
  // comment line.
  CaseReport(const std::filesystem::path& cases, std::initializer_list<std::string_view> manifests);

  // A test failure unless `status` is what the manifests let expect.
  void Add(const std::string& name, const Status& status);
  // A case that is not run.
  void AddBeyondDialect(const std::set<std::string>& operators);

  void Print(const std::string& title) const;

 private:
  std::map<std::string, std::string> reasons_;
  int passed_ = 0;
  int failed_ = 0;
  int failed_as_expected_ = 0;
  int beyond_dialect_ = 0;
  std::set<std::string> unknown_operators_;
};

}  // namespace dragoman

#endif  // DRAGOMAN_TESTS_CONFORMANCE_SUITE_CASES_H_
