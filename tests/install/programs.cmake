# SPDX-License-Identifier: BSD-3-Clause
# programs_of(PAGE LANGUAGE COMMENT FOLDER RESULT): writes the programs in a language that a page of
# this checkout shows, those blocks that begin with a comment, into FOLDER as readme_1.cpp,
# readme_2.cpp, ...; RESULT: their names without suffix.
function(programs_of page language comment folder result)
  file(READ "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../../${page}.md" text)
  string(REPLACE ";" "@semicolon@" text "${text}")
  string(REGEX MATCHALL "```${language}\n${comment}[^`]*```" blocks "${text}")
  if(NOT blocks)
    message(FATAL_ERROR "${page}.md: no program in ${language}")
  endif()
  cmake_path(GET page FILENAME name)
  string(TOLOWER ${name} name)
  set(programs "")
  set(number 0)
  foreach(block IN LISTS blocks)
    math(EXPR number "${number} + 1")
    string(REGEX REPLACE "^```${language}\n|```$" "" source "${block}")
    string(REPLACE "@semicolon@" ";" source "${source}")
    file(WRITE "${folder}/${name}_${number}.${language}" "${source}")
    list(APPEND programs ${name}_${number})
  endforeach()
  set(${result} "${programs}" PARENT_SCOPE)
endfunction()
