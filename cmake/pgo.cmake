# Optimisation by a profile, of the rooms in which events run (gcc). The profile lies beside each object file, so both steps take
# place in one build folder: scripts/pgo-build.
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  message(FATAL_ERROR "T3SIM_PGO is for gcc")
endif()
if(NOT T3SIM_PGO MATCHES "^(generate|use)$")
  message(FATAL_ERROR "T3SIM_PGO is ${T3SIM_PGO}: not OFF, generate or use")
endif()
set(generate -fprofile-generate -fprofile-update=prefer-atomic)
# Code that the profile's runs never come to has none.
set(use -fprofile-use -fprofile-correction -Wno-missing-profile)
foreach(room base sim memctrl tracker kernel trace plan interconnect message gpu dma machine runtime)
  target_compile_options(t3_${room} PRIVATE ${${T3SIM_PGO}})
endforeach()
if(T3SIM_PGO STREQUAL "generate")
  add_link_options(${generate})
endif()
