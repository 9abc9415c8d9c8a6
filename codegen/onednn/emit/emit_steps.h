// SPDX-License-Identifier: Apache-2.0
// Prints the steps of a Plan as C++ statements.
#ifndef DRAGOMAN_CODEGEN_ONEDNN_EMIT_EMIT_STEPS_H_
#define DRAGOMAN_CODEGEN_ONEDNN_EMIT_EMIT_STEPS_H_

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/onednn/emit/text.h"
#include "codegen/onednn/plan/plan.h"

namespace dragoman::onednn {

// What is a member of the program, not a variable of a function: what several functions use.
struct Members {
  std::set<BufferId> buffers;
  std::set<std::string> symbols;
};

class StepEmitter {
 public:
  StepEmitter(const Plan& plan, const Members& members, CodeWriter& code)
      : plan_(plan), members_(members), code_(code) {}

  // Function objects: what the loops over elements compute.
  void EmitLoops();
  void EmitBlock(const Block& block);
  void EmitSteps(std::span<const Step> steps);
  void EmitBinds(const std::vector<SymbolBinding>& binds);
  // An input's sizes: symbols that it binds, and checks of what is known already.
  void EmitInput(const PlanInput& input, std::set<std::string>& bound);
  // What is computed of constants, ScratchBytes of the steps whose sizes are numbers, and Init of
  // what is prepared: statements of the constructor.
  void EmitPreparations();

 private:
  void EmitStep(const Step& step);
  // The step's action.
  void Emit(const Step& step, const KernelStep& call);
  void Emit(const Step& step, const PreparedStep& call);
  void Emit(const Step& step, const MapStep& map);
  void Emit(const Step& step, const LaidOutStep& call);
  void Emit(const Step& step, const InPlaceStep&) { EmitPlaces(step); }
  void Emit(const Step& step, const AliasStep&);
  void Emit(const Step& step, const IfStep& either);
  void Emit(const Step& step, const LoopStep& loop);
  void Emit(const Step& step, const ScanStep& scan);
  void Emit(const Step& step, const AssertStep& assertion);
  void Emit(const Step& step, const PrintStep& print);
  void ReserveScratch(const KernelStep& call, const std::string& arguments);
  void EmitLine(std::string_view prefix, const std::vector<LinePart>& line, const Step& step);
  void EmitCarriedStart(const Repetition& loop);
  void EmitCarriedResults(const Step& step, const Repetition& loop);
  void EmitView(BufferId id, const std::string& holder);
  void EmitIteration(const Repetition& loop);
  void EmitYields(const Block& block);
  std::string EmptyPart(const ScanAxis& axis) const;
  void EmitChecks(const Step& step);
  void EmitSizeFunction(const Step& step);
  void EmitSizeChecks(const Step& step);
  void EmitPlaces(const Step& step);
  void EmitPlace(BufferId id, const std::string& sizes, const std::string& mark = "");
  void PrepareSteps(std::span<const Step> steps);

  // Where the Tensor, Stack or Memory of a buffer is: "slots_[2]", "acc_own".
  std::string Holder(BufferId id) const;
  // "const rt::TensorView<float> ", or nothing for a member.
  std::string Declared(BufferId id, bool constant = true) const;
  // The block of channels of a buffer: "group_1_", "rt::kRowMajor".
  std::string BlockText(BufferId id) const;
  void EmitPreparation(const Step& step, const Prepared& prepared);
  void AddBlocks(const Step& step, const Prepared& prepared,
                 std::vector<std::string>& arguments) const;
  void AddTypes(const Step& step, const Prepared& prepared,
                std::vector<std::string>& arguments) const;
  bool HasHalf(const Step& step) const;
  using Names = std::map<BufferId, std::string>;
  static std::string TermText(const MapTerm& term, const Names& names);
  std::string Name(BufferId id) const { return id == kAbsent ? "{}" : plan_.buffer(id).name; }
  std::string SizesOf(const Step& step, std::size_t result) const;
  std::string ArgumentText(const Argument& argument, bool is_result, bool sizes_only) const;
  std::string CallArguments(const Step& step, const KernelStep& call, bool sizes_only) const;
  std::string ViewArgument(BufferId id, const std::string& as, bool is_result,
                           bool sizes_only) const;
  std::string SizeArgumentText(const Step& step, const SizeArgument& argument) const;
  std::string SizesVariable(const Step& step) const {
    return "sizes_" + std::to_string(step.number);
  }
  void Try(const std::string& expression);

  const Plan& plan_;
  const Members& members_;
  CodeWriter& code_;
};

}  // namespace dragoman::onednn

#endif  // DRAGOMAN_CODEGEN_ONEDNN_EMIT_EMIT_STEPS_H_
