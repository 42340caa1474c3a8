// What is wrong gets one line that says where and what to do, status 2, and nothing on disk.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "app/program.h"
#include "in_folder.h"

namespace t3sim {
namespace {

namespace fs = std::filesystem;

// `text` is the file "in.yaml" ("": none); `says` must be in the message.
struct WrongInput {
  const char* arguments;
  const char* text;
  const char* says;
};

constexpr const char* kMachine = "include: " T3SIM_SOURCE_DIR "/tests/machine.yaml\n";

class WrongInputs : public InFolder, public testing::WithParamInterface<WrongInput> {
 protected:
  static std::set<std::string> files() {
    std::set<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator("."))
      if (!entry.path().filename().string().starts_with(".std")) names.insert(entry.path().string());
    return names;
  }
};

TEST_P(WrongInputs, GetOneLineThatSaysWhatToDo) {
  const WrongInput& wrong = GetParam();
  if (*wrong.text != 0) write_file("in.yaml", wrong.text);
  write_file("ok.yaml", std::string(kMachine) + "workload: {m: 512, n: 256, k: 64}\ngpus: {count: 4}\n");
  write_file("shapes.csv", "workload.m,workload.q\n512,1\n");
  const std::set<std::string> before = files();
  const Outcome outcome = t3sim_with(wrong.arguments);
  EXPECT_EQ(outcome.status, 2) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
  EXPECT_NE(outcome.err.find(wrong.says), std::string::npos) << outcome.err;
  EXPECT_EQ(files(), before);
}

constexpr WrongInput kByName[] = {
    {"run --model llama-70b --layer mlp-down --machine h100 -o r", "",
     "unknown model \"llama-70b\"; did you mean llama3-70b?"},
    {"run --model gpt-3 --layer mlp --machine h100 -o r", "", "unknown layer \"mlp\""},
    {"run --model mixtral-8x7b --layer mlp-down --machine h100", "", "layers: attn-out, attn-qkv"},
    {"run --model gpt-3 --layer mlp-down --tp 7 --machine h100", "",
     "49152 (ffn) cannot be split over 7 GPUs; the nearest that can: 6 or 8"},
    {"run --model gpt-3 --layer mlp-down --tp 0 --machine h100", "", "--tp: allowed: 2 to 255"},
    {"run --model gpt-3 --layer mlp-down --tp 1000 --machine h100", "", "--tp: allowed: 2 to 255"},
    {"run --model gpt-3 --layer mlp-down --tp eight --machine h100", "", "'--tp' is invalid"},
    {"run --model gpt-3 --layer mlp-down --tokens 0 --machine h100", "", "--tokens: allowed: 1 to"},
    {"run --model gpt-3 --layer mlp-down --machine h1000x", "", "unknown machine \"h1000x\""},
    {"run --model gpt-3 --layer mlp-down --machine qv100", "", "only --scheme kernel runs on it"},
    {"run --model gpt-3 --machine h100", "", "--model needs --layer: one of attn-out"},
    {"run --model gpt-3 --layer mlp-down", "", "--model needs --machine: one of paper"},
    {"run --layer mlp-down --machine h100", "", "--layer needs --model"},
    {"run ok.yaml --tp 8", "", "--tp and --tokens need --model"},
    {"run --model gpt-3 --layer mlp-down --machine paper --scheme t5", "",
     "\"t5\" is not allowed; allowed: ideal-overlap"},
    {"list", "", "list: what? one of models, machines"},
    {"list machine", "", "did you mean machines?"},
    {"list models machines", "", "too many arguments"},
    {"config", "", "no configuration named"},
    {"config ok.yaml --set gpu.cus=many", "", "--set gpu.cus: "},
    {"help rnu", "", "unknown command \"rnu\"; did you mean run?"},
};
INSTANTIATE_TEST_SUITE_P(ByName, WrongInputs, testing::ValuesIn(kByName));

constexpr WrongInput kOptions[] = {
    {"run ok.yaml --dry-run -o r", "", "--dry-run writes nothing: -o has no use"},
    {"run ok.yaml -q -v", "", "-q or -v, not both"},
    {"run ok.yaml --from '1 us'", "", "--from and --to choose what --debug prints"},
    {"run ok.yaml --debug dma --from 120", "", "--from: 120 has no unit; allowed units: ps, ns, us"},
    {"run ok.yaml --debug dma --from '2 us' --to '1 us'", "", "--to: is before --from"},
    {"run ok.yaml --debug ''", "", "--debug"},
    {"run ok.yaml --timeline", "", "--timeline writes into the directory of -o: name one"},
    {"run ok.yaml -o ok.yaml", "", "-o ok.yaml: is a file, not a directory"},
    {"run ok.yaml -o .", "", "which t3sim did not write: name a new or empty directory"},
    {"run -", "", "the file is empty"},
    {"stats", "", "name a directory, or --list"},
    {"stats . --list", "", "name a directory, or --list"},
    {"stats nowhere", "", "nowhere: there is no such directory"},
    {"compare .", "", "needs two directories or more"},
    {"compare . .", "", "holds no manifest.json"},
    {"compare nowhere elsewhere --json", "", "nowhere: there is no such directory"},
    {"report nowhere", "", "there is no such directory"},
};
INSTANTIATE_TEST_SUITE_P(Options, WrongInputs, testing::ValuesIn(kOptions));

constexpr WrongInput kFiles[] = {
    {"run in.yaml", "gpus:\n\tcount: 4\n", "in.yaml:2:7: not valid YAML: "},
    {"run in.yaml", "gpus:\n\tcount: 4\n", "YAML indents by spaces, not tabs"},
    {"run in.yaml", "a: &x {m: 1}\nworkload:\n  <<: *x\n", "in.yaml:3:3: merge keys (<<) are not read"},
    {"run in.yaml", "include: nowhere.yaml\n", "in.yaml:1:10: include: nowhere.yaml: no such file"},
    {"run in.yaml", "include: <t3sim>/configs/systems/h999.yaml\n", "no such file in the program"},
    {"run in.yaml", "include: in.yaml\n", "in.yaml includes itself"},
    {"run in.yaml", "[1, 2]\n", "in.yaml:1:1: expected keys and values, found a list"},
    {"run in.yaml", "workload: {m: 512, n: 256, k: 64}\n",
     "in.yaml: 71 keys that no machine's value can stand in for are missing"},
    {"run in.yaml", "include: ok.yaml\nworkload: {k: 0}\n", "in.yaml:2:15: workload.k"},
    {"run in.yaml", "include: ok.yaml\nworkload: {m: 128}\n",
     "in.yaml: gpus.count: 2 tiles cannot be cut into 4 chunks"},
    {"run in.yaml", "include: ok.yaml\nl2: {size: 9 MiB}\n", "the nearest: 8 MiB and 16 MiB"},
    {"run in.yaml", "include: ok.yaml\ntopology: {bandwidth: 75 Gbit}\n", "in.yaml:2:23: topology.bandwidth"},
    {"run in.yaml", "include: ok.yaml\ntopology: {latency: fast}\n", "in.yaml:2:21: topology.latency"},
    {"run in.yaml", "include: ok.yaml\nworkload: {trace: nowhere.t3t}\n", "nowhere.t3t"},
    {"run in.yaml", "include: ok.yaml\nschemes: []\n", "schemes"},
    {"run ok.yaml --set workload.tile=128x128", "", "--set workload.tile"},
    {"run ok.yaml --set gpus.model=explicit --set gpus.overrides.9.clock=1GHz", "", "there is no GPU 9"},
};
INSTANTIATE_TEST_SUITE_P(Files, WrongInputs, testing::ValuesIn(kFiles));

constexpr WrongInput kSweeps[] = {
    {"sweep plan figure-61", "", "figure-61: no such file"},
    {"sweep plan in.yaml", "base: ok.yaml\ncolect: [gap]\n",
     "in.yaml:2:1: unknown key \"colect\" of a sweep file; did you mean collect?"},
    {"sweep plan in.yaml", "base: ok.yaml\ncollect: [link.out.buzy]\n",
     "in.yaml:2:11: collect: unknown counter \"link.out.buzy\"; did you mean"},
    {"sweep plan in.yaml", "base: ok.yaml\ncolumns: {x: 2 *}\n",
     "in.yaml:2:14: columns: x: expected a column"},
    {"sweep plan in.yaml", "base: ok.yaml\ncolumns: [x]\n",
     "columns: expected names with an expression each"},
    {"sweep plan in.yaml", "base: ok.yaml\ninvalid: maybe\n",
     "in.yaml:2:10: invalid: \"maybe\" is not allowed; allowed: refuse, skip"},
    {"sweep plan in.yaml", "base: ok.yaml\naxes: {workload.k: {from: 1, to: 9000000, step: 1}}\n",
     "9000000 values are too many; allowed: up to 1000000"},
    {"sweep plan in.yaml", "base: ok.yaml\naxes: {workload.k: {from: 64, to: 32, step: 1}}\n",
     "`to` is below `from`"},
    {"sweep plan in.yaml", "base: ok.yaml\naxes: {x: {file: shapes.csv}}\n", "shapes.csv"},
    {"sweep plan in.yaml", "base: ok.yaml\naxes: {gpus.count: [3, 9999]}\n", "gpus.count"},
    {"sweep plan in.yaml", "base: ok.yaml\naxes: {gpus.count: [900]}\ninvalid: skip\n",
     "no point can be run; the first: in.yaml:2"},
    {"sweep plan in.yaml", "base: nowhere.yaml\n", "in.yaml:1:7: base: nowhere.yaml: no such file"},
    {"sweep run in.yaml -o ok.yaml", "base: ok.yaml\n", "-o ok.yaml: is a file, not a directory"},
    {"sweep run in.yaml -o .", "base: ok.yaml\n", "which t3sim sweep did not write"},
};
INSTANTIATE_TEST_SUITE_P(Sweeps, WrongInputs, testing::ValuesIn(kSweeps));

}  // namespace
}  // namespace t3sim
