#!/usr/bin/env bash
# Checks the dashboards against the types that the Grafana project publishes on npm (@grafana/schema): tests/prometheus/schema.sh SCRATCH-DIR
# Exit 77 (skipped) where npm cannot install.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$1"
cd "$1"
cat >package.json <<'JSON'
{"private": true, "dependencies": {"@grafana/schema": "13.2.3", "typescript": "5.9.3"}}
JSON
[ -d node_modules/typescript ] || npm install --no-audit --no-fund --ignore-scripts >npm.log 2>&1 || { tail -5 npm.log; exit 77; }
types=$(ls node_modules/@grafana/schema/dist/types/raw/dashboard/x/types.gen.d.ts)

# check FILE: the JSON as a typed literal; unknown or ill-typed fields of dashboard, panels, targets and variables are errors
check() {
  {
    echo "import type { Dashboard } from './${types%.d.ts}';"
    # String enums by their values, as JSON has them.
    echo 'type Json<T> = T extends string ? `${T}` : T extends Array<infer U> ? Json<U>[] : T extends object ? { [K in keyof T]: Json<T[K]> } : T;'
    echo "export const dashboard: Json<Dashboard> ="
    cat "$1"
    echo ";"
  } >dashboard.ts
  node_modules/.bin/tsc --noEmit --strict --skipLibCheck --moduleResolution bundler --module esnext dashboard.ts
}

bad=0
for file in "$root"/dashboards/*.json; do
  check "$file" || { echo "$file does not fit the schema"; bad=1; }
done
# It can fail.
sed 's/"editable": false/"editable": "no"/' "$root/dashboards/elementd-fleet.json" >broken.json
if check broken.json >/dev/null; then echo "a broken dashboard was not noticed"; bad=1; fi
exit $bad
