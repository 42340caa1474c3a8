#include "results/timeline/perfetto.h"

#include <bit>

#include "base/number.h"

namespace t3sim::perfetto {
namespace {

// Numbers of fields and values in Perfetto's messages, by their names there.
namespace trace {
constexpr std::uint32_t kPacket = 1;
}
namespace packet {
constexpr std::uint32_t kTimestamp = 8, kSequence = 10, kTrackEvent = 11, kTrackDescriptor = 60;
}
namespace track_descriptor {
constexpr std::uint32_t kUuid = 1, kName = 2, kProcess = 3, kParentUuid = 5, kCounter = 8;
}
namespace process_descriptor {
constexpr std::uint32_t kPid = 1, kProcessName = 6;
}
namespace counter_descriptor {
constexpr std::uint32_t kUnitName = 6;
}
namespace track_event {
constexpr std::uint32_t kArgument = 4, kType = 9, kTrackUuid = 11, kName = 23, kDoubleCounterValue = 44;
constexpr std::uint64_t kSliceBegin = 1, kSliceEnd = 2, kInstant = 3, kCounter = 4;
}  // namespace track_event
namespace debug_annotation {
constexpr std::uint32_t kDoubleValue = 5, kName = 10;
}

constexpr std::uint64_t kOneSequence = 1;

Message event_of(std::uint64_t type, std::uint64_t track) {
  Message event;
  event.number(track_event::kType, type);
  event.number(track_event::kTrackUuid, track);
  return event;
}

Message track_of(std::uint64_t id, std::uint64_t process, std::string_view name) {
  Message track;
  track.number(track_descriptor::kUuid, id);
  track.number(track_descriptor::kParentUuid, process);
  track.text(track_descriptor::kName, name);
  return track;
}

}  // namespace

void Message::varint(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
  bytes_ += static_cast<char>(value);
}

void Message::number(std::uint32_t field, std::uint64_t value) {
  varint(std::uint64_t{field} << 3);
  varint(value);
}

void Message::real(std::uint32_t field, double value) {
  varint(std::uint64_t{field} << 3 | 1);
  const auto bits = std::bit_cast<std::uint64_t>(value);
  for (unsigned byte = 0; byte < 8; ++byte) bytes_ += static_cast<char>(bits >> (byte * 8));
}

void Message::text(std::uint32_t field, std::string_view value) {
  varint(std::uint64_t{field} << 3 | 2);
  varint(value.size());
  bytes_ += value;
}

void Writer::descriptor(const Message& descriptor) {
  Message packet, trace;
  packet.number(packet::kSequence, kOneSequence);
  packet.message(packet::kTrackDescriptor, descriptor);
  trace.message(trace::kPacket, packet);
  out_ += trace.bytes();
}

void Writer::event(std::uint64_t at, const Message& event) {
  Message packet, trace;
  packet.number(packet::kTimestamp, at);
  packet.number(packet::kSequence, kOneSequence);
  packet.message(packet::kTrackEvent, event);
  trace.message(trace::kPacket, packet);
  out_ += trace.bytes();
}

void Writer::process(std::uint64_t id, std::int32_t pid, std::string_view name) {
  Message process, track;
  process.number(process_descriptor::kPid, narrow<std::uint64_t>(pid));
  process.text(process_descriptor::kProcessName, name);
  track.number(track_descriptor::kUuid, id);
  track.message(track_descriptor::kProcess, process);
  descriptor(track);
}

void Writer::track(std::uint64_t id, std::uint64_t process, std::string_view name) {
  descriptor(track_of(id, process, name));
}

void Writer::counter_track(std::uint64_t id, std::uint64_t process, std::string_view name,
                           std::string_view unit) {
  Message track = track_of(id, process, name);
  Message counter;
  counter.text(counter_descriptor::kUnitName, unit);
  track.message(track_descriptor::kCounter, counter);
  descriptor(track);
}

void Writer::slice(std::uint64_t track, std::string_view name, std::uint64_t start, std::uint64_t end,
                   std::optional<double> issued_us) {
  Message begin = event_of(track_event::kSliceBegin, track);
  begin.text(track_event::kName, name);
  if (issued_us) {
    Message argument;
    argument.text(debug_annotation::kName, "issued_us");
    argument.real(debug_annotation::kDoubleValue, *issued_us);
    begin.message(track_event::kArgument, argument);
  }
  event(start, begin);
  event(end, event_of(track_event::kSliceEnd, track));
}

void Writer::instant(std::uint64_t track, std::string_view name, std::uint64_t at) {
  Message event = event_of(track_event::kInstant, track);
  event.text(track_event::kName, name);
  this->event(at, event);
}

void Writer::counter(std::uint64_t track, std::uint64_t at, double value) {
  Message event = event_of(track_event::kCounter, track);
  event.real(track_event::kDoubleCounterValue, value);
  this->event(at, event);
}

}  // namespace t3sim::perfetto
