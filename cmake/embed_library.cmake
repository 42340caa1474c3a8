# Writes OUTPUT, which holds the YAML files of SOURCE/configs and SOURCE/sweeps and the list of counters: t3sim finds machines,
# models and sweeps by name, without their files.
cmake_policy(VERSION 3.20)
file(GLOB_RECURSE files RELATIVE ${SOURCE} ${SOURCE}/configs/*.yaml ${SOURCE}/sweeps/*.yaml
     ${SOURCE}/docs/counters.md)
list(SORT files)
set(entries "")
foreach(file IN LISTS files)
  file(READ ${SOURCE}/${file} text)
  string(APPEND entries "    {\"${file}\", R\"yaml(${text})yaml\"},\n")
endforeach()
file(WRITE ${OUTPUT} "// Written by cmake/embed_library.cmake.
#include \"config/library.h\"

namespace t3sim::config::library {
namespace {
constexpr File kFiles[] = {
${entries}};
}  // namespace
std::span<const File> files() { return kFiles; }
}  // namespace t3sim::config::library
")
