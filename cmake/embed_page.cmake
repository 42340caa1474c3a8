# Writes OUTPUT: the page of `t3sim report` as two texts, up to the data and after it, made from SOURCE/page.html with
# style.css, the charts (vendor/echarts.min.js) and the scripts in SOURCE/*.js in it.
cmake_policy(VERSION 3.20)
file(READ ${SOURCE}/page.html page)
file(READ ${SOURCE}/style.css style)
file(READ ${SOURCE}/vendor/echarts.min.js charts)
set(scripts "")
file(GLOB files ${SOURCE}/*.js)
list(SORT files)
foreach(file IN LISTS files)
  file(READ ${file} script)
  string(APPEND scripts "${script}")
endforeach()

string(REPLACE "@style@" "${style}" page "${page}")
string(FIND "${page}" "@data@" at)
string(SUBSTRING "${page}" 0 ${at} before)
math(EXPR at "${at} + 6")
string(SUBSTRING "${page}" ${at} -1 after)
string(REPLACE "@scripts@" "${scripts}" after "${after}")
string(REPLACE "@charts@" "${charts}" after "${after}")  # last: what is in it is taken as it is
file(WRITE ${OUTPUT} "// Written by cmake/embed_page.cmake.
#include <string_view>

#pragma GCC diagnostic ignored \"-Woverlength-strings\"  // clang's: longer than any compiler must take

namespace t3sim::report {
extern const std::string_view kPageBefore;
extern const std::string_view kPageAfter;
const std::string_view kPageBefore = R\"page(${before})page\";
const std::string_view kPageAfter = R\"page(${after})page\";
}  // namespace t3sim::report
")
