// SPDX-License-Identifier: Apache-2.0
// Unrolled cells whose steps do not all pass their states on alike: masked, bounded or projected on
// any subset of steps. Whatever is fused of them, numbers stay.
#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/analysis/inference.h"
#include "core/ir/parse.h"
#include "core/ir/print.h"
#include "core/rewrite/pipeline.h"
#include "tests/unit/rewrite/random_inputs.h"

namespace dragoman {
namespace {

constexpr int kSteps = 4;

// What becomes of new states before the next step reads them.
enum class After {
  kNothing,
  kMask,         // where(t < length, new, old)
  kMaskFlipped,  // where(t < length, old, new)
  kMaskZeros,    // where(t < length, new, 0)
  kMaskProject,  // where(t < length, projection of new, old)
  kClip,
  kProject,
  kClipProject,
  kClipCell,  // of an LSTM's cell state
};
constexpr After kAll[] = {After::kNothing,     After::kMask,     After::kMaskFlipped,
                          After::kMaskZeros,   After::kClip,     After::kProject,
                          After::kClipProject, After::kClipCell, After::kMaskProject};

bool IsMask(After after) {
  return after == After::kMask || after == After::kMaskFlipped || after == After::kMaskZeros ||
         after == After::kMaskProject;
}

// %S(t+1) of the new %F(t), as `after` says.
std::string Passed(char state, char fresh, int t, After after) {
  const std::string to = fmt::format("%{}{}", state, t + 1);
  const std::string from = fmt::format("%{}{}", fresh, t);
  const std::string old = fmt::format("%{}{}", state, t);
  switch (after) {
    case After::kMask:
      return fmt::format("  {} = onnx.Where(%mask{}, {}, {})\n", to, t, from, old);
    case After::kMaskFlipped:
      return fmt::format("  {} = onnx.Where(%mask{}, {}, {})\n", to, t, old, from);
    case After::kMaskZeros:
      return fmt::format("  {} = onnx.Where(%mask{}, {}, %zero)\n", to, t, from);
    case After::kMaskProject:  // a cell state stays as it is
      if (state == 'c') return Passed(state, fresh, t, After::kMask);
      return fmt::format(
          "  %q{0} = onnx.MatMul({1}, %p)\n  {2} = onnx.Where(%mask{0}, %q{0}, {3})\n", t, from, to,
          old);
    case After::kClip:
      return fmt::format("  {} = onnx.Clip({}, %low, %high)\n", to, from);
    case After::kProject:
      return fmt::format("  {} = onnx.MatMul({}, %p)\n", to, from);
    case After::kClipProject:
      return fmt::format("  %q{} = onnx.MatMul({}, %p)\n  {} = onnx.Clip(%q{}, %low, %high)\n", t,
                         from, to, t);
    default:
      return fmt::format("  {} = onnx.Identity({})\n", to, from);
  }
}

std::string LstmStep(int t, After after) {
  const bool clips = after == After::kClipCell;
  return fmt::format(R"(
  %i{0}, %o{0}, %f{0}, %g{0} = onnx.Split(%gates{0}) {{axis = 1, num_outputs = 4}}
  %si{0} = onnx.Sigmoid(%i{0})
  %so{0} = onnx.Sigmoid(%o{0})
  %sf{0} = onnx.Sigmoid(%f{0})
  %tg{0} = onnx.Tanh(%g{0})
  %fc{0} = onnx.Mul(%sf{0}, %c{0})
  %ig{0} = onnx.Mul(%si{0}, %tg{0})
  %sum{0} = onnx.Add(%fc{0}, %ig{0})
  %d{0} = onnx.{1}
  %tc{0} = onnx.Tanh(%d{0})
  %n{0} = onnx.Mul(%so{0}, %tc{0})
)",
                     t,
                     clips ? fmt::format("Clip(%sum{}, %low, %high)", t)
                           : fmt::format("Identity(%sum{})", t)) +
         Passed('c', 'd', t, IsMask(after) ? after : After::kNothing);
}

struct Form {
  bool lstm = true;
  bool given_states = true;
  bool gives_all = true;  // the states of all steps, else those of the last one
};

std::string Unrolled(const Form& form, const std::vector<After>& after) {
  const std::string states = form.given_states ? ", %h0: f32[3, 2], %c0: f32[3, 2]" : "";
  const std::string outputs = form.gives_all ? "%ys" : "%h4";
  std::string text = "graph main(%x: f32[4, 3, 2], %half: i64[3]" + states + ") -> (" + outputs +
                     (form.lstm ? ", %c4" : "") + ") {\n" + R"(
  const %axis: i64[1] = [0]
  const %one: i64[1] = [1]
  const %two: i64[] = 2
  const %zero: f32[] = 0
  const %low: f32[] = -0.2
  const %high: f32[] = 0.2
  const %p: f32[2, 2] = [[0.6, -0.3], [0.2, 0.9]]
  %lengths = onnx.Mul(%half, %two)
)";
  if (!form.given_states) {
    for (const char* name : {"h0", "c0"}) {
      text += fmt::format("  const %{}: f32[3, 2] = [[0, 0], [0, 0], [0, 0]]\n", name);
    }
  }
  text += fmt::format("  const %w: f32[{}, 4] = [", form.lstm ? 8 : 2);
  for (int row = 0; row < (form.lstm ? 8 : 2); ++row) {
    text += fmt::format("{}[{:.2f}, {:.2f}, {:.2f}, {:.2f}]", row > 0 ? ", " : "", 0.3 * row - 0.9,
                        0.5 - 0.1 * row, 0.9 - 0.2 * row, 0.1 * row + 0.35);
  }
  text += "]\n";
  std::string rows;
  for (int t = 0; t < kSteps; ++t) {
    const After own = after[static_cast<std::size_t>(t)];
    text += fmt::format(R"(
  const %at{0}: i64[] = {0}
  %within{0} = onnx.Less(%at{0}, %lengths)
  %mask{0} = onnx.Unsqueeze(%within{0}, %one)
  %x{0} = onnx.Gather(%x, %at{0})
  %xh{0} = onnx.Concat(%x{0}, %h{0}) {{axis = 1}}
  %gates{0} = onnx.Gemm(%xh{0}, %w) {{transB = 1}}
)",
                        t);
    text += form.lstm ? LstmStep(t, own) : fmt::format("  %n{0} = onnx.Tanh(%gates{0})\n", t);
    text += Passed('h', 'n', t, own);
    text += fmt::format("  %u{0} = onnx.Unsqueeze(%h{0}, %axis)\n", t + 1);
    rows += fmt::format("{}%u{}", t > 0 ? ", " : "", t + 1);
  }
  return text + "  %ys = onnx.Concat(" + rows + ") {axis = 0}\n}\n";
}

