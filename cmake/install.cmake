# SPDX-License-Identifier: BSD-3-Clause
# What an installation holds besides the programs: libraries, headers, the package, and StarPU where
# nobody else provides it. It works for every user of the machine, and from any folder.
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/starfmm)
set(header_dir ${CMAKE_INSTALL_INCLUDEDIR}/starfmm)
set(targets starfmm starfmm_core starfmm_codelets starfmm_schedulers)
if(TARGET starfmm_mpi)
  list(APPEND targets starfmm_mpi)
endif()

set(system_libraries ${CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES}
                     ${CMAKE_PLATFORM_IMPLICIT_LINK_DIRECTORIES}
)
if(STARPU_LIBDIR IN_LIST system_libraries)
  set(starpu_is_private OFF)
else()
  set(starpu_is_private ON)
endif()
option(STARFMM_INSTALL_STARPU "Install StarPU too; by default one outside the system's folders"
       ${starpu_is_private}
)
if(STARFMM_INSTALL_STARPU)
  include(cmake/install_starpu.cmake)
else()
  set(starpu_pkgconfig_dir "${STARPU_LIBDIR}/pkgconfig")
  set(CMAKE_INSTALL_RPATH "${STARPU_LIBDIR}")
endif()
if(STARFMM_WITH_CUDA)
  list(APPEND CMAKE_INSTALL_RPATH "${CUDAToolkit_LIBRARY_DIR}")
  set(STARFMM_CUDA_ARCHITECTURES "${CMAKE_CUDA_ARCHITECTURES}")
  if(STARFMM_CUDA_ARCHITECTURES STREQUAL "native") # this machine's, wherever the package is used
    set(STARFMM_CUDA_ARCHITECTURES "${CMAKE_CUDA_ARCHITECTURES_NATIVE}")
  endif()
endif()
list(REMOVE_ITEM CMAKE_INSTALL_RPATH ${system_libraries})

install(
  TARGETS ${targets}
  EXPORT starfmm
  FILE_SET HEADERS DESTINATION ${header_dir}
  FILE_SET cuda_headers DESTINATION ${header_dir}
)
install(FILES "${PROJECT_BINARY_DIR}/include/core/config.hpp" DESTINATION ${header_dir}/core)
install(
  EXPORT starfmm
  FILE starfmmTargets.cmake
  NAMESPACE starfmm::
  DESTINATION ${package_dir}
)
configure_package_config_file(
  cmake/starfmmConfig.cmake.in starfmmConfig.cmake
  INSTALL_DESTINATION ${package_dir}
  PATH_VARS starpu_pkgconfig_dir
)
write_basic_package_version_file(starfmmConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(
  FILES "${PROJECT_BINARY_DIR}/starfmmConfig.cmake"
        "${PROJECT_BINARY_DIR}/starfmmConfigVersion.cmake" cmake/StarfmmKernel.cmake
        cmake/StarfmmIsolate.cmake
  DESTINATION ${package_dir}
)
