// A folder of CSV files with measurements: each file recognised by its columns, whatever its name.
#pragma once

#include <string>
#include <vector>

#include "validation/measured/gemm_kernel.h"
#include "validation/measured/rows.h"

namespace t3sim {

// What a folder held. A row that cannot be read does not stop the others.
struct MeasuredFolder {
  std::vector<MeasuredRow> rows;
  std::vector<std::string> bad_rows;     // "file:line: what is wrong"
  std::vector<std::string> other_files;  // "file: its columns are of no known table"
  KernelNames kernels;  // that its rows of GEMM traffic name, then others that the caller adds
};

// The kernels that rows of GEMM traffic in `folder` name; none if there is no such folder or table.
KernelNames read_kernel_names(const std::string& folder);

// Reads *.csv and *.csv.gz of `folder` and of the folders in it, in order of their names. Throws InputError
// if there is no such folder, or no file in it is recognised; the message says which columns would be.
MeasuredFolder read_measured_folder(const std::string& folder);

}  // namespace t3sim
