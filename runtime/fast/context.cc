// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/context.h"

#include <new>

#include "runtime/fast/primitive.h"
#include "runtime/params/guarded.h"

namespace dragoman::rt {

FastContext::FastContext() = default;
FastContext::~FastContext() = default;

Status FastContext::Init(std::shared_ptr<const Weights> weights) noexcept {
  weights_ = std::move(weights);
  DRAGOMAN_RT_GUARDED {
    dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    impl_ = std::make_unique<Impl>(Impl{engine, dnnl::stream(engine)});
  }
  DRAGOMAN_RT_CAUGHT(dnnl::error) { return Status::Error("oneDNN has no CPU engine"); }
  DRAGOMAN_RT_CAUGHT(std::bad_alloc) { return Status::Error("out of memory"); }
  return Status();
}

void FastContext::BeginRun() noexcept { impl_->found_nan = false; }

}  // namespace dragoman::rt
