// SPDX-License-Identifier: Apache-2.0
// Bytes as a .npy file, which is written as it was read, as an archive of them, and as the weights
// of a Relay module.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#include "core/support/npy.h"
#include "core/support/output_file.h"
#include "core/support/temporary_folder.h"
#include "importers/tvm/nd_array.h"

namespace dragoman {
namespace {

void TryArray(std::span<const std::byte> bytes) {
  const Result<NpyArray> array = ParseNpy(bytes);
  if (!array.ok()) return;
  const Result<std::string> written = SerializeNpy(*array);
  if (!written.ok()) return;
  const Result<NpyArray> again = ParseNpy(std::as_bytes(std::span(*written)));
  if (!again.ok() || *again != *array) std::abort();
}

}  // namespace
}  // namespace dragoman

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dragoman::TryArray(std::as_bytes(std::span(data, size)));
  const dragoman::Result<dragoman::TemporaryFolder> made = dragoman::TemporaryFolder::Create();
  if (!made.ok()) return 0;
  const std::string path = (made->path() / "file").string();
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (!dragoman::WriteFile(path, bytes).ok()) return 0;
  static_cast<void>(dragoman::ReadNpz(path).ok());
  static_cast<void>(dragoman::tvm::ReadParams(path).ok());
  return 0;
}
