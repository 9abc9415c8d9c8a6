// File formats: told by content first and by suffix second.
#ifndef DRAGOMAN_CLI_FORMATS_H_
#define DRAGOMAN_CLI_FORMATS_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/support/result.h"

namespace dragoman::cli {

// In the order of AllFormats.
enum class Format {
  kOnnx,
  kTorchScript,
  kPt2,
  kTensorFlow,
  kRelay,
  kRelax,
  kDragoman,
  kText,
  kJson,
  kDot
};

struct FormatInfo {
  Format format;
  std::string_view name;
  std::string_view suffix;  // ".onnx"; empty: none of its own
  bool reads;
  bool writes;
  bool is_container;  // holds any graph, of either level
  std::string_view what;
};

std::span<const FormatInfo> AllFormats();
const FormatInfo& Info(Format format);
// Errors: no such format.
Result<Format> FormatByName(std::string_view name);
// Of a file to be written. Errors: the suffix says nothing.
Result<Format> FormatOfOutput(const std::string& path);
// Of a file that is there. Errors: it cannot be opened; neither content nor suffix tell.
Result<Format> FormatOfInput(const std::string& path);

}  // namespace dragoman::cli

#endif  // DRAGOMAN_CLI_FORMATS_H_
