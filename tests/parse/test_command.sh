#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The exit status and streams of `assay parse`. usage: test_command.sh PROGRAM GOLDEN_FOLDER
program=$1
golden=$2
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cases=0

# expect NAME STATUS STREAM TEXT ARGUMENT...: the status, and the text somewhere in out or err
expect() {
    name=$1 status=$2 stream=$3 text=$4
    shift 4
    cases=$((cases + 1))
    "$program" "$@" >"$folder/out" 2>"$folder/err" <"${input:-/dev/null}"
    found=$?
    if [ "$found" -eq "$status" ] && grep -qF -e "$text" "$folder/$stream"; then
        echo "ok $cases - $name"
    else
        echo "not ok $cases - $name"
        echo "# status $found, expected $status with '$text' on $stream"
    fi
}

expect "complete without fault exits 0" 0 out '"reading": "complete"' gpu-burn "$golden/gpu-burn/ok-two-gpus-with-power.out"
expect "complete with a fault exits 1" 1 out 'gpu_burn.faulty' gpu-burn "$golden/gpu-burn/faulty-errors-forgotten-at-summary.out"
expect "a cut output exits 2" 2 out '"reading": "partial"' gpu-burn "$golden/gpu-burn/cut-before-verdicts.out"
expect "another tool's output exits 2" 2 out '"reading": "unrecognised"' nccl-tests "$golden/nccl-tests/another-tool.out"
expect "an unknown tool exits 64 and the tools are named" 64 err 'tools: ' no-such-tool
expect "a mistyped tool gets a suggestion" 64 err "did you mean 'nccl-tests'?" ncl-tests
expect "a missing file exits 64 and is named" 64 err "$folder/missing" gpu-burn "$folder/missing"
expect "no tool exits 64 with the usage" 64 err 'usage: assay parse'
expect "help exits 0 on standard output" 0 out 'nccl-tests' --help
input=$golden/nccl-tests/json.out
expect "standard input is read without a file" 0 out '"nccl.all_reduce.busbw"' nccl-tests
expect "standard input is read for -" 0 out '"nccl.all_reduce.busbw"' nccl-tests -
input=/dev/null
expect "empty input is no reading" 2 out '"reading": "unrecognised"' nccl-tests
echo "1..$cases"
