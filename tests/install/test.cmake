# Script: installs the build folder BUILD, then configures, builds and runs the project in SOURCE
# against the installed package only.
set(work "${BUILD}/install-test")
file(REMOVE_RECURSE "${work}")

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# The build's CUDA settings, where it has any; in a file, because architectures are a list.
file(READ "${BUILD}/CMakeCache.txt" cache)
set(initial "")
foreach(name CMAKE_CUDA_COMPILER CMAKE_CUDA_ARCHITECTURES)
  if(cache MATCHES "\n${name}:[A-Z]+=([^\n]+)")
    set(value "${CMAKE_MATCH_1}") # before the next match clears it
    if(NOT value MATCHES "NOTFOUND")
      string(APPEND initial "set(${name} \"${value}\" CACHE STRING \"\")\n")
    endif()
  endif()
endforeach()
file(WRITE "${work}/initial.cmake" "${initial}")

run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${work}/prefix")
run("${CMAKE_COMMAND}" -C "${work}/initial.cmake" -S "${SOURCE}" -B "${work}/build"
    -G "${GENERATOR}" "-DCMAKE_PREFIX_PATH=${work}/prefix" "-DCMAKE_BUILD_TYPE=${BUILD_TYPE}"
    "-DCMAKE_CXX_COMPILER=${CXX_COMPILER}" "-DCMAKE_CXX_FLAGS=${CXX_FLAGS}"
    "-DCUDAToolkit_ROOT=${CUDA_ROOT}" "-DREADME=${SOURCE}/../../README.md"
)
run("${CMAKE_COMMAND}" --build "${work}/build")
run("${work}/build/consumer")
run("${work}/build/readme")
