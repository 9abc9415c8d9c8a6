// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/context.h"

#include <new>

#include "runtime/fast/primitive.h"

namespace dragoman::rt {

FastContext::FastContext() = default;
FastContext::~FastContext() = default;

Status FastContext::Init() noexcept {
  try {
    dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    impl_ = std::make_unique<Impl>(Impl{engine, dnnl::stream(engine)});
  } catch (const dnnl::error&) {
    return Status::Error("oneDNN has no CPU engine");
  } catch (const std::bad_alloc&) {
    return Status::Error("out of memory");
  }
  return Status();
}

void FastContext::BeginRun() noexcept { impl_->found_nan = false; }

}  // namespace dragoman::rt
