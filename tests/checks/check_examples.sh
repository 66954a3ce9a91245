#!/bin/sh
# Runs every example with short fixed options and compares its output with the recorded one: text exactly, numbers
# within one unit of the last printed digit (tests/programs/same_output.c). check_examples.sh BUILD; with --keep it
# records again, except for examples/pytorch: what those print was recorded from PyTorch (tests/golden/pytorch/run.py).
set -eu
build=$1 keep=${2:-}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0
# The last bits depend on the instruction set (as PyTorch's do): the recorded outputs were printed with AVX2.
export TAPEGRAD_ISA="${TAPEGRAD_ISA:-avx2}"

# compare KEPT BAND... -- EXAMPLE ARGUMENTS...: runs one example; what a line of the list below ends in.
if [ "$keep" = compare ] || [ "$keep" = record ]; then
    kept=$3 bands=
    shift 3
    while [ "$1" != -- ]; do bands="$bands $1"; shift; done
    shift
    example=$1
    shift
    if ! "$build/examples/$example" "$@" > "$folder/printed" 2> "$folder/errors"; then
        echo "$example $*: failed"
        cat "$folder/errors"
        exit 1
    elif [ "$keep" = record ]; then
        cp "$folder/printed" "$kept"
    else
        "$build/tests/same_output" "$kept" "$folder/printed" $bands
        echo "  SAME $kept"
    fi
    exit
fi

# port NAME [BAND...]: a port of PyTorch's own tutorial against what PyTorch prints. Training amplifies the rounding of
# sums that are added up in another order: in the lines of a band, 33-36:0.005, numbers with decimals may differ by that
# part; of two bands for a line the first counts.
port() {
    example=pytorch/$1
    shift
    echo "$example" >> "$folder/ran"
    echo "$build compare examples/$example.txt $* -- $example" >> "$folder/list"
}

# run KEPT EXAMPLE ARGUMENTS...
run() {
    kept=examples/$1 example=$2
    shift
    echo "$*" >> "$folder/ran"
    [ "$keep" = --keep ] && action=record || action=compare
    echo "$build $action $kept -- $*" >> "$folder/list"
}

run backprop.txt backprop
run checkpoint.txt checkpoint
run finetune.txt finetune
run encoder_from_scratch/output.txt encoder_from_scratch
run encoder_from_scratch/output_fixed.txt encoder_from_scratch --fixed
run encoder_decoder/output.txt encoder_decoder
run encoder_decoder/output_fixed.txt encoder_decoder --fixed
run notebook/output.txt notebook
run notebook/output_fixed.txt notebook --fixed
run packed_qkv/output.txt packed_qkv
run packed_qkv/output_fixed.txt packed_qkv --fixed
run attention_page/output.txt attention_page
run attention_page/output_fixed.txt attention_page --fixed
run sort_digits/output.txt sort_digits --steps 300
run gpt2/output.txt gpt2 --model tests/golden/files/bpe --prompt people --tokens 40 --temperature 1 --top-k 40 \
    --top-p 0.9 --seed 3
run char_gpt/output.txt char_gpt --steps 150 --every 50 --layers 2 --d-model 64 --heads 2 --context 32 \
    --batch-size 16 --tokens 160
run train_classifier/output.txt train_classifier --samples 2000 --epochs 1
rm -rf build/digits-check build/shapes-check
run tabular/output.txt tabular
run mnist/output.txt mnist --data build/digits-check --digits 600 --epochs 1
run cifar/output.txt cifar --data build/shapes-check --shapes 500 --epochs 1

port learning/learning_with_examples 33-36:0.005 # RMSprop's steps of 0.001 around the minimum
for name in tensors data transforms build_model autograd optimization save_load; do port basics/$name; done
for name in tensors autograd neural_networks cifar10; do port learning/blitz_$name; done
port learning/what_is_nn 18-18:0.03 # where its loss falls fastest
for name in char_rnn_classification char_rnn_generation word_embeddings sequence_models bilstm_crf \
    transformer_language_model; do port text/$name; done
for name in bigrams batch_norm backprop wavenet; do port makemore/$name; done
port makemore/mlp 49-49:0.06 # where the learning rate is too high
for name in fgsm super_resolution siamese_network; do port images/$name; done
for name in jacobians_hessians per_sample_gradients neural_tangent_kernels forward_mode \
    saved_tensors_hooks visualizing_gradients; do port autograd/$name; done
