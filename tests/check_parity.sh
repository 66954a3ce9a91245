#!/bin/sh
# Every function of the public headers stands on examples/PARITY.md, which tests/golden/parity.py writes: a new name without a
# place there fails. (What the macros alone call ends in an underscore after "of" and is not a user's.)
set -eu
page=examples/PARITY.md
missing=0 count=0
for name in $(cat core/*.h core/data/*.h core/io/*.h nn/*.h optim/*.h | sed -n 's/^T_API[^(]*[ *]\([a-z_A-Z0-9]*\)(.*/\1/p' | sed 's/_new$//' | grep -v '_of_$' | sort -u); do
    count=$((count + 1))
    short=${name#*_}
    case $name in nn_init_* | nn_utils_* | t_autograd_*) short=${short#*_} ;; esac
    grep -qF -e "\`$name\`" -e "\`$short\`" $page || { echo "check_parity: $name is not on $page; run tests/golden/parity.py"; missing=1; }
done
[ "$count" -gt 500 ] && [ $missing = 0 ] || exit 1
echo "check_parity: $count public functions stand on $page"
