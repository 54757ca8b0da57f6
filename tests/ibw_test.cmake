# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# ibw_test(NAME [CI | DEEP] [DEEP_IN BUILD...] [SAMPLED] [TOOLS] [ACCEPTS] [WIDE] [ONLY BUILD...] [QUICK BUILD...]
#          [SOURCES FILE...] [LIBS TARGET...] [COMMAND WORD...] [ARGS WORD...] [READS PATH...]
#          [WHEN PATH...] [TIMEOUT SECONDS])
#
# One test a line. Without COMMAND it is a program, made of SOURCES (default NAME.c) with LIBS
# and ibwire, run with ARGS in the source directory of the whole project. With COMMAND it is that
# command: a target, a program, or a script of the directory that calls this. A test that ends with status 77 is skipped.
#
# Tiers. Every test is labelled quick, which `./dev test` runs on every build; with CI, ci, which
# `./dev test ci` adds; with DEEP, deep, which `./dev test deep` adds. Of a deep test `./dev test ci` runs a sample
# if what it READS (default: its room's) has changed since the last deep run: tests/deep.md has the reasons.
# A test that is SAMPLED takes its sample by tests/lib/sample.py; any other runs whole or not at all.
#
# BUILD is release (with IBW_CHECKS), asan (with IBW_SANITIZE), s390x (any cross build) or clang (any
# other), unless IBW_BUILD says which. A test with ONLY is in those builds alone: what it looks at is the
# same in each. A test with QUICK is deep in the others, which rarely have something of their own to
# show it, and not in clang: what another compiler might make of it, same_build.py sees, which compares
# all that pcap-lint says of every capture with the release build's, and so does ws_equal. DEEP_IN names
# builds where a quick test is deep, clang too.
#
# A test with WHEN asks about the code of these paths alone: `./dev test ci` runs it where that, or its script, has
# changed since the commit that tests/deep.md says all was checked at, and names it where not.
#
# A test with TOOLS needs what `./dev test deep` gets from npm: `./dev test ci` has no part of it.
#
# A test that ACCEPTS writes what it compares with when it is called with --update: `./dev accept`.
#
# A WIDE test keeps all cores busy by itself: it runs alone, after the others.
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

# What a test took when it was measured, in seconds; `./dev accept costs` writes the list. Those that take
# longest start first, so that no core waits for the last of them.
set(ibw_costs ${PROJECT_SOURCE_DIR}/tests/costs.txt)
set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ibw_costs})
file(STRINGS ${ibw_costs} ibw_cost_lines REGEX "^${IBW_BUILD}\t")
foreach(line IN LISTS ibw_cost_lines)
    string(REPLACE "\t" ";" line "${line}")
    list(GET line 1 name)
    list(GET line 2 IBW_COST_${name})
endforeach()
cmake_host_system_information(RESULT IBW_CORES QUERY NUMBER_OF_LOGICAL_CORES)

# What a test sees of the machine: nothing that was set, installed or chosen there. A cache only saves time, and
# whose the tree is makes no difference to git. Programs of the packages come before others of their names: a python3
# that is a script of pyenv takes half a second to start, and the tests start it a thousand times.
if(DEFINED ENV{XDG_CACHE_HOME})
    set(IBW_ENVIRONMENT XDG_CACHE_HOME=$ENV{XDG_CACHE_HOME})
else()
    set(IBW_ENVIRONMENT XDG_CACHE_HOME=$ENV{HOME}/.cache)
endif()
list(APPEND IBW_ENVIRONMENT HOME=${PROJECT_BINARY_DIR}/tests/home XDG_CONFIG_HOME= XDG_DATA_HOME= LC_ALL=C.UTF-8
    LANGUAGE= LD_LIBRARY_PATH= CMAKE_PREFIX_PATH= VALGRIND_OPTS= NO_COLOR=
    PATH=/usr/bin:/bin:$ENV{PATH} GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0=*)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/tests/home)

function(ibw_test name)
    cmake_parse_arguments(PARSE_ARGV 1 T "CI;DEEP;SAMPLED;TOOLS;ACCEPTS;WIDE" "TIMEOUT"
        "SOURCES;LIBS;COMMAND;ARGS;ONLY;QUICK;DEEP_IN;READS;WHEN")
    if(T_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "ibw_test(${name}): unknown argument ${T_UNPARSED_ARGUMENTS}")
    endif()
    if(NOT T_QUICK)
        set(T_QUICK ${IBW_QUICK})
    endif()
    foreach(build IN LISTS T_ONLY T_QUICK T_DEEP_IN)
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
    if(IBW_BUILD IN_LIST T_DEEP_IN)
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
        ibw_precompiled(test-${name})
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
        if(IBW_BUILD STREQUAL "asan") # starting a program takes up to ten times as long, by machine
            set(T_TIMEOUT 600)
        endif()
    endif()
    set(labels quick)
    set(environment ${IBW_ENVIRONMENT})
    if(T_DEEP)
        set(labels deep)
    elseif(T_CI)
        set(labels ci)
    endif()
    if(T_SAMPLED)
        list(APPEND labels sampled)
    else()
        list(APPEND environment IBW_SAMPLE= IBW_PART=)
    endif()
    if(T_TOOLS)
        list(APPEND labels tools)
    endif()
    if(T_ACCEPTS)
        list(APPEND labels accepts)
    endif()
    # Its room, and what it asks about: choose.py.
    file(RELATIVE_PATH room ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
    list(APPEND labels room=${room})
    if(NOT T_READS)
        set(T_READS ${IBW_READS})
    endif()
    if(T_READS)
        list(APPEND T_READS ${room})
    endif()
    foreach(path IN LISTS T_READS)
        list(APPEND labels reads=${path})
    endforeach()
    foreach(path IN LISTS T_WHEN)
        list(APPEND labels when=${path})
    endforeach()
    if(T_WIDE)
        set(cost 0)
        set_tests_properties(${name} PROPERTIES PROCESSORS ${IBW_CORES})
    elseif(DEFINED IBW_COST_${name})
        set(cost ${IBW_COST_${name}})
    else()
        set(cost 1)
    endif()
    set_tests_properties(${name} PROPERTIES LABELS "${labels}" TIMEOUT ${T_TIMEOUT} COST ${cost}
        SKIP_RETURN_CODE 77 ENVIRONMENT "${environment}")
endfunction()
