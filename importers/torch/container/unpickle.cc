// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/container/unpickle.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/support/bytes.h"
#include "core/support/text.h"
#include "importers/torch/container/check_values.h"

namespace dragoman::torch {
namespace {

// https://github.com/python/cpython/blob/main/Lib/pickletools.py
class Machine {
 public:
  Machine(std::span<const std::byte> bytes, Rebuilder& rebuilder, std::size_t memory_limit)
      : bytes_(bytes), rebuilder_(rebuilder), heap_(rebuilder.heap()), limit_(memory_limit) {}

  Result<Stored> Run();

 private:
  struct Handler {
    unsigned char opcode;
    Status (Machine::*run)();
  };
  static const std::array<Handler, 33> kHandlers;

  Result<Stored> RunSteps();
  Status CheckStart();

  template <class T>
  Result<T> Take();  // a little-endian number
  Result<std::string_view> TakeText(std::uint64_t size);
  Result<std::string_view> TakeLine();
  Status Charge(std::size_t bytes);
  Status Push(Stored value);
  template <class T>
  Status PushNew(T value);
  Status Need(std::size_t count) const;  // values above the last mark
  Result<Stored> Pop();
  Result<std::size_t> PopMark();
  Status PushTuple(std::size_t start);
  Status AppendFrom(std::size_t start);
  Status SetFrom(std::size_t start);

  // One an opcode.
  Status Mark();
  Status PushNone() { return Push(std::monostate()); }
  Status PushTrue() { return Push(true); }
  Status PushFalse() { return Push(false); }
  template <class T>
  Status PushInt();
  Status PushLong();
  Status PushFloat();
  template <class Size>
  Status PushText();
  Status PushGlobal();
  Status PushStorage();
  template <std::size_t kCount>
  Status PushTupleOf();
  Status PushTupleFromMark();
  Status PushEmptyList() { return PushNew(StoredList()); }
  Status PushEmptyDict() { return PushNew(StoredDict()); }
  Status PushListFromMark();
  Status PushDictFromMark();
  Status Append();
  Status AppendFromMark();
  Status SetItem();
  Status SetFromMark();
  template <class Index>
  Status PutMemo();
  template <class Index>
  Status GetMemo();
  Status Reduce();
  Status NewObject();
  Status Build();

