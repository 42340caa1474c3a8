#include "model/fusion.h"

#include <algorithm>

#include "base/error.h"
#include "base/number.h"

namespace t3sim::model {
namespace {

Call without_bytes(Call call) {
  call.bytes = 0;
  return call;
}

}  // namespace

FusionBuffers::FusionBuffers(const Graph& graph, FusedCosts* costs) : graph_(graph), costs_(costs) {
  const bool any = std::ranges::any_of(graph.operations, &Operation::fuse);
  if (any && (!graph.fusion || !costs)) throw CheckError("calls to be fused, and no rule or no costs");
}

bool FusionBuffers::belongs(const FusedCall& buffer, const Operation& o) const {
  return buffer.set == o.set && without_bytes(buffer.call) == without_bytes(*o.call);
}

// What would be more than B closes the buffer before it: no call is longer than that, but for a tensor that is.
void FusionBuffers::add(std::uint32_t operation, Picoseconds now) {
  const Operation& o = graph_.operations[operation];
  auto buffer = std::ranges::find_if(open_, [&](const FusedCall& b) { return belongs(b, o); });
  if (buffer != open_.end() && buffer->call.bytes + o.call->bytes > graph_.fusion->bytes) {
    buffer->full = true;
    close(static_cast<std::size_t>(buffer - open_.begin()));
    buffer = open_.end();
  }
  if (buffer == open_.end()) {
    FusedCall fresh;
    fresh.call = without_bytes(*o.call);
    fresh.set = o.set;
    fresh.first = now;
    open_.push_back(std::move(fresh));
    buffer = std::prev(open_.end());
  }
  buffer->call.bytes += o.call->bytes;
  buffer->operations.push_back(operation);
  if (buffer->call.bytes < graph_.fusion->bytes) return;
  buffer->full = true;
  close(static_cast<std::size_t>(buffer - open_.begin()));
}

void FusionBuffers::close(std::size_t buffer) {
  queue_.push_back(narrow<std::uint32_t>(calls_.size()));
  calls_.push_back(std::move(open_[buffer]));
  open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(buffer));
}

Picoseconds FusionBuffers::deadline() const {
  Picoseconds first = ~Picoseconds{0};
  for (const FusedCall& b : open_) first = std::min(first, b.first + graph_.fusion->wait);
  return first;
}

void FusionBuffers::close_due(Picoseconds now) {
  for (std::size_t b = 0; b < open_.size();)
    if (open_[b].first + graph_.fusion->wait <= now)
      close(b);
    else
      ++b;
}

bool FusionBuffers::share_gpus(const FusedCall& a, const FusedCall& b) const {
  if (a.set == b.set) return true;
  return std::ranges::any_of(graph_.sets[a.set], [&](std::uint32_t gpu) {
    return std::ranges::binary_search(graph_.sets[b.set], gpu);
  });
}

bool FusionBuffers::may_begin(std::uint32_t number) const {
  const FusedCall& call = calls_[number];
  return std::ranges::none_of(running_, [&](std::uint32_t r) {
    const FusedCall& other = calls_[r];
    const bool beside =
        graph_.fusion->overlap && !call.full && !other.full && call.call.backend != other.call.backend;
    return share_gpus(call, other) && !beside;
  });
}

std::vector<std::uint32_t> FusionBuffers::begin_all(Picoseconds now) {
  std::vector<std::uint32_t> begun, waiting;
  for (const std::uint32_t number : queue_) {
    FusedCall& call = calls_[number];
    const bool in_turn =
        std::ranges::none_of(waiting, [&](std::uint32_t w) { return share_gpus(call, calls_[w]); });
    if (!in_turn || !may_begin(number)) {
      waiting.push_back(number);
      continue;
    }
    call.begin = now;
    call.cost = &costs_->of_fused(call.call, call.operations.size());
    running_.push_back(number);
    begun.push_back(number);
  }
  queue_ = std::move(waiting);
  return begun;
}

void FusionBuffers::end(std::uint32_t number, Picoseconds now) {
  calls_[number].end = now;
  std::erase(running_, number);
}

}  // namespace t3sim::model
