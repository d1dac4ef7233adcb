# SPDX-License-Identifier: Apache-2.0
# jaque_python_test(NAME SCRIPT): a test of the built binary, with Debian's python3 and its
# packages.
include_guard(GLOBAL)
find_program(JAQUE_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH REQUIRED)

function(jaque_python_test NAME SCRIPT)
  add_test(NAME ${NAME} COMMAND ${JAQUE_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/${SCRIPT})
  set(PATIENCE 60)
  if(SANITIZE)
    set(PATIENCE 300)
  endif()
  set_tests_properties(
    ${NAME} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900
    ENVIRONMENT
    "JAQUE_BINARY=$<TARGET_FILE:jaque>;JAQUE_TEST_PATIENCE=${PATIENCE};PYTHONDONTWRITEBYTECODE=1")
endfunction()