  std::span<const std::byte> bytes_;
  std::size_t position_ = 0;
  std::size_t start_ = 0;  // of the current opcode
  Rebuilder& rebuilder_;
  StoredHeap& heap_;
  std::size_t limit_;
  std::size_t used_ = 0;
  std::vector<Stored> stack_;
  std::vector<std::size_t> marks_;
  std::vector<Stored> memo_;
};

template <class T>
Result<T> Machine::Take() {
  if (bytes_.size() - position_ < sizeof(T)) return InvalidInput("the pickle ends too early");
  T value;
  std::memcpy(&value, bytes_.data() + position_, sizeof(T));
  position_ += sizeof(T);
  return value;
}

Result<std::string_view> Machine::TakeText(std::uint64_t size) {
  if (bytes_.size() - position_ < size) {
    return InvalidInput(fmt::format("a text of {} bytes reaches beyond the end", size));
  }
  const auto* start = reinterpret_cast<const char*>(bytes_.data() + position_);
  position_ += static_cast<std::size_t>(size);
  return std::string_view(start, static_cast<std::size_t>(size));
}

Result<std::string_view> Machine::TakeLine() {
  const std::string_view rest(reinterpret_cast<const char*>(bytes_.data() + position_),
                              bytes_.size() - position_);
  const std::size_t end = rest.find('\n');
  if (end == std::string_view::npos) return InvalidInput("a name has no end");
  position_ += end + 1;
  return rest.substr(0, end);
}

// Every opcode takes bytes of the pickle, so that the memory that it needs is bounded by its size;
// the limit bounds it where the pickle itself was compressed.
Status Machine::Charge(std::size_t bytes) {
  used_ += bytes;
  if (used_ <= limit_) return {};
  return InvalidInput(fmt::format("the values take more than {} bytes of memory", limit_));
}

Status Machine::Push(Stored value) {
  DRAGOMAN_TRY(Charge(sizeof(Stored)));
  stack_.push_back(value);
  return {};
}

template <class T>
Status Machine::PushNew(T value) {
  DRAGOMAN_TRY(Charge(sizeof(T)));
  return Push(static_cast<const T*>(heap_.Add(std::move(value))));
}

Status Machine::Need(std::size_t count) const {
  const std::size_t floor = marks_.empty() ? 0 : marks_.back();
  if (stack_.size() - floor >= count) return {};
  return InvalidInput("the stack is empty");
}

Result<Stored> Machine::Pop() {
  DRAGOMAN_TRY(Need(1));
  const Stored value = stack_.back();
  stack_.pop_back();
  return value;
}

Result<std::size_t> Machine::PopMark() {
  if (marks_.empty()) return InvalidInput("there is no mark on the stack");
  const std::size_t mark = marks_.back();
  marks_.pop_back();
  return mark;
}

template <class T>
Status Machine::PushInt() {
  DRAGOMAN_ASSIGN(const T value, Take<T>());
  return Push(static_cast<std::int64_t>(value));
}

Status Machine::PushLong() {
  DRAGOMAN_ASSIGN(const auto size, Take<std::uint8_t>());
  if (size != sizeof(std::int64_t)) {
    return Unsupported(fmt::format("an integer of {} bytes, expected 8", size));
  }
  return PushInt<std::int64_t>();
}

Status Machine::PushFloat() {
  DRAGOMAN_ASSIGN(const auto bits, Take<std::uint64_t>());
  return Push(std::bit_cast<double>(__builtin_bswap64(bits)));
}

template <class Size>
Status Machine::PushText() {
  DRAGOMAN_ASSIGN(const Size size, Take<Size>());
  DRAGOMAN_ASSIGN(const std::string_view text, TakeText(size));
  DRAGOMAN_TRY(Charge(text.size()));
  return PushNew(std::string(text));
}

Status Machine::PushGlobal() {
  DRAGOMAN_ASSIGN(const std::string_view module, TakeLine());
  DRAGOMAN_ASSIGN(const std::string_view name, TakeLine());
  if (!IsKnownGlobal(module, name)) {
    return InvalidInput(
        fmt::format("the pickle names {}, which no TorchScript archive needs; nothing is executed",
                    Escape(fmt::format("{}.{}", module, name))));
  }
  DRAGOMAN_TRY(Charge(module.size() + name.size()));
  return PushNew(StoredGlobal{std::string(module), std::string(name)});
}

Status Machine::PushStorage() {
  DRAGOMAN_ASSIGN(const Stored id, Pop());
  DRAGOMAN_TRY(Charge(sizeof(StoredStorage)));
  DRAGOMAN_ASSIGN(const Stored storage, rebuilder_.Storage(id));
  return Push(storage);
}

Status Machine::PushTuple(std::size_t start) {
  StoredTuple tuple{{stack_.begin() + static_cast<std::ptrdiff_t>(start), stack_.end()}};
  stack_.resize(start);
  DRAGOMAN_TRY(Charge(tuple.items.size() * sizeof(Stored)));
  return PushNew(std::move(tuple));
}

// The stack above `start` becomes the items of the container just below.
Status Machine::AppendFrom(std::size_t start) {
  const auto* top = std::get_if<const StoredList*>(&stack_[start - 1]);
  if (top == nullptr) return InvalidInput("items are appended to what is not a list");
  const auto first = stack_.begin() + static_cast<std::ptrdiff_t>(start);
  StoredList* list = heap_.Mutable(*top);
  DRAGOMAN_TRY(Charge((stack_.size() - start) * sizeof(Stored)));
  list->items.insert(list->items.end(), first, stack_.end());
  stack_.resize(start);
  return {};
}

Status Machine::SetFrom(std::size_t start) {
  const auto* top = std::get_if<const StoredDict*>(&stack_[start - 1]);
  if (top == nullptr) return InvalidInput("items are set in what is not a dict");
  if ((stack_.size() - start) % 2 != 0) return InvalidInput("a key has no value");
  StoredDict* dict = heap_.Mutable(*top);
  DRAGOMAN_TRY(Charge((stack_.size() - start) * sizeof(Stored)));
  for (std::size_t i = start; i < stack_.size(); i += 2) {
    dict->items.emplace_back(stack_[i], stack_[i + 1]);
  }
  stack_.resize(start);
  return {};
}

Status Machine::Mark() {
  DRAGOMAN_TRY(Charge(sizeof(std::size_t)));
  marks_.push_back(stack_.size());
  return {};
}

template <std::size_t kCount>
Status Machine::PushTupleOf() {
  DRAGOMAN_TRY(Need(kCount));
  return PushTuple(stack_.size() - kCount);
}

Status Machine::PushTupleFromMark() {
  DRAGOMAN_ASSIGN(const std::size_t start, PopMark());
  return PushTuple(start);
}

Status Machine::PushListFromMark() {
  DRAGOMAN_ASSIGN(const std::size_t start, PopMark());
  DRAGOMAN_TRY(PushEmptyList());
  std::rotate(stack_.begin() + static_cast<std::ptrdiff_t>(start), stack_.end() - 1, stack_.end());
  return AppendFrom(start + 1);
}

Status Machine::PushDictFromMark() {
  DRAGOMAN_ASSIGN(const std::size_t start, PopMark());
  DRAGOMAN_TRY(PushEmptyDict());
  std::rotate(stack_.begin() + static_cast<std::ptrdiff_t>(start), stack_.end() - 1, stack_.end());
  return SetFrom(start + 1);
}

Status Machine::Append() {
  DRAGOMAN_TRY(Need(2));
  return AppendFrom(stack_.size() - 1);
}

Status Machine::AppendFromMark() {
  DRAGOMAN_ASSIGN(const std::size_t start, PopMark());
  DRAGOMAN_TRY(Need(stack_.size() - start + 1));
  return AppendFrom(start);
}

Status Machine::SetItem() {
  DRAGOMAN_TRY(Need(3));
  return SetFrom(stack_.size() - 2);
}

Status Machine::SetFromMark() {
  DRAGOMAN_ASSIGN(const std::size_t start, PopMark());
  DRAGOMAN_TRY(Need(stack_.size() - start + 1));
  return SetFrom(start);
}

template <class Index>
Status Machine::PutMemo() {
  DRAGOMAN_ASSIGN(const Index index, Take<Index>());
  if (stack_.empty()) return InvalidInput("the stack is empty");
  if (index > memo_.size()) {
    return InvalidInput(fmt::format("memo entry {} comes after entry {}", index, memo_.size()));
  }
  DRAGOMAN_TRY(Charge(sizeof(Stored)));
  if (index == memo_.size()) memo_.emplace_back();
  memo_[index] = stack_.back();
  return {};
}

template <class Index>
Status Machine::GetMemo() {
  DRAGOMAN_ASSIGN(const Index index, Take<Index>());
  if (index < memo_.size()) return Push(memo_[index]);
  return InvalidInput(fmt::format("there is no memo entry {}", index));
}

Status Machine::Reduce() {
  DRAGOMAN_ASSIGN(const Stored arguments, Pop());
  DRAGOMAN_ASSIGN(const Stored function, Pop());
  const auto* global = std::get_if<const StoredGlobal*>(&function);
  if (global == nullptr) return InvalidInput(Describe(function) + " cannot be called");
  DRAGOMAN_TRY(Charge(sizeof(StoredTensor)));
  DRAGOMAN_ASSIGN(const Stored value, rebuilder_.Call(**global, arguments));
  return Push(value);
}

Status Machine::NewObject() {
  DRAGOMAN_ASSIGN(const Stored arguments, Pop());
  DRAGOMAN_ASSIGN(const Stored type, Pop());
  const auto* global = std::get_if<const StoredGlobal*>(&type);
  if (global == nullptr || !IsArchiveClass(**global)) {
    return InvalidInput(Describe(type) + " is not a class of the archive");
  }
  const auto* tuple = std::get_if<const StoredTuple*>(&arguments);
  if (tuple == nullptr || !(*tuple)->items.empty()) {
    return InvalidInput("an object is made with arguments");
  }
  StoredObject object;
  object.class_name = QualifiedName(**global);
  DRAGOMAN_TRY(Charge(object.class_name.size()));
  return PushNew(std::move(object));
}

// Attributes of an OrderedDict, such as the versions in a state_dict, say nothing of its items.
Status Machine::Build() {
  DRAGOMAN_ASSIGN(const Stored state, Pop());
  if (!stack_.empty() && std::holds_alternative<const StoredDict*>(stack_.back())) return {};
  const auto* object = stack_.empty() ? nullptr : std::get_if<const StoredObject*>(&stack_.back());
  if (object == nullptr) return InvalidInput("a state is given to what is not an object");
  if ((*object)->state.has_value()) return InvalidInput("an object gets two states");
  heap_.Mutable(*object)->state = state;
  return {};
}

// https://github.com/python/cpython/blob/main/Lib/pickletools.py
constexpr unsigned char kStop = '.';
constexpr std::string_view kProtocol = "\x80\x02";

const std::array<Machine::Handler, 33> Machine::kHandlers = {{
    {'(', &Machine::Mark},
    {')', &Machine::PushTupleOf<0>},
    {'G', &Machine::PushFloat},
    {'J', &Machine::PushInt<std::int32_t>},
    {'K', &Machine::PushInt<std::uint8_t>},
    {'M', &Machine::PushInt<std::uint16_t>},
    {'N', &Machine::PushNone},
    {'Q', &Machine::PushStorage},
    {'R', &Machine::Reduce},
    {'X', &Machine::PushText<std::uint32_t>},
    {']', &Machine::PushEmptyList},
    {'a', &Machine::Append},
    {'b', &Machine::Build},
    {'c', &Machine::PushGlobal},
    {'d', &Machine::PushDictFromMark},
    {'e', &Machine::AppendFromMark},
    {'h', &Machine::GetMemo<std::uint8_t>},
    {'j', &Machine::GetMemo<std::uint32_t>},
    {'l', &Machine::PushListFromMark},
    {'q', &Machine::PutMemo<std::uint8_t>},
    {'r', &Machine::PutMemo<std::uint32_t>},
    {'s', &Machine::SetItem},
    {'t', &Machine::PushTupleFromMark},
    {'u', &Machine::SetFromMark},
    {'}', &Machine::PushEmptyDict},
    {0x81, &Machine::NewObject},
    {0x85, &Machine::PushTupleOf<1>},
    {0x86, &Machine::PushTupleOf<2>},
    {0x87, &Machine::PushTupleOf<3>},
    {0x88, &Machine::PushTrue},
    {0x89, &Machine::PushFalse},
    {0x8a, &Machine::PushLong},
    {0x8d, &Machine::PushText<std::uint64_t>},
}};

Status Machine::CheckStart() {
  if (!AsText(bytes_).starts_with(kProtocol)) return InvalidInput("no pickle of protocol 2");
  position_ = kProtocol.size();
  return {};
}

Result<Stored> Machine::RunSteps() {
  DRAGOMAN_TRY(CheckStart());
  while (true) {
    start_ = position_;
    DRAGOMAN_ASSIGN(const auto opcode, Take<unsigned char>());
    if (opcode == kStop) break;
    const auto* handler =
        std::find_if(kHandlers.begin(), kHandlers.end(),
                     [&](const Handler& candidate) { return candidate.opcode == opcode; });
    if (handler == kHandlers.end()) {
      return InvalidInput(fmt::format("the opcode {:#04x} is not allowed", opcode));
    }
    DRAGOMAN_TRY((this->*handler->run)());
  }
  if (stack_.size() != 1 || !marks_.empty()) {
    return InvalidInput(fmt::format("the pickle leaves {} values, expected one", stack_.size()));
  }
  DRAGOMAN_TRY(CheckValues(stack_.front()));
  return stack_.front();
}

Result<Stored> Machine::Run() {
  Result<Stored> value = RunSteps();
  if (!value.ok()) value.error().At(fmt::format("byte {}", start_));
  return value;
}

// Reads the bytes of storages from the folder of the pickle.
Rebuilder::LoadStorage LoadFrom(const Archive& archive, std::string folder, bool require_data) {
  return [&archive, folder = std::move(folder), require_data](
             const std::string& key, std::size_t size) -> Result<std::optional<Buffer>> {
    if (size == 0) return std::optional<Buffer>(Buffer());
    DRAGOMAN_ASSIGN(const Buffer bytes, archive.Read(folder + key));
    if (bytes.size() == 0 && !require_data) return std::optional<Buffer>();
    if (bytes.size() >= size) return std::optional(bytes);
    return InvalidInput(
        fmt::format("record {}{} has {} bytes, expected {}", folder, key, bytes.size(), size));
  };
}

}  // namespace

Result<Stored> Unpickle(std::span<const std::byte> pickle, Rebuilder& rebuilder,
                        std::size_t memory_limit) {
  return Machine(pickle, rebuilder, memory_limit).Run();
}

Result<Stored> ReadPickle(const Archive& archive, std::string_view name, bool require_data,
                          StoredHeap* heap) {
  DRAGOMAN_ASSIGN(const Buffer pickle, archive.Read(name));
  const std::string folder = std::string(name.substr(0, name.rfind('.'))) + "/";
  Rebuilder rebuilder(heap, LoadFrom(archive, folder, require_data));
  const std::size_t limit = kPickleMemoryBase + kPickleMemoryRatio * archive.file_size();
  Result<Stored> value = Unpickle(pickle.bytes(), rebuilder, limit);
  if (value.ok()) return value;
  Error error = std::move(value).error();
  for (Finding& finding : error.findings()) {
    finding.place = fmt::format("{}/{}:{}", archive.top_directory(), name, finding.place);
  }
  return std::move(error).InFile(archive.path());
}

}  // namespace dragoman::torch
