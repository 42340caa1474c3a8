#include "model/chakra_trace.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>
#include <string_view>

#include "base/error.h"
#include "base/number.h"

namespace t3sim::model {
namespace {

// A field of a protobuf message: a number, or bytes.
struct Field {
  std::uint32_t number = 0;
  std::uint64_t value = 0;
  std::string_view bytes;
};

class Message {
 public:
  Message(std::string_view bytes, const std::string& path, std::size_t at)
      : bytes_(bytes), path_(path), from_(at) {}

  bool next(Field& field) {
    if (at_ == bytes_.size()) return false;
    const std::uint64_t key = varint();
    field = {static_cast<std::uint32_t>(key >> 3), 0, {}};
    switch (key & 7) {
      case 0:
        field.value = varint();
        return true;
      case 1:
        field.bytes = take(8);
        return true;
      case 2:
        field.bytes = take(varint());
        return true;
      case 5:
        field.bytes = take(4);
        return true;
      default:
        fail("is no protobuf");
    }
  }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1).front());
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return value;
    }
    fail("is no protobuf: a number has no end");
  }
  std::string_view take(std::uint64_t size) {
    if (size > bytes_.size() - at_) fail("is cut off, or no Chakra trace");
    at_ += size;
    return bytes_.substr(at_ - size, size);
  }
  Message inner(const Field& field) const { return {field.bytes, path_, from_ + at_ - field.bytes.size()}; }
  bool at_end() const { return at_ == bytes_.size(); }
  std::size_t place() const { return from_ + at_; }

 private:
  [[noreturn]] void fail(std::string_view what) const {
    throw InputError(fmt::format("{}: byte {}: {}", path_, from_ + at_, what));
  }
  std::string_view bytes_;
  const std::string& path_;
  std::size_t from_, at_ = 0;
};

// Repeated numbers: packed, or one at a time.
void add_numbers(Message& message, const Field& field, std::vector<std::uint64_t>& all) {
  if (field.bytes.empty()) {
    all.push_back(field.value);
    return;
  }
  for (Message packed = message.inner(field); !packed.at_end();) all.push_back(packed.varint());
}

// involved_dim: a list of flags.
bool has_a_no(Message& attribute, const Field& field) {
  std::vector<std::uint64_t> flags;
  Message list = attribute.inner(field);
  for (Field f; list.next(f);) add_numbers(list, f, flags);
  for (const std::uint64_t flag : flags)
    if (flag == 0) return true;
  return false;
}

void read_attribute(Message attribute, ChakraNode& node) {
  std::string_view name;
  Field value;
  for (Field f; attribute.next(f);) {
    if (f.number == 1) name = f.bytes;
    if (f.number <= 2) continue;
    if (name == "involved_dim") node.some_dimensions = has_a_no(attribute, f);
    value = f;
  }
  if (name == "is_cpu_op") node.host = value.value != 0;
  if (name == "num_ops") node.flops = value.value;
  if (name == "tensor_size") node.tensor_bytes = value.value;
  if (name == "comm_type") node.comm_type = value.value;
  if (name == "comm_size") node.comm_bytes = value.value;
  if (name == "comm_src") node.source = value.value;
  if (name == "comm_dst") node.destination = value.value;
  if (name == "comm_tag") node.tag = value.value;
}

ChakraNode read_node(Message message) {
  ChakraNode node;
  for (Field f; message.next(f);) {
    if (f.number == 1) node.id = f.value;
    if (f.number == 2) node.name = f.bytes;
    if (f.number == 3) node.type = f.value;
    if (f.number == 5) add_numbers(message, f, node.after);
    if (f.number == 7) node.duration_us = f.value;
    if (f.number == 10) read_attribute(message.inner(f), node);
  }
  return node;
}

}  // namespace

std::vector<ChakraNode> read_chakra(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw InputError(fmt::format("{}: no such file", path));
  std::ostringstream text;
  text << in.rdbuf();
  const std::string whole = text.str();
  std::vector<ChakraNode> nodes;
  Message file(whole, path, 0);
  for (bool metadata = true; !file.at_end(); metadata = false) {
    Field message;
    message.bytes = file.take(file.varint());
    if (!metadata) nodes.push_back(read_node(file.inner(message)));
  }
  return nodes;
}

}  // namespace t3sim::model
