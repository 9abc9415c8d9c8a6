// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The folder that a run writes its outputs into.
#ifndef DRAGOMAN_RUNTIME_PROGRAM_OUTPUT_FOLDER_H_
#define DRAGOMAN_RUNTIME_PROGRAM_OUTPUT_FOLDER_H_

#include <string>
#include <vector>

namespace dragoman::rt {

// The list of a run's outputs, which shows that a folder holds those of a run.
inline constexpr char kOutputIndex[] = "index.json";

// How every index begins.
inline constexpr char kOutputIndexHead[] = "{\n  \"outputs\": [";

// Why `folder` may not get outputs; "": it is missing, empty, or holds the outputs of a run.
std::string RefusalOf(const std::string& folder);

// Files that come to lie in a folder together, or not at all. They are written to a temporary
// folder and renamed by Commit. What else lies in the folder stays. Nothing throws: functions give
// "", or what failed.
class StagedOutputs {
 public:
  explicit StagedOutputs(std::string folder) : folder_(std::move(folder)) {}
  StagedOutputs(const StagedOutputs&) = delete;
  StagedOutputs& operator=(const StagedOutputs&) = delete;
  ~StagedOutputs();  // removes what is not committed

  std::string Begin();  // first call; errors: RefusalOf, the folder cannot be made
  // Where the files lie until Commit; "" before Begin.
  const std::string& temporary() const { return temporary_; }
  std::string PathOf(const std::string& name);  // where to write the file `name`, each once
  std::string Commit();                         // last call

 private:
  std::string folder_;
  std::string temporary_;  // empty: nothing to remove
  bool beside_ = false;    // the temporary folder becomes the folder
  std::vector<std::string> names_;
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PROGRAM_OUTPUT_FOLDER_H_
