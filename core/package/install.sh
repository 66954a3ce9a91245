#!/bin/sh
# make install and make uninstall, from the root of the tree: public headers, both libraries, what pkg-config and CMake
# read, and what shows tensors in gdb and lldb.
#     install.sh BUILD ABI      with PREFIX, LIBDIR, INCLUDEDIR and DESTDIR in the environment; LIBDIR and INCLUDEDIR
#                               may be below PREFIX; ABI is the end of the library's soname, libtapegrad.so.ABI
#     install.sh --remove ABI   the same files again, and the folders that are ours
set -eu
umask 022 # everybody may read what is installed, whatever the umask of who installs it
# What pkg-config and CMake read is read from anywhere: a PREFIX that begins at the current folder is written in full;
# the other two begin at the prefix, as CMake has it.
case $PREFIX in /* | "") ;; *) PREFIX=$PWD/$PREFIX ;; esac
case $LIBDIR in /*) ;; *) LIBDIR=$PREFIX/$LIBDIR ;; esac
case $INCLUDEDIR in /*) ;; *) INCLUDEDIR=$PREFIX/$INCLUDEDIR ;; esac
include=$INCLUDEDIR/tapegrad
cmake=$LIBDIR/cmake/tapegrad
version=$(sed -n 's/^#define TAPEGRAD_VERSION_[A-Z]* //p' core/tensor/api.h | paste -sd. -)
abi=$2

if [ "$1" = --remove ]; then
    for header in $(core/package/headers.sh) tapegrad.h; do rm -f "$DESTDIR$include/$header"; done
    [ ! -d "$DESTDIR$include" ] || find "$DESTDIR$include" -depth -type d -exec rmdir {} + 2>/dev/null || true
    rm -f "$DESTDIR$LIBDIR/libtapegrad.a" "$DESTDIR$LIBDIR/libtapegrad.so" "$DESTDIR$LIBDIR/libtapegrad.so.$abi" \
        "$DESTDIR$LIBDIR/libtapegrad.so.$version" "$DESTDIR$LIBDIR/pkgconfig/tapegrad.pc"
    rm -f "$DESTDIR$cmake/tapegrad-config.cmake" "$DESTDIR$cmake/tapegrad-config-version.cmake"
    rm -f "$DESTDIR$LIBDIR/tapegrad/tapegrad_debugger.py"
    rmdir "$DESTDIR$LIBDIR/tapegrad" 2>/dev/null || true
    rmdir "$DESTDIR$cmake" 2>/dev/null || true
    exit
fi

build=$1
mkdir -p "$DESTDIR$include" "$DESTDIR$LIBDIR/pkgconfig" "$DESTDIR$LIBDIR/tapegrad" "$DESTDIR$cmake"
for header in $(core/package/headers.sh); do
    mkdir -p "$DESTDIR$include/$(dirname "$header")"
    install -m 644 "$header" "$DESTDIR$include/$header"
done
{
    echo '/* tapegrad.h: everything that the library has; or include the headers below one by one. */'
    echo '#ifndef TAPEGRAD_H'
    echo '#define TAPEGRAD_H'
    echo
    core/package/headers.sh --faces | sed 's/.*/#include "&"/'
    echo
    echo '#endif'
} > "$DESTDIR$include/tapegrad.h"
install -m 644 "$build/libtapegrad.a" "$DESTDIR$LIBDIR/libtapegrad.a"
install -m 755 "$build/libtapegrad.so" "$DESTDIR$LIBDIR/libtapegrad.so.$version"
ln -sf "libtapegrad.so.$version" "$DESTDIR$LIBDIR/libtapegrad.so.$abi"
ln -sf "libtapegrad.so.$abi" "$DESTDIR$LIBDIR/libtapegrad.so"
install -m 644 core/package/debugger/tapegrad_debugger.py "$DESTDIR$LIBDIR/tapegrad/tapegrad_debugger.py"

