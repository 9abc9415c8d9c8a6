// SPDX-License-Identifier: Apache-2.0
// Bytes as a container of our own: native, JSON or graph text. What the verifier accepts has a text
// that is read as the same model.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

#include "core/ir/parse.h"
#include "core/ir/print.h"
#include "core/ir/verify.h"
#include "core/support/size_budget.h"
#include "importers/json/read_model.h"
#include "importers/native/read_model.h"

namespace dragoman {
namespace {

Result<Model> ReadContainer(const std::string& bytes) {
  if (IsNative(std::as_bytes(std::span(bytes)))) return ReadNativeBytes(Buffer::Own(bytes));
  return bytes.starts_with('{') ? ReadJsonText(bytes) : ParseText(bytes);
}

}  // namespace
}  // namespace dragoman

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dragoman::SizeBudget budget(dragoman::SizeBudget::LimitOf(size));
  const dragoman::SizeBudgetScope scope(budget);
  const auto model =
      dragoman::ReadContainer(std::string(reinterpret_cast<const char*>(data), size));
  if (!model.ok() || !dragoman::Verify(*model).ok()) return 0;
  const std::string text = dragoman::PrintText(*model);
  const auto again = dragoman::ParseText(text);
  if (!again.ok() || dragoman::PrintText(*again) != text) std::abort();
  return 0;
}
