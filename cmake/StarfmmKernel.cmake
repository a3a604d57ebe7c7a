# starfmm_add_kernel(<target> <source.cpp>)
#
# Adds the source of an interaction kernel to <target>, compiled for each instruction set in
# STARFMM_ISAS, of which the first runs wherever the program does, and with STARFMM_WITH_CUDA once
# more as CUDA. The source tells its variants apart by the compiler's own macros (__AVX512F__,
# __AVX2__, __CUDACC__); which of them runs is decided at run time. A user's <target> gets the
# installed library's CUDA architectures: on other GPUs the program could not run.
function(starfmm_add_kernel target source)
  cmake_path(ABSOLUTE_PATH source)
  foreach(isa IN LISTS STARFMM_ISAS)
    _starfmm_add_variant(${target} "${source}" ${isa})
  endforeach()
  if(STARFMM_WITH_CUDA AND NOT STARFMM_FOR_EMULATED_GPUS)
    _starfmm_add_cuda(${target} "${source}")
  endif()
endfunction()

# Sets `result` to the flags of one of the instruction sets in core/isa.hpp.
function(_starfmm_isa_flags isa result)
  set(flags "")
  if(isa STREQUAL avx2)
    set(flags -mavx2 -mfma)
  elseif(isa STREQUAL avx512) # xsimd 13 has no avx512dq without avx512cd
    set(flags -mavx512f -mavx512cd -mavx512dq -mavx512vl -mavx512bw -mavx2 -mfma
              -mprefer-vector-width=512
    )
  endif()
  set(${result} ${flags} PARENT_SCOPE)
endfunction()

# Compiles `source` with the flags of `variant`, and whatever <target> itself is compiled with.
function(_starfmm_add_variant target source variant)
  cmake_path(GET source STEM stem)
  set(object ${target}_${stem}_${variant})
  _starfmm_isa_flags(${variant} flags)
  add_library(${object} OBJECT "${source}")
  target_link_libraries(${object} PRIVATE $<TARGET_PROPERTY:${target},LINK_LIBRARIES>)
  target_include_directories(${object} PRIVATE $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
  target_compile_definitions(${object} PRIVATE $<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>)
  target_compile_features(${object} PRIVATE cxx_std_20)
  # GCC 12's AVX-512 intrinsics pass undefined vectors on purpose, its bug 105593
  target_compile_options(
    ${object} PRIVATE "$<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized;-Wno-uninitialized>"
  )
  set(optimize -O3 -ffp-contract=fast -fno-math-errno -fno-trapping-math)
  target_compile_options(
    ${object} PRIVATE $<TARGET_PROPERTY:${target},COMPILE_OPTIONS>
                      "$<$<NOT:$<CONFIG:Debug>>:${optimize}>" ${flags}
  )
  # the scopes of a kernel's many local values take GCC six times as long with AddressSanitizer, and
  # checks of every vector's address half of the rest; that it is inside its array is still checked
  set(unchecked -fno-sanitize-address-use-after-scope -fno-sanitize=alignment,pointer-overflow)
  target_compile_options(
    ${object} PRIVATE "$<$<AND:$<CXX_COMPILER_ID:GNU>,$<CONFIG:Debug>>:${unchecked}>"
  )
  set_target_properties(
    ${object} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON UNITY_BUILD OFF
  )
  list(GET STARFMM_ISAS 0 first)
  if(variant STREQUAL first)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${object}>)
  else()
    # clang-tidy takes every command of a source, and would see the same lines once more
    set_target_properties(${object} PROPERTIES EXPORT_COMPILE_COMMANDS OFF)
    _starfmm_add_isolated(${target} ${object})
  endif()
endfunction()

# Both the first and the other variants hold copies of the inline functions and templates that they
# share, of which the linker keeps any one: left alone, an AVX-512 copy could end up in code that
# runs everywhere. So a variant's copies are made its own.
function(_starfmm_add_isolated target object)
  set(isolated "${CMAKE_CURRENT_BINARY_DIR}/${object}.o")
  set(script "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/StarfmmIsolate.cmake")
  add_custom_command(
    OUTPUT "${isolated}"
    COMMAND
      "${CMAKE_COMMAND}" "-DLINKER=${CMAKE_LINKER}" "-DNM=${CMAKE_NM}"
      "-DOBJCOPY=${CMAKE_OBJCOPY}" "-DINPUT=$<TARGET_OBJECTS:${object}>" "-DOUTPUT=${isolated}" -P
      "${script}"
    DEPENDS "$<TARGET_OBJECTS:${object}>" "${script}"
    COMMENT "Isolating ${object}"
    VERBATIM
  )
  # a target of its own, since <target> may belong to another folder, which has no rule for the file
  add_custom_target(${object}_isolated DEPENDS "${isolated}")
  add_dependencies(${object}_isolated ${object})
  add_dependencies(${target} ${object}_isolated)
  set_source_files_properties(
    "${isolated}" TARGET_DIRECTORY ${target} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON
  )
  target_sources(${target} PRIVATE "${isolated}")
endfunction()

# A unity build would make several kernels one unit, on which one core works for minutes.
function(_starfmm_add_cuda target source)
  if(NOT CMAKE_CUDA_COMPILER)
    message(FATAL_ERROR "starfmm_add_kernel: this starfmm was built with CUDA: "
                        "enable the language, project(... LANGUAGES CXX CUDA)")
  endif()
  cmake_path(GET source STEM stem)
  set(generated "${CMAKE_CURRENT_BINARY_DIR}/${target}_cuda/${stem}.cu")
  file(CONFIGURE OUTPUT "${generated}" CONTENT "#include \"${source}\"\n")
  target_sources(${target} PRIVATE "${generated}")
  set_source_files_properties(
    "${generated}" TARGET_DIRECTORY ${target} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON
  )
  if(STARFMM_CUDA_ARCHITECTURES)
    set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES "${STARFMM_CUDA_ARCHITECTURES}")
  endif()
endfunction()
