// One GPU's host and streams: commands are issued in order by the host, wait their turn in a stream, and start kernels,
// copies and signals on the GPU (docs/programs.md).
//
// What GPUs tell each other here (a pull's request, that a barrier is reached) takes the
// latency of the link between them; data and signals are packets like any other.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/ring_buffer.h"
#include "machine/gpu.h"
#include "runtime/arrival_order.h"
#include "runtime/launches.h"
#include "runtime/mark.h"

namespace t3sim {

// Commands that no stream carries out, but the host itself.
bool host_carries_out(const program::Action& action);

// A kernel's that has ended.
struct Residence {
  Tick placed = kNever;                 // its first workgroup had a place on a CU
  Tick all_placed = kNever;             // its last one had
  CuShare share;                        // what a workgroup took there
  std::uint32_t workgroups_per_cu = 0;  // at most
  std::uint64_t asked_bytes = 0;        // by its workgroups
};

// When a command was issued, began and was done; kNever: not yet.
struct CommandTimes {
  Tick issued = kNever, begun = kNever, done = kNever;
  Residence residence;
};

class CommandProcessor final : public Component, public GpuListener, private ArrivalWaiter {
 public:
  // All outlive it. The caller adds it to the GPU's scheduler.
  CommandProcessor(const program::Program& program, const ProgramTables& tables, const Config& config,
                   Gpu& gpu);

  void wake(Tick now) override;
  void kernel_ended(RunningKernel& kernel, Tick now) override;
  void delivered(Request& request) override;
  void stored(const Request& request, Tick now) override;
  void message(const Message& message, Tick at) override;
  void copy_sent(std::uint32_t mark, Tick now) override;
  void put_started(std::uint32_t number, std::uint16_t tag, Tick at) override;
  bool done() const override;
  bool goes_on(Tick now) const override;

  const std::vector<CommandTimes>& times() const { return times_; }
  // How far a command has come, in bytes: what the workgroups of its kernel have asked for, or what has arrived of a pull.
  std::uint64_t moved_bytes(std::uint32_t command) const;
  // Of each stream that waits, and of the host: for what. Empty if all is done.
  std::vector<std::string> waits() const;

 private:
  enum class News : std::uint32_t { pull, barrier };
  // What carries a command out; of those that cost no more than the host's time: none.
  enum class Engine : std::uint8_t { none, cus, copies };
  struct Work {
    Engine engine = Engine::none;
    Tick done = 0;
  };
  struct InOrder {
    std::deque<std::uint32_t> queue;  // commands that are issued and not done
    bool begun = false;               // the first of them
    Tick begins = kNever;             // its cost is paid from then on
    bool behind_kernel = false;       // it was issued before the kernel ahead of it ended
    Work last;                        // that it goes on from, in this stream or, by an event, in another
  };
  struct Event {
    std::uint32_t issued = 0, recorded = 0;
    Work last;
  };
  struct Meeting {
    std::uint32_t others = 0;  // GPUs that have come
    bool own = false;
  };
  struct Exchange {
    std::shared_ptr<ArrivalBoard> board;
    std::vector<std::pair<Request, Tick>> early;  // of GPUs that began before this one
  };
  // Something that happens by itself.
  struct Due {
    enum class Kind : std::uint8_t { message, setting, copied, flag } kind;
    Message message;
    std::uint32_t setting = 0;  // or number of the copy
    Request flag;
  };

  void arrived(Tick now) override;
  void wake_at(Tick at);
  void wake_next();
  void take_due(Tick now);
  void take(const Message& message, Tick now);
  bool step_host(Tick now);
  bool host_may_pass(const program::Command& command);
  bool host_passed(const program::Barrier& barrier, Tick now);
  bool step_stream(std::uint32_t stream, Tick now);
  bool may_begin(std::uint32_t command);
  bool quiet(Tick now);
  static Engine engine_of(const program::Action& action);
  void note_work(InOrder& stream, std::uint32_t command);
  Tick ready_at(const InOrder& stream, const program::Action& action, Tick now) const;
  Tick cost_of(const program::Action& action) const;
  Tick launch_of(const program::Collective& collective) const;
  void begin(std::uint32_t command, Tick now);
  void finish(std::uint32_t command, Tick now);
  template <class F>
  auto made_at(std::uint32_t command, F&& make) const;
  void start(std::uint32_t command, const program::Launch& launch, Tick now);
  void start(std::uint32_t command, const program::Copy& copy, Tick now);
  void start(std::uint32_t command, const program::Collective& collective, Tick now);
  void start(std::uint32_t command, const program::SetSignal& set, Tick now);
  void start(std::uint32_t command, const program::Barrier& barrier, Tick now);
  void send(std::uint32_t number, Tick at);
  CopyJob job_of(std::uint32_t number) const;
  void set(std::uint32_t setting, Tick now);
  void tell(std::uint32_t gpu, News news, std::uint32_t number, Tick now);
  void tell_others(News news, std::uint32_t number, Tick now);
  void copy_arrived(std::uint32_t number, std::uint32_t sectors, Tick now);
  void asked_for(std::uint16_t gpu, std::uint32_t sectors, Tick now);
  void end_copy(std::uint32_t number, Tick now);
  void collective_arrived(const Request& request, Tick now);
  bool complete(const program::Barrier& barrier) const;
  const program::Command& command(std::uint32_t number) const { return commands_[number]; }
  std::string wait_of(std::uint32_t command) const;

  const program::Program& program_;
  const ProgramTables& tables_;
  const Config& config_;
  Gpu& gpu_;
  std::uint32_t rank_;
  bool mirror_;  // GPU 0 stands for all
  const std::vector<program::Command>& commands_;
  SignalMemory signals_;
  LaunchContext context_;

  std::vector<CommandTimes> times_;
  std::size_t next_ = 0;  // that the host issues
  Tick host_free_ = 0;
  bool host_told_ = false;  // the others that it is at its barrier
  std::vector<InOrder> streams_;
  std::vector<Event> events_;
  std::map<std::uint32_t, std::uint32_t>
      awaited_;  // by wait-event command: how often the event is recorded then
  std::map<std::uint32_t, Meeting> barriers_;
  std::map<std::uint32_t, Exchange> collectives_;
  std::map<const RunningKernel*, std::uint32_t> kernels_;  // command
  std::uint64_t engines_busy_ = 0;
  std::uint64_t asked_bytes_ = 0;  // of requests: times topology.copy_packet, what is less than a byte
  std::map<std::uint32_t, std::uint64_t> missing_;  // sectors of copies that come here, or have begun to
  std::vector<ArrivalOrder> order_;                 // by GPU that sends
  std::multimap<Tick, Due> due_;
};

}  // namespace t3sim
