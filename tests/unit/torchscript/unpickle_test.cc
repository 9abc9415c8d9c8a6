// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/container/unpickle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace dragoman::torch {
namespace {

using testing::HasSubstr;

constexpr std::size_t kMemory = std::size_t{1} << 20;

// Storages "0", "1", … hold the bytes 0, 1, 2, ….
Result<std::optional<Buffer>> Counting(const std::string&, std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i);
  return std::optional(Buffer::Own(std::move(bytes)));
}

class Unpickling : public testing::Test {
 protected:
  // The value of a pickle whose opcodes between PROTO and STOP are `body`.
  Result<Stored> Read(const std::string& body) {
    Rebuilder rebuilder(&heap_, Counting);
    const std::string pickle = "\x80\x02" + body + ".";
    return Unpickle(std::as_bytes(std::span(pickle)), rebuilder, kMemory);
  }
  std::string ErrorOf(const std::string& body) {
    const Result<Stored> value = Read(body);
    return value.ok() ? "no error" : value.error().ToString();
  }

  StoredHeap heap_;
};

std::string Text(const std::string& text) {
  return {"X" + std::string(1, static_cast<char>(text.size())) + std::string(3, '\0') + text};
}
std::string Int(int value) { return "K" + std::string(1, static_cast<char>(value)); }
std::string Storage(const std::string& type, int count) {
  return "(" + Text("storage") + "ctorch\n" + type + "\n" + Text("0") + Text("cpu") + Int(count) +
         "tQ";
}
// A tensor of sizes (a, b) and strides (c, d).
std::string TensorOf(const std::string& storage, int offset, int a, int b, int c, int d) {
  return "ctorch._utils\n_rebuild_tensor_v2\n(" + storage + Int(offset) + Int(a) + Int(b) + "\x86" +
         Int(c) + Int(d) + "\x86" + "\x89" + "ccollections\nOrderedDict\n)R" + "tR";
}

