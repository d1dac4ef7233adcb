# SPDX-License-Identifier: Apache-2.0
# One function for every room: the folder's *.cc make a library, its *_test.cc one test program.

find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(absl CONFIG REQUIRED)
find_package(Protobuf REQUIRED)
find_package(prometheus-cpp CONFIG REQUIRED)
find_package(GTest REQUIRED)
find_package(CLI11 CONFIG REQUIRED)
find_package(CURL REQUIRED)
find_package(Boost REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(spdlog CONFIG REQUIRED)
pkg_check_modules(NATS REQUIRED IMPORTED_TARGET libnats)
pkg_check_modules(YAML REQUIRED IMPORTED_TARGET yaml-0.1)
pkg_check_modules(ONIG REQUIRED IMPORTED_TARGET oniguruma)
pkg_check_modules(SQLITE REQUIRED IMPORTED_TARGET sqlite3)
pkg_check_modules(PQ REQUIRED IMPORTED_TARGET libpq)
find_package(ZLIB REQUIRED)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)

add_library(jaque_options INTERFACE)
target_compile_options(jaque_options INTERFACE -Wall -Wextra -Werror -fno-omit-frame-pointer)
target_include_directories(jaque_options INTERFACE ${PROJECT_SOURCE_DIR}
                           ${PROJECT_BINARY_DIR}/proto)
if(SANITIZE)
  target_compile_options(jaque_options INTERFACE -fsanitize=${SANITIZE} -fno-sanitize-recover=all)
  target_link_options(jaque_options INTERFACE -fsanitize=${SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC takes a Boost.Optional in Beast's parser for uninitialized where it instruments it.
    target_compile_options(jaque_options INTERFACE -Wno-maybe-uninitialized)
  endif()
  if(SANITIZE STREQUAL "thread")
    # Locks that the sanitizer can see; why is said in the header.
    target_include_directories(jaque_options BEFORE INTERFACE
                               ${PROJECT_SOURCE_DIR}/cmake/thread_sanitizer)
    target_compile_options(jaque_options INTERFACE
                           -include ${PROJECT_SOURCE_DIR}/cmake/thread_sanitizer/first.h)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_compile_options(jaque_options INTERFACE -Wno-tsan)  # fences of Boost.Asio
    endif()
  endif()
endif()

# jaque_room(NAME [DEPS room...] [LIBS library...])
# Rooms name each other by folder: DEPS base expression. Tests of a room lie beside its source and
# may also use the libraries named in TEST_LIBS.
function(jaque_room NAME)
  cmake_parse_arguments(ROOM "" "" "DEPS;LIBS;TEST_LIBS" ${ARGN})
  file(GLOB SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  set(TESTS ${SOURCES})
  list(FILTER SOURCES EXCLUDE REGEX "(_test|/main)\\.cc$")
  list(FILTER TESTS INCLUDE REGEX "_test\\.cc$")
  list(TRANSFORM ROOM_DEPS PREPEND jaque_)
  if(SOURCES)
    add_library(jaque_${NAME} STATIC ${SOURCES})
    target_link_libraries(jaque_${NAME} PUBLIC jaque_options ${ROOM_DEPS} ${ROOM_LIBS})
  else()
    add_library(jaque_${NAME} INTERFACE)
    target_link_libraries(jaque_${NAME} INTERFACE jaque_options ${ROOM_DEPS} ${ROOM_LIBS})
  endif()
  if(TESTS)
    add_executable(jaque_${NAME}_test ${TESTS})
    target_link_libraries(jaque_${NAME}_test PRIVATE jaque_${NAME} ${ROOM_TEST_LIBS}
                          GTest::gmock GTest::gtest_main)
    add_test(NAME unit_${NAME} COMMAND jaque_${NAME}_test)
    set_tests_properties(unit_${NAME} PROPERTIES TIMEOUT 300)
  endif()
endfunction()
