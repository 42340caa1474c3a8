#include "kernel/phased_kernel.h"

#include "sim/request.h"

namespace t3sim {

class PhasedKernel::Program final : public WorkgroupProgram {
 public:
  void restart(PhasedKernel& kernel, std::uint32_t workgroup) {
    kernel_ = &kernel;
    workgroup_ = workgroup;
    part_ = 0;
    begin();
  }
  bool next(Group& group) override {
    while (!program_->next(group)) {
      if (++part_ == kernel_->parts_.size()) {
        --part_;
        return false;
      }
      begin();
    }
    if (group.tile < kFirstMark) group.tile += kernel_->parts_[part_].first_tile;
    return true;
  }

 private:
  void begin() { program_ = kernel_->parts_[part_].kernel->program(workgroup_, std::move(program_)); }

  PhasedKernel* kernel_ = nullptr;
  std::uint32_t workgroup_ = 0;
  std::size_t part_ = 0;
  std::unique_ptr<WorkgroupProgram> program_;
};

std::unique_ptr<WorkgroupProgram> PhasedKernel::program(std::uint32_t i,
                                                        std::unique_ptr<WorkgroupProgram> reuse) {
  recycled_as<Program>(reuse).restart(*this, i);
  return reuse;
}

}  // namespace t3sim
