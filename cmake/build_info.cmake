# Writes OUTPUT, which defines t3sim::kBuildInfo, when its content changes. Run at every build, so that the commit
# is that of the sources built. Neither git nor a checkout is needed: without them the commit is "unknown".
set(commit unknown)
find_program(GIT git)
if(GIT AND EXISTS ${SOURCE}/.git)
  execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --verify --quiet HEAD
                  OUTPUT_VARIABLE head OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
  if(status EQUAL 0)
    set(commit ${head})
    execute_process(COMMAND ${GIT} -C ${SOURCE} status --porcelain --untracked-files=no
                    OUTPUT_VARIABLE changes ERROR_QUIET)
    if(changes)
      string(APPEND commit "-dirty")
    endif()
  endif()
endif()

# Of what decides the result of a run at cycle level: finished runs that are committed are of these sources (model/kept_runs.h).
file(GLOB_RECURSE simulating RELATIVE ${SOURCE} ${SOURCE}/src/*.cpp ${SOURCE}/src/*.h ${SOURCE}/programs/*.yaml
     ${SOURCE}/collectives/*.yaml)
list(FILTER simulating EXCLUDE REGEX "^src/(app|message|model|report|sweep|trace|tune|validation)/")
list(SORT simulating)
set(listing "")
foreach(file IN LISTS simulating)
  file(SHA256 ${SOURCE}/${file} hash)
  string(APPEND listing "${file} ${hash}\n")
endforeach()
string(SHA256 simulating "${listing}")

set(content "// Written by cmake/build_info.cmake.
#include \"results/build_info.h\"

namespace t3sim {
const BuildInfo kBuildInfo{\"${VERSION}\", \"${commit}\", \"${COMPILER}\", \"${BUILD_TYPE}\",
                           \"${simulating}\"};
}  // namespace t3sim
")
set(before "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} before)
endif()
if(NOT before STREQUAL content)
  file(WRITE ${OUTPUT} "${content}")
endif()
