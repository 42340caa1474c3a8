#include "message/engine.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/number.h"
#include "sim/line.h"
#include "sim/waiting.h"

namespace t3sim::message {
namespace {

constexpr std::uint32_t kMostParts = 1 << 10, kMostJobs = 1 << 20;
constexpr std::uint64_t kPieces = 8;  // of a slice: enough to share a link fairly, and to go on by lines
constexpr std::uint64_t kShortestPiece = 512;  // four lines: what a warp stores at a time

}  // namespace

void Engine::add(const Schedule& schedule, Picoseconds start, std::vector<std::uint32_t> members) {
  const auto job = narrow<Number>(jobs_.size());
  if (schedule.parts() > kMostParts || job >= kMostJobs) throw InputError("too many channels or collectives");
  const Plan& plan = schedule.plan();
  jobs_.push_back({&schedule, std::vector<Traffic>(plan.gpus()), std::move(members), {}, 0});
  jobs_[job].result.gpu_ends.assign(plan.gpus(), start);
  jobs_[job].result.end = start;
  for (std::uint32_t gpu = 0; gpu < plan.gpus(); ++gpu) {
    const std::uint32_t end = gpu + 1 < plan.gpus() ? plan.first_strand(gpu + 1) : plan.strands();
    for (std::uint32_t strand = plan.first_strand(gpu); strand < end; ++strand)
      for (std::uint32_t part = 0; part < schedule.parts(); ++part) {
        Lane lane{.job = job, .gpu = gpu, .part = part, .steps = plan.steps(strand)};
        if (!enter_step(lane)) continue;
        ++jobs_[job].lanes_left;
        lanes_.push_back(lane);
        queue_.push({start + endpoint_.launch, narrow<Number>(lanes_.size() - 1), What::look});
      }
  }
}

// `last`: the one that the lane had before, most often the same.
Engine::Number Engine::connection(const Lane& lane, Number last, std::uint32_t from_rank,
                                  std::uint32_t to_rank, std::uint8_t tag) {
  const std::uint32_t from = gpu_of(lane, from_rank), to = gpu_of(lane, to_rank);
  if (last != kNone && connections_[last].from == from && connections_[last].to == to &&
      connections_[last].tag == tag)
    return last;
  const std::uint64_t key = std::uint64_t{lane.job} << 36 | std::uint64_t{from} << 24 |
                            std::uint64_t{to} << 12 | std::uint64_t{tag} << 10 | lane.part;
  const auto [found, fresh] = connection_of_.try_emplace(key, narrow<Number>(connections_.size()));
  if (!fresh) return found->second;
  Connection made;
  made.route = wires_.routes().route(from, to);
  if (made.route.empty()) throw InputError(fmt::format("no route leads from GPU {} to GPU {}", from, to));
  made.from = from;
  made.to = to;
  made.to_rank = to_rank;
  made.job = lane.job;
  made.tag = tag;
  made.slots = jobs_[lane.job].schedule->protocol().slots;
  made.posted =
      endpoint_.post != 0 && (endpoint_.posts_all || way_of(wires_.graph(), made.route) == Way::card);
  made.window = window(made);
  connections_.push_back(std::move(made));
  return found->second;
}

// Buffers are a destination's own (interconnect/graph.h: kByDestination), so all that goes from a GPU to another shares them.
Engine::Number Engine::window(const Connection& c) {
  if (c.route.size() < 2) return kNone;
  const std::size_t gpus = wires_.graph().gpus();
  window_of_.resize(gpus * gpus, kNone);
  Number& found = window_of_[c.from * gpus + c.to];
  if (found != kNone) return found;
  found = narrow<Number>(windows_.size());
  Window made{};
  for (const Hop& hop : c.route.first(c.route.size() - 1))
    made.room += wires_.graph().link(hop.link).buffer_bytes;
  windows_.push_back(made);
  return found;
}

// Goes to the first step from here on that moves anything.
bool Engine::enter_step(Lane& lane) {
  const Schedule& schedule = *jobs_[lane.job].schedule;
  for (; lane.round < schedule.rounds(); ++lane.round, lane.step = 0)
    for (; lane.step < lane.steps.size(); ++lane.step) {
      const Step& step = step_of(lane);
      lane.share = schedule.bytes(lane.gpu, step, lane.part, lane.round);
      lane.slices = schedule.slices(lane.share);
      lane.slice = 0;
      if (lane.slices == 0) continue;
      if (step.receives()) lane.last_in = connection(lane, lane.last_in, step.from, lane.gpu, step.tag);
      if (step.sends()) lane.last_out = connection(lane, lane.last_out, lane.gpu, step.to, step.tag);
      lane.in = step.receives() ? lane.last_in : kNone;
      lane.out = step.sends() ? lane.last_out : kNone;
      return true;
    }
  return false;
}

bool Engine::next_slice(Lane& lane) {
  if (++lane.slice < lane.slices) return true;
  ++lane.step;
  return enter_step(lane);
}

std::vector<JobResult> Engine::run() {
  while (!queue_.empty()) handle(queue_.pop());
  check_done();
  count_credits();
  std::vector<JobResult> results;
  for (Job& job : jobs_) {
    for (const Picoseconds end : job.result.gpu_ends) job.result.end = std::max(job.result.end, end);
    results.push_back(std::move(job.result));
  }
  return results;
}

void Engine::handle(const Event& event) {
  ++events_;
  switch (event.what) {
    case What::look:
      return look(event.who, event.at);
    case What::free:
      return end_pass(event.who, event.at);
    case What::put:
      return put_piece(event.who, event.at);
    case What::hop:
      return hop(event.who, event.at);
    case What::arrive:
      return arrive(event.who, event.at);
  }
}

// Is there a slot at the next GPU? Else the lane is looked at again when there is.
bool Engine::may_send(Number number, Lane& lane, Picoseconds now) {
  if (lane.out == kNone) return true;
  Connection& out = connections_[lane.out];
  if (out.sent < out.slots) return true;
  if (out.sent - out.taken >= out.slots) {
    out.sender = number;
    return false;
  }
  const Picoseconds seen = out.freed[out.sent % out.slots] + way_back(out);
  if (seen <= now) return true;
  queue_.push({seen, number, What::look});
  return false;
}

// The slot first, then the slice.
bool Engine::may_begin(Number number, Lane& lane, Picoseconds now) {
  if (!may_send(number, lane, now)) return false;
  if (lane.in == kNone) return true;
  Connection& in = connections_[lane.in];
  if (in.arrived > in.taken) return true;
  if (in.here > 0 && protocol_of(lane).by_line) return true;
  in.receiver = number;
  return false;
}

void Engine::look(Number number, Picoseconds now) {
  Lane& lane = lanes_[number];
  if (!may_begin(number, lane, now)) return;
  const Schedule& schedule = *jobs_[lane.job].schedule;
  const std::uint64_t bytes = schedule.slice_bytes(lane.share, lane.slice);
  enter_memory(lane, bytes);
  lane.began = posted(lane, now) + (lane.in != kNone ? endpoint_.step : 0);
  lane.put = 0;
  lane.wire = protocol_of(lane).wire_bytes(bytes);
  if (lane.out == kNone && (lane.in == kNone || !protocol_of(lane).by_line)) {
    queue_.push({lane.began + time(lane, bytes), number, What::free});
    return;
  }
  lane.passing = true;
  if (lane.out != kNone) ++connections_[lane.out].sent;
  queue_.push({lane.began + time(lane, std::min(bytes, kLine)), number, What::put});
}

// When the host has posted the slice at hand.
Picoseconds Engine::posted(const Lane& lane, Picoseconds now) {
  if (lane.out == kNone || !connections_[lane.out].posted) return now;
  Picoseconds& free = post_free_[connections_[lane.out].from];
  return free = std::max(free, now) + endpoint_.post;
}

std::uint64_t Engine::piece_of(const Lane& lane) const {
  const std::uint64_t part = lane.wire / (kPieces * jobs_[lane.job].schedule->channels());
  // What comes by lines goes on by lines: an eighth of a slice is as much as threads have under way.
  const std::uint64_t longest =
      protocol_of(lane).by_line ? std::min(piece_bytes_, lane.wire / kPieces) : std::max(piece_bytes_, part);
  return std::min(std::max(longest, kShortestPiece), lane.wire - lane.put);
}

// Have so many bytes of the slice come? Else the lane goes on when more of them do.
bool Engine::has_come(Lane& lane, Number number, std::uint64_t bytes) {
  if (lane.in == kNone) return true;
  Connection& in = connections_[lane.in];
  if (in.arrived > in.taken || in.here >= bytes) return true;
  in.receiver = number;
  return false;
}

// Have the buffers on the way room for so many bytes? Else the lane goes on when they have. One piece is always let in.
bool Engine::has_room(Lane& lane, Number number, std::uint64_t bytes) {
  if (lane.out == kNone || connections_[lane.out].window == kNone) return true;
  Window& w = windows_[connections_[lane.out].window];
  if (w.under_way == 0 || w.under_way + bytes <= w.room) {
    w.under_way += bytes;
    return true;
  }
  lane.behind = kNone;
  (w.first == kNone ? w.first : lanes_[w.last].behind) = number;
  w.last = number;
  return false;
}

void Engine::give_room_back(Number number, std::uint64_t bytes, Picoseconds now) {
  if (number == kNone) return;
  windows_[number].under_way -= bytes;
  while (windows_[number].first != kNone) {
    Window& w = windows_[number];
    const Number next = w.first;
    if (w.under_way != 0 && w.under_way + piece_of(lanes_[next]) > w.room) return;
    w.first = lanes_[next].behind;
    put_piece(next, now);
  }
}

// After a wait for lines: what the pass has gone through took as long as it does, the rest is still to come.
void Engine::go_on_with(Number number, Picoseconds now) {
  Lane& lane = lanes_[number];
  const Picoseconds behind = time(lane, std::max(payload(lane, lane.put), kLine));
  lane.began = std::max(lane.began + behind, now) - behind;
  put_piece(number, now);
}

// The next piece of the slice: its head is at the link now, its tail as soon as the pass has made it.
void Engine::put_piece(Number number, Picoseconds now) {
  Lane& lane = lanes_[number];
  const std::uint64_t bytes = piece_of(lane);
  if (!has_come(lane, number, lane.put + bytes) || !has_room(lane, number, bytes)) return;
  lane.put += bytes;
  const bool last = lane.put == lane.wire;
  const Picoseconds ready = lane.began + time(lane, payload(lane, lane.put));
  const Picoseconds departed = lane.out == kNone ? ready : send_piece(lane, bytes, {now, ready});
  queue_.push({std::max({now, ready, departed}), number, last ? What::free : What::put});
}

// When it is on its way.
Picoseconds Engine::send_piece(const Lane& lane, std::uint64_t bytes, const Train& made) {
  const Connection& out = connections_[lane.out];
  const std::uint32_t first = out.route.front().link;
  Picoseconds departed = 0;
  const Train there = wires_.pass(
      first, {made.head, std::max(made.head, made.tail + wires_.packet_time(first))}, bytes, departed);
  jobs_[lane.job].result.sent_bytes += bytes;
  go_on(new_piece({there.tail, out.route.data() + 1, lane.out, narrow<std::uint32_t>(bytes),
                   narrow<std::uint16_t>(out.route.size() - 1), lane.put == lane.wire}),
        there);
  return departed;
}

Engine::Number Engine::new_piece(const Piece& piece) {
  if (free_pieces_.empty()) {
    pieces_.push_back(piece);
    return narrow<Number>(pieces_.size() - 1);
  }
  const Number number = free_pieces_.back();
  free_pieces_.pop_back();
  pieces_[number] = piece;
  return number;
}

// A piece that has passed a link: on to the next one, or it is there.
void Engine::go_on(Number number, const Train& train) {
  Piece& piece = pieces_[number];
  piece.tail = train.tail;
  if (piece.hops != 0)
    queue_.push({train.head, number, What::hop});
  else
    queue_.push({train.tail + endpoint_.deliver, number, What::arrive});
}

void Engine::hop(Number number, Picoseconds now) {
  Piece& piece = pieces_[number];
  --piece.hops;
  Picoseconds departed = 0;
  go_on(number, wires_.pass(piece.next++->link, {now, piece.tail}, piece.bytes, departed));
}

void Engine::arrive(Number number, Picoseconds now) {
  const Piece piece = pieces_[number];
  free_pieces_.push_back(number);
  Connection& c = connections_[piece.connection];
  JobResult& result = jobs_[c.job].result;
  result.received_bytes += piece.bytes;
  give_room_back(c.window, piece.bytes, now);
  enter_fifo(c, piece.bytes);
  if (piece.last) {
    ++result.slices;
    ++c.arrived;
    c.here = 0;
  } else if (!jobs_[c.job].schedule->protocol().by_line) {
    return;
  }
  if (c.receiver == kNone) return;
  const Number receiver = std::exchange(c.receiver, kNone);
  return lanes_[receiver].passing ? go_on_with(receiver, now) : look(receiver, now);
}

void Engine::end_pass(Number number, Picoseconds now) {
  Lane& lane = lanes_[number];
  lane.passing = false;
  leave_memory(lane);
  if (lane.in != kNone) give_slot_back(connections_[lane.in], now);
  if (next_slice(lane)) return look(number, now);
  finish(lane, now);
}

void Engine::give_slot_back(Connection& c, Picoseconds now) {
  c.freed[c.taken % c.slots] = now;
  ++c.taken;
  if (c.sender != kNone) queue_.push({now + way_back(c), std::exchange(c.sender, kNone), What::look});
}

// Looked up where a sender needs it: most connections of large collectives carry fewer slices than they have slots.
Picoseconds Engine::way_back(Connection& c) const {
  if (c.back != kUnknown) return c.back;
  const auto back = wires_.routes().route(c.to, c.from);
  // Where no way leads back, as on a ring of one direction, the link has words of its own.
  c.back = wires_.latency(back.empty() ? c.route : back) + endpoint_.give_back;
  return c.back;
}

void Engine::finish(Lane& lane, Picoseconds now) {
  lane.done = true;
  Job& job = jobs_[lane.job];
  --job.lanes_left;
  Picoseconds& end = job.result.gpu_ends[lane.gpu];
  end = std::max(end, now);
}

void Engine::check_done() const {
  Waits waits;
  for (const Lane& lane : lanes_) {
    if (lane.done) continue;
    const std::string who = fmt::format("GPU {} channel {}", lane.gpu, lane.part);
    const Step& step = step_of(lane);
    const std::uint32_t whom = lane.in != kNone ? step.from : step.to;
    waits.add(who, fmt::format("GPU {} channel {}", whom, lane.part),
              lane.in != kNone ? "its next slice" : "a free slot");
  }
  if (!waits.empty()) throw NoProgressError(waits.explain() + "\n" + waits.list());
  for (const Connection& c : connections_)
    if (c.sent != c.arrived || c.arrived != c.taken)
      throw CheckError(fmt::format("GPU {} to GPU {}: {} slices sent, {} arrived, {} taken", c.from, c.to,
                                   c.sent, c.arrived, c.taken));
  for (const Job& job : jobs_)
    if (job.result.sent_bytes != job.result.received_bytes)
      throw CheckError(
          fmt::format("{} bytes sent, {} received", job.result.sent_bytes, job.result.received_bytes));
}

// A slot that is waited for is given back by a word, a sector on the way back.
void Engine::count_credits() {
  for (const Connection& c : connections_) {
    if (c.sent <= c.slots) continue;
    for (const Hop& hop : wires_.routes().route(c.to, c.from))  // none: nothing
      wires_.count(hop.link, (c.sent - c.slots) * kSectorBytes);
  }
}

}  // namespace t3sim::message
