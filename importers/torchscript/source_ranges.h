// Where the statements of a code file stood in the user's own Python source: the records
// `code/….py.debug_pkl`.
#ifndef DRAGOMAN_IMPORTERS_TORCHSCRIPT_SOURCE_RANGES_H_
#define DRAGOMAN_IMPORTERS_TORCHSCRIPT_SOURCE_RANGES_H_

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/result.h"
#include "importers/torchscript/archive.h"

namespace dragoman::torchscript {

// A place in the user's source.
struct SourcePlace {
  std::string file;       // "policy.py", as torch recorded it (a path, or "<string>")
  int line = 0;           // from 1
  int column = 0;         // from 0, in bytes of the line
  std::string line_text;  // the source line, without its line break
  int length = 0;         // bytes of the range that lie on this line
};

// The ranges of one code file.
class SourceRanges {
 public:
  // Of the code file `name`, "code/__torch__/net.py". An archive without debug file, or one whose
  // debug file cannot be understood, gives an empty object: debug data never stand in the way.
  static SourceRanges Read(const Archive& archive, std::string_view name);

  // The place of the range that holds byte `offset` of the code file; nullopt if none is recorded
  // there or torch did not know the file.
  std::optional<SourcePlace> Find(std::size_t offset) const;
  bool empty() const { return ranges_.empty(); }

 private:
  struct Text {
    std::string text;
    std::string file;
    int first_line = 1;
  };
  struct Range {
    std::size_t offset;  // first byte in the code file; ascending
    const Text* text;    // nullptr: no source known
    std::size_t start;   // bytes of the text
    std::size_t end;
  };

  std::vector<std::shared_ptr<const Text>> texts_;
  std::vector<Range> ranges_;
};

}  // namespace dragoman::torchscript

#endif  // DRAGOMAN_IMPORTERS_TORCHSCRIPT_SOURCE_RANGES_H_
