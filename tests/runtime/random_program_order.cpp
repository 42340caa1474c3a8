// What an operation of a random program must come after is ordered by a means drawn at random.
#include "runtime/random_program.h"

#include <fmt/format.h>

#include <algorithm>

namespace t3sim {

void RandomProgram::join(Clock& clock, const Clock& other) {
  for (std::size_t i = 0; i < clock.size(); ++i) clock[i] = std::max(clock[i], other[i]);
}

bool RandomProgram::is_over(const Operation& operation, const Clock& clock) const {
  return clock[lane(operation.gpu, operation.stream)] >= operation.index;
}

bool RandomProgram::conflict(const Access& a, const Access& b) {
  if (!a.writes && !b.writes) return false;
  if (a.adds && b.adds) return false;
  const Part &p = a.part, &q = b.part;
  return p.gpu == q.gpu && p.array == q.array && p.copy == q.copy && p.row < q.row + q.rows &&
         q.row < p.row + p.rows && p.column < q.column + q.columns && q.column < p.column + p.columns;
}

void RandomProgram::order(const std::vector<Access>& accesses, std::uint32_t gpu, std::uint32_t stream) {
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    const Operation before = operations_[i];
    join(streams_[lane(gpu, stream)], hosts_[gpu]);
    if (is_over(before, streams_[lane(gpu, stream)])) continue;
    const bool after = std::ranges::any_of(accesses, [&](const Access& a) {
      return std::ranges::any_of(before.accesses, [&](const Access& b) { return conflict(a, b); });
    });
    if (after) order_behind(before, gpu, stream);
  }
}

void RandomProgram::order_behind(const Operation& before, std::uint32_t gpu, std::uint32_t stream) {
  if (before.gpu != gpu) {
    if (chance(0.15)) return order_by_barrier(before, gpu, stream);
    return order_by_word(before, gpu, stream);
  }
  if (before.word != 0 && before.word_gpu == gpu && chance(0.7)) return order_by_word(before, gpu, stream);
  if (!chance(0.25)) return order_by_event(gpu, before.stream, stream);
  emit(gpu, stream, fmt::format("sync: s{}", before.stream), true);
  join(hosts_[gpu], streams_[lane(gpu, before.stream)]);
  join(streams_[lane(gpu, stream)], hosts_[gpu]);
}

void RandomProgram::order_by_event(std::uint32_t gpu, std::uint32_t from, std::uint32_t to) {
  const std::uint32_t event = events_++ % 20;  // recorded again and again
  emit(gpu, from, fmt::format("record: \"e[{}]\"", event));
  emit(gpu, to, fmt::format("wait-event: \"e[{}]\"", event), true);
  join(streams_[lane(gpu, to)], streams_[lane(gpu, from)]);
}

void RandomProgram::order_by_word(const Operation& before, std::uint32_t gpu, std::uint32_t stream) {
  Clock& clock = streams_[lane(gpu, stream)];
  if (before.word != 0 && before.word_gpu == gpu) {  // its tiles count themselves
    emit(gpu, stream, fmt::format("wait: \"w[{}] >= {}\"", before.word, before.count), true);
    join(clock, before.clock);
    return;
  }
  const std::uint32_t word = words_++;
  emit(before.gpu, before.stream, fmt::format("signal: \"w@{}[{}] += 3\"", gpu, word));
  const bool reset = chance(0.2);
  emit(gpu, stream,
       reset ? fmt::format("wait: {{word: \"w[{}] >= 3\", reset: true}}", word)
             : fmt::format("wait: \"w[{}] >= 2\"", word),
       true);
  join(clock, streams_[lane(before.gpu, before.stream)]);
}

// Of the stream of the operation that is to be over, or of all hosts, once that operation's has waited.
void RandomProgram::order_by_barrier(const Operation& before, std::uint32_t gpu, std::uint32_t stream) {
  Clock all(gpus_ * kStreams);
  if (chance(0.5)) {
    emit(before.gpu, before.stream, fmt::format("sync: s{}", before.stream), true);
    join(hosts_[before.gpu], streams_[lane(before.gpu, before.stream)]);
    for (const Clock& host : hosts_) join(all, host);
    emit_for_all(0, "barrier: host");
    for (Clock& host : hosts_) join(host, all);
  } else {
    emit_for_all(before.stream, "barrier: stream");
    for (std::uint32_t g = 0; g < gpus_; ++g) join(all, streams_[lane(g, before.stream)]);
    for (std::uint32_t g = 0; g < gpus_; ++g) join(streams_[lane(g, before.stream)], all);
    if (before.stream != stream) order_by_event(gpu, before.stream, stream);
  }
}

RandomProgram::Operation& RandomProgram::done(std::vector<Access> accesses, std::uint32_t gpu,
                                              std::uint32_t stream) {
  Operation operation;
  operation.accesses = std::move(accesses);
  operation.gpu = gpu;
  operation.stream = stream;
  Clock& clock = streams_[lane(gpu, stream)];
  join(clock, hosts_[gpu]);
  operation.index = clock[lane(gpu, stream)] = ++indices_[lane(gpu, stream)];
  operation.clock = clock;
  operations_.push_back(operation);
  return operations_.back();
}

}  // namespace t3sim
