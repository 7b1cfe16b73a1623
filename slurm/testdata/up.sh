#!/usr/bin/env bash
# Start munged, slurmctld and slurmd on loopback with all their state in $DIR,
# and wait until the node is idle. Nothing outside $DIR is written.
set -euo pipefail
: "${DIR:?a folder for the state of the daemons}"
here=$(cd "$(dirname "$0")" && pwd)
host=$(hostname -s 2>/dev/null || cat /proc/sys/kernel/hostname)
port=${PORT:-16817}
mkdir -p "$DIR/ctld" "$DIR/d"
chmod 755 "$DIR"
dd if=/dev/urandom of="$DIR/munge.key" bs=128 count=1 status=none
chmod 400 "$DIR/munge.key"
sed -e "s#@DIR@#$DIR#g; s#@HOST@#$host#g; s#@USER@#$(id -un)#g; s#@CPUS@#$(nproc)#g; s#@PORT0@#$port#g; s#@PORT1@#$((port + 1))#g" \
  -e "s#@MEMORY@#$(awk '/MemTotal/ {print int($2 / 1024 * 0.9)}' /proc/meminfo)#g" "$here/slurm.conf" >"$DIR/slurm.conf"
export SLURM_CONF=$DIR/slurm.conf
munged --force --num-threads=2 --key-file="$DIR/munge.key" --socket="$DIR/munge.sock" \
  --pid-file="$DIR/munged.pid" --log-file="$DIR/munged.log" --seed-file="$DIR/munged.seed"
slurmctld -i -c
slurmd -c
for _ in $(seq 100); do
  if sinfo -h -o %T 2>/dev/null | grep -q idle; then exit 0; fi
  sleep 0.1
done
echo "the node did not become idle; see $DIR/*.log" >&2
tail -n 20 "$DIR"/*.log >&2
exit 1
