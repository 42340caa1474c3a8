// From a text to a program: for so many GPUs and these parameters, loops unrolled, expressions evaluated, arrays
// placed, kernels chosen.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "kernel/gemm.h"
#include "program/program.h"
#include "program/text.h"

namespace t3sim::program {

// What a launch says of its kernel; all else is the machine's to choose.
struct KernelOptions {
  std::string name;  // of a library's kernel (kernel/library_kernel.h); empty: none is named
  std::optional<TileShape> tile;
  std::optional<std::uint32_t> wavefronts, buffers, split_k;
  std::uint32_t cus = 0;  // that the launch may use; 0: all
};

// The kernel of a machine for a GEMM: all of a GemmSpec but layouts, addresses and pitches. Throws InputError for
// a name that is none.
using KernelRule = std::function<GemmSpec(const GemmShape&, DataType, const KernelOptions&)>;
// For a machine of which no more is known than its CUs: the named kernel, or the generator's with the tile that
// is said.
KernelRule plain_kernels(std::uint32_t cus);

struct Setting {
  std::uint32_t gpus = 0;                          // 0: what the text says
  std::map<std::string, std::int64_t> parameters;  // others: defaults
  std::uint32_t cus = 0;                           // of a GPU; 0: not known
  KernelRule kernel = plain_kernels(132);
};

// Throws InputError: one line, file:line:column. Says nothing of the order in which commands run: see check.h
// and dependences.h.
Program evaluate(const ProgramText& text, const Setting& setting);

}  // namespace t3sim::program
