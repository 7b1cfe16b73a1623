#!/bin/sh
# Installs what peers/engines compares with, where apt-get and root allow it.
# What is missing afterwards is told in the table as not installed.
set -eu
missing=
/usr/bin/python3 -c 'import simpy' 2>/dev/null || missing="$missing python3-simpy3"
[ -e /usr/include/ns3/simulator.h ] || missing="$missing libns3-dev"
command -v g++ >/dev/null 2>&1 || missing="$missing g++"
[ -n "$missing" ] || exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
  echo "not here, and only root can install with apt-get:$missing" >&2
  exit 0
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -q || true
for package in $missing; do
  apt-get install -q -y --no-install-recommends "$package" || echo "$package could not be installed" >&2
done
