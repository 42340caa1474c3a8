// The event scheduler: what a wake-up costs beside what the component does.
#include "sim/scheduler.h"

#include <benchmark/benchmark.h>

#include <memory>
#include <vector>

namespace t3sim {
namespace {

// Wakes itself again and again, as a CU or a memory channel does.
class Ticker final : public Component {
 public:
  Ticker(Scheduler& scheduler, Tick period) : scheduler_(scheduler), period_(period) {}
  void wake(Tick now) override { scheduler_.wake(*this, now + period_); }

 private:
  Scheduler& scheduler_;
  Tick period_;
};

// As many components as a GPU has (Table 1), at the periods of 1.4 GHz and 1 GHz in ticks of 7 GHz.
void scheduler_events(benchmark::State& state) {
  Scheduler scheduler;
  std::vector<std::unique_ptr<Ticker>> tickers;
  for (int i = 0; i < 176; ++i) {
    tickers.push_back(std::make_unique<Ticker>(scheduler, i < 144 ? 5 : 7));
    scheduler.add(*tickers.back());
  }
  for (const auto& ticker : tickers) scheduler.wake(*ticker, 0);
  Tick limit = 0;
  for (auto _ : state) scheduler.run_until(limit += 3500);
  state.counters["per_event"] = benchmark::Counter(
      static_cast<double>(scheduler.events()), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(scheduler_events);

// Few events far apart: the wheel is mostly empty.
void scheduler_sparse_events(benchmark::State& state) {
  Scheduler scheduler;
  Ticker near(scheduler, 700), far(scheduler, 50'000);
  scheduler.add(near);
  scheduler.add(far);
  scheduler.wake(near, 0);
  scheduler.wake(far, 0);
  Tick limit = 0;
  for (auto _ : state) scheduler.run_until(limit += 700'000);
  state.counters["per_event"] = benchmark::Counter(
      static_cast<double>(scheduler.events()), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(scheduler_sparse_events);

}  // namespace
}  // namespace t3sim
