#include "results/report_file.h"

#include <fstream>
#include <string>
#include <system_error>

namespace t3sim {
namespace fs = std::filesystem;

bool is_report(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return false;
  std::string head(kReportHead.size(), '\0');
  std::ifstream file(path, std::ios::binary);
  return file.read(head.data(), static_cast<std::streamsize>(head.size())) && head == kReportHead;
}

}  // namespace t3sim
