# SPDX-License-Identifier: Apache-2.0
include(FeatureSummary)

# Flags that every own target shares.
add_library(ww_flags INTERFACE)
target_compile_features(ww_flags INTERFACE cxx_std_20)
target_compile_options(ww_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
    $<$<BOOL:${WARNINGS_AS_ERRORS}>:-Werror>)
target_include_directories(ww_flags INTERFACE ${PROJECT_SOURCE_DIR}/core)
target_compile_definitions(ww_flags INTERFACE WW_VERSION="${PROJECT_VERSION}")

# ww_add_library(NAME SOURCES a.cpp b.cpp LINK PUBLIC x PRIVATE y): static library ww_NAME, alias ww::NAME.
function(ww_add_library name)
    cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
    add_library(ww_${name} STATIC ${ARG_SOURCES})
    add_library(ww::${name} ALIAS ww_${name})
    target_link_libraries(ww_${name} PUBLIC ww_flags)
    if(ARG_LINK)
        target_link_libraries(ww_${name} ${ARG_LINK})
    endif()
endfunction()

# ww_add_test(NAME SOURCES tst_x.cpp LINK ww::x [LABELS gpu]): a Qt Test program under CTest, offscreen, C locale, UTC,
# with settings and data folders of its own.
function(ww_add_test name)
    cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;LINK;LABELS" ${ARGN})
    add_executable(${name} ${ARG_SOURCES})
    set_target_properties(${name} PROPERTIES AUTOMOC ON RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    target_link_libraries(${name} PRIVATE ww_flags Qt6::Core Qt6::Test ${ARG_LINK})
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
    target_compile_definitions(${name} PRIVATE QT_NO_KEYWORDS)
    add_test(NAME ${name} COMMAND ${name})
    if(NOT ARG_TIMEOUT)
        set(ARG_TIMEOUT 300)
    endif()
    set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS "${ARG_LABELS}" SKIP_RETURN_CODE 77
        ENVIRONMENT "QT_QPA_PLATFORM=offscreen;LC_ALL=C.UTF-8;TZ=UTC;WARPWRIGHT_ROOT=${PROJECT_SOURCE_DIR};WARPWRIGHT_BIN=${CMAKE_BINARY_DIR}/bin;XDG_DATA_HOME=${CMAKE_BINARY_DIR}/tests/data/${name};XDG_CONFIG_HOME=${CMAKE_BINARY_DIR}/tests/config/${name};XDG_CACHE_HOME=${CMAKE_BINARY_DIR}/tests/cache/${name}")
endfunction()
