# Writes OUTPUT, which holds the files SOURCE/*.yaml as text, for HEADER's BuiltIn of namespace t3sim::NAMESPACE:
# t3sim finds them without their files.
file(GLOB files ${SOURCE}/*.yaml)
list(SORT files)
set(entries "")
foreach(file IN LISTS files)
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} text)
  string(APPEND entries "    {\"${name}\", R\"yaml(${text})yaml\"},\n")
endforeach()
file(WRITE ${OUTPUT} "// Written by cmake/embed_yaml.cmake.
#include <span>

#include \"${HEADER}\"

namespace t3sim::${NAMESPACE} {
namespace {
constexpr BuiltIn kFiles[] = {
${entries}};
}  // namespace
extern const std::span<const BuiltIn> kBuiltIn;
const std::span<const BuiltIn> kBuiltIn = kFiles;
}  // namespace t3sim::${NAMESPACE}
")
