# Writes OUTPUT, which holds the collectives of SOURCE/*.yaml as text: t3sim finds them without their files.
file(GLOB files ${SOURCE}/*.yaml)
list(SORT files)
set(entries "")
foreach(file IN LISTS files)
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} text)
  string(APPEND entries "    {\"${name}\", R\"yaml(${text})yaml\"},\n")
endforeach()
file(WRITE ${OUTPUT} "// Written by cmake/embed_collectives.cmake.
#include <span>

#include \"plan/plan_library.h\"

namespace t3sim::plan_library {
namespace {
constexpr BuiltIn kFiles[] = {
${entries}};
}  // namespace
extern const std::span<const BuiltIn> kBuiltIn;
const std::span<const BuiltIn> kBuiltIn = kFiles;
}  // namespace t3sim::plan_library
")
