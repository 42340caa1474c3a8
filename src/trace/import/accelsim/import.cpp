#include "trace/import/accelsim/import.h"

#include <fmt/format.h>

#include <optional>

#include "base/error.h"
#include "base/number.h"
#include "trace/import/accelsim/declared_gemm.h"
#include "trace/trace_writer.h"

namespace t3sim::accelsim {
namespace {

constexpr std::uint64_t kProgressBytes = 1 << 20;

TraceHeader trace_header(const KernelHeader& kernel, std::uint32_t buffers, const ImportOptions& options) {
  TraceHeader header;
  header.name = options.name.empty() ? kernel.name : options.name;
  header.source = fmt::format("{}; issue model: {}", options.source, options.model.describe());
  header.date = options.date;
  header.workgroups = narrow<std::uint32_t>(kernel.thread_blocks());
  header.traits.wavefronts = kernel.warps();
  header.gemm = options.gemm;
  header.traits.buffers = std::min(buffers, 64U);
  header.traits.lds_bytes = kernel.shared_memory_bytes;
  header.traits.register_bytes = std::uint64_t{kernel.registers} * 4 * kWarpLanes * kernel.warps();
  return header;
}

class Importer {
 public:
  Importer(const std::filesystem::path& kernel, const std::filesystem::path& trace,
           const ImportOptions& options)
      : reader_(kernel),
        builder_(reader_.header(), options.model, reader_.source()),
        trace_(trace),
        options_(options) {}

  ImportSummary run() {
    std::uint64_t blocks = 0;
    for (builder_.begin_block(); reader_.next_block(builder_); builder_.begin_block()) {
      if (blocks == reader_.header().thread_blocks())
        reader_.source().fail("more thread blocks than 'grid dim' says");
      write_block(narrow<std::uint32_t>(blocks++));
      report_progress();
    }
    if (blocks != reader_.header().thread_blocks())
      reader_.source().fail(fmt::format("the file ends after {} of {} thread blocks: it is truncated", blocks,
                                        reader_.header().thread_blocks()));
    writer_->finish();
    return {builder_.counts(), blocks, reader_.source().text_bytes()};
  }

 private:
  // How many buffers the kernel has shows in its first block: the head is written after that.
  void write_block(std::uint32_t block) {
    if (!writer_) begin_trace();
    if (!gemm_) {
      writer_->begin_workgroup(block);
      builder_.finish(block, [&](Group& group) { writer_->add(group); });
      return;
    }
    writer_->begin_workgroup(gemm_->begin_workgroup(block, builder_.first_store()));
    builder_.finish(block, [&](Group& group) {
      gemm_->claim(group);
      writer_->add(group);
    });
    gemm_->end_workgroup();
  }

  void begin_trace() {
    TraceHeader header = trace_header(reader_.header(), builder_.buffers(), options_);
    if (header.gemm) {
      header.gemm->wavefronts = header.traits.wavefronts;
      header.gemm->buffers = header.traits.buffers;
      gemm_.emplace(*header.gemm);
    }
    writer_.emplace(trace_, header);
  }

  void report_progress() {
    const TextSource& source = reader_.source();
    if (!options_.progress || source.consumed() < next_report_) return;
    next_report_ = source.consumed() + kProgressBytes;
    options_.progress(source.consumed(), source.file_bytes());
  }

  KernelReader reader_;
  BlockBuilder builder_;
  std::filesystem::path trace_;
  const ImportOptions& options_;
  std::optional<TraceWriter> writer_;
  std::optional<DeclaredGemm> gemm_;
  std::uint64_t next_report_ = 0;
};

}  // namespace

std::vector<std::filesystem::path> kernels_of_list(const std::filesystem::path& list) {
  std::vector<std::filesystem::path> kernels;
  TextSource source(list);
  for (std::string_view line; source.next_line(line);) {
    if (!line.starts_with("kernel")) continue;  // memory copies and comments
    const std::filesystem::path named = list.parent_path() / line;
    std::filesystem::path found = named;
    for (const char* packed : {".gz", ".xz"})
      if (!std::filesystem::exists(found)) found = named.string() + packed;
    if (!std::filesystem::exists(found))
      source.fail(fmt::format("{}: there is no such file", named.string()));
    kernels.push_back(found);
  }
  if (kernels.empty()) source.fail("the list names no kernel");
  return kernels;
}

ImportSummary import_kernel(const std::filesystem::path& kernel, const std::filesystem::path& trace,
                            const ImportOptions& options) {
  return Importer(kernel, trace, options).run();
}

}  // namespace t3sim::accelsim
