// SPDX-License-Identifier: Apache-2.0
#include "core/interpreter/kernels_text.h"

#include "runtime/kernels/base64.h"
#include "runtime/kernels/ctc_beam_search.h"
#include "runtime/kernels/example_feature.h"
#include "runtime/kernels/find_sorted.h"
#include "runtime/kernels/letter_case.h"
#include "runtime/kernels/number_text.h"
#include "runtime/kernels/split_text.h"
#include "runtime/kernels/text.h"
#include "runtime/kernels/tree_ensemble.h"
#include "runtime/kernels/unicode_script.h"
#include "runtime/params/example_feature.h"

namespace dragoman {
namespace {

rt::Status SplitTextShapes(const KernelArguments& arguments, std::span<rt::Shape> shapes) {
  const rt::Shape& x = arguments.operands[0].shape();
  if (shapes.size() > 1) shapes[1] = x;
  const std::int64_t most = kernel_internal::Apply(&rt::SplitTextMost<std::string>, arguments);
  return rt::SplitTextShape(x, most, &shapes[0]);
}

template <class T>
rt::Status ExampleFeatureShapes(const KernelArguments& arguments, std::span<rt::Shape> shapes) {
  const auto text = [&](std::size_t i) {
    return rt::TensorView<const std::string>{
        static_cast<const std::string*>(arguments.operands[i].data()),
        arguments.operands[i].shape()};
  };
  const rt::Shape& records = arguments.operands[0].shape();
  if (shapes.size() > 1) shapes[1] = records;
  std::int64_t most = 0;
  DRAGOMAN_RT_TRY(rt::ExampleFeatureMost<T>(text(0), text(1), &most));
  return rt::ExampleFeatureShape(records, most, &shapes[0]);
}

}  // namespace

void AddTextKernels(KernelTable& table) {
  Add<String>(table, "AsciiLower", []<class T>() { return DRAGOMAN_KERNEL_ENTRY(AsciiLower, T); });
  Add<String>(table, "AsciiStrip", []<class T>() { return DRAGOMAN_KERNEL_ENTRY(AsciiStrip, T); });
  Add<String>(table, "LetterCase", []<class T>() { return DRAGOMAN_KERNEL_ENTRY(LetterCase, T); });
  Add<String>(table, "AsciiUpper", []<class T>() { return DRAGOMAN_KERNEL_ENTRY(AsciiUpper, T); });
  Add<String>(table, "Base64Decode",
              []<class T>() { return DRAGOMAN_KERNEL_ENTRY(Base64Decode, T); });
  Add<String>(table, "Base64Encode",
              []<class T>() { return DRAGOMAN_KERNEL_ENTRY(Base64Encode, T); });
  Add<String>(table, "CodePoint", []<class T>() { return DRAGOMAN_KERNEL_ENTRY(CodePoint, T); });
  Add<Types<std::int32_t>>(table, "CodePointText",
                           []<class T>() { return DRAGOMAN_KERNEL_ENTRY(CodePointText, T); });
  Add<Types<float, double>>(table, "CtcBeamSearch",
                            []<class T>() { return DRAGOMAN_KERNEL_ENTRY(CtcBeamSearch, T); });
  Add<Types<float, std::int64_t, std::string>>(table, "ExampleFeature", []<class T>() {
    KernelEntry entry = DRAGOMAN_KERNEL_ENTRY(ExampleFeature, T);
    entry.result_shapes = ExampleFeatureShapes<T>;
    return entry;
  });
  Add<Plus<Plus<Numbers, Bool>, String>>(
      table, "FindSorted", []<class T>() { return DRAGOMAN_KERNEL_ENTRY(FindSorted, T); });
  Add<String>(table, "HashBucket", []<class T>() { return DRAGOMAN_KERNEL_ENTRY(HashBucket, T); });
  Add<String>(table, "JoinText", []<class T>() { return DRAGOMAN_KERNEL_ENTRY(JoinText, T); });
  Add<Numbers>(table, "NumberText", []<class T>() { return DRAGOMAN_KERNEL_ENTRY(NumberText, T); });
  Add<String>(table, "RegexFullMatch",
              []<class T>() { return DRAGOMAN_KERNEL_ENTRY(RegexFullMatch, T); });
  Add<String>(table, "RegexReplace",
              []<class T>() { return DRAGOMAN_KERNEL_ENTRY(RegexReplace, T); });
  Add<String>(table, "SplitText", []<class T>() {
    KernelEntry entry = DRAGOMAN_KERNEL_ENTRY(SplitText, T);
    entry.result_shapes = SplitTextShapes;
    return entry;
  });
  Add<String>(table, "StringConcat",
              []<class T>() { return DRAGOMAN_KERNEL_ENTRY(StringConcat, T); });
  Add<String>(table, "Substring", []<class T>() { return DRAGOMAN_KERNEL_ENTRY(Substring, T); });
  Add<String>(table, "TextBytes", []<class T>() { return DRAGOMAN_KERNEL_ENTRY(TextBytes, T); });
  Add<String>(table, "TextLength", []<class T>() { return DRAGOMAN_KERNEL_ENTRY(TextLength, T); });
  Add<Types<float, double>>(table, "TreeEnsemble",
                            []<class T>() { return DRAGOMAN_KERNEL_ENTRY(TreeEnsemble, T); });
  Add<Types<std::int32_t>>(table, "UnicodeScript",
                           []<class T>() { return DRAGOMAN_KERNEL_ENTRY(UnicodeScript, T); });
}

}  // namespace dragoman
