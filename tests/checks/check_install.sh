#!/bin/sh
# A program against an installed copy of the library, as its users build it: by pkg-config, shared and static, by CMake
# where there is one, from a copy that was moved, from a prefix given as a relative path; each must print what
# README.md's first program prints. The installed headers alone in each C and C++, and what uninstall leaves. Usage:
# tests/checks/check_install.sh build
set -eu
build=$1
case $build in /*) ;; *) build=$PWD/$build ;; esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
say() { echo "check_install: $*"; exit 1; }
: "${CC:=cc}" "${CXX:=c++}"
warnings="-Wall -Wextra -Wpedantic -Werror"

# The first program of README.md and what it prints.
awk -v out="$work" '/^```c$/ { file = out "/demo.c"; next } /^```text$/ { file = out "/demo.text"; next }
    /^```/ { if (file ~ /text$/) exit; file = ""; next } file { print > file }' README.md
grep -q main "$work/demo.c" && [ -s "$work/demo.text" ] || say "README.md begins with no program"
# Its first line, like /* neuron.c */, is the name of the file, which the program prints.
program=$(sed -n '1s|^/\* \(.*\) \*/$|\1|p' "$work/demo.c")
: "${program:=demo.c}"
mkdir "$work/one_header"
[ "$program" = demo.c ] || mv "$work/demo.c" "$work/$program"
runs() { # HOW COMMAND...
    how=$1
    shift
    "$@" > "$work/printed" 2>&1 || { cat "$work/printed"; say "$how: does not run"; }
    diff -u "$work/demo.text" "$work/printed" || say "$how: prints something else"
}

prefix=$work/usr
make -s --no-print-directory BUILD="$1" PREFIX="$prefix" LIBDIR=lib/multi install
! make -n --no-print-directory BUILD="$1" CFLAGS="-O3 -g" PREFIX="$prefix" install | grep -q '^  CC ' ||
    say "make install with other flags builds the library again"
lib=$prefix/lib/multi
version=$(sed -n 's/^#define TAPEGRAD_VERSION_[A-Z]* //p' core/tensor/api.h | paste -sd. -)
# Before 1.0 a new minor version breaks programs.
case $version in 0.*) abi=${version%.*} ;; *) abi=${version%%.*} ;; esac
[ "$(readlink "$lib/libtapegrad.so")" = "libtapegrad.so.$abi" ] ||
    say "libtapegrad.so is no link to the version that programs need"
readelf -d "$lib/libtapegrad.so" | grep -q "SONAME.*\[libtapegrad.so.$abi\]" || say "the library has no soname"
[ -z "$(find "$prefix/include" -name '*internal*' -o -name 'kernels')" ] || say "internal headers were installed"

export PKG_CONFIG_PATH="$lib/pkgconfig"
[ "$(pkg-config --modversion tapegrad)" = "$version" ] || say "tapegrad.pc has another version than core/tensor/api.h"
$CC -std=c11 $warnings "$work/$program" $(pkg-config --cflags --libs tapegrad) -o "$work/shared"
LD_LIBRARY_PATH=$lib runs "shared" "$work/shared"
readelf -d "$work/shared" | grep -q "NEEDED.*\[libtapegrad.so.$abi\]" || say "shared: linked with something else"
$CC -std=c11 $warnings "$work/$program" -static $(pkg-config --static --cflags --libs tapegrad) -o "$work/static"
runs "static" "$work/static"
sed 's|"core/core.h"|<tapegrad.h>|; /nn\/nn.h\|optim\/optim.h/d' "$work/$program" > "$work/one_header/$program"
$CC -std=c11 $warnings "$work/one_header/$program" $(pkg-config --cflags tapegrad) "$lib/libtapegrad.a" -lm -lpthread \
    -o "$work/umbrella"
runs "tapegrad.h" "$work/umbrella"
if command -v "$CXX" >/dev/null; then
    $CXX -std=c++11 $warnings tests/programs/headers.cpp $(pkg-config --cflags --libs tapegrad) -o "$work/plain"
    LD_LIBRARY_PATH=$lib "$work/plain" || say "the program in C++ fails"
fi

# Moved: what pkg-config and CMake read follows.
mv "$prefix" "$work/moved"
export PKG_CONFIG_PATH="$work/moved/lib/multi/pkgconfig"
flags=$(pkg-config --define-variable=prefix="$work/moved" --cflags --libs tapegrad)
$CC -std=c11 $warnings "$work/$program" $flags -Wl,-rpath,"$work/moved/lib/multi" -o "$work/moved_shared"
runs "moved" "$work/moved_shared"
if command -v cmake >/dev/null; then
    mkdir "$work/cmake"
    cat > "$work/cmake/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.10)
