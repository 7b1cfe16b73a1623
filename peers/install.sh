#!/bin/sh
# Installs the servers that peers/ compares with, where apt-get and root allow
# it. What is missing afterwards is told in the table as not run.
set -eu
missing=
need() { command -v "$1" >/dev/null 2>&1 || missing="$missing $2"; }
need nginx nginx-light
need redis-server redis-server
need haproxy haproxy
need gcc gcc
need npm npm
[ -e /usr/include/stdlib.h ] || missing="$missing libc6-dev"
[ -n "$missing" ] || exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
  echo "not here, and only root can install with apt-get:$missing" >&2
  exit 0
fi
export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 # which starts no service
apt-get update -q
# shellcheck disable=SC2086
apt-get install -q -y --no-install-recommends $missing || {
  for package in $missing; do apt-get install -q -y --no-install-recommends "$package" || true; done
}
