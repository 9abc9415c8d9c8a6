// SPDX-License-Identifier: Apache-2.0
// The records of an archive of torch.export that is to be written.
#ifndef DRAGOMAN_EXPORTERS_PT2_ARCHIVE_CONTENTS_H_
#define DRAGOMAN_EXPORTERS_PT2_ARCHIVE_CONTENTS_H_

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/support/result.h"

namespace dragoman::pt2 {

class ArchiveContents {
 public:
  // A window on bytes that the model keeps.
  void Add(std::string name, std::span<const std::byte> bytes);
  // Bytes that this object keeps.
  void Own(std::string name, std::string bytes);

  // Empty if there is none.
  std::span<const std::byte> Find(const std::string& name) const;

  // In a folder `top` of the archive; empty: none.
  Status Write(const std::string& top, const std::string& path) const;

 private:
  std::map<std::string, std::span<const std::byte>> records_;
  std::vector<std::unique_ptr<std::string>> owned_;
};

}  // namespace dragoman::pt2

#endif  // DRAGOMAN_EXPORTERS_PT2_ARCHIVE_CONTENTS_H_
