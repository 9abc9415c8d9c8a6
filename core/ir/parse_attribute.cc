// SPDX-License-Identifier: Apache-2.0
// Attributes and tensors of the text form.
#include <array>
#include <limits>

#include "core/ir/element_text.h"
#include "core/ir/text_reader.h"
#include "core/support/base64.h"
#include "core/support/count_elements.h"
#include "core/support/text.h"

namespace dragoman {
namespace {

bool IsInteger(std::string_view token) {
  if (!token.empty() && (token[0] == '-' || token[0] == '+')) token.remove_prefix(1);
  return !token.empty() && token.find_first_not_of("0123456789") == token.npos;
}

// Adds one level while it lives.
class Nesting {
 public:
  explicit Nesting(int& depth) : depth_(depth) { ++depth_; }
  ~Nesting() { --depth_; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;

 private:
  int& depth_;
};

}  // namespace

Result<std::vector<NamedAttribute>> TextReader::ReadAttributes(Scope* enclosing) {
  DRAGOMAN_TRY(scan_.Expect("{"));
  std::vector<NamedAttribute> attributes;
  while (!scan_.Accept("}")) {
    if (!attributes.empty()) DRAGOMAN_TRY(scan_.Expect(","));
    NamedAttribute attribute;
    DRAGOMAN_ASSIGN(attribute.name, scan_.Key());
    DRAGOMAN_TRY(scan_.Expect("="));
    DRAGOMAN_ASSIGN(attribute.value, ReadValue(enclosing));
    if (scan_.PeekWord() == "extra") {
      DRAGOMAN_ASSIGN(Extra extra, ReadExtra());
      attribute.extra = std::make_shared<const Extra>(std::move(extra));
    }
    attributes.push_back(std::move(attribute));
  }
  return attributes;
}

Result<Extra> TextReader::ReadExtra() {
  const Nesting nesting(attribute_nesting_);
  if (attribute_nesting_ > kMaxAttributeNesting) return scan_.Fail("attributes nest too deep");
  scan_.AcceptWord("extra");
  return ReadAttributes(nullptr);
}

Result<Attribute> TextReader::ReadValue(Scope* enclosing) {
  const Nesting nesting(attribute_nesting_);
  if (attribute_nesting_ > kMaxAttributeNesting) return scan_.Fail("attributes nest too deep");
  switch (scan_.Peek()) {
    case '"': {
      DRAGOMAN_ASSIGN(std::string string, scan_.String());
      return Attribute(std::move(string));
    }
    case '[':
      return ReadPlainList();
    case '{': {
      DRAGOMAN_ASSIGN(Attribute::Dict dict, ReadAttributes(nullptr));
      return Attribute(std::move(dict));
    }
    case '@': {
      scan_.Accept("@");
      DRAGOMAN_ASSIGN(std::string name, scan_.Name());
      return Attribute(Symbol{std::move(name)});
    }
    case '$':
      return ReadRef();
    default:
      break;
  }
  char after = '\0';
  const std::string_view word = scan_.PeekWord(&after);
  const bool is_tensor = after == '[' && (word.empty() || DTypeFromName(word).has_value());
  if (is_tensor || scan_.Peek() == '?') {
    DRAGOMAN_ASSIGN(Tensor tensor, ReadTensor());
    return Attribute(std::move(tensor));
  }
  return ReadWord(word, enclosing);
}

Result<Attribute> TextReader::ReadWord(std::string_view word, Scope* enclosing) {
  if (word == "none" && scan_.AcceptWord(word)) return Attribute();
  if (word == "true" && scan_.AcceptWord(word)) return Attribute(true);
  if (word == "false" && scan_.AcceptWord(word)) return Attribute(false);
  if (word == "complex" && scan_.AcceptWord(word)) return ReadComplex();
  if (word == "sparse" && scan_.AcceptWord(word)) {
    DRAGOMAN_ASSIGN(SparseTensor tensor, ReadSparseTensor());
    return Attribute(std::move(tensor));
  }
  if (word == "graph" && scan_.AcceptWord(word)) {
    DRAGOMAN_ASSIGN(Attribute::GraphPtr graph, ReadSubgraph(enclosing));
    return Attribute(std::move(graph));
  }
  if (word == "type" && scan_.AcceptWord(word)) {
    DRAGOMAN_ASSIGN(Type type, scan_.ReadType());
    return Attribute(std::move(type));
  }
  if (word == "double" && scan_.AcceptWord(word)) {
    const std::optional<double> value = ParseDouble(scan_.Token());
    if (!value) return scan_.Fail("expected a number");
    return Attribute(*value);
  }
  static constexpr std::array<std::string_view, 9> kLists = {"ints",    "floats",  "doubles",
                                                             "strings", "tensors", "sparse_tensors",
                                                             "graphs",  "types",   "list"};
  for (const std::string_view list : kLists) {
    if (word == list && scan_.AcceptWord(word)) return ReadTypedList(list, enclosing);
  }
  return ReadNumber();
}

Result<Attribute> TextReader::ReadNumber() {
  const std::string_view token = scan_.Token();
  if (token.empty()) return scan_.Unexpected("an attribute value");
  if (IsInteger(token)) {
    const std::optional<std::int64_t> value = ParseInt64(token);
    if (!value) return scan_.Fail("the integer does not fit into 64 bits");
    return Attribute(*value);
  }
  const std::optional<float> value = ParseFloat(token);
  if (!value) return scan_.Fail("\"" + Escape(token) + "\" is not an attribute value");
  return Attribute(*value);
}

Result<Attribute> TextReader::ReadComplex() {
  DRAGOMAN_TRY(scan_.Expect("("));
  const std::optional<double> real = ParseDouble(scan_.Token());
  DRAGOMAN_TRY(scan_.Expect(","));
  const std::optional<double> imaginary = ParseDouble(scan_.Token());
  DRAGOMAN_TRY(scan_.Expect(")"));
  if (!real || !imaginary) return scan_.Fail("expected complex(number, number)");
  return Attribute(Attribute::Complex(*real, *imaginary));
}

Result<Attribute> TextReader::ReadRef() {
  scan_.Accept("$");
  AttributeRef ref;
  DRAGOMAN_ASSIGN(ref.name, scan_.Name());
  DRAGOMAN_TRY(scan_.Expect("("));
  DRAGOMAN_ASSIGN(const std::int64_t kind, scan_.Int());
  if (kind < std::numeric_limits<int>::min() || kind > std::numeric_limits<int>::max()) {
    return scan_.Fail("the kind of a reference has 32 bits");
  }
  ref.kind = static_cast<int>(kind);
  DRAGOMAN_TRY(scan_.Expect(")"));
  return Attribute(std::move(ref));
}

template <class T, class F>
Result<Attribute> TextReader::ReadListOf(F&& read_item) {
  std::vector<T> items;
  DRAGOMAN_TRY(ReadItems([&]() -> Status {
    DRAGOMAN_ASSIGN(T item, read_item());
    items.push_back(std::move(item));
    return {};
  }));
  return Attribute(std::move(items));
}

// [1, 2], [1.0, 2.0], ["a"]: the first item says which.
Result<Attribute> TextReader::ReadPlainList() {
  std::vector<Attribute> items;
  DRAGOMAN_TRY(ReadItems([&]() -> Status {
    const bool string = scan_.Peek() == '"';
    Result<Attribute> item = string ? ReadValue(nullptr) : ReadNumber();
    if (!item.ok()) return std::move(item).error();
    items.push_back(std::move(*item));
    if (items.back().kind() == items.front().kind()) return {};
    return scan_.Fail("a list of one kind starts with " + std::string(Name(items.front().kind())) +
                      ", this is " + std::string(Name(items.back().kind())) +
                      "; write \"list [...]\" for mixed kinds");
  }));
  auto collect = [&]<class T>(std::vector<T> values) {
    for (const Attribute& item : items) values.push_back(*item.As<T>());
    return Attribute(std::move(values));
  };
  if (items.empty()) return scan_.Fail("an empty list needs its kind, such as \"ints []\"");
  if (items[0].kind() == Attribute::Kind::kInt) return collect(Attribute::Ints());
  if (items[0].kind() == Attribute::Kind::kFloat) return collect(Attribute::Floats());
  return collect(Attribute::Strings());
}

Result<Attribute> TextReader::ReadTypedList(std::string_view word, Scope* enclosing) {
  if (word == "ints") return ReadListOf<std::int64_t>([&] { return scan_.Int(); });
  if (word == "strings") return ReadListOf<std::string>([&] { return scan_.String(); });
  if (word == "tensors") return ReadListOf<Tensor>([&] { return ReadTensor(); });
  if (word == "types") return ReadListOf<Type>([&] { return scan_.ReadType(); });
  if (word == "list") return ReadListOf<Attribute>([&] { return ReadValue(nullptr); });
  if (word == "sparse_tensors") {
    return ReadListOf<SparseTensor>([&]() -> Result<SparseTensor> {
      if (!scan_.AcceptWord("sparse")) return scan_.Unexpected("\"sparse\"");
      return ReadSparseTensor();
    });
  }
  if (word == "graphs") {
    return ReadListOf<Attribute::GraphPtr>([&]() -> Result<Attribute::GraphPtr> {
      if (!scan_.AcceptWord("graph")) return scan_.Unexpected("\"graph\"");
      return ReadSubgraph(enclosing);
    });
  }
  auto number = [&]<class T>(std::optional<T> (*parse)(std::string_view)) {
    return ReadListOf<T>([this, parse]() -> Result<T> {
      const std::optional<T> value = parse(scan_.Token());
      if (!value) return scan_.Fail("expected a number");
      return *value;
    });
  };
  return word == "floats" ? number(&ParseFloat) : number(&ParseDouble);
}

Result<Tensor> TextReader::ReadTensor() {
  DRAGOMAN_ASSIGN(const Type type, scan_.ReadType());
  const auto sizes = type.shape() != nullptr ? KnownShape(*type.shape()) : std::nullopt;
  if (!type.is_tensor() || !sizes) return scan_.Fail("expected a tensor type with known sizes");
  return ReadTensorBody(type.dtype(), *sizes);
}

Result<Tensor> TextReader::ReadTensorBody(DType dtype, std::vector<std::int64_t> sizes) {
  Result<Tensor> tensor = Tensor();
  if (dtype == DType::kUnknown) {
    if (!scan_.AcceptWord("empty")) return scan_.Unexpected("\"empty\"");
    return tensor;
  }
  char after = '\0';
  const std::string_view word = scan_.PeekWord(&after);
  if (word == "base64" && scan_.AcceptWord(word)) {
    DRAGOMAN_ASSIGN(const std::string text, scan_.String());
    std::optional<std::string> bytes = DecodeBase64(text);
    if (!bytes) return scan_.Fail("the string is not base64");
    tensor = Tensor::Make(dtype, std::move(sizes), Buffer::Own(std::move(*bytes)));
  } else if (word == "sha256") {
    const std::string_view reference = scan_.Token();
    if (!options_.load)
      return scan_.Fail("this text has its tensors in a file beside it, which is missing");
    const std::optional<std::int64_t> count = CountElements(sizes);
    if (!count) return scan_.Fail("a size is negative, or their product overflows");
    const std::optional<std::size_t> bytes = PackedBytes(dtype, *count);
    if (!bytes) return scan_.Fail("a tensor of strings has no digest");
    Result<Buffer> buffer = options_.load(reference, *bytes);
    if (!buffer.ok()) return scan_.Fail(buffer.error().findings().front().message);
    tensor = Tensor::Make(dtype, std::move(sizes), std::move(*buffer));
  } else if (scan_.Accept("...")) {
    return scan_.Fail("the data of this tensor was left out; print the model with its data");
  } else {
    tensor = ReadElements(dtype, std::move(sizes));
    if (!tensor.ok() && !tensor.error().findings().front().place.empty()) return tensor;
  }
  if (!tensor.ok()) return scan_.Fail(tensor.error().findings().front().message);
  return tensor;
}

// Brackets nest as the sizes say; the first and the last bracket of a tensor without elements are
// all.
Result<Tensor> TextReader::ReadElements(DType dtype, std::vector<std::int64_t> sizes) {
  ElementBuffer elements(dtype);
  std::vector<std::int64_t> seen;  // items so far in each open bracket
  bool comma = false;
  bool empty = false;
  for (const std::int64_t size : sizes) empty = empty || size == 0;
  do {
    if (!seen.empty() && scan_.Peek() == ']') {
      if (!empty && seen.back() != sizes[seen.size() - 1]) {
        return scan_.Unexpected(std::to_string(sizes[seen.size() - 1]) +
                                " items between these brackets, not " +
                                std::to_string(seen.back()) + " (sizes)");
      }
      scan_.Accept("]");
      seen.pop_back();
      comma = true;
      continue;
    }
    if (comma) DRAGOMAN_TRY(scan_.Expect(","));
    if (!seen.empty() && ++seen.back() > sizes[seen.size() - 1]) {
      return scan_.Unexpected(std::to_string(sizes[seen.size() - 1]) +
                              " items between these brackets");
    }
    if (seen.size() < sizes.size()) {
      DRAGOMAN_TRY(scan_.Expect("["));
      seen.push_back(0);
      comma = false;
      continue;
    }
    DRAGOMAN_ASSIGN(const std::string_view element, scan_.Element());
    if (!elements.Append(element)) {
      return scan_.Fail("\"" + Escape(element) + "\" is not an element of type " +
                        std::string(Name(dtype)));
    }
    comma = true;
  } while (!seen.empty());
  return elements.Finish(std::move(sizes));
}

// After the word "sparse".
Result<SparseTensor> TextReader::ReadSparseTensor() {
  SparseTensor tensor;
  DRAGOMAN_ASSIGN(tensor.sizes, scan_.Sizes());
  DRAGOMAN_TRY(scan_.Expect("("));
  DRAGOMAN_ASSIGN(tensor.values, ReadTensor());
  DRAGOMAN_TRY(scan_.Expect(","));
  DRAGOMAN_ASSIGN(tensor.indices, ReadTensor());
  DRAGOMAN_TRY(scan_.Expect(")"));
  return tensor;
}

}  // namespace dragoman
