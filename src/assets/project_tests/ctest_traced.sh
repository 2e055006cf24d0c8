# Runs tests of CMake with each program started by a script: PTH_TRACE_PROGRAM=SCRIPT ctest_traced.sh BUILD [CHOICE...]
#
# CTest has no such way of its own: the tests that it would run are registered once more, in a folder beside this script,
# with their properties and with commands that begin with `sh SCRIPT`.
build=$1
shift
traced=${0%/*}/traced
mkdir -p "$traced"
ctest --test-dir "$build" --show-only=json-v1 "$@" >"$traced/tests.json" || exit
cat >"$traced/register.cmake" <<'END'
cmake_minimum_required(VERSION 3.19)

# An argument of CMake that holds any text as it is.
function(word_of text result)
  set(${result} "[============[${text}]============]" PARENT_SCOPE)
endfunction()

# The value of a property: a list where it is an array; empty for one that holds objects.
function(property_of test at result)
  string(JSON kind TYPE "${test}" properties ${at} value)
  set(value "")
  if(kind STREQUAL "ARRAY")
    string(JSON count LENGTH "${test}" properties ${at} value)
    set(part 0)
    while(part LESS count)
      string(JSON kind TYPE "${test}" properties ${at} value ${part})
      if(kind STREQUAL "OBJECT")
        set(value "")
        break()
      endif()
      string(JSON item GET "${test}" properties ${at} value ${part})
      string(REPLACE ";" "\\;" item "${item}")
      if(part GREATER 0)
        string(APPEND value ";")
      endif()
      string(APPEND value "${item}")
      math(EXPR part "${part}+1")
    endwhile()
  elseif(NOT kind STREQUAL "OBJECT")
    string(JSON value GET "${test}" properties ${at} value)
  endif()
  set(${result} "${value}" PARENT_SCOPE)
endfunction()

file(READ "${TESTS}" all)
set(registered "")
string(JSON count LENGTH "${all}" tests)
set(at 0)
while(at LESS count)
  string(JSON test GET "${all}" tests ${at})
  string(JSON name GET "${test}" name)
  word_of("${name}" name)
  string(APPEND registered "add_test(${name}")
  string(JSON words ERROR_VARIABLE missing LENGTH "${test}" command)
  if(missing)
    string(APPEND registered " NOT_AVAILABLE")
  else()
    word_of("${TRACER}" script)
    string(APPEND registered " sh ${script}")
    set(part 0)
    while(part LESS words)
      string(JSON word GET "${test}" command ${part})
      word_of("${word}" word)
      string(APPEND registered " ${word}")
      math(EXPR part "${part}+1")
    endwhile()
  endif()
  string(APPEND registered ")\n")
  string(JSON properties ERROR_VARIABLE missing LENGTH "${test}" properties)
  set(part 0)
  while(NOT missing AND part LESS properties)
    string(JSON property GET "${test}" properties ${part} name)
    property_of("${test}" ${part} value)
    if(NOT value STREQUAL "")
      word_of("${property}" property)
      word_of("${value}" value)
      string(APPEND registered "set_tests_properties(${name} PROPERTIES ${property} ${value})\n")
    endif()
    math(EXPR part "${part}+1")
  endwhile()
  math(EXPR at "${at}+1")
endwhile()
file(WRITE "${REGISTERED}" "${registered}")
END
cmake "-DTESTS=$traced/tests.json" "-DTRACER=$PTH_TRACE_PROGRAM" "-DREGISTERED=$traced/CTestTestfile.cmake" \
  -P "$traced/register.cmake" || exit
# Which build they belong to, before CTest names the other folder.
(cd "$build" && printf 'Test project %s\n' "$PWD")
exec ctest --test-dir "$traced" --verbose "$@"
