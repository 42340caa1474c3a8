#include "app/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <thread>

#include "base/error.h"
#include "base/sha256.h"
#include "results/manifest.h"

namespace t3sim {
namespace po = boost::program_options;

nlohmann::ordered_json study_manifest(const std::vector<config::InputFile>& inputs,
                                      const std::vector<std::string>& overrides) {
  nlohmann::ordered_json manifest = manifest_base(inputs);
  if (!overrides.empty()) manifest["overrides"] = overrides;
  return manifest;
}

config::InputFile input_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {path, sha256_hex(std::string(std::istreambuf_iterator<char>(file), {}))};
}

Study::Study(std::string command, std::string runs, std::string committed)
    : command_(std::move(command)), committed_(std::move(committed)), has_committed_(!committed_.empty()) {
  run_.jobs = std::max(1U, std::thread::hardware_concurrency());
  run_.cache = std::move(runs);
}

void Study::add_options(po::options_description& shown, const std::string& holds) {
  shown.add_options()("jobs,j", po::value(&run_.jobs)->default_value(run_.jobs)->value_name("N"),
                      "runs at a time")(
      "runs", po::value(&run_.cache)->default_value(run_.cache)->value_name("DIR"),
      "where finished runs are kept: the same program does not repeat them; empty: nowhere");
  if (has_committed_)
    shown.add_options()("committed", po::value(&committed_)->default_value(committed_)->value_name("FILE"),
                        "finished runs of these sources, which are not repeated; empty: none")(
        "adopt", po::bool_switch(&run_.adopt),
        "take over what --committed has of other sources, if a tenth of each GPU's, drawn by hashes, and a "
        "run of each GEMM and of each method come out the same");
  shown.add_options()("quiet", po::bool_switch(&run_.quiet), "no progress")(
      "output,o", po::value(&output_)->value_name("DIR"), fmt::format("write {} there", holds).c_str());
}

void Study::open() {
  if (run_.jobs == 0) throw InputError(fmt::format("{}: --jobs: at least 1", command_));
  if (!output_.empty()) directory_.emplace(output_);
  if (!has_committed_) return;
  if (!committed_.empty()) kept_ = model::KeptRuns(committed_);
  run_.committed = &kept_;
}

}  // namespace t3sim
