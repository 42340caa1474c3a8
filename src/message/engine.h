// Collectives as messages: channels go through their steps slice by slice, slices are trains of bytes on the wires.
//
//   channel: wait for a slice, and for a free slot at the next GPU --> endpoint's time for the pass --+--> slot is free
//                                                                                                  |
//        wires: link --> switch --> link ... --> GPU, where it is seen `deliver` later <-- pieces -+
//
// A pass puts its bytes on the first link as it makes them, in pieces: of `piece_bytes` or, if that is more, as long as those of
// all channels together are an eighth of a slice. The next piece waits until the link has taken the last one, so channels
// that share a link share it fairly, and a channel is as slow as its link. It waits, too, where the buffers on the way are full. Under protocols whose lines have flags of their
// own, a pass takes pieces as they come. One thread; the order of events of the same time is that in which they came about,
// so the same input gives the same times.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "message/endpoint.h"
#include "message/schedule.h"
#include "message/wires.h"

namespace t3sim::message {

struct JobResult {
  Picoseconds end = 0;                               // of the last GPU
  std::vector<Picoseconds> gpu_ends;                 // by rank
  std::uint64_t sent_bytes = 0, received_bytes = 0;  // payload, with what the protocol adds
  std::uint64_t slices = 0;
};

class Engine {
 public:
  Engine(Wires& wires, const Endpoint& endpoint, std::uint64_t piece_bytes)
      : wires_(wires), endpoint_(endpoint), piece_bytes_(piece_bytes) {}

  // All of it starts at `start`. The schedule must outlive the run. `members`: GPUs of the ranks, themselves if it is empty.
  // Throws InputError where no route leads from a GPU to one that it sends to.
  void add(const Schedule& schedule, Picoseconds start, std::vector<std::uint32_t> members = {});
  // Until all is done; a job's result by the order of add(). Throws NoProgressError, CheckError.
  std::vector<JobResult> run();
  std::uint64_t events() const { return events_; }

 private:
  using Number = std::uint32_t;
  static constexpr Number kNone = ~Number{0};
  static constexpr Picoseconds kUnknown = ~Picoseconds{0};

  enum class What : std::uint8_t { look, free, put, hop, arrive };
  struct Event {
    Picoseconds at;
    Number who;
    What what;
  };
  // A train on its way.
  struct Piece {
    Picoseconds tail;
    const Hop* next;  // on its way
    Number connection;
    std::uint32_t bytes;
    std::uint16_t hops;  // from there on
    bool last;           // of its slice
  };
  // From a GPU's channel to another's, with a FIFO of a few slots there.
  struct Connection {
    std::span<const Hop> route;
    Picoseconds back = kUnknown;  // until a slot that is free is seen as such
    std::uint32_t from, to, to_rank;
    Number job;
    std::uint8_t tag;
    bool posted = false;  // slices by the host
    std::uint64_t sent = 0, arrived = 0, taken = 0;
    std::uint64_t here = 0;  // bytes of the slice after those that have arrived
    std::uint32_t slots;
    Number window = kNone;                            // none: nothing can wait on the way
    Number sender = kNone, receiver = kNone;          // lanes that wait
    std::array<Picoseconds, kMostSlots> freed{};      // when the slot of slice s, s modulo slots, is free
    std::array<std::uint64_t, kMostSlots> touched{};  // likewise: Traffic::touched as its slice came, bytes
  };
  // What a GPU may have under way to another: the buffers behind all links but the last, whose end takes all that comes. Lanes
  // that find it full wait in a list.
  struct Window {
    std::uint64_t room;
    std::uint64_t under_way = 0;
    Number first = kNone, last = kNone;
  };
  // A channel's part of a strand.
  struct Lane {
    Number job;
    std::uint32_t gpu, part, round = 0;
    std::uint32_t step = 0;
    std::span<const Step> steps;
    std::uint32_t slice = 0, slices = 0;  // of the step
    std::uint64_t share = 0;              // bytes of the step
    Number in = kNone, out = kNone;
    Number last_in = kNone, last_out = kNone;  // that a step had
    Number behind = kNone;                     // that waits for the same window
    Picoseconds began = 0;
    std::uint64_t put = 0, wire = 0;  // bytes of the slice that the pass has gone through; all
    std::uint32_t loading = 0;        // channels of the GPU, where their loads are held up by write-backs
    bool gone = false;                // what came has left the L2 for memory
    bool passing = false, done = false;
  };
  // What has come to a GPU's L2 since the start, and who loads from the memory behind it.
  struct Traffic {
    std::uint64_t bytes = 0, stored = 0;
    std::uint64_t touched = 0;  // the same lines count each time they are made the youngest
    std::uint32_t loading = 0;
  };
  struct Job {
    const Schedule* schedule;
    std::vector<Traffic> traffic;        // by rank
    std::vector<std::uint32_t> members;  // likewise; empty: ranks are GPUs
    JobResult result;
    std::uint32_t lanes_left = 0;
  };

