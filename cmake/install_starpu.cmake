# SPDX-License-Identifier: BSD-3-Clause
# Installs the StarPU of this build into a folder of its own, where no other program meets it.
set(starpu_dir ${CMAKE_INSTALL_LIBDIR}/starfmm/starpu)
set(starpu_pkgconfig_dir ${starpu_dir}/lib/pkgconfig) # of the package

set(starpu_modules starpu)
if(TARGET starfmm_mpi)
  list(APPEND starpu_modules starpumpi)
endif()
foreach(module IN LISTS starpu_modules)
  file(GLOB libraries "${STARPU_LIBDIR}/lib${module}-1.4.so*")
  install(PROGRAMS ${libraries} DESTINATION ${starpu_dir}/lib)
  # relative to where it lies, so that the installation can be moved
  file(READ "${STARPU_LIBDIR}/pkgconfig/${module}-1.4.pc" description)
  string(REPLACE "${STARPU_PREFIX}" "\${pcfiledir}/../.." description "${description}")
  file(CONFIGURE OUTPUT pkgconfig/${module}-1.4.pc CONTENT "${description}" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/pkgconfig/${module}-1.4.pc"
          DESTINATION ${starpu_dir}/lib/pkgconfig
  )
endforeach()
install(DIRECTORY "${STARPU_INCLUDEDIR}/starpu" DESTINATION ${starpu_dir}/include)

# StarPU's library for MPI names the folder in which it was built to find StarPU's own
if(TARGET starfmm_mpi)
  install(
    CODE "
    file(REAL_PATH
      \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${starpu_dir}/lib/libstarpumpi-1.4.so\" library
    )
    execute_process(
      COMMAND \"${CMAKE_READELF}\" -d \"\${library}\" OUTPUT_VARIABLE dynamic
      COMMAND_ERROR_IS_FATAL ANY
    )
    if(dynamic MATCHES \"${STARPU_LIBDIR}\")
      file(RPATH_CHANGE FILE \"\${library}\" OLD_RPATH \"${STARPU_LIBDIR}\" NEW_RPATH \"\\\$ORIGIN\")
    endif()
    "
  )
endif()