// How many operators the steps become. Checks that numbers are as before.
std::size_t Fuse(const Form& form, const std::vector<After>& after) {
  const std::string text = Unrolled(form, after);
  Result<Model> before = ParseText(text);
  if (!before.ok() || !InferModel(*before).ok()) {
    ADD_FAILURE() << "the test's graph is wrong:\n" << text;
    return 0;
  }
  Model changed = Clone(*before);
  const Status status =
      RunPipeline(changed, ExactPasses("eliminate-identities,fuse-recurrences,dce"));
  EXPECT_TRUE(status.ok());
  ExpectSameResults(*before, changed);
  if (testing::Test::HasFailure()) {
    ADD_FAILURE() << text << "\n=>\n" << PrintGraph(changed.main());
  }
  std::size_t sequences = 0;
  for (const Node& node : changed.main().nodes()) {
    sequences += node.Is("LSTM") || node.Is("RNN") || node.IsDragoman("LSTM") ? 1 : 0;
  }
  return sequences;
}

// Whether one operator does such steps, and not only some of them: a mask of zeros keeps the state
// where that is the zeros of before the first step. A bounded or projected state of an RNN has no
// operator.
std::optional<bool> IsFused(const Form& form, After after) {
  if (after == After::kMaskZeros && !form.given_states) return std::nullopt;
  if (after == After::kMaskZeros) return false;
  return form.lstm || after == After::kNothing || after == After::kMask ||
         after == After::kMaskFlipped || after == After::kClipCell;
}

std::vector<Form> Forms() {
  std::vector<Form> forms;
  for (int i = 0; i < 8; ++i) {
    forms.push_back(
        {.lstm = (i & 1) == 0, .given_states = (i & 2) == 0, .gives_all = (i & 4) == 0});
  }
  return forms;
}

TEST(FuseUnevenSteps, EqualStepsBecomeOneOperator) {
  for (const Form& form : Forms()) {
    for (After after : kAll) {
      const std::vector<After> steps(kSteps, after);
      const std::size_t sequences = Fuse(form, steps);
      if (const auto fused = IsFused(form, after)) {
        EXPECT_EQ(sequences, *fused ? 1u : 0u) << Unrolled(form, steps);
      }
      if (HasFailure()) return;
    }
  }
}

TEST(FuseUnevenSteps, AnySubsetOfStepsKeepsItsNumbers) {
  for (const Form& form : Forms()) {
    for (After after : kAll) {
      for (unsigned subset = 0; subset < 1u << kSteps; ++subset) {
        std::vector<After> steps;
        for (int t = 0; t < kSteps; ++t) {
          steps.push_back((subset >> t & 1) != 0 ? after : After::kNothing);
        }
        Fuse(form, steps);
        if (HasFailure()) return;
      }
    }
  }
}

TEST(FuseUnevenSteps, ProjectionsOfAnySubsetOfMaskedStepsKeepTheirNumbers) {
  for (const Form& form : Forms()) {
    for (unsigned subset = 0; subset < 1u << kSteps; ++subset) {
      std::vector<After> steps;
      for (int t = 0; t < kSteps; ++t) {
        steps.push_back((subset >> t & 1) != 0 ? After::kMaskProject : After::kMask);
      }
      Fuse(form, steps);
      if (HasFailure()) return;
    }
  }
}

TEST(FuseUnevenSteps, AnyMixtureKeepsItsNumbers) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(fmt::format("seed {}", seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 100; ++round) {
    std::vector<After> steps;
    for (int t = 0; t < kSteps; ++t) steps.push_back(kAll[random() % std::size(kAll)]);
    Fuse(Forms()[random() % 8], steps);
    if (HasFailure()) return;
  }
}

TEST(FuseUnevenSteps, MasksFromTheSecondStepOnAreLengthsLessOne) {
  std::vector<After> steps(kSteps, After::kMask);
  steps.front() = After::kNothing;
  EXPECT_EQ(Fuse({}, steps), 1u);
}

}  // namespace
}  // namespace dragoman
