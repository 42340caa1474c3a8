// Sweeps, traces and other files that are wrong, each in another way.
#include "app/wrong_inputs.h"

namespace t3sim {
namespace {

constexpr WrongInput kSweeps[] = {
    {"axes: {workload.k: [1]}\n", "in.yaml:1:1: a sweep file needs `base`: the configuration that it varies"},
    {"base: nowhere.yaml\n", "in.yaml:1:7: base: nowhere.yaml: no such file"},
};

constexpr WrongInput kOverBase[] = {
    {"colect: [gap]\n", "in.yaml:2:1: unknown key \"colect\" of a sweep file; did you mean collect?"},
    {"collect: [link.out.buzy]\n", "in.yaml:2:11: collect: unknown counter \"link.out.buzy\"; did you mean"},
    {"columns: {x: 2 *}\n", "in.yaml:2:14: columns: x: expected a column"},
    {"columns: {scheme: 7}\n", "in.yaml:2:11: columns: \"scheme\" is a column of the results already"},
    {"columns: {Time_us: 7}\n", "in.yaml:2:11: columns: \"Time_us\" is a column of the results already"},
    {"columns: {x: 5, X: 6}\n", "in.yaml:2:17: columns: \"X\" is said twice"},
    {"axes: {workload.k: [32]}\ncolumns: {workload_k: 7}\n",
     "in.yaml:2:1: columns: \"workload_k\" is the column of an axis already"},
    {"columns: [x]\n", "in.yaml:2:10: columns: expected names with an expression each"},
    {"invalid: maybe\n", "in.yaml:2:10: invalid: \"maybe\" is not allowed; allowed: refuse, skip"},
    {"axes: {workload.k: {from: 1, to: 9000000, step: 1}}\n",
     "9000000 values are too many; allowed: up to 1000000"},
    {"axes: {workload.k: {from: 64, to: 32, step: 1}}\n", "`to` is below `from`"},
    {"axes: {x: {file: shapes.csv}}\n", "shapes.csv:1"},
    {"axes: {gpus.count: [4, 9999]}\n", "gpus.count: 9999 is too large"},
    {"axes: {gpus.count: [9000]}\ninvalid: skip\n", "no point can be run; the first: in.yaml:2"},
    {"axes: {workload.k: [32, 64]}\nwhere: workload.k > 100\n",
     "in.yaml:3:8: `where` leaves none of the 2 points"},
    {"axes: {workload.kk: [32]}\n", "in.yaml:2:8: unknown key \"workload.kk\"; did you mean workload.k?"},
    {"axes: {workload.k: []}\n", "in.yaml:2:20: workload.k: the list of values is empty"},
    {"axes: {workload.k: [32, 32]}\n", "the same values as point 0; point 1 of in.yaml:2:1: workload.k=32"},
    {"axes: {workload.k: {from: 32, to: 64}}\n",
     "in.yaml:2:20: workload.k: a range needs `step` or `points`"},
    {"axes: {workload.k: {from: 32, to: 64, step: 0}}\n", "in.yaml:2:45: workload.k: `step` must not be 0"},
    {"axes: {workload.k: {from: 32, to: 64, points: 1, scale: log}}\n",
     "in.yaml:2:47: workload.k: points: allowed: 2 to 1000000"},
    {"axes: {workload.k: {from: 32, to: 64, points: 4, scale: cubic}}\n",
     "in.yaml:2:57: workload.k: scale: allowed: linear, log"},
    {"axes: {topology.bandwidth: {from: 10 GB/s, to: 20 ns, points: 2}}\n",
     "in.yaml:2:48: topology.bandwidth: unknown unit \"ns\" of a bandwidth; allowed"},
    {"axes: {workload.k: [32, 64]}\nwhere: workload.k <\n",
     "in.yaml:3:20: where: expected a key, a value, -, not, min, max or (, found"},
    {"axes: {workload.k: [32, 64]}\nwhere: workload.kk < 64\n",
     "in.yaml:3:8: where: unknown key \"workload.kk\"; did you mean workload.k?"},
    {"zip: [{workload.k: [32, 64], workload.m: [512]}]\n", "in.yaml:2:6: zip: expected two axes or more"},
    {"axes: {preset: [one]}\n", "in.yaml:2:17: unknown preset \"one\"; the sweep has no `presets`"},
    {"presets: {one: {workload.k: 32}}\naxes: {preset: [two]}\n",
     "in.yaml:3:17: unknown preset \"two\"; presets: one"},
    {"presets: {one: {workload.k: 128}}\naxes: {workload.k: [32, 64], preset: [one]}\n",
     "in.yaml:2:29: workload.k is set by the preset \"one\" and on an axis"},
    {"set: {workload.kk: 1}\naxes: {workload.m: [512]}\n",
     "in.yaml:2:7: unknown key \"workload.kk\"; did you mean workload.k?"},
    {"schemes: [t9]\naxes: {workload.m: [512]}\n",
     "in.yaml:2:11: schemes: \"t9\" is not allowed; allowed: ideal-overlap |"},
    {"axes: {x: {file: nowhere.csv}}\n", "in.yaml:2:18: nowhere.csv: cannot be read"},
    {"columns: {a: timeus + 1}\naxes: {workload.m: [512]}\n",
     "in.yaml:2:14: columns: a: no number before it in a row is called \"timeus\"; did you mean time_us?"},
    {"columns: {a: workload_n * 2}\naxes: {workload.m: [512]}\n",
     "no number before it in a row is called \"workload_n\", which is no axis; did you mean workload_m?"},
    {"collect: gapp\naxes: {workload.m: [512]}\n",
     "in.yaml:2:10: collect: expected a list of counters, found \"gapp\""},
};

constexpr WrongInput kMemoryTraces[] = {
    {"0 0x0 R\n5 0x40 Q\n", "in.yaml:2:8: 'Q' is no operation; R (read), W (write) or U (op-and-store)"},
    {"0 0x0 R\nfive 0x40 R\n", "in.yaml:2:1: 'five' is no number; a line is: cycle 0xADDRESS R|W|U"},
    {"9 0x0 R\n5 0x40 R\n", "in.yaml:2:1: cycle 5 after cycle 9; cycles must not fall"},
    {"18446744073709551615 0x40 R\n",
     "in.yaml:1:1: cycle 18446744073709551615; cycles are 1000000000000 at most"},
    {"0 0x1 R\n", "in.yaml:1:6: address 0x1 is not aligned; addresses are multiples of 64"},
    {"0 40 R\n", "in.yaml:1:3: '40' is no address; an address is 0x and hexadecimal digits"},
    {"0 0x40\n", "in.yaml:1:7: the operation is missing; R (read), W (write) or U"},
    {"0 0x40 R extra\n", "in.yaml:1:10: 'extra' after the request; a line is: cycle 0xADDRESS R|W|U"},
};

constexpr WrongInput kTraces[] = {
    {"not a trace\n", "in.yaml: line 1: this is no t3sim trace: it does not begin with"},
};

constexpr WrongInput kTimelines[] = {
    {"x\n", "in.yaml:1: there is no column 'case'"},
};
}  // namespace

std::vector<WrongGroup> wrong_sweeps_and_traces() {
  return {
      {"sweep plan in.yaml", "", kSweeps},
      {"sweep plan in.yaml", "base: ok.yaml\n", kOverBase},
      {"memory in.yaml --config ok.yaml", "", kMemoryTraces},
      {"trace info in.yaml", "", kTraces},
      {"trace import timeline in.yaml -o r.t3t", "", kTimelines},
  };
}

}  // namespace t3sim