TEST_F(Unpickling, ReadsScalars) {
  EXPECT_TRUE(IsNone(*Read("N")));
  EXPECT_EQ(std::get<bool>(*Read("\x88")), true);
  EXPECT_EQ(std::get<std::int64_t>(*Read("J\xff\xff\xff\xff")), -1);
  EXPECT_EQ(std::get<std::int64_t>(*Read(std::string("M\x01\x02"))), 0x201);
  EXPECT_EQ(std::get<std::int64_t>(*Read(std::string("\x8a\x08\0\0\0\0\0\0\0\x80", 10))),
            std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(std::get<double>(*Read(std::string("G\x3f\xf8\0\0\0\0\0\0", 9))), 1.5);
  EXPECT_EQ(*std::get<StoredString>(*Read(Text("héllo"))), "héllo");
}

TEST_F(Unpickling, KeepsOrderAndTypeOfContainers) {
  const Stored list = *Read(
      "ctorch.jit._pickle\nbuild_intlist\n](K\x01K\x02"
      "e\x85R");
  EXPECT_EQ(std::get<const StoredList*>(list)->items.size(), 2U);
  EXPECT_EQ(std::get<const StoredList*>(list)->type_tag, "List[int]");
  const Stored dict = *Read("ctorch.jit._pickle\nrestore_type_tag\n}(" + Text("b") + Int(1) +
                            Text("a") + Int(2) + "u" + Text("Dict[str, int]") + "\x86R");
  const StoredDict& items = *std::get<const StoredDict*>(dict);
  EXPECT_EQ(*std::get<StoredString>(items.items[0].first), "b");
  EXPECT_EQ(std::get<std::int64_t>(*items.Find("a")), 2);
  EXPECT_EQ(items.type_tag, "Dict[str, int]");
}

TEST_F(Unpickling, SharesWhatTheMemoShares) {
  const Stored pair = *Read("(]q" + std::string(1, '\0') + "h" + std::string(1, '\0') + "t");
  const auto& items = std::get<const StoredTuple*>(pair)->items;
  EXPECT_EQ(items[0], items[1]);
  EXPECT_NE(std::get<const StoredTuple*>(*Read("(]]t"))->items[0],
            std::get<const StoredTuple*>(*Read("(]]t"))->items[1]);
}

TEST_F(Unpickling, ValuesMayFormCycles) {
  const Stored list = *Read("]q" + std::string(1, '\0') + "h" + std::string(1, '\0') + "a");
  EXPECT_EQ(std::get<const StoredList*>(list)->items[0], list);
}

TEST_F(Unpickling, MakesObjectsOfClassesOfTheArchive) {
  const Stored value = *Read("c__torch__.a\nNet\n)\x81}(" + Text("training") + "\x89ub");
  const StoredObject& object = *std::get<const StoredObject*>(value);
  EXPECT_EQ(object.class_name, "__torch__.a.Net");
  ASSERT_NE(object.attributes(), nullptr);
  EXPECT_EQ(std::get<bool>(*object.attributes()->Find("training")), false);
  const Stored color = *Read("c__torch__.a\nColor\nK\x03R");
  EXPECT_EQ(std::get<const StoredEnum*>(color)->class_name, "__torch__.a.Color");
}

TEST_F(Unpickling, RebuildsTensors) {
  const Stored value = *Read(TensorOf(Storage("ByteStorage", 8), 1, 2, 3, 1, 2));
  const StoredTensor& tensor = *std::get<const StoredTensor*>(value);
  EXPECT_EQ(tensor.dtype, TorchDType::kU8);
  EXPECT_EQ(DenseTensor(tensor)->ToInts(), (std::vector<std::int64_t>{1, 3, 5, 2, 4, 6}));
}

TEST_F(Unpickling, TensorsOfOneStorageShareIt) {
  const Stored pair = *Read("(" + TensorOf(Storage("IntStorage", 4), 0, 2, 2, 2, 1) +
                            TensorOf(Storage("FloatStorage", 4), 0, 2, 2, 1, 2) + "t");
  const auto& items = std::get<const StoredTuple*>(pair)->items;
  EXPECT_EQ(std::get<const StoredTensor*>(items[0])->storage->number,
            std::get<const StoredTensor*>(items[1])->storage->number);
}

TEST_F(Unpickling, RefusesTensorsThatReachBeyondTheirStorage) {
  EXPECT_THAT(ErrorOf(TensorOf(Storage("ByteStorage", 5), 0, 2, 3, 3, 1)),
              HasSubstr("a tensor reaches element 5 of storage 0, which has 5"));
  const std::string huge = std::string("\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f", 10);
  EXPECT_THAT(ErrorOf("ctorch._utils\n_rebuild_tensor_v2\n(" + Storage("ByteStorage", 5) + Int(0) +
                      huge + "\x85" + huge + "\x85\x89NtR"),
              HasSubstr("the strides of a tensor overflow"));
}

TEST_F(Unpickling, ExecutesNothing) {
  EXPECT_THAT(ErrorOf("cos\nsystem\n" + Text("rm -rf /") + "\x85R"),
              HasSubstr("byte 2: error: the pickle names os.system"));
  EXPECT_THAT(ErrorOf("cbuiltins\neval\n"), HasSubstr("the pickle names builtins.eval"));
  EXPECT_THAT(ErrorOf("ctorch\nFloatStorage\n)R"), HasSubstr("cannot be called"));
  EXPECT_THAT(ErrorOf("c__torch__.a\nNet\n)R"), HasSubstr("cannot be called"));
  EXPECT_THAT(ErrorOf("c__torch__.a\nNet\nK\x01\x85\x81"), HasSubstr("made with arguments"));
}

TEST_F(Unpickling, RefusesWhatTorchDoesNotWrite) {
  EXPECT_THAT(ErrorOf("I1\n"), HasSubstr("byte 2: error: the opcode 0x49 is not allowed"));
  EXPECT_THAT(ErrorOf("i"), HasSubstr("the opcode 0x69 is not allowed"));
  EXPECT_THAT(ErrorOf("NN"), HasSubstr("the pickle leaves 2 values"));
  EXPECT_THAT(ErrorOf("t"), HasSubstr("there is no mark on the stack"));
  EXPECT_THAT(ErrorOf("N(\x85"), HasSubstr("the stack is empty"));
  EXPECT_THAT(ErrorOf("h\x05"), HasSubstr("there is no memo entry 5"));
  EXPECT_THAT(ErrorOf("]Na}Na"), HasSubstr("appended to what is not a list"));
  EXPECT_THAT(ErrorOf("}" + Int(1) + "Ns" + Int(1) + "Ns"), HasSubstr("a key twice"));
  EXPECT_THAT(ErrorOf("}]Ns"), HasSubstr("list as a key"));
  EXPECT_THAT(ErrorOf(std::string("X\xff\xff\xff\xff")), HasSubstr("reaches beyond the end"));
}

TEST_F(Unpickling, BoundsDepthAndMemory) {
  EXPECT_THAT(ErrorOf(std::string(100, ']') + std::string(99, 'a')), "no error");
  EXPECT_THAT(ErrorOf(std::string(2000, ']') + std::string(1999, 'a')),
              HasSubstr("nested more than 1000 deep"));
  EXPECT_THAT(ErrorOf("(" + std::string(100000, ']') + "t"), HasSubstr("bytes of memory"));
  EXPECT_THAT(ErrorOf("(" + std::string(1000000, '(') + "t"), HasSubstr("bytes of memory"));
}

// Each level holds the one before twice: 2^60 values, for whoever walks through them.
TEST_F(Unpickling, RefusesMemoBombs) {
  std::string body = "]q" + std::string(1, '\0');
  for (char i = 1; i < 60; ++i) {
    const std::string before = "h" + std::string(1, static_cast<char>(i - 1));
    body += "(" + before + before + "tq" + std::string(1, i);
  }
  EXPECT_THAT(ErrorOf("(" + body + "t"), HasSubstr("--expand-limit"));
}

}  // namespace
}  // namespace dragoman::torch
