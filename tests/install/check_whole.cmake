# Script: nothing installed names or loads what lies in the build folder, in the source folder or, if
# StarPU was installed too, in the folder that it came from.
set(forbidden "${BUILD}" "${SOURCE}")
cached(STARFMM_INSTALL_STARPU installs_starpu)
if(installs_starpu)
  cached(STARPU_PREFIX starpu_prefix)
  list(APPEND forbidden "${starpu_prefix}")
endif()

# refuse(TEXT WHERE): a forbidden folder other than the installation itself
function(refuse text where)
  string(REPLACE "${prefix}" "" text "${text}")
  foreach(folder IN LISTS forbidden)
    if(text MATCHES "[^\n]*${folder}[^\n]*")
      message(FATAL_ERROR "${where} depends on ${folder}: ${CMAKE_MATCH_0}")
    endif()
  endforeach()
endfunction()

file(GLOB_RECURSE texts "${prefix}/lib*/*.cmake" "${prefix}/lib*/*.pc")
foreach(file IN LISTS texts)
  file(READ "${file}" text)
  refuse("${text}" "${file}")
endforeach()
file(GLOB_RECURSE programs "${prefix}/bin/*" "${prefix}/lib*/*.so")
foreach(program IN LISTS programs)
  execute_process(COMMAND ldd "${program}" OUTPUT_VARIABLE loaded COMMAND_ERROR_IS_FATAL ANY)
  execute_process(
    COMMAND readelf -d "${program}" OUTPUT_VARIABLE dynamic COMMAND_ERROR_IS_FATAL ANY
  )
  refuse("${loaded}\n${dynamic}" "${program}")
  if(loaded MATCHES "[^\n]*not found")
    message(FATAL_ERROR "${program}: ${CMAKE_MATCH_0}")
  endif()
endforeach()
if(NOT texts OR (installs_starpu AND NOT programs))
  message(FATAL_ERROR "${prefix}: no package, or no library of StarPU's")
endif()
