// What this program was built from and with; cmake/build_info.cmake writes the values at build time.
#pragma once

namespace t3sim {

struct BuildInfo {
  const char* version;
  const char* git_commit;  // "unknown" outside a git checkout; ends in "-dirty" if tracked files were changed
  const char* compiler;
  const char* build_type;
  const char* simulating;  // hash of the sources that decide what a run at cycle level gives
};

extern const BuildInfo kBuildInfo;

}  // namespace t3sim
