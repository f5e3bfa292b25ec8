#!/usr/bin/env bash
# Checks the Kubernetes manifest against the published models of Kubernetes and the Prometheus operator (npm: kubernetes-models,
# @kubernetes-models/prometheus-operator): tests/package/kubernetes.sh SCRATCH-DIR. Exit 77 (skipped) where npm cannot install.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$1"
cd "$1"
cat >package.json <<'JSON'
{"private": true, "dependencies": {"kubernetes-models": "5.1.0", "@kubernetes-models/prometheus-operator": "6.0.0"}}
JSON
[ -d node_modules/kubernetes-models ] || npm install --no-audit --no-fund --ignore-scripts >npm.log 2>&1 || { tail -5 npm.log; exit 77; }
python3 -c 'import json, sys, yaml; json.dump(list(yaml.safe_load_all(open(sys.argv[1]))), sys.stdout)' "$root/deploy/kubernetes/elementd.yaml" >objects.json
cat >check.mjs <<'JS'
import { Namespace, ConfigMap } from "kubernetes-models/v1";
import { DaemonSet } from "kubernetes-models/apps/v1";
import { PodMonitor } from "@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1";
import { readFileSync } from "node:fs";
const models = { Namespace, ConfigMap, DaemonSet, PodMonitor };
const objects = JSON.parse(readFileSync("objects.json"));
let bad = 0;
const fits = (object) => {
  try {
    new models[object.kind](object).validate();
  } catch (e) {
    return object.kind + ": " + e.message;
  }
};
for (const object of objects) {
  const why = fits(object);
  if (why) {
    console.log(why);
    bad = 1;
  }
}
// It can fail.
const broken = structuredClone(objects.find((o) => o.kind === "DaemonSet"));
broken.spec.template.spec.containers[0].ports = "10450";
if (!fits(broken)) {
  console.log("a broken manifest was not noticed");
  bad = 1;
}
process.exit(bad);
JS
node check.mjs
