// The parts of `t3sim trace`: gen, import, info.
#pragma once

#include <boost/program_options.hpp>
#include <filesystem>
#include <string>

#include "app/cli.h"
#include "kernel/gemm.h"

namespace t3sim::trace_commands {

int generate(const Arguments& arguments);
int import(const Arguments& arguments);
int info(const Arguments& arguments);

// A GEMM as the command line says it.
class GemmOptions {
 public:
  // Shape, tile, layout, data type: what a kernel is, whoever wrote it.
  void add_shape_to(boost::program_options::options_description& options);
  // Order, split-K, persistence: what the generator decides.
  void add_schedule_to(boost::program_options::options_description& options);
  // Overwrites in `spec` what was said, and places the matrices behind `base`. Throws InputError.
  void apply(const boost::program_options::variables_map& values, GemmSpec& spec) const;

 private:
  GemmSpec said_;
  std::string type_, layout_, tile_, order_;
};

// --date, or today (or the day of SOURCE_DATE_EPOCH), as YYYY-MM-DD.
std::string date_or_today(const std::string& date);

// Before the work. Throws InputError where a trace cannot be written, and for a file that is there and is none.
void check_trace_output(const std::string& command, const std::string& path);

// What was written, in one line on standard output.
void report_written(const std::filesystem::path& trace);

}  // namespace t3sim::trace_commands
