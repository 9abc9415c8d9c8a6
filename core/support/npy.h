// SPDX-License-Identifier: Apache-2.0
// NumPy's .npy files: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#ifndef DRAGOMAN_CORE_SUPPORT_NPY_H_
#define DRAGOMAN_CORE_SUPPORT_NPY_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/support/result.h"

namespace dragoman {

// One array in row-major order and little-endian bytes, whatever the file had.
struct NpyArray {
  // NumPy's letter: 'b' bool, 'i' and 'u' integers, 'f' floats, 'c' complex, 'V' raw bytes
  // (bfloat16 and 8-bit floats of other packages), 'U' text, 'S' bytes.
  char kind = 'f';
  std::int64_t item_bytes = 4;  // of one element; unused for 'U' and 'S'
  std::vector<std::int64_t> shape;
  std::vector<std::byte> bytes;      // all kinds but 'U' and 'S'
  std::vector<std::string> strings;  // 'U' as UTF-8, 'S' as it is; without trailing NULs

  bool operator==(const NpyArray&) const = default;
};

// Reads versions 1 to 3, C and Fortran order, both byte orders. In 'U' a lone surrogate U+DC80 …
// U+DCFF stands for the byte 0x80 … 0xff that is not UTF-8, as in Python's "surrogateescape".
// Errors: not .npy, objects, records, dates, a size that is not that of the data.
Result<NpyArray> ParseNpy(std::span<const std::byte> file);
Result<NpyArray> ReadNpy(const std::string& path);

// The bytes of a .npy file of version 1, or 2 if the header is long. Any std::string goes through
// 'U' and comes back equal but for trailing NULs, which NumPy cannot keep. Error (internal): the
// array's parts contradict each other.
Result<std::string> SerializeNpy(const NpyArray& array);
Status WriteNpy(const std::string& path, const NpyArray& array);

// The arrays of an .npz file with their names (".npy" left out), in the order of the archive;
// stored or deflated. Errors: no zip, two entries of one name, an entry that is no .npy, wrong
// checksums, other methods. What a caller gives may be unpacked to `limit` bytes or 100 times the
// size of the file, whichever is more; the weights of a model draw on the SizeBudget.
Result<std::vector<std::pair<std::string, NpyArray>>> ReadNpz(const std::string& path,
                                                              std::uint64_t limit = std::uint64_t{1}
                                                                                    << 30);
Result<std::vector<std::pair<std::string, NpyArray>>> ReadNpzOfModel(const std::string& path);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_SUPPORT_NPY_H_
