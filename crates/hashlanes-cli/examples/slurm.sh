#!/bin/sh
#SBATCH --job-name=hashlanes
#SBATCH --array=1-50
#SBATCH --cpus-per-task=4
#
# Hashes a tree on many machines. Each task of the array takes a part, and the last one to end joins
# the parts to one manifest, which is that of `hashlanes sum -r TREE`.
#
#     sbatch slurm.sh TREE MANIFEST
#
# A part has its final name only when it is complete. So if tasks were killed, the same command
# hashes what is missing.
set -eu

tree=$1 manifest=$2
task=${SLURM_ARRAY_TASK_ID:?sbatch sets it} tasks=${SLURM_ARRAY_TASK_COUNT:?sbatch sets it}
parts=$manifest.parts
mkdir -p "$parts"

if [ ! -e "$parts/$task" ]; then
    hashlanes sum -r "$tree" --shard "$task/$tasks" > "$parts/$task.unfinished"
    mv "$parts/$task.unfinished" "$parts/$task"
fi
task=1
while [ "$task" -le "$tasks" ]; do
    [ -e "$parts/$task" ] || exit 0
    task=$((task + 1))
done
# Two tasks that end together write the same.
hashlanes manifest merge "$parts"/*[0-9] -o "$manifest"
