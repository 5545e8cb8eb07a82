# What every target of mesim shares: warnings, libraries, the precompiled header, and `mesim_room`.

find_program(MESIM_CCACHE ccache)
if(MESIM_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Precompiled headers need these two; base_dir lets checkouts in other folders share the cache.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
      CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${MESIM_CCACHE})
endif()

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(ZLIB REQUIRED)
find_package(LibLZMA REQUIRED)
find_package(BZip2 REQUIRED)
find_package(Boost 1.74 REQUIRED COMPONENTS iostreams)
# Debian's SystemC has no CMake package; its pkg-config file is complete.
pkg_check_modules(SystemC REQUIRED IMPORTED_TARGET systemc)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(SQLite REQUIRED IMPORTED_TARGET sqlite3)

add_library(mesim_options INTERFACE)
target_compile_options(mesim_options INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor -fno-strict-overflow)
target_include_directories(mesim_options INTERFACE ${CMAKE_SOURCE_DIR}/src)
target_link_libraries(mesim_options INTERFACE fmt::fmt Threads::Threads)
target_compile_definitions(mesim_options INTERFACE MESIM_VERSION="${PROJECT_VERSION}")

# SystemC, for the few files that host the engine. Debian builds it as C++17 and its library checks that
# the user's language level is the same; the interface is the same under C++20, so the check is off.
add_library(mesim_systemc INTERFACE)
target_link_libraries(mesim_systemc INTERFACE PkgConfig::SystemC)
target_compile_definitions(mesim_systemc INTERFACE SC_DISABLE_API_VERSION_CHECK)

# One precompiled header of standard headers and fmt, built once and shared by all rooms.
add_library(mesim_pch STATIC ${CMAKE_SOURCE_DIR}/cmake/pch.cpp)
target_link_libraries(mesim_pch PUBLIC mesim_options)
target_precompile_headers(mesim_pch PRIVATE ${CMAKE_SOURCE_DIR}/cmake/pch.hpp)

# mesim_room(NAME SOURCES ... USES ...): one room of docs/architecture.md as a static library.
function(mesim_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;USES" ${ARGN})
  add_library(mesim_${name} STATIC ${ROOM_SOURCES})
  target_link_libraries(mesim_${name} PUBLIC mesim_options)
  foreach(use IN LISTS ROOM_USES)
    target_link_libraries(mesim_${name} PUBLIC ${use})
  endforeach()
  target_precompile_headers(mesim_${name} REUSE_FROM mesim_pch)
endfunction()
