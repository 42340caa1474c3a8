// Writes a trace that Perfetto's viewer reads: the few messages of its protobuf format that tracks, slices,
// instants and counters need, by hand.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace t3sim::perfetto {

// A protobuf message under construction. Fields are written in the order of the calls.
class Message {
 public:
  void number(std::uint32_t field, std::uint64_t value);
  void real(std::uint32_t field, double value);
  void text(std::uint32_t field, std::string_view value);
  void message(std::uint32_t field, const Message& value) { text(field, value.bytes_); }
  const std::string& bytes() const { return bytes_; }

 private:
  void varint(std::uint64_t value);
  std::string bytes_;
};

// Appends packets of a Trace to a text. Times are in nanoseconds.
class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}

  // What tracks are put under; `id`s are unique over the whole trace and not 0.
  void process(std::uint64_t id, std::int32_t pid, std::string_view name);
  void track(std::uint64_t id, std::uint64_t process, std::string_view name);
  void counter_track(std::uint64_t id, std::uint64_t process, std::string_view name, std::string_view unit);

  // Slices of a track must not overlap and come in order. `issued_us` becomes an argument of that name.
  void slice(std::uint64_t track, std::string_view name, std::uint64_t start, std::uint64_t end,
             std::optional<double> issued_us = {});
  void instant(std::uint64_t track, std::string_view name, std::uint64_t at);
  void counter(std::uint64_t track, std::uint64_t at, double value);

 private:
  void descriptor(const Message& descriptor);
  void event(std::uint64_t at, const Message& event);

  std::string& out_;
};

}  // namespace t3sim::perfetto