for name in checkpointing tensorboard profiler time_sequence_prediction parametrizations; do port training/$name; done
for name in reinforce actor_critic dqn; do port reinforcement/$name; done
port images/vae 26-26:0.01 4-:0.0005
port images/dcgan 30-:0.02 # Adam divides by the square roots of tiny gradients in the first steps
for name in pruning vision_transformer; do port images/$name; done
# Kinks (of ReLU, max-pool, clamp and grid_sample) amplify rounding: PyTorch's own lines differ as much from one
# instruction set to another, losses while they fall by tens of percents. What a port shows in the end, its accuracies,
# has a narrow band of its own, except spatial_transformer's, which is still learning.
port images/neural_style 28-28:0.0005 29-29:0.005 30-31:0.1 32-32:0.002
port images/spatial_transformer 23-25:0.002 26-26:0.2 27-31:0.02 32-32:0.05 33-37:0.04 38-38:0.15 40-41:0.04
port images/transfer_learning 5-5:0.002 6-9:0.15 12-13:0.25 16-16:0.15 17-29:0.4 30-30:0.005 40-57:0.15 58-58:0.03
port images/knowledge_distillation 2-3:0.2 4-5:0.5 6-6:0.005 15-15:0.02 16-16:0.005 17-17:0.005 18-18:0.005 \
    19-19:0.02 20-23:0.4 24-24:0.02 25-26:0.01 32-33:0.1 34-36:0.4 37-37:0.03 40-41:0.05 42-44:1.2 45-45:0.08 \
    46-47:0.005 48-48:0.02 49-49:0.03 50-50:0.08
port text/annotated_transformer 74-84:0.001 85-:0.05 # Adam divides by the square roots of tiny gradients
port text/seq2seq_translation 50-:0.0005 # attention weights, printed with five digits
for name in bigram lets_build_gpt nanogpt; do port llm/$name; done
for name in text_data attention gpt_architecture pretraining spam_classifier instruction_tuning; do
    port llms_from_scratch/$name
done

# One example per processor at a time: most are too small for threads.
xargs -L 1 -P "$(nproc)" "$0" < "$folder/list" || failed=1

# Output and help fit into 80 columns, except for lines of a module's repr, "(name): ...", and of a tape, "3  add ...".
# wide FILE: the lines that do not; counts bytes other than 10xxxxxx, without combining marks (U+0300).
wide() {
    LC_ALL=C awk '{ text = $0; gsub(/\314[\200-\277]/, "", text); gsub(/[\200-\277]/, "", text) }
        /^ *\([^)]*\): / || /^ *[0-9]+  [a-z_0-9]+  / { next }
        length(text) > 80 { print FILENAME ":" FNR ": " $0; found = 1 }
        END { exit found }' "$1"
}
for kept in examples/*.txt examples/*/output*.txt; do
    wide "$kept" || { echo "$kept: wider than 80 columns"; failed=1; }
done
for example in examples/*/; do
    case $example in examples/lessons/ | examples/pytorch/) continue ;; esac # make lessons-check; no options
    "$build/examples/$(basename "$example")" --help > "$folder/help" 2>&1 ||
        { echo "$example: --help fails: $(cat "$folder/help")"; failed=1; }
    wide "$folder/help" || { echo "$example: help wider than 80 columns"; failed=1; }
done

# A file that cannot be written is an error before the training, which would take minutes; no file is left.
# refused ERROR EXAMPLE ARGUMENTS...
refused() {
    error=$1
    shift
    if timeout 20 "$build/examples/$@" > "$folder/printed" 2> "$folder/errors"; then
        echo "$*: succeeded"
        failed=1
    elif ! grep -q "cannot write $error" "$folder/errors" || [ "$(ls "$folder/kept")" ]; then
        echo "$*: said $(cat "$folder/errors"), left '$(ls "$folder/kept")'"
        failed=1
    fi
}
mkdir "$folder/kept"
# A checkpoint holds the options it was trained with; other options with --resume are refused.
gpt="$build/examples/char_gpt --checkpoint $folder/gpt --steps 2 --every 1 --layers 1 --d-model 8 --context 8"
gpt="$gpt --characters 2000 --tokens 0"
$gpt > /dev/null 2>&1 && $gpt --resume > /dev/null 2>&1 || { echo "$gpt: does not go on"; failed=1; }
for other in "--layers 2" "--d-model 16" "--lr 1" "--dropout 0.5"; do
    if $gpt --resume $other > /dev/null 2> "$folder/errors" ||
        ! grep -q -e "$other, but .* is of a run with" "$folder/errors"; then
        echo "char_gpt --resume $other: said $(cat "$folder/errors")"
        failed=1
    fi
done
for example in "char_gpt --export" "char_gpt --checkpoint" "train_classifier --checkpoint"; do
    refused "$folder/none/x: No such file or directory" $example "$folder/none/x"
    refused "$folder/kept: Is a directory" $example "$folder/kept"
    refused ": No such file or directory" $example ""
done

# Every example has a line above.
for example in examples/*.c examples/*/ examples/pytorch/*/*.c; do
    case $example in examples/lessons/ | examples/pytorch/) continue ;; esac
    name=${example#examples/} name=${name%.c} name=${name%/}
    grep -q "^$name\( \|$\)" "$folder/ran" ||
        { echo "$name: no line in tests/checks/check_examples.sh runs it"; failed=1; }
done
exit $failed
