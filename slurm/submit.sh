#!/usr/bin/env bash
# Submit an experiment as a job array, and a job that merges the shards when
# all have succeeded.
#
#   RATELAB=/shared/bin/ratelab slurm/submit.sh EXPERIMENT OUT [SHARDS [SBATCH-FLAG...]]
#
# OUT must be a folder that every node sees. RATELAB_FLAGS are further flags of
# ratelab run, such as '--reps 100'. To go on after a task has failed, submit
# the same again: what is there is not computed twice.
set -euo pipefail
if [ $# -lt 2 ]; then
  sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2
  exit 2
fi
: "${RATELAB:?the path of the ratelab program, as the nodes see it}"
here=$(cd "$(dirname "$0")" && pwd)
export RATELAB RATELAB_FLAGS=${RATELAB_FLAGS:-} EXPERIMENT=$1 OUT=$2
shards=${3:-8}
shift $(($# > 2 ? 3 : 2))
mkdir -p "$OUT/log"
array=$(sbatch --parsable --array="0-$((shards - 1))" --output="$OUT/log/%A_%a.out" "$@" "$here/sweep.sbatch")
merge=$(sbatch --parsable --dependency="afterok:$array" --kill-on-invalid-dep=yes --job-name=ratelab-merge \
  --output="$OUT/log/merge_%j.out" --wrap "\"$RATELAB\" merge \"$EXPERIMENT\" --out \"$OUT\"")
echo "array=$array merge=$merge"
