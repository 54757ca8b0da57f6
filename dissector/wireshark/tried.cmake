# SPDX-License-Identifier: GPL-2.0-or-later
# Whether the plugin compiles with a Wireshark that it was not tested with.

# ibw_try_plugin(RESULT): once for each version; the log says why not.
function(ibw_try_plugin result)
    set(tried IBW_WIRESHARK_${Wireshark_VERSION}_COMPILES)
    if(NOT DEFINED ${tried})
        message(STATUS "Trying to compile the plugin with Wireshark ${Wireshark_VERSION}")
        file(GLOB_RECURSE sources ${PROJECT_SOURCE_DIR}/dissector/wireshark/*.c)
        list(FILTER sources EXCLUDE REGEX "/file247\\.c$")
        set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
        set(includes ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/dissector ${Wireshark_INCLUDE_DIR} ${GLIB_INCLUDE_DIRS})
        try_compile(compiles ${PROJECT_BINARY_DIR}/wireshark-tried SOURCES ${sources}
            CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${includes}"
            COMPILE_DEFINITIONS -D_GNU_SOURCE -DVERSION="" -O0 -w
            C_STANDARD 11 OUTPUT_VARIABLE log)
        file(WRITE ${PROJECT_BINARY_DIR}/wireshark-tried.log "${log}")
        set(${tried} ${compiles} CACHE INTERNAL "The plugin compiles with this Wireshark")
    endif()
    set(${result} ${${tried}} PARENT_SCOPE)
endfunction()