# A path below the prefix is written as one, so that the tree may be moved (pkg-config --define-prefix).
below() {
    case $1 in "$PREFIX"/*) echo "\${prefix}/${1#"$PREFIX"/}" ;; *) echo "$1" ;; esac
}
cat > "$DESTDIR$LIBDIR/pkgconfig/tapegrad.pc" <<END
prefix=$PREFIX
libdir=$(below "$LIBDIR")
includedir=$(below "$INCLUDEDIR")

Name: tapegrad
Description: Tensors, autograd and Transformers in C, in PyTorch's words and with its numbers
Version: $version
Cflags: -I"\${includedir}/tapegrad"
Libs: -L"\${libdir}" -ltapegrad
Libs.private: -lm -lpthread
END

# From the folder of the CMake files to the headers: relative where both are below the prefix, for the same reason.
case "$LIBDIR/ $INCLUDEDIR/" in
"$PREFIX"/*" $PREFIX"/*)
    up=$(echo "${cmake#"$PREFIX"/}" | sed 's|[^/][^/]*|..|g')
    headers="\${_tapegrad_here}/$up/${include#"$PREFIX"/}"
    ;;
*) headers=$include ;;
esac
cat > "$DESTDIR$cmake/tapegrad-config.cmake" <<END
# find_package(tapegrad), then target_link_libraries(program tapegrad::tapegrad), or tapegrad::tapegrad_static.
set(CMAKE_THREAD_PREFER_PTHREAD_FLAG FALSE)
include(CMakeFindDependencyMacro)
find_dependency(Threads)
get_filename_component(_tapegrad_here "\${CMAKE_CURRENT_LIST_DIR}" REALPATH) # /lib may be a link to /usr/lib
get_filename_component(_tapegrad_libraries "\${_tapegrad_here}/../.." ABSOLUTE)
get_filename_component(_tapegrad_headers "$headers" ABSOLUTE)
if(NOT TARGET tapegrad::tapegrad)
    add_library(tapegrad::tapegrad SHARED IMPORTED)
    set_target_properties(tapegrad::tapegrad PROPERTIES
        IMPORTED_LOCATION "\${_tapegrad_libraries}/libtapegrad.so.$version"
        IMPORTED_SONAME "libtapegrad.so.$abi"
        INTERFACE_INCLUDE_DIRECTORIES "\${_tapegrad_headers}")
    add_library(tapegrad::tapegrad_static STATIC IMPORTED)
    set_target_properties(tapegrad::tapegrad_static PROPERTIES
        IMPORTED_LOCATION "\${_tapegrad_libraries}/libtapegrad.a"
        INTERFACE_INCLUDE_DIRECTORIES "\${_tapegrad_headers}"
        INTERFACE_LINK_LIBRARIES "m;Threads::Threads")
endif()
unset(_tapegrad_here)
unset(_tapegrad_libraries)
unset(_tapegrad_headers)
END
# Programs find the versions that have their soname: before 1.0 those of one minor version, after it of one major
# version.
cat > "$DESTDIR$cmake/tapegrad-config-version.cmake" <<END
set(PACKAGE_VERSION "$version")
if(NOT "\${PACKAGE_FIND_VERSION}." MATCHES "^$(echo "$abi" | sed 's/\./[.]/g')[.]"
   AND NOT PACKAGE_FIND_VERSION STREQUAL "${version%%.*}")
    set(PACKAGE_VERSION_COMPATIBLE FALSE)
elseif(PACKAGE_FIND_VERSION VERSION_GREATER PACKAGE_VERSION)
    set(PACKAGE_VERSION_COMPATIBLE FALSE)
elseif(PACKAGE_FIND_VERSION_RANGE AND (PACKAGE_VERSION VERSION_GREATER PACKAGE_FIND_VERSION_MAX
       OR (PACKAGE_FIND_VERSION_RANGE_MAX STREQUAL "EXCLUDE"
           AND PACKAGE_VERSION VERSION_EQUAL PACKAGE_FIND_VERSION_MAX)))
    set(PACKAGE_VERSION_COMPATIBLE FALSE) # find_package(tapegrad 0.1...<0.1.4)
else()
    set(PACKAGE_VERSION_COMPATIBLE TRUE)
    if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
        set(PACKAGE_VERSION_EXACT TRUE)
    endif()
endif()
END
