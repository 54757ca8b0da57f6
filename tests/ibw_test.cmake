# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# ibw_test(NAME [DEEP] [SERIAL] [ONLY BUILD...] [QUICK BUILD...] [SOURCES FILE...] [LIBS TARGET...]
#          [COMMAND WORD...] [ARGS WORD...] [TIMEOUT SECONDS])
#
# One test a line. Without COMMAND it is a program, made of SOURCES (default NAME.c) with LIBS
# and ibwire, run with ARGS in the source directory of the whole project. With COMMAND it is that
# command: a target, a program, or a script of the directory that calls this. A test that ends with status 77 is skipped.
#
# Every test is labelled quick, which `./dev test` runs on every build, or, with DEEP, deep, which
# `./dev test all` adds. BUILD is release (with IBW_CHECKS), asan (with IBW_SANITIZE), s390x (any
# cross build) or clang (any other), unless IBW_BUILD says which. A test with ONLY is in those builds alone: what it looks at is the
# same in each. A test with QUICK is deep in the others, which rarely have something of their own to
# show it, and not in clang: what another compiler might make of it, same_build.py sees, which compares
# all that pcap-lint says of every capture with the release build's, and so does ws_equal.
if(IBW_BUILD)
    # As dev has it for the roots of other versions of Wireshark.
elseif(CMAKE_CROSSCOMPILING)
    set(IBW_BUILD s390x)
elseif(IBW_SANITIZE)
    set(IBW_BUILD asan)
elseif(IBW_CHECKS)
    set(IBW_BUILD release)
else()
    set(IBW_BUILD clang)
endif()

function(ibw_test name)
    cmake_parse_arguments(PARSE_ARGV 1 T "DEEP;SERIAL" "TIMEOUT"
        "SOURCES;LIBS;COMMAND;ARGS;ONLY;QUICK")
    if(T_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "ibw_test(${name}): unknown argument ${T_UNPARSED_ARGUMENTS}")
    endif()
    if(NOT T_QUICK)
        set(T_QUICK ${IBW_QUICK})
    endif()
    foreach(build IN LISTS T_ONLY T_QUICK)
        if(NOT build MATCHES "^(release|asan|clang|s390x)$")
            message(FATAL_ERROR "ibw_test(${name}): no build ${build}")
        endif()
    endforeach()
    if(T_ONLY AND NOT IBW_BUILD IN_LIST T_ONLY)
        return()
    endif()
    if(T_QUICK AND NOT IBW_BUILD IN_LIST T_QUICK)
        if(IBW_BUILD STREQUAL "clang")
            return()
        endif()
        set(T_DEEP ON)
    endif()
    if(NOT T_COMMAND)
        if(NOT T_SOURCES)
            set(T_SOURCES ${name}.c)
        endif()
        add_executable(test-${name} ${T_SOURCES})
        target_include_directories(test-${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}
            ${PROJECT_SOURCE_DIR}/tests/lib)
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
    # Those that may take long start first, so that no core waits for the last of them.
    set_tests_properties(${name} PROPERTIES LABELS ${label} TIMEOUT ${T_TIMEOUT} COST ${T_TIMEOUT}
        SKIP_RETURN_CODE 77)
    if(T_SERIAL)
        set_tests_properties(${name} PROPERTIES RUN_SERIAL ON)
    endif()
endfunction()
