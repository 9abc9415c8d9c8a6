#include "codegen/onednn/emit/emit_public.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/onednn/emit/emit_impl.h"
#include "codegen/onednn/emit/emit_source.h"

namespace dragoman::onednn {
namespace {

constexpr std::string_view kConstruction = R"(@Model@::@Model@(const Options& options)
    : impl_(std::make_unique<Impl>(
          rt::Weights::Open(options.weights.empty() ? MODEL_WEIGHTS : options.weights,
                            kWeightsIdentity, kWeightsBytes),
          options.threads)) {}

@Model@::@Model@(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
@Model@::~@Model@() = default;

std::unique_ptr<@Model@> @Model@::Fork() const {
  auto impl = std::make_unique<Impl>(impl_->weights_, impl_->threads_);
  return std::unique_ptr<@Model@>(new @Model@(std::move(impl)));
}

)";

constexpr std::string_view kStates =
    R"(// States have had their initial sizes, so nothing is allocated that could fail.
void @Model@::reset() noexcept { static_cast<void>(impl_->Reset()); }

const State& @Model@::state() const noexcept { return impl_->state_; }

)";

constexpr std::string_view kSeed =
    R"(void @Model@::set_seed(std::uint64_t seed) noexcept { impl_->random_.SetSeed(seed); }

)";

constexpr std::string_view kTrace =
    R"(rt::Trace& @Model@::trace() noexcept { return impl_->trace_; }

)";

bool HasStrings(const Plan& plan) {
  return std::ranges::any_of(plan.buffers,
                             [](const Buffer& buffer) { return buffer.dtype == DType::kString; });
}

void EmitEntry(const Plan& plan, const PlanEntry& entry, CodeWriter& code) {
  const std::string& model = plan.class_name;
  code.Comment(Signature(plan, entry));
  code.Open("rt::Status " + model + "::" + entry.method + PublicParameters(plan, entry) +
            " noexcept {");
  std::string arguments;
  for (const PlanInput& input : entry.inputs) {
    const Buffer& buffer = plan.buffer(input.buffer);
    arguments += (arguments.empty() ? "" : ", ") + buffer.name;
    if (!buffer.IsTensor()) continue;
    code.Open("if (!" + buffer.name + ".Fits()) {");
    code.Line("return rt::Status::Error(" +
              Literal("input '" + buffer.label + "' is not " + TypeText(buffer)) + ");");
    code.Close();
  }
  for (const PlanOutput& output : entry.outputs) {
    const Buffer& buffer = plan.buffer(output.value);
    const bool is_static = buffer.IsStatic();
    arguments += (arguments.empty() ? "" : ", ") + std::string(is_static ? "" : "&") + output.name;
    if (!is_static) continue;
    code.Open("if (!" + output.name + ".Fits()) {");
    code.Line("return rt::Status::Error(" +
              Literal("output '" + output.label + "' is not " + TypeText(buffer)) + ");");
    code.Close();
  }
  if (UsesThreads(plan)) code.Line("rt::SetThreads(impl_->threads_);");
  const std::string call = "impl_->trace_.Finish(impl_->" + entry.method + "(" + arguments + "));";
  if (HasStrings(plan)) {
    code.Open("try {");
    code.Line("return " + call);
    code.Else("} catch (const std::bad_alloc&) {");
    code.Line("return impl_->trace_.Finish(rt::Status::Error(\"out of memory\"));");
    code.Close();
  } else {
    code.Line("return " + call);
  }
  code.Close();
  code.Line();
}

void EmitSetState(const Plan& plan, CodeWriter& code) {
  code.Open("rt::Status " + plan.class_name + "::set_state(const State& state) noexcept {");
  code.Line("static_cast<void>(state);");
  for (const StateMember& state : plan.states) {
    const std::optional<std::vector<std::int64_t>> sizes =
        state.type.shape() != nullptr ? KnownShape(*state.type.shape()) : std::nullopt;
    if (!sizes) continue;
    code.Line("DRAGOMAN_RT_TRY(rt::CheckSizes(state." + state.name + ".shape(), " +
              ShapeText(plan, *state.type.shape()) + "));");
  }
  for (const StateMember& state : plan.states)
    code.Line("DRAGOMAN_RT_TRY(impl_->next_state_." + state.name + ".Assign(state." + state.name +
              (state.IsTensor() ? ".view()" : "") + "));");
  code.Line("std::swap(impl_->state_, impl_->next_state_);");
  for (const StateMember& state : plan.states) {
    if (!state.IsTensor()) continue;
    code.Line("DRAGOMAN_RT_TRY(impl_->next_state_." + state.name + ".Resize(state." + state.name +
              ".shape()));");
  }
  code.Line("return rt::Status();");
  code.Close();
  code.Line();
}

}  // namespace

void EmitPublicMethods(const Plan& plan, CodeWriter& code) {
  const auto named = [&](std::string_view text) {
    return Filled(std::string(text), "@Model@", plan.class_name);
  };
  code.Raw(named(kConstruction));
  for (const PlanEntry& entry : plan.entries) EmitEntry(plan, entry, code);
  code.Raw(named(kStates));
  EmitSetState(plan, code);
  if (DrawsRandomNumbers(plan)) code.Raw(named(kSeed));
  code.Raw(named(kTrace));
}

}  // namespace dragoman::onednn
