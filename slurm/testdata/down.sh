#!/usr/bin/env bash
# Stop the daemons that up.sh started, by their pid files.
: "${DIR:?the folder that up.sh was given}"
for daemon in slurmd slurmctld munged; do
  if [ -s "$DIR/$daemon.pid" ]; then kill "$(cat "$DIR/$daemon.pid")" 2>/dev/null; fi
done
exit 0