  const Step& step_of(const Lane& lane) const { return lane.steps[lane.step]; }
  const Protocol& protocol_of(const Lane& lane) const { return jobs_[lane.job].schedule->protocol(); }
  // Of so many bytes on the wire of the slice at hand.
  std::uint64_t payload(const Lane& lane, std::uint64_t wire) const {
    const Schedule& schedule = *jobs_[lane.job].schedule;
    return wire == lane.wire ? schedule.slice_bytes(lane.share, lane.slice)
                             : wire * schedule.protocol().payload / schedule.protocol().wire;
  }
  std::uint32_t gpu_of(const Lane& lane, std::uint32_t rank) const {
    const std::vector<std::uint32_t>& members = jobs_[lane.job].members;
    return members.empty() ? rank : members[rank];
  }
  Picoseconds time(const Lane& lane, std::uint64_t bytes) const;
  Picoseconds posted(const Lane& lane, Picoseconds now);
  void enter_fifo(Connection& connection, std::uint64_t bytes);
  bool has_left(const Lane& lane) const;
  void enter_memory(Lane& lane, std::uint64_t bytes);
  void leave_memory(Lane& lane);
  Number connection(const Lane& lane, Number last, std::uint32_t from_rank, std::uint32_t to_rank,
                    std::uint8_t tag);
  void handle(const Event& event);
  bool enter_step(Lane& lane);
  bool next_slice(Lane& lane);
  bool may_send(Number number, Lane& lane, Picoseconds now);
  bool may_begin(Number number, Lane& lane, Picoseconds now);
  void look(Number number, Picoseconds now);
  std::uint64_t piece_of(const Lane& lane) const;
  bool has_come(Lane& lane, Number number, std::uint64_t bytes);
  Number window(const Connection& connection);
  bool has_room(Lane& lane, Number number, std::uint64_t bytes);
  void give_room_back(Number window, std::uint64_t bytes, Picoseconds now);
  void go_on_with(Number number, Picoseconds now);
  void put_piece(Number number, Picoseconds now);
  Picoseconds send_piece(const Lane& lane, std::uint64_t bytes, const Train& made);
  void end_pass(Number number, Picoseconds now);
  void give_slot_back(Connection& connection, Picoseconds now);
  Picoseconds way_back(Connection& connection) const;
  void go_on(Number number, const Train& train);
  void hop(Number number, Picoseconds now);
  void arrive(Number number, Picoseconds now);
  void finish(Lane& lane, Picoseconds now);
  Number new_piece(const Piece& piece);
  void check_done() const;
  void count_credits();

  Wires& wires_;
  const Endpoint& endpoint_;
  std::uint64_t piece_bytes_;
  EventQueue<Event> queue_;
  std::vector<Job> jobs_;
  std::vector<Lane> lanes_;
  std::vector<Connection> connections_;
  std::unordered_map<std::uint64_t, Number> connection_of_;
  std::vector<Window> windows_;
  std::vector<Number> window_of_;  // by GPUs: from, to
  std::vector<Piece> pieces_;
  std::vector<Number> free_pieces_;
  std::unordered_map<std::uint32_t, Picoseconds> post_free_;  // by GPU: when its host can post again
  std::uint64_t events_ = 0;
};

}  // namespace t3sim::message
