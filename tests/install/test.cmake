# Script: installs the build folder BUILD, moves the result, and then uses nothing else: checks that
# it is whole, runs a driver, and builds and runs the project in SOURCE against it.
set(work "${BUILD}/install-test")
set(prefix "${work}/moved")
file(REMOVE_RECURSE "${work}")
unset(ENV{PKG_CONFIG_PATH}) # which may name the StarPU of the build
unset(ENV{LD_LIBRARY_PATH})

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# cached(NAME RESULT): a value in the cache of the build, empty if there is none
file(READ "${BUILD}/CMakeCache.txt" cache)
function(cached name result)
  set(value "")
  if(cache MATCHES "\n${name}:[A-Z]+=([^\n]+)")
    set(value "${CMAKE_MATCH_1}")
  endif()
  set(${result} "${value}" PARENT_SCOPE)
endfunction()

# configure(FOLDER GENERATOR NAME VALUE NAME VALUE...): the user's project, in ${project}, with the compilers of the
# build and with these settings; they travel by file because values may be lists
function(configure folder generator)
  set(settings "set(CMAKE_PREFIX_PATH \"${prefix}\" CACHE PATH \"\")\n")
  foreach(name CMAKE_BUILD_TYPE CMAKE_CXX_COMPILER CMAKE_CXX_FLAGS CMAKE_CUDA_COMPILER)
    cached(${name} value)
    if(value AND NOT value MATCHES "NOTFOUND")
      string(APPEND settings "set(${name} \"${value}\" CACHE STRING \"\")\n")
    endif()
  endforeach()
  foreach(i RANGE 3 ${ARGC} 2)
    math(EXPR name "${i} - 1")
    string(APPEND settings "set(${ARGV${name}} \"${ARGV${i}}\" CACHE STRING \"\")\n")
  endforeach()
  file(WRITE "${work}/${folder}.cmake" "${settings}")
  run("${CMAKE_COMMAND}" -C "${work}/${folder}.cmake" -S "${project}" -B "${work}/${folder}"
      -G "${generator}"
  )
endfunction()

run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${work}/prefix")
file(RENAME "${work}/prefix" "${prefix}")
include("${SOURCE}/check_headers.cmake")
include("${SOURCE}/check_whole.cmake")
if(EXISTS "${prefix}/bin/pyramid2d")
  run("${prefix}/bin/pyramid2d" --n 3000 --check 50)
endif()

# C and Fortran
include("${SOURCE}/test_c.cmake")

# one project names an architecture, the other leaves the choice to CMake
set(project "${SOURCE}")
configure(ninja Ninja CMAKE_CUDA_ARCHITECTURES 75 EXPECTED_ARCHITECTURES "${ARCHITECTURES}")
run("${CMAKE_COMMAND}" --build "${work}/ninja")
run("${work}/ninja/consumer")
file(READ "${work}/ninja/programs.txt" programs)
foreach(program IN LISTS programs)
  run("${work}/ninja/${program}")
endforeach()
execute_process(
  COMMAND "${CMAKE_COMMAND}" --build "${work}/ninja" --target forgotten
  RESULT_VARIABLE code OUTPUT_VARIABLE said ERROR_VARIABLE said
)
if(code EQUAL 0 OR NOT said MATCHES "undefined reference to .*needs_starfmm_add_kernel::kernel_bodies<Count")
  message(FATAL_ERROR "a kernel without starfmm_add_kernel: ${said}")
endif()

configure(makefiles "Unix Makefiles" EXPECTED_ARCHITECTURES "${ARCHITECTURES}")
run("${CMAKE_COMMAND}" --build "${work}/makefiles" --target consumer)
run("${work}/makefiles/consumer")

# As a part of the user's project all of starfmm would have to be built: a dry run looks for rules.
cached(STARPU_LIBDIR starpu_libdir)
set(ENV{PKG_CONFIG_PATH} "${starpu_libdir}/pkgconfig")
configure(subproject Ninja STARFMM_SOURCE "${SOURCE}/../.." STARFMM_WITH_CUDA OFF)
run("${CMAKE_COMMAND}" --build "${work}/subproject" --target consumer -- -n)

# What was compiled for this machine alone is not installed.
run("${CMAKE_COMMAND}" -S "${SOURCE}/../.." -B "${work}/native" -G Ninja -DSTARFMM_LANES=native
    -DSTARFMM_WITH_CUDA=OFF -DSTARFMM_BUILD_EXAMPLES=OFF -DSTARFMM_BUILD_TESTS=OFF
)
execute_process(
  COMMAND "${CMAKE_COMMAND}" --install "${work}/native" --prefix "${work}/refused"
  RESULT_VARIABLE status ERROR_VARIABLE message
)
if(status EQUAL 0 OR EXISTS "${work}/refused" OR NOT message MATCHES "-DSTARFMM_LANES=all")
  message(FATAL_ERROR "a build with STARFMM_LANES=native was installed, or refused so: ${message}")
endif()
