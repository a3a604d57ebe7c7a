# Script: copies the object file INPUT to OUTPUT with its weak functions (inline functions and
# template instances) made local, so that the linker does not share them with other objects.
set(grouped "${OUTPUT}.grouped")
set(local "${OUTPUT}.local")
set(weak "${OUTPUT}.weak")

# write_symbols(FILE REGEX TABLE): the names of the symbols in nm's TABLE whose lines match
function(write_symbols file regex table)
  string(REGEX MATCHALL "${regex}" symbols "${table}")
  list(TRANSFORM symbols REPLACE "^ [A-Za-z] " "")
  # the doors by which the program asks for a variant's bodies: named after the variant, so unique
  list(FILTER symbols EXCLUDE REGEX "N7starfmm(6bodies|24needs_starfmm_add_kernel13kernel_bodies)I")
  list(JOIN symbols "\n" symbols)
  file(WRITE "${file}" "${symbols}\n")
endfunction()

# A relocatable link dissolves the section groups by which the linker would merge such functions.
execute_process(
  COMMAND "${LINKER}" -r --force-group-allocation "${INPUT}" -o "${grouped}"
  COMMAND_ERROR_IS_FATAL ANY
)
execute_process(
  COMMAND "${NM}" --defined-only "${grouped}" OUTPUT_VARIABLE table COMMAND_ERROR_IS_FATAL ANY
)
# W: weak functions. V: weak data, of which only virtual tables and type descriptions are made local.
# u: inline variables and static locals, which stay one per program; without its group each would be
# a second definition, so they become weak.
write_symbols("${local}" " W [^\n]+| V _ZT[VTIS][^\n]+" "${table}")
write_symbols("${weak}" " u [^\n]+" "${table}")
execute_process(
  COMMAND "${OBJCOPY}" "--localize-symbols=${local}" "--weaken-symbols=${weak}" "${grouped}"
          "${OUTPUT}" COMMAND_ERROR_IS_FATAL ANY
)
file(REMOVE "${grouped}" "${local}" "${weak}")
