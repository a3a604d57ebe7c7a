# SPDX-License-Identifier: BSD-3-Clause
# The module of Fortran as target starfmm::fortran, in projects that enable Fortran: compilers do not
# read each other's modules, so the project's own compiles its source.
if(CMAKE_Fortran_COMPILER_LOADED AND NOT TARGET starfmm_fortran)
  add_library( # beside the header in C, wherever that is
    starfmm_fortran STATIC EXCLUDE_FROM_ALL
    "$<TARGET_PROPERTY:starfmm::c,INTERFACE_INCLUDE_DIRECTORIES>/starfmm/starfmm.f90"
  )
  add_library(starfmm::fortran ALIAS starfmm_fortran)
  set(starfmm_modules "${CMAKE_CURRENT_BINARY_DIR}/starfmm_fortran")
  set_target_properties(
    starfmm_fortran PROPERTIES Fortran_MODULE_DIRECTORY "${starfmm_modules}" LINKER_LANGUAGE Fortran
                               POSITION_INDEPENDENT_CODE ON
  )
  target_include_directories(starfmm_fortran INTERFACE "${starfmm_modules}")
  target_link_libraries(starfmm_fortran PUBLIC starfmm::c)
endif()
