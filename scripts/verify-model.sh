#!/usr/bin/env bash
# Checks the protocol of test/model/protocol.pml over every interleaving, and that each of its mutants is caught.
#
#   scripts/verify-model.sh [--quick]
#
# --quick leaves out the largest configurations (for `make test`). Exits non-zero when a property fails, when a search
# was not exhaustive, or when a mutant survives. Needs spin and a C compiler; as root on Debian it installs them.
set -euo pipefail
cd "$(dirname "$0")/.."

quick=false
case "${1:-}" in
'') ;;
--quick) quick=true ;;
*) echo "usage: $0 [--quick]" >&2; exit 2 ;;
esac

install_missing() {
  command -v spin >/dev/null && command -v cc >/dev/null && return
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get update -qq >/dev/null && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq spin gcc libc6-dev >/dev/null
  fi
  command -v spin >/dev/null && command -v cc >/dev/null && return
  echo 'verify-model needs spin (https://spinroot.com) and a C compiler on PATH: apt-get install spin gcc, brew install spin' >&2
  exit 2
}
install_missing

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
model=$PWD/test/model/protocol.pml
failures=0
row='%-11s %-46s %-26s %10s %7s  %s\n'

# search DEFINES CLAIM OPTIMISATION: leaves the checker's report in $work/report.
# Partial order reduction stays on (spin's default), it keeps these claims; no hashing that could lose a state.
search() {
  (
    cd "$work"
    rm -f pan pan.* ./*.trail
    # shellcheck disable=SC2086 # several -D options
    spin $1 -a "$model" >spin.log 2>&1 || { cat spin.log >&2; exit 2; }
    cc -w "$3" -DCOLLAPSE -o pan pan.c
    ./pan -E -a -N "$2" -m1000000 -w22 >report 2>&1 || true
  )
}

exhaustive() { ! grep -qE 'max search depth too small|out of memory|Search not completed' "$work/report"; }
errors() { sed -nE 's/.*errors: ([0-9]+).*/\1/p' "$work/report" | head -n 1; }
states() { sed -nE 's/^ *([0-9.e+]+) states, stored.*/\1/p' "$work/report" | head -n 1; }

violation() {
  if grep -q 'acceptance cycle' "$work/report"; then
    echo "never published: $1"
  else
    sed -nE 's/.*(assertion violated .*) \(at depth.*/\1/p' "$work/report" | head -n 1
  fi
}

prove() {
  local started=$SECONDS verdict
  search "$2" "$3" -O2
  if [ "$(errors)" = 0 ] && exhaustive; then
    verdict=proven
  else
    verdict="FAILED: $(violation "$3")"
    failures=$((failures + 1))
  fi
  # shellcheck disable=SC2059
  printf "$row" protocol "$1" "$3" "$(states)" "$((SECONDS - started))s" "$verdict"
}

refute() {
  local started=$SECONDS verdict
  search "-DDELIVERIES=2 -DMUTANT_$1 ${3:-}" "$2" -O0
  if [ "$(errors)" != 0 ] && [ -n "$(violation "$2")" ]; then
    verdict="caught: $(violation "$2")"
  else
    verdict='SURVIVED'
    failures=$((failures + 1))
  fi
  # shellcheck disable=SC2059
  printf "$row" mutant "$(echo "$1" | tr '[:upper:]_' '[:lower:] ')" "$2" "$(states)" "$((SECONDS - started))s" "$verdict"
}

# shellcheck disable=SC2059
printf "$row" what configuration claim states time verdict
main=committed_is_published
index=trouble_is_indexed

prove '2 deliveries, redrive' '-DDELIVERIES=2' "$main"
prove '2 deliveries, one allowed receive' '-DDELIVERIES=2 -DMAX_RECEIVES=1' "$main"
prove '2 deliveries, index alone, no sweep' '-DDELIVERIES=2 -DNO_SWEEP' "$index"
prove '2 deliveries, event sent twice, redrive' '-DDELIVERIES=2 -DMESSAGES=2' "$main"
if ! $quick; then
  prove '3 deliveries of one message' '-DDELIVERIES=3 -DMAX_RECEIVES=3 -DREDRIVES=0' "$main"
  prove '3 deliveries, redrive' '-DDELIVERIES=3' "$main"
  prove '3 deliveries, index alone, no sweep' '-DDELIVERIES=3 -DMAX_RECEIVES=3 -DREDRIVES=0 -DNO_SWEEP -DRELAY_FAULTS=0' "$index"
fi

refute SKIP_ON_PENDING "$main"
refute TTL_ON_PENDING "$main"
refute MARK_BEFORE_PUBLISH "$main"
refute ACK_BEFORE_QUARANTINE_SEND "$main"
refute QUARANTINE_WITHOUT_LOOK_UP "$main"
refute TAKEOVER_WITHOUT_SHARD "$index" -DNO_SWEEP
refute NO_SWEEP "$main" -DNO_SWEEP
refute RELEASE_WITHOUT_SHARD "$index" -DNO_SWEEP
refute REDELIVERED_COMMIT_WITHOUT_SHARD "$index" '-DNO_SWEEP'
refute COMMIT_WITHOUT_CONDITION "$main"
refute QUARANTINE_AFTER_UNKNOWN_COMMIT "$main"
refute ACK_ON_UNKNOWN_COMMIT "$main"
refute ACK_ON_LEASE_HELD "$main"
refute EXPIRED_LEASE_IS_PROOF "$main"

if [ "$failures" != 0 ]; then
  echo "verify-model: $failures of the above are wrong" >&2
  exit 1
fi
echo 'verify-model: every property holds over all interleavings, every mutant is caught'
