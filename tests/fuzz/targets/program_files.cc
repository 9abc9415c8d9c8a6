// SPDX-License-Identifier: Apache-2.0
// Bytes as what generated programs read: a .npy file, an archive of them, a map in JSON, weights.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>

#include "core/support/output_file.h"
#include "core/support/temporary_folder.h"
#include "runtime/program/element_type.h"
#include "runtime/program/error.h"
#include "runtime/program/map_json.h"
#include "runtime/program/npy.h"
#include "runtime/program/npz.h"
#include "runtime/program/weights.h"

namespace dragoman {
namespace {

// Runs what throws Error on files that are wrong.
template <class Function>
void Try(const Function& function) {
  try {
    function();
  } catch (const rt::Error&) {
  }
}

// The identity and the size are what the file says of itself: all else has to be checked.
void TryWeights(const std::string& path, std::string_view bytes) {
  if (std::ssize(bytes) < rt::Weights::kHeaderBytes) return;  // of no program
  std::uint64_t identity = 0;
  std::memcpy(&identity, bytes.data() + 24, sizeof identity);
  rt::Status status;
  const auto weights =
      rt::Weights::Open(path, identity, static_cast<std::int64_t>(bytes.size()), &status);
  if (weights == nullptr) return;
  rt::Tensor<std::string> strings;
  static_cast<void>(weights->StringsAt(rt::Weights::kHeaderBytes, {2}, &strings));
}

}  // namespace
}  // namespace dragoman

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using dragoman::Try;
  using dragoman::rt::kElementTypes;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  Try([&] { static_cast<void>(dragoman::rt::ParseNpy(bytes)); });
  dragoman::rt::AnyTensor keys, values;
  for (const int key : {6, 7}) {  // int64 and string
    static_cast<void>(
        dragoman::rt::ParseMaps(bytes, kElementTypes[key], kElementTypes[0], &keys, &values));
  }
  const dragoman::Result<dragoman::TemporaryFolder> made = dragoman::TemporaryFolder::Create();
  if (!made.ok()) return 0;
  const std::string path = (made->path() / "file").string();
  if (!dragoman::WriteFile(path, bytes).ok()) return 0;
  Try([&] { static_cast<void>(dragoman::rt::ReadNpz(path)); });
  dragoman::TryWeights(path, bytes);
  return 0;
}
