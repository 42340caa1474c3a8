// t3sim trace gen
#include <fmt/format.h>

#include "app/commands/trace_commands.h"
#include "app/options.h"
#include "base/error.h"
#include "kernel/gemm_kernel.h"
#include "trace/trace_writer.h"

namespace t3sim::trace_commands {
namespace po = boost::program_options;

void GemmOptions::add_shape_to(po::options_description& options) {
  options.add_options()("m", po::value(&said_.shape.m), "rows of the output (tokens)")(
      "n", po::value(&said_.shape.n), "columns of the output")(
      "k", po::value(&said_.shape.k), "inner dimension")("type", po::value(&type_)->value_name("TYPE"),
                                                         "FP16, BF16, FP8 or FP32")(
      "layout", po::value(&layout_)->value_name("XY"),
      "NN, NT, TN or TT: A and B as in BLAS, column-major, N as it is and T transposed")(
      "tile", po::value(&tile_)->value_name("MxNxK"), "of a workgroup, and its step along K")(
      "wavefronts", po::value(&said_.wavefronts), "per workgroup")(
      "buffers", po::value(&said_.buffers),
      "K steps in LDS: 1 single, 2 double buffering, more: multi-stage");
}

void GemmOptions::add_schedule_to(po::options_description& options) {
  options.add_options()("order", po::value(&order_)->value_name("ORDER"),
                        "of the workgroups: row-major (along N first), column-major, or grouped")(
      "group", po::value(&said_.order.group), "rows of tiles per group (grouped)")(
      "start-tile", po::value(&said_.order.start_tile), "tile that comes first: rotation by rank")(
      "split-k", po::value(&said_.split_k), "workgroups that share a tile along K and add up their parts")(
      "persistent", po::value(&said_.persistent), "workgroups that walk the tiles; 0: a workgroup per tile");
}

void GemmOptions::apply(const po::variables_map& values, GemmSpec& spec) const {
  const auto take = [&](const char* option, auto& to, const auto& from) {
    if (values.count(option)) to = from;
  };
  take("m", spec.shape.m, said_.shape.m);
  take("n", spec.shape.n, said_.shape.n);
  take("k", spec.shape.k, said_.shape.k);
  take("wavefronts", spec.wavefronts, said_.wavefronts);
  take("buffers", spec.buffers, said_.buffers);
  take("group", spec.order.group, said_.order.group);
  take("start-tile", spec.order.start_tile, said_.order.start_tile);
  take("split-k", spec.split_k, said_.split_k);
  take("persistent", spec.persistent, said_.persistent);
  if (!type_.empty()) spec.type = data_type_from(type_);
  if (!layout_.empty()) spec.layout = gemm_layout_from(layout_);
  if (!tile_.empty()) spec.tile = tile_shape_from(tile_);
  if (!order_.empty()) spec.order.kind = order_kind_from(order_);
  if (spec.wavefronts == 0) throw InputError("wavefronts is 0; allowed: 1 and more");
  if (spec.tile.m == 0 || spec.tile.n == 0 || spec.tile.k == 0)
    throw InputError(fmt::format("tile {}: allowed: sizes of 1 and more", tile_));
  spec.place(0);
  spec.check();
}

namespace {

// What was said of the kernel: neither where it was written nor its date and name, which the head has anyway.
std::string said_of_kernel(const Arguments& arguments) {
  std::string text = "t3sim trace gen";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (word == "-o" || word == "--output" || word == "--date" || word == "--name")
      ++i;
    else if (!word.starts_with("-o") && !word.starts_with("--output=") && !word.starts_with("--date=") &&
             !word.starts_with("--name="))
      text += " " + word;
  }
  return text;
}

std::string default_name(const GemmSpec& spec) {
  return fmt::format("gemm-{}x{}x{}-{}", spec.shape.m, spec.shape.n, spec.shape.k, to_string(spec.layout));
}

}  // namespace

int generate(const Arguments& arguments) {
  std::string output, name, date;
  GemmOptions gemm;
  po::options_description shown("Options");
  shown.add_options()("output,o", po::value(&output)->value_name("FILE"), "the trace to write")(
      "name", po::value(&name), "what the kernel is called")(
      "date", po::value(&date)->value_name("YYYY-MM-DD"), "day to put in the head; today without it");
  gemm.add_shape_to(shown);
  gemm.add_schedule_to(shown);
  const auto values = parse_options({"trace gen", "--m M --n N --k K -o FILE [options]",
                                     "Writes the trace of a tiled GEMM. Without options it has tiles of "
                                     "128x128x32, 8 wavefronts per workgroup,\n"
                                     "double buffering, FP16, layout NN and row-major order.\n"},
                                    shown, {}, {}, arguments);
  if (!values) return kDone;
  if (output.empty()) throw InputError("trace gen: -o FILE is missing (see t3sim trace gen --help)");
  check_trace_output("trace gen", output);
  TraceHeader header;
  header.gemm.emplace();
  gemm.apply(*values, *header.gemm);
  header.name = name.empty() ? default_name(*header.gemm) : name;
  header.source = said_of_kernel(arguments);
  header.date = date_or_today(date);
  GemmKernel kernel(*header.gemm);
  write_trace(output, header, kernel);
  report_written(output);
  return kDone;
}

}  // namespace t3sim::trace_commands
