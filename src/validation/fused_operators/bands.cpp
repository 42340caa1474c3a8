#include "validation/fused_operators/bands.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"

namespace t3sim::fused_operators {
namespace {

class Ends {
 public:
  Ends(int figure, const Inputs& inputs) : inputs_(inputs), embedding_(figure == 8 || figure == 12) {
    if (embedding_) of_embeddings();
    if (figure == 9) {
      at("gemv_k", &Inputs::gemv_k, {2048, 8192});
    }
    if (figure == 10) {
      at("gemm_m", &Inputs::gemm_m, {4096, 16384});
      at("gemm_efficiency", &MachineInputs::gemm_efficiency, {0.35, 0.7});
    }
    if (figure == 12)
      at("card_bandwidth", &MachineInputs::card_GBps, {10});
    else
      at("link_bandwidth", &MachineInputs::link_GBps, {26.7, 50});
    if (figure == 9 || figure == 10) at("collective_launch", &MachineInputs::collective_launch_us, {6, 20});
    at("kernel_launch", &MachineInputs::kernel_launch_us, {3, 8});
  }
  std::vector<InputEnd> all;

 private:
  void of_embeddings() {
    at("pooling", &Inputs::pooling, {10});
    at("indices (100 times Zipf's exponent)", &Inputs::zipf, {105});
    at("tables_per_gpu", &Inputs::tables, {64});
    at("occupancy (places a CU)", &Inputs::fused_places, {8});
    at("unroll", &Inputs::unroll, {2});
  }
  void at(const std::string& input, std::uint64_t Inputs::*which, std::initializer_list<std::uint64_t> ends) {
    for (const std::uint64_t end : ends) {
      all.push_back({input, fmt::format("{}", end), inputs_});
      all.back().inputs.*which = end;
    }
  }
  void at(const std::string& input, std::optional<double> MachineInputs::*which,
          std::initializer_list<double> ends) {
    for (const double end : ends) {
      all.push_back({input, fmt::format("{}", end), inputs_});
      all.back().inputs.machine.*which = end;
    }
  }

  const Inputs& inputs_;
  bool embedding_;
};

bool in_the_middle(const Measure& m) {
  const auto is = [&](const char* name, std::uint64_t value) {
    const auto found = m.parameters.find(name);
    return found != m.parameters.end() && found->second == value;
  };
  switch (m.figure) {
    case 9:
      return is("m", 16384);
    case 10:
      return is("n", 4096) && is("k", 4096);
    default:
      return is("batch", 1024);
  }
}

double saving(const Timed& baseline, const Timed& fused) { return 100 * (1 - fused.us / baseline.us); }

double saving_of(const std::vector<Timed>& times, int figure, const std::string& bar) {
  const auto find = [&](const char* series) -> const Timed& {
    return *std::ranges::find_if(times, [&](const Timed& t) {
      return t.measure.figure == figure && t.measure.bar == bar && t.measure.series == series;
    });
  };
  return saving(find("baseline"), find("fused"));
}

}  // namespace

std::vector<InputEnd> input_ends(int figure, const Inputs& inputs) { return Ends(figure, inputs).all; }

std::vector<Measure> middle_of(int figure, const Inputs& inputs) {
  std::vector<Measure> middle;
  for (Measure& m : measures_of(figure, inputs))
    if (in_the_middle(m) && (m.series == "baseline" || m.series == "fused")) middle.push_back(std::move(m));
  return middle;
}

std::vector<Measure> measures_of_ends(const std::vector<int>& figures, const Inputs& inputs) {
  std::vector<Measure> all;
  for (const int figure : figures)
    for (const InputEnd& end : input_ends(figure, inputs))
      std::ranges::move(middle_of(figure, end.inputs), std::back_inserter(all));
  return all;
}

std::vector<Band> bands_of(const std::vector<int>& figures, const Inputs& inputs,
                           const std::vector<Timed>& times, const std::vector<Timed>& ends) {
  std::vector<Band> bands;
  std::size_t next = 0;
  for (const int figure : figures) {
    const double middle = saving_of(times, figure, middle_of(figure, inputs).front().bar);
    Band band{figure, {}};
    for (const InputEnd& end : input_ends(figure, inputs)) {
      band.moves.push_back({end.input, end.value, saving(ends[next], ends[next + 1]) - middle});
      next += 2;
    }
    bands.push_back(std::move(band));
  }
  return bands;
}

}  // namespace t3sim::fused_operators
