#!/usr/bin/env bash
# Stop the daemons that up.sh started, by their pid files, and wait for their
# end.
: "${DIR:?the folder that up.sh was given}"
for daemon in slurmd slurmctld munged; do
  [ -s "$DIR/$daemon.pid" ] || continue
  pid=$(cat "$DIR/$daemon.pid")
  kill "$pid" 2>/dev/null || continue
  for _ in $(seq 100); do # it may be a zombie where nobody waits for orphans
    state=$(sed 's/.*) //; s/ .*//' "/proc/$pid/stat" 2>/dev/null) || break
    [ "$state" != Z ] || break
    sleep 0.1
  done
done
exit 0
