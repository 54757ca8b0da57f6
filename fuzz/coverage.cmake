# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# counted-NAME: replay-NAME that counts which lines run, for tests/tree/coverage.py. What has a floor there is
# compiled once more, with clang's coverage; the libraries that have none are those of this build.

# counted(TARGET KIND [HEADER...]): counted_TARGET, of the same sources, which all begin with these headers.
function(counted target kind)
    get_target_property(sources ${target} SOURCES)
    get_target_property(directory ${target} SOURCE_DIR)
    list(TRANSFORM sources REPLACE "^([^/].*)$" "${directory}/\\1")
    add_library(counted_${target} ${kind} EXCLUDE_FROM_ALL ${sources})
    target_include_directories(counted_${target} PRIVATE $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
    target_compile_definitions(counted_${target} PRIVATE $<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>)
    target_compile_options(counted_${target} PRIVATE ${count})
    if(ARGN)
        ibw_precompile(counted_${target} ${ARGN})
    endif()
endfunction()

# Without the last option every object has a table of all the inline functions of the headers, which nobody asks
# about: two thirds of the time to compile and to link.
set(count -O1 -g0 -w -fprofile-instr-generate -fcoverage-mapping "SHELL:-mllvm -limited-coverage-experimental=true")
counted(ibwire_objects STATIC)
counted(ibwire_lint STATIC <glib.h> <ibwire/ibwire.h>)
counted(ibwire_command STATIC <glib.h> <ibwire/ibwire.h>)
counted(fuzz_command STATIC)
# One after the other until nothing is missing; what is compiled twice is found here first.
set(counted_libs -Wl,--start-group counted_fuzz_command counted_ibwire_command counted_ibwire_lint counted_ibwire_objects
    ibwire_track ibwire_capture test_codecs -Wl,--end-group)
if(epan IN_LIST fuzz_targets)
    counted(fuzz_session STATIC)
    counted(ibwire_plugin_objects OBJECT <glib.h> <epan/packet.h> <ibwire/ibwire.h>)
    set(counted_epan_objects $<TARGET_OBJECTS:counted_ibwire_plugin_objects>)
    set(counted_epan_libs counted_fuzz_session epan)
endif()

add_custom_target(counted ALL DEPENDS fuzz-seeds)
foreach(name IN LISTS fuzz_targets)
    if(NOT name STREQUAL planted) # that ends on purpose
        add_executable(counted-${name} EXCLUDE_FROM_ALL ${name}.c $<TARGET_OBJECTS:fuzz_replay> ${counted_${name}_objects})
        target_include_directories(counted-${name} PRIVATE ${PROJECT_SOURCE_DIR})
        target_compile_options(counted-${name} PRIVATE ${count})
        foreach(function IN LISTS fuzz_${name}_wrapped)
            target_link_options(counted-${name} PRIVATE -Wl,--wrap=${function})
        endforeach()
        target_link_options(counted-${name} PRIVATE -fprofile-instr-generate)
        target_link_libraries(counted-${name} PRIVATE ${counted_${name}_libs} ${counted_libs})
        add_dependencies(counted counted-${name})
    endif()
endforeach()
