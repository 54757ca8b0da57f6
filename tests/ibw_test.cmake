# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# ibw_test(NAME [DEEP] [SERIAL] [SOURCES FILE...] [LIBS TARGET...] [COMMAND WORD...]
#          [ARGS WORD...] [TIMEOUT SECONDS])
#
# One test a line. Without COMMAND it is a program, made of SOURCES (default NAME.c) with LIBS
# and ibwire, run with ARGS in the source directory of the whole project. With COMMAND it is that
# command: a target, a program, or a script of the directory that calls this. A test that ends with status 77 is skipped.
#
# Every test is labelled quick, which `./dev test` runs on every build, or, with DEEP, deep, which
# `./dev test all` adds.
function(ibw_test name)
    cmake_parse_arguments(PARSE_ARGV 1 T "DEEP;SERIAL" "TIMEOUT" "SOURCES;LIBS;COMMAND;ARGS")
    if(T_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "ibw_test(${name}): unknown argument ${T_UNPARSED_ARGUMENTS}")
    endif()
    if(NOT T_COMMAND)
        if(NOT T_SOURCES)
            set(T_SOURCES ${name}.c)
        endif()
        add_executable(test-${name} ${T_SOURCES})
        target_include_directories(test-${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
        target_link_libraries(test-${name} PRIVATE ${T_LIBS})
        if(TARGET ibwire)
            target_link_libraries(test-${name} PRIVATE ibwire)
        endif()
        set(T_COMMAND test-${name})
    endif()
    list(GET T_COMMAND 0 program)
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${program})
        list(REMOVE_AT T_COMMAND 0)
        list(PREPEND T_COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/${program})
    endif()
    add_test(NAME ${name} COMMAND ${T_COMMAND} ${T_ARGS} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    if(NOT T_TIMEOUT)
        set(T_TIMEOUT 300)
    endif()
    if(T_DEEP)
        set(label deep)
    else()
        set(label quick)
    endif()
    set_tests_properties(${name} PROPERTIES LABELS ${label} TIMEOUT ${T_TIMEOUT} SKIP_RETURN_CODE 77)
    if(T_SERIAL)
        set_tests_properties(${name} PROPERTIES RUN_SERIAL ON)
    endif()
endfunction()
