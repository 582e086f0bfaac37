#!/bin/sh
# Scans module and examples with checkov: `scripts/scan.sh`. A finding fails it; one that is meant carries its reason as
# a `#checkov:skip=` line in the resource. checkov comes from PyPI into a virtual environment of its own, since its
# dependencies do not go together with those of the emulator.
set -eu

version=3.3.30
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
venv=$root/.scratch/checkov
reports=$root/reports
cd "$root"

if [ ! -x "$venv/bin/checkov" ] || ! [ -f "$venv/checkov-$version" ]; then
  python3 -m venv "$venv"
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check "checkov==$version"
  touch "$venv/checkov-$version"
fi

mkdir -p "$reports"
# --skip-download: no list of policies from a server; what is in the package is what is checked.
"$venv/bin/checkov" --directory "$root" --framework terraform --skip-download --compact --quiet \
  --skip-path node_modules --skip-path .scratch --skip-path test --skip-path .venv \
  --output cli --output junitxml --output-file-path "console,$reports/scan.xml"

# A scan that found no file passes, too: it must have seen the resources that matter most.
for check in CKV_AWS_28 CKV_AWS_27 CKV_AWS_26; do
  grep -q "$check" "$reports/scan.xml" || { echo "scripts/scan.sh: $check is not in the report; nothing was scanned?" >&2; exit 1; }
done
