// SPDX-License-Identifier: Apache-2.0
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

constexpr std::string_view kConstruction =
    R"(@MODEL@::@MODEL@(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
@MODEL@::~@MODEL@() = default;

std::unique_ptr<@MODEL@::Impl> @MODEL@::Impl::Load(const Options& options, rt::Status* status) {
  std::shared_ptr<const rt::Weights> weights = @Weights@;
  return status->ok() ? Make(std::move(weights), options.threads, status) : nullptr;
}

std::unique_ptr<@MODEL@> @MODEL@::Wrap(std::unique_ptr<Impl> impl) {
  return std::unique_ptr<@MODEL@>(impl != nullptr ? new @MODEL@(std::move(impl)) : nullptr);
}

std::unique_ptr<@MODEL@> @MODEL@::Create(const Options& options, rt::Status* status) noexcept {
  const auto fail = [&] {
    *status = rt::Status::Error("out of memory");
    return std::unique_ptr<@MODEL@>();
  };
  return rt::MakeOr([&] { return Wrap(Impl::Load(options, status)); }, fail);
}

std::unique_ptr<@MODEL@> @MODEL@::Fork(rt::Status* status) const noexcept {
  const auto fail = [&] {
    *status = rt::Status::Error("out of memory");
    return std::unique_ptr<@MODEL@>();
  };
  return rt::MakeOr(
      [&] { return Wrap(Impl::Make(impl_->weights_, impl_->threads_, status)); }, fail);
}

#if defined(__cpp_exceptions)
@MODEL@::@MODEL@(const Options& options) {
  rt::Status status;
  impl_ = Impl::Load(options, &status);
  rt::ThrowIfError(status);
}

std::unique_ptr<@MODEL@> @MODEL@::Fork() const {
  rt::Status status;
  auto impl = Impl::Make(impl_->weights_, impl_->threads_, &status);
  rt::ThrowIfError(status);
  return Wrap(std::move(impl));
}
#endif

)";

constexpr std::string_view kFileOfWeights =
    R"(rt::Weights::Open(
      rt::WeightsPath(options.weights, options.package, MODEL_WEIGHTS, "@NAME@"),
      kWeightsIdentity, kWeightsBytes, status))";
constexpr std::string_view kEmbeddedDeclaration =
    R"(
      options.weights.empty()
          ? rt::Weights::InMemory(EmbeddedWeights(), kWeightsIdentity, kWeightsBytes, status)
          : rt::Weights::Open(options.weights, kWeightsIdentity, kWeightsBytes, status))";

constexpr std::string_view kStates =
    R"(// States have had their initial sizes, so nothing is allocated that could fail.
void @MODEL@::@reset@() noexcept { static_cast<void>(impl_->Reset()); }

const State& @MODEL@::@state@() const noexcept { return impl_->state_; }

)";

constexpr std::string_view kSeed =
    R"(void @MODEL@::@set_seed@(std::uint64_t seed) noexcept { impl_->random_.SetSeed(seed); }

)";

constexpr std::string_view kTrace =
    R"(rt::Trace& @MODEL@::@trace@() noexcept { return impl_->trace_; }

)";

bool HasStrings(const Plan& plan) {
  return std::ranges::any_of(plan.buffers,
                             [](const Buffer& buffer) { return buffer.dtype == DType::kString; });
}

// What a caller passes has the sizes of `buffer`.
void EmitCheck(const std::string& what, const std::string& name, const Buffer& buffer,
               CodeWriter& code) {
  code.Open("if (!" + name + ".Fits()) {");
  code.Line("return impl_->trace_.Refuse(" + Literal(what) + ", " + name + ".data(), " + name +
            ".shape(), " + Literal(TypeText(buffer)) + ");");
  code.Close();
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
    EmitCheck("input '" + buffer.label + "'", buffer.name, buffer, code);
  }
  for (const PlanOutput& output : entry.outputs) {
    const Buffer& buffer = plan.buffer(output.value);
    const bool is_static = buffer.IsStatic();
    arguments += (arguments.empty() ? "" : ", ") + std::string(is_static ? "" : "&") + output.name;
    if (!is_static) continue;
    EmitCheck("output '" + output.label + "'", output.name, buffer, code);
  }
  if (UsesThreads(plan)) code.Line("rt::SetThreads(impl_->threads_);");
  if (UsesOneDnn(plan)) code.Line("impl_->context_.BeginRun();");
  const std::string call = "impl_->trace_.Finish(impl_->" + entry.method + "(" + arguments + "));";
  if (HasStrings(plan)) {
    const std::string fail = "impl_->trace_.Finish(rt::Status::Error(\"out of memory\"))";
    code.Line("return rt::MakeOr([&] { return " + call.substr(0, call.size() - 1) +
              "; }, [&] { return " + fail + "; });");
  } else {
    code.Line("return " + call);
  }
  code.Close();
  code.Line();
}

void EmitSetState(const Plan& plan, CodeWriter& code) {
  code.Open("rt::Status " + plan.class_name + "::" + plan.own_methods.set_state +
            "(const State& state) noexcept {");
  code.Line("static_cast<void>(state);");
  for (const StateMember& state : plan.states) {
    const std::optional<std::vector<std::int64_t>> sizes =
        state.type.shape() != nullptr ? KnownShape(*state.type.shape()) : std::nullopt;
    if (!sizes) continue;
    code.Open("if (state." + state.name + ".shape() != " + "rt::Shape" +
              ShapeText(plan, *state.type.shape()) + ") {");
    code.Line("return impl_->trace_.Refuse(" + Literal("state '" + state.label + "'") + ", this, " +
              "state." + state.name + ".shape(), " + Literal(state.type.ToString()) + ");");
    code.Close();
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

void EmitPublicMethods(const Plan& plan, bool embed_weights, CodeWriter& code) {
  const auto named = [&](std::string_view text) { return FilledNames(plan, std::string(text)); };
  if (embed_weights) {
    code.Line("const void* EmbeddedWeights() noexcept;  // " + plan.name + "_weights.cc");
    code.Line();
  }
  code.Raw(named(Filled(std::string(kConstruction), "@Weights@",
                        embed_weights ? kEmbeddedDeclaration : kFileOfWeights)));
  for (const PlanEntry& entry : plan.entries) EmitEntry(plan, entry, code);
  code.Raw(named(kStates));
  EmitSetState(plan, code);
  if (DrawsRandomNumbers(plan)) code.Raw(named(kSeed));
  code.Raw(named(kTrace));
}

}  // namespace dragoman::onednn
