# SPDX-License-Identifier: BSD-3-Clause
# Which instruction sets CPU bodies are compiled for: STARFMM_ISAS, from narrow to wide.
set(STARFMM_LANES all CACHE STRING "instruction sets of CPU bodies: all, native (of this machine) or baseline")
set_property(CACHE STARFMM_LANES PROPERTY STRINGS all native baseline)

# Sets `result` to the widest instruction set that this machine runs.
function(starfmm_native_isa result)
  try_run(
    status compiled "${PROJECT_BINARY_DIR}/isa" "${PROJECT_SOURCE_DIR}/cmake/isa.cpp"
    CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${PROJECT_SOURCE_DIR}"
    RUN_OUTPUT_VARIABLE isa
  )
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "STARFMM_LANES=native: cmake/isa.cpp does not run here: "
                        "build with STARFMM_LANES=all or baseline")
  endif()
  unset(status CACHE) # the next machine that configures this folder may be another one
  unset(compiled CACHE)
  message(STATUS "STARFMM_LANES=native: ${isa}")
  set(${result} ${isa} PARENT_SCOPE)
endfunction()

if(STARFMM_LANES STREQUAL "native")
  starfmm_native_isa(isas)
  install(
    CODE "message(FATAL_ERROR \"this build is for the machine that compiled it (STARFMM_LANES=native): \"
                              \"install one that was configured with -DSTARFMM_LANES=all\")"
  )
elseif(STARFMM_LANES STREQUAL "baseline")
  set(isas baseline)
elseif(STARFMM_LANES STREQUAL "all")
  set(isas baseline)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    list(APPEND isas avx2 avx512)
  endif()
else()
  message(FATAL_ERROR "STARFMM_LANES=${STARFMM_LANES}: must be all, native or baseline")
endif()
set(STARFMM_ISAS ${isas} CACHE INTERNAL "of starfmm_add_kernel")
list(GET STARFMM_ISAS 0 STARFMM_NARROWEST_ISA)
list(GET STARFMM_ISAS -1 STARFMM_WIDEST_ISA)
