// What a random program computes, operation by operation on arrays of the host.
#include "runtime/random_program.h"

namespace t3sim {

std::int32_t& RandomProgram::at(const Part& p, std::uint32_t row, std::uint32_t column) {
  const Array& a = arrays_[p.array];
  return memory_[p.gpu][p.array]
                [(std::size_t{p.copy} * a.rows + p.row + row) * a.columns + p.column + column];
}
std::int32_t RandomProgram::value(const Part& p) const {
  return const_cast<RandomProgram*>(this)->at(p, 0, 0);
}

void RandomProgram::carry_out(const Before& before) {
  memory_.assign(gpus_, {});
  for (std::uint32_t g = 0; g < gpus_; ++g)
    for (std::uint32_t a = 0; a < arrays_.size(); ++a) {
      std::vector<std::int32_t>& values = memory_[g].emplace_back();
      for (std::uint32_t copy = 0; copy < arrays_[a].copies; ++copy)
        for (std::uint32_t r = 0; r < arrays_[a].rows; ++r)
          for (std::uint32_t c = 0; c < arrays_[a].columns; ++c)
            values.push_back(before({.array = a,
                                     .gpu = g,
                                     .copy = copy,
                                     .first_row = r,
                                     .rows = 1,
                                     .first_column = c,
                                     .columns = 1}));
    }
  for (const Step& step : steps_) carry_out(step);
}

void RandomProgram::carry_out(const Step& step) {
  if (step.kind == Step::Kind::gemm) return multiply(step);
  if (step.kind != Step::Kind::copy && step.kind != Step::Kind::sum) return collect(step);
  for (std::uint32_t r = 0; r < step.to[0].rows; ++r)
    for (std::uint32_t c = 0; c < step.to[0].columns; ++c) {
      std::uint32_t sum = 0;
      for (const Part& from : step.from) sum += static_cast<std::uint32_t>(at(from, r, c));
      at(step.to[0], r, c) = static_cast<std::int32_t>(sum);
    }
}

void RandomProgram::multiply(const Step& step) {
  const Part &a = step.from[0], &b = step.from[1];
  for (std::uint32_t r = 0; r < a.rows; ++r)
    for (std::uint32_t c = 0; c < b.columns; ++c) {
      std::uint32_t sum = 0;
      for (std::uint32_t k = 0; k < a.columns; ++k)
        sum += static_cast<std::uint32_t>(at(a, r, k)) * static_cast<std::uint32_t>(at(b, k, c));
      const bool one = step.to.size() == 1;
      std::int32_t& out = at(step.to[one ? 0 : r / kTile], one ? r : r % kTile, c);
      out = static_cast<std::int32_t>(sum + (step.adds ? static_cast<std::uint32_t>(out) : 0));
    }
}

void RandomProgram::collect(const Step& step) {
  using Kind = Step::Kind;
  const std::uint32_t rows = step.kind == Kind::all_gather ? step.from[0].rows : step.to[0].rows;
  const std::uint32_t part = step.from[0].rows / gpus_;
  for (std::uint32_t g = 0; g < gpus_; ++g)
    for (std::uint32_t c = 0; c < kLine; ++c) {
      if (step.kind == Kind::all_gather || step.kind == Kind::all_to_all)
        for (std::uint32_t p = 0; p < gpus_; ++p)
          for (std::uint32_t r = 0; r < (step.kind == Kind::all_gather ? rows : part); ++r)
            if (step.kind == Kind::all_gather)
              at(step.to[g], p * rows + r, c) = at(step.from[p], r, c);
            else
              at(step.to[g], p * part + r, c) = at(step.from[p], g * part + r, c);
      else
        for (std::uint32_t r = 0; r < rows; ++r) {
          std::uint32_t sum = 0;
          for (std::uint32_t p = 0; p < gpus_; ++p)
            sum += static_cast<std::uint32_t>(
                at(step.from[p], (step.kind == Kind::reduce_scatter ? g * rows : 0) + r, c));
          at(step.to[g], r, c) = static_cast<std::int32_t>(sum);
        }
    }
}

}  // namespace t3sim
