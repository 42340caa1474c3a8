# Optimisation by a profile, of the rooms in which events run. gcc keeps a profile beside each object file, so both steps take
# place in one build folder; clang has one file for all, which scripts/pgo-build makes of what the runs have written.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  set(generate -fprofile-generate -fprofile-update=prefer-atomic)
  # Code that the profile's runs never come to has none.
  set(use -fprofile-use -fprofile-correction -Wno-missing-profile)
else()
  set(generate -fprofile-generate=${CMAKE_BINARY_DIR}/profile)
  set(use -fprofile-use=${CMAKE_BINARY_DIR}/profile.profdata -Wno-profile-instr-unprofiled)
endif()
if(NOT T3SIM_PGO MATCHES "^(generate|use)$")
  message(FATAL_ERROR "T3SIM_PGO is ${T3SIM_PGO}: not OFF, generate or use")
endif()
foreach(room base sim memctrl tracker kernel trace plan interconnect message gpu dma machine runtime)
  target_compile_options(t3_${room} PRIVATE ${${T3SIM_PGO}})
endforeach()
if(T3SIM_PGO STREQUAL "generate")
  add_link_options(${generate})
endif()
