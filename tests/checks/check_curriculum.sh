#!/bin/sh
# train_classifier --curriculum must learn its task, not only with a lucky seed: at least 0.98 on fresh samples, for
# each seed under each instruction set (the last bits differ between them, so each is another run).
# Usage: tests/checks/check_curriculum.sh BUILD [SEED...]; without seeds, the default one.
set -eu
build=$1
shift
[ $# -gt 0 ] || set -- 42
isas="baseline avx2 avx512"
case $(uname -m) in x86_64 | amd64) ;; *) isas=baseline ;; esac
failed=0
for isa in $isas; do
    [ "$isa" = baseline ] || grep -q "$isa" /proc/cpuinfo || { echo "no $isa on this processor: skipped"; continue; }
    for seed in "$@"; do
        accuracy=$(TAPEGRAD_ISA=$isa "$build/examples/train_classifier" --curriculum --seed "$seed" 2> /dev/null |
            sed -n 's/^accuracy //p')
        echo "curriculum, $isa, seed $seed: accuracy ${accuracy:-none}"
        awk "BEGIN { exit !(${accuracy:-0} >= 0.98) }" || failed=1
    done
done
[ $failed = 0 ] || echo "check_curriculum: less than 0.98"
exit $failed
