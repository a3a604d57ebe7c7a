# SPDX-License-Identifier: BSD-3-Clause
# What an installation holds besides the programs: libraries, headers, the package, and StarPU where
# nobody else provides it. It works for every user of the machine, and from any folder.
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/starfmm)
set(header_dir ${CMAKE_INSTALL_INCLUDEDIR}/starfmm)
set(own_libraries starfmm_plane starfmm_space starfmm_io starfmm_c)

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
endif()
if(STARFMM_WITH_CUDA)
  set(STARFMM_CUDA_ARCHITECTURES "${CMAKE_CUDA_ARCHITECTURES}")
  if(STARFMM_CUDA_ARCHITECTURES STREQUAL "native") # this machine's, wherever the package is used
    set(STARFMM_CUDA_ARCHITECTURES "${CMAKE_CUDA_ARCHITECTURES_NATIVE}")
  endif()
endif()

# Sets `result` to where programs and libraries in `folder` find what they load.
function(starfmm_install_rpath folder result)
  file(RELATIVE_PATH libraries "${folder}" "${CMAKE_INSTALL_FULL_LIBDIR}")
  cmake_path(APPEND origin "$ORIGIN" "${libraries}")
  set(rpath "${origin}")
  if(STARFMM_INSTALL_STARPU)
    list(APPEND rpath "${origin}/starfmm/starpu/lib")
  else()
    list(APPEND rpath "${STARPU_LIBDIR}")
  endif()
  if(STARFMM_WITH_CUDA)
    list(APPEND rpath "${CUDAToolkit_LIBRARY_DIR}")
  endif()
  list(REMOVE_ITEM rpath ${system_libraries})
  set(${result} "${rpath}" PARENT_SCOPE)
endfunction()
starfmm_install_rpath("${CMAKE_INSTALL_FULL_BINDIR}" CMAKE_INSTALL_RPATH) # of programs, which follow
starfmm_install_rpath("${CMAKE_INSTALL_FULL_LIBDIR}" rpath)
set_target_properties(${own_libraries} PROPERTIES INSTALL_RPATH "${rpath}")

install(
  TARGETS starfmm ${own_libraries}
  EXPORT starfmm
  FILE_SET HEADERS DESTINATION ${header_dir}
  FILE_SET api DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILE_SET cuda_headers DESTINATION ${header_dir}
)
if(TARGET starfmm_mpi AND BUILD_SHARED_LIBS) # loaded by a driver, and by nobody else
  set_target_properties(starfmm_mpi PROPERTIES INSTALL_RPATH "${rpath}")
  install(TARGETS starfmm_mpi LIBRARY NAMELINK_SKIP)
endif()
install(
  FILES "${PROJECT_BINARY_DIR}/include/core/backends.hpp"
        "${PROJECT_BINARY_DIR}/include/core/config.hpp"
  DESTINATION ${header_dir}/core
)
install(FILES "${PROJECT_SOURCE_DIR}/schedulers/starfmm/starfmm.f90" DESTINATION ${header_dir})
if(BUILD_SHARED_LIBS) # static ones need a C++ linker and what they load, which CMake's package knows
  set(pkgconfig_dir "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig")
  set(to_prefix "${CMAKE_INSTALL_PREFIX}")
  set(to_headers "${CMAKE_INSTALL_FULL_INCLUDEDIR}")
  cmake_path(RELATIVE_PATH to_prefix BASE_DIRECTORY "${pkgconfig_dir}")
  cmake_path(RELATIVE_PATH to_headers BASE_DIRECTORY "${pkgconfig_dir}")
  configure_file(cmake/starfmm.pc.in starfmm.pc @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/starfmm.pc"
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
  )
endif()
install(
  EXPORT starfmm
  FILE starfmmTargets.cmake
  NAMESPACE starfmm::
  DESTINATION ${package_dir}
)
set(starfmm_is_static ON)
if(BUILD_SHARED_LIBS)
  set(starfmm_is_static OFF)
endif()
foreach(format IN ITEMS HDF5 PNG)
  set(STARFMM_HAS_${format} OFF)
  if(${format}_FOUND)
    set(STARFMM_HAS_${format} ON)
  endif()
endforeach()
configure_package_config_file(
  cmake/starfmmConfig.cmake.in starfmmConfig.cmake
  INSTALL_DESTINATION ${package_dir}
  PATH_VARS starpu_pkgconfig_dir
)
write_basic_package_version_file(starfmmConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(
  FILES "${PROJECT_BINARY_DIR}/starfmmConfig.cmake"
        "${PROJECT_BINARY_DIR}/starfmmConfigVersion.cmake" cmake/StarfmmFortran.cmake
        cmake/StarfmmKernel.cmake cmake/StarfmmIsolate.cmake
  DESTINATION ${package_dir}
)
# a build folder serves as a package, too, on the machine where it lies
export(EXPORT starfmm NAMESPACE starfmm:: FILE "${PROJECT_BINARY_DIR}/starfmmTargets.cmake")
file(COPY cmake/StarfmmFortran.cmake cmake/StarfmmKernel.cmake cmake/StarfmmIsolate.cmake
     DESTINATION "${PROJECT_BINARY_DIR}"
)
