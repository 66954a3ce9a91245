#!/bin/sh
# Tensors in gdb and lldb: what core/package/debugger/tapegrad_debugger.py shows is what t_print prints, for a program
# with -g and the library without it, static and shared; NULL, a dead tensor and other memory are named as such. A
# debugger that is missing, has no Python or may not run programs is left out.
# CC=gcc check_debugger.sh BUILD
set -eu
script=core/package/debugger/tapegrad_debugger.py out=$1/debugger
cc=${CC:-cc}
mkdir -p "$out"
say() { echo "check_debugger: $*"; exit 1; }

# values FILE: the texts between <<< and >>>, and their number in $count.
values() { awk '/^<<<$/ { on = 1 } on { print } /^>>>$/ { on = 0 }' "$1"; }

# compare DEBUGGER LINKED: the debugger's output is in $out/debugger.
compare() {
    values "$out/debugger" | sed 's/^shape (.*), [a-z0-9]*: \(tensor(\|Parameter \)/\1/' > "$out/seen"
    values "$out/program" > "$out/printed"
    diff -u "$out/printed" "$out/seen" || say "$1 shows other values than t_print ($2)"
    grep -qxF 'shape (3, 2), float32: tensor([[1., 4.],' "$out/debugger" || say "$1 shows no shape ($2)"
    sed -n 's/^refused://p' "$out/debugger" > "$out/refused"
    printf '%s\n' '<NULL>' '<not a live tensor>' '<not a live tensor>' '<no tensor: memory at 0x10 is not readable>' |
        diff -u - "$out/refused" || say "$1: what is no tensor is not refused ($2)"
}

run_gdb() {
    cat > "$out/commands" <<COMMANDS
set pagination off
set width 0
set debuginfod enabled off
source $script
break shown
commands
silent
echo <<<\n
output x
echo \n>>>\n
continue
end
break refused
commands
silent
echo refused:
output x
echo \n
continue
end
run > $out/program
COMMANDS
    timeout 120 gdb -nx -batch -x "$out/commands" "$1" < /dev/null > "$out/debugger" 2>&1
}

run_lldb() {
    cat > "$out/commands" <<COMMANDS
command script import $script
breakpoint set --name shown
breakpoint set --name refused
process launch --stdout $out/program
COMMANDS
    awk 'BEGIN { for (i = 0; i < 40; i++) print "script stop.show()\ncontinue" }' >> "$out/commands"
    cat > "$out/stop.py" <<'PYTHON'
import lldb
def show():
    frame = lldb.debugger.GetSelectedTarget().GetProcess().GetSelectedThread().GetSelectedFrame()
    if frame.GetFunctionName() == "shown":
        print("<<<\n" + frame.FindVariable("x").GetSummary() + "\n>>>")
    elif frame.GetFunctionName() == "refused":
        print("refused:" + frame.FindVariable("x").GetSummary())
PYTHON
    sed -i "1i command script import $out/stop.py" "$out/commands"
    timeout 120 lldb -x -b -s "$out/commands" "$1" < /dev/null > "$out/debugger" 2>&1 || true
}

# Whether a debugger is there, has Python, and may start a program.
gdb_works() { gdb -nx -batch -ex 'python print(6 * 7)' -ex run /bin/true 2>&1 |
    grep -c '^42$\|exited normally' | grep -qx 2; }
lldb_works() { lldb -x -b -o 'script import lldb; print(6 * 7)' -o run /bin/true 2>&1 |
    grep -c '^42$\|exited with status = 0' | grep -qx 2; }

# Debian's lldb does not find its Python module by itself.
for folder in /usr/lib/llvm-*/lib/python3*/*-packages; do
    [ ! -d "$folder/lldb" ] || export PYTHONPATH="$folder${PYTHONPATH:+:$PYTHONPATH}"
done

$cc -std=gnu11 -g -O0 -I. tests/programs/debugged_tensors.c "$1/libtapegrad.a" -lm -lpthread -o "$out/static"
$cc -std=gnu11 -g -O0 -I. tests/programs/debugged_tensors.c -L"$1" -ltapegrad -lm -lpthread \
    -Wl,-rpath,"$(realpath "$1")" -o "$out/shared"
tested=
for debugger in gdb lldb; do
    command -v $debugger >/dev/null && ${debugger}_works || continue
    for linked in static shared; do
        run_$debugger "$out/$linked"
        compare $debugger $linked
    done
    tested="$tested $debugger"
done
[ -n "$tested" ] || { echo "check_debugger: skipped, there is neither gdb nor lldb"; exit 0; }
echo "check_debugger: $(grep -c '^<<<' "$out/seen") tensors as t_print shows them:$tested"