project(demo C)
find_package(tapegrad REQUIRED)
find_package(tapegrad ${version%.*} REQUIRED)
add_executable(shared ../$program)
target_link_libraries(shared tapegrad::tapegrad)
add_executable(static ../one_header/$program)
target_link_libraries(static tapegrad::tapegrad_static)
if(NOT CMAKE_VERSION VERSION_LESS 3.19)
    find_package(tapegrad ${version%.*}...<99 REQUIRED)
endif()
find_package(tapegrad 99 QUIET)
if(tapegrad_FOUND)
    message(FATAL_ERROR "version 99 was found")
endif()
END
    mkdir "$work/merged" && ln -s "$work/moved/lib" "$work/merged/lib" # as /lib is one to /usr/lib
    if ! { cmake -S "$work/cmake" -B "$work/cmake/build" -DCMAKE_C_COMPILER="$CC" \
        -Dtapegrad_DIR="$work/merged/lib/multi/cmake/tapegrad" &&
        cmake --build "$work/cmake/build"; } > "$work/cmake/log" 2>&1; then
        cat "$work/cmake/log"
        say "CMake fails"
    fi
    runs "CMake, shared" "$work/cmake/build/shared"
    runs "CMake, static" "$work/cmake/build/static"
    cmake=" CMake,"
else
    cmake=" (no cmake here)"
fi

# What packagers add to every build.
flags=$(make -n --no-print-directory BUILD="$1" CPPFLAGS=-DPACKAGED LDFLAGS=-Wl,-z,now -W core/ops/dict.c \
    "$1/libtapegrad.so")
case $flags in *-DPACKAGED*-Wl,-z,now*) ;; *) say "CPPFLAGS or LDFLAGS are ignored" ;; esac

# Each header alone, in each language.
mkdir "$work/alone"
for header in $(cd "$work/moved/include/tapegrad" && find . -name '*.h' | sed 's|^\./||'); do
    echo "#include \"$header\"" > "$work/alone/$(echo "$header" | tr / _).c"
done
alone="$warnings -I $work/moved/include/tapegrad -fsyntax-only"
for standard in c99 c11 c17 c2x; do
    $CC -std=$standard $alone "$work"/alone/*.c || say "a header alone fails as $standard"
done
for standard in c++11 c++14 c++17 c++20; do
    command -v "$CXX" >/dev/null || break
    $CXX -std=$standard $alone -x c++ "$work"/alone/*.c || say "a header alone fails as $standard"
done
headers=$(ls "$work/alone" | wc -l)

# A prefix that begins at the current folder: what was installed is found from another one, too.
up=$(echo "$PWD" | sed 's|/[^/]*|../|g')${work#/}
make -s --no-print-directory BUILD="$1" PREFIX="$up/near" INCLUDEDIR="$work/headers" install
(
    cd "$work"
    export PKG_CONFIG_PATH="$work/near/lib/pkgconfig"
    $CC -std=c11 $warnings $program $(pkg-config --cflags --libs tapegrad) -Wl,-rpath,"$work/near/lib" -o near_shared
) || say "installed under a relative prefix: is not found from elsewhere"
runs "relative" "$work/near_shared"
grep -q "_tapegrad_headers \"/.*/headers/tapegrad\"" "$work/near/lib/cmake/tapegrad/tapegrad-config.cmake" ||
    say "CMake's file does not name the headers"
make -s --no-print-directory PREFIX="$up/near" INCLUDEDIR="$work/headers" uninstall

# A staged installation has the paths of its prefix, not of the stage; whoever installs it and whatever the folder is
# called, everybody can read it and pkg-config gives one word per flag; uninstall removes both.
where="/opt/some where"
(umask 077 && make -s --no-print-directory BUILD="$1" PREFIX="$where" DESTDIR="$work/stage" install)
! grep -rq "$work" "$work/stage$where/lib/pkgconfig" "$work/stage$where/lib/cmake" ||
    say "the stage's path is in the installed files"
hidden=$(find "$work/stage/opt" ! -type l ! -perm -a=r -o -type d ! -perm -a=x)
[ -z "$hidden" ] || say "not everybody may read $hidden"
eval "set -- \"\$1\" $(PKG_CONFIG_PATH="$work/stage$where/lib/pkgconfig" pkg-config --cflags --libs tapegrad)"
[ "$2" = "-I$where/include/tapegrad" ] && [ "$3" = "-L$where/lib" ] || say "pkg-config gives $2 and $3"
make -s --no-print-directory PREFIX="$where" DESTDIR="$work/stage" uninstall
make -s --no-print-directory PREFIX="$work/moved" LIBDIR="$work/moved/lib/multi" uninstall
for folder in stage moved near headers; do
    left=$(find "$work/$folder" ! -type d -o -name '*tapegrad*')
    [ -z "$left" ] || say "uninstall leaves $left"
done
echo "check_install: pkg-config,$cmake shared, static, moved, staged and at a relative prefix;" \
    "$headers headers alone in C99 to C23 and C++11 to C++20"
