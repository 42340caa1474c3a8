// What the commands that rerun an evaluation share: many runs, several at a time, kept where they are found again.
#pragma once

#include <boost/program_options.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "config/load.h"
#include "model/kept_runs.h"
#include "model/points.h"
#include "results/output_directory.h"

namespace t3sim {

// manifest.json of a study: with the files that it read, and the --set of its command line, if any.
nlohmann::ordered_json study_manifest(const std::vector<config::InputFile>& inputs,
                                      const std::vector<std::string>& overrides);
// Of a file that a study reads by itself.
config::InputFile input_file(const std::string& path);

class Study {
 public:
  // `command`: "validate flux". `runs`: where finished runs are kept, unless --runs says otherwise. `committed`: file of finished
  // runs that come with the project; empty: there are none.
  Study(std::string command, std::string runs, std::string committed = {});
  Study(const Study&) = delete;  // the options write here
  Study& operator=(const Study&) = delete;

  // --jobs, --runs, --quiet and --output, of which `holds` says what is written there; --committed and --adopt where runs are
  // committed.
  void add_options(boost::program_options::options_description& shown, const std::string& holds);
  // Once options are parsed, and before the work. Throws InputError for what is not allowed, so also for an --output that cannot
  // be written.
  void open();

  model::PointOptions& run() { return run_; }
  const std::string& committed_file() const { return committed_; }
  const model::KeptRuns& committed() const { return kept_; }
  // Where results go, whole or not at all; null without --output.
  OutputDirectory* directory() { return directory_ ? &*directory_ : nullptr; }

 private:
  std::string command_, committed_, output_;
  bool has_committed_;
  model::PointOptions run_;
  model::KeptRuns kept_;
  std::optional<OutputDirectory> directory_;
};

}  // namespace t3sim
