// SPDX-License-Identifier: Apache-2.0
// Bytes as a container of our own: native, JSON or graph text. What the verifier accepts has a text
// that is read as the same model; it is lowered, written in its own format, and translated.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "codegen/relax/write_source.h"
#include "codegen/relay/check_source.h"
#include "codegen/relay/write_source.h"
#include "core/ir/parse.h"
#include "core/ir/verify.h"
#include "core/support/size_budget.h"
#include "core/support/temporary_folder.h"
#include "exporters/onnx/write_model.h"
#include "exporters/pt2/write_model.h"
#include "exporters/tensorflow/fill_graph.h"
#include "importers/json/read_model.h"
#include "importers/native/read_model.h"
#include "importers/onnx/lower.h"
#include "importers/relax/lower/lower.h"
#include "importers/relay/lower/lower.h"
#include "importers/tensorflow/lower/lower.h"
#include "importers/torch/export_archive/lower.h"
#include "importers/torch/lower/lower.h"
#include "proto/tensorflow/tensorflow.pb.h"
#include "tests/fuzz/targets/translate.h"

namespace dragoman {
namespace {

Result<Model> ReadContainer(const std::string& bytes) {
  if (IsNative(std::as_bytes(std::span(bytes)))) return ReadNativeBytes(Buffer::Own(bytes));
  return bytes.starts_with('{') ? ReadJsonText(bytes) : ParseText(bytes);
}

// A source graph may be none that a reader would give: somebody edited it.
Result<Model> LowerEdited(const Model& source) {
  if (source.dialect == "onnx") {
    static_cast<void>(WriteOnnxBytes(source).ok());
    return LowerOnnx(source);
  }
  if (source.dialect == "relax") {
    static_cast<void>(PrintRelaxSource(source).ok());
    return LowerRelax(source, {}, nullptr);
  }
  if (source.dialect == "relay") {
    DRAGOMAN_TRY(relay::emit::CheckSource(source));
    static_cast<void>(PrintRelaySource(source).ok());
    return LowerRelay(source);
  }
  if (source.dialect == "tf") {
    tf_pb::GraphDef message;
    static_cast<void>(tf_writer::FillGraphDef(source, &message).ok());
    return LowerTensorFlow(source);
  }
  if (source.dialect == "pt2") {
    DRAGOMAN_ASSIGN(const TemporaryFolder folder, TemporaryFolder::Create());
    static_cast<void>(WriteExportArchive(source, (folder.path() / "m.pt2").string()).ok());
    return LowerExportArchive(source);
  }
  return LowerTorchScript(source);
}

void TryContainer(const std::string& bytes) {
  Result<Model> model = ReadContainer(bytes);
  if (!model.ok() || !Verify(*model).ok()) return;
  if (model->level == Level::kCommon) return Translate(std::move(*model));
  TryText(*model);
  Translate(LowerEdited(*model));
}

}  // namespace
}  // namespace dragoman

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dragoman::SizeBudget budget(dragoman::SizeBudget::LimitOf(size));
  const dragoman::SizeBudgetScope scope(budget);
  dragoman::TryContainer(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
