#!/bin/sh
# Examples of outputs that same_output accepts and rejects. Usage: tests/checks/check_same_output.sh build
set -eu
build=$1 failed=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# is same|different RECORDED PRINTED [BAND...]
is() {
    expected=$1 recorded=$2 printed=$3 status=0
    shift 3
    printf '%s\n' "$recorded" > "$folder/recorded"
    printf '%s\n' "$printed" > "$folder/printed"
    "$build/tests/same_output" "$folder/recorded" "$folder/printed" "$@" > "$folder/said" || status=$?
    case $status in 0) found=same ;; 1) found=different ;; *) exit 1 ;; esac
    [ "$found" = "$expected" ] || { echo "check_same_output: '$recorded' and '$printed' are $found"; failed=1; }
}

is same 'loss 0.50' 'loss 0.51'
is same '10.00 and 1.5e-05' ' 9.99 and 1.6e-05'
is same 'x -0.00' 'x  0.00'
is same 'tensor([-0.0000,  0.5000])' 'tensor([0.0000, 0.5000])'
is same 'tensor([1.0000, 2.0000])' 'tensor([1., 2.])'
is same '[1.0001]' '[1.]'
is same 'a ▒b' 'a ▓b'
is different 'loss 0.50' 'loss 0.52'
is different 'loss 0.50' 'loss -0.50'
is different '1.5e-05' '1.5e-04'
is different '1.50' '1.5'
is different 'nan' '0.0'
is different '[1.0002]' '[1.]'
is different 'step 12' 'step 13'
is different 'tensor([4., 5.])' 'tensor([4., 6.])'
is different 'a 5' 'a  5'
is different '  5' '5'
is different 'x   0.5' 'x 0.5'
is different 'q1.5' 'q1.6'
is different 'a ░b' 'a ▓b'
is different 'one
two' 'one'
is same 'loss 2.00
loss 2.00' 'loss 2.01
loss 2.18' 2-:0.1
is same 'loss 2.00
loss 2.00' 'loss 2.18
loss 2.60' 1-1:0.1 2-:0.4
is different 'loss 2.00
loss 2.00' 'loss 2.01
loss 2.22' 2-:0.1
is different 'loss 2.00
loss 2.00' 'loss 2.02
loss 2.18' 2-:0.1
is different 'loss 2.00
loss 2.00' 'loss 2.18
loss 2.18' 1-1:0.1
is different 'step 20' 'step 21' 1-:0.1
[ $failed = 0 ] && echo "check_same_output: every example is judged as expected"
exit $failed
