#!/bin/sh
# A training run that is killed with SIGKILL again and again, at random moments, resumes from its checkpoint each time
# and ends with the bits of one that was not: the last checkpoint (parameters, Adam's moments, the schedule, the random
# generator, the curves) and the output after the epochs. Dropout, a shuffled loader that is interrupted in the middle
# of its epoch, a warm-up.
# Usage: tests/checks/check_resume.sh BUILD [KILLS]
set -eu
build=$1 kills=${2:-50}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
train="$build/examples/train_classifier --samples 1500 --epochs 3 --dropout 0.1 --every 3 --threads 1"

$train --checkpoint "$folder/uninterrupted" > "$folder/uninterrupted.txt" 2> /dev/null
sed '/^epoch/d' "$folder/uninterrupted.txt" > "$folder/expected.txt"

compare() {
    sed '/^epoch/d' "$folder/cut.txt" > "$folder/got.txt"
    cmp "$folder/uninterrupted" "$folder/cut" && cmp "$folder/expected.txt" "$folder/got.txt" || {
        echo "check_resume: after $done kills the run ended differently"
        exit 1
    }
    runs=$((runs + 1))
    rm -f "$folder/cut"
}

done=0 runs=0 found=0
while [ "$done" -lt "$kills" ]; do
    $train --checkpoint "$folder/cut" --resume > "$folder/cut.txt" 2> "$folder/errors.txt" &
    run=$!
    sleep "0.$(od -An -N2 -tu2 /dev/urandom | awk '{ printf "%03d", 10 + $1 % 350 }')"
    kill -KILL $run 2> /dev/null || true
    status=0
    wait $run 2> /dev/null || status=$?
    case $status in
    137)
        done=$((done + 1))
        [ ! -f "$folder/cut" ] || found=$((found + 1))
        ;;
    0) compare ;; # it ended before the kill
    *)
        echo "check_resume: the run did not resume:"
        cat "$folder/errors.txt"
        exit 1
        ;;
    esac
done
$train --checkpoint "$folder/cut" --resume > "$folder/cut.txt" 2> "$folder/errors.txt" || {
    cat "$folder/errors.txt"
    exit 1
}
compare
# The first checkpoint of --curriculum is written in its last stage: a resumed run does not repeat the stages before,
# and goes on with the last one's optimizer and schedule. A vocabulary of 2 has one token, 1, so that every stage is
# short.
train="$build/examples/train_classifier --curriculum --vocab 2 --d-model 8 --heads 2 --layers 1 --d-ff 16"
train="$train --batch-size 16 --samples 20000 --every 50 --threads 1"
$train --checkpoint "$folder/uninterrupted" > "$folder/uninterrupted.txt" 2> /dev/null
sed '/^epoch/d; /^length/d' "$folder/uninterrupted.txt" > "$folder/expected.txt"
$train --checkpoint "$folder/cut" --resume > "$folder/cut.txt" 2> "$folder/errors.txt" &
run=$!
until [ -f "$folder/cut" ] || ! kill -0 $run 2> /dev/null; do sleep 0.02; done
kill -KILL $run 2> /dev/null || true
status=0
wait $run 2> /dev/null || status=$?
done=$((done + 1)) found=$((found + 1))
[ $status = 137 ] || { echo "check_resume: the curriculum was over before the kill: status $status"; exit 1; }
$train --checkpoint "$folder/cut" --resume > "$folder/cut.txt" 2> "$folder/errors.txt" || {
    cat "$folder/errors.txt"
    exit 1
}
! grep -q '^length' "$folder/cut.txt" || { echo "check_resume: the curriculum's stages were repeated"; exit 1; }
compare
echo "check_resume: killed $done times, $found times with a checkpoint;" \
    "$runs runs ended with the bits of an uninterrupted one"
