#!/usr/bin/env bash
# The simulate and envelope commands from outside: output for programs, traces that replay, plants that misbehave, bad input.
set -u
elementd=$1 root=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
check() { # check TEXT COMMAND...: the command must succeed
  local text=$1; shift
  "$@" || { echo "FAILED: $text"; failed=1; }
}
exits() { # exits CODE PATTERN ARGS...: elementd simulate must exit so and say so
  local code=$1 pattern=$2 got; shift 2
  "$elementd" simulate --profiles "$root/deploy/profiles" "$@" >"$dir/out" 2>&1; got=$?
  [ "$got" -eq "$code" ] && grep -q -- "$pattern" "$dir/out" || { echo "FAILED: $* -> $got, $(head -3 "$dir/out")"; failed=1; }
}
simulate() { "$elementd" simulate --profiles "$root/deploy/profiles" "$@"; }

simulate --card element-aic --workload random-read-4k --inlet 50 --airflow 400 --hours 0.5 --seed 1 --governor element --json >"$dir/j" || failed=1
for key in card workload governor hours seed inlet_celsius airflow_lfm iops latency_us card_watts_mean throughput_ratio_to_oracle \
           throughput_ratio_to_demand overshoot_celsius seconds_above_limit_per_hour seconds_above_warning_per_hour \
           seconds_above_critical_per_hour writes_per_drive_per_hour limit_cycle_celsius jain_fairness failsafe_entries; do
  check "--json has $key" jq -e "has(\"$key\")" "$dir/j" >/dev/null
done
check "--json has numbers as they were given" grep -q '"hours": 0.1,' <(simulate --card element-aic --hours 0.1 --json)
LC_ALL=de_DE.UTF-8 simulate --card element-aic --hours 0.1 --json | jq -e '.iops > 0' >/dev/null || { echo "FAILED: JSON under a German locale"; failed=1; }

simulate --card lqd4500 --workload bursty-random-write-4k --inlet 50 --airflow 300 --hours 1 --csv "$dir/t.csv" --plot "$dir/t.svg" >/dev/null || failed=1
check "the trace replays" simulate --replay "$dir/t.csv" >/dev/null
check "the plot is XML" python3 -c "import sys, xml.dom.minidom as m; m.parse(sys.argv[1])" "$dir/t.svg"
python3 - "$dir/t.csv" "$dir/bad.csv" <<'PY' # one reading changed: the replay must notice
import sys
lines = open(sys.argv[1]).read().split("\n")
at = [i for i, l in enumerate(lines) if l.startswith("1800,")][0]
names = [l for l in lines if l.startswith("t_s,")][0].split(",")
cells = lines[at].split(",")
for i in range(8):
    cells[names.index("in%d.temp_mc" % i)] = "30000"
lines[at] = ",".join(cells)
open(sys.argv[2], "w").write("\n".join(lines))
PY
exits 1 "came out differently" --replay "$dir/bad.csv"
head -c 2000 "$dir/t.csv" >"$dir/cut.csv"
exits 1 "cut.csv" --replay "$dir/cut.csv"
cat "$dir/t.csv" "$dir/t.csv" >"$dir/two.csv" # of two runs, whose settings may differ
exits 1 "two.csv: line .* not readable" --replay "$dir/two.csv"
exits 1 "not a trace" --replay "$root/README.md"

plant="python3 $root/deploy/examples/plant.py"
check "the example plant is governed" bash -c "'$elementd' simulate --card element-aic --profiles '$root/deploy/profiles' --plant '$plant' --json |
  jq -e '.hours == 1 and .iops > 400000 and .seconds_above_critical_per_hour == 0' >/dev/null"
exits 1 "no JSON" --card element-aic --plant 'read l; echo rubbish'
exits 2 "step goes with --plant" --card element-aic --step 2
exits 2 'leave out "array"' --card element-aic --array raid0 --plant true
exits 2 'leave out "inlet"' --card element-aic --inlet 40 --plant true
printf 'card: element-aic\nevents:\n  - {at: 5, event: airflow, value: 200}\n' >"$dir/s.yaml"
exits 2 'leave out "events"' --scenario "$dir/s.yaml" --plant true
printf 'card: element-aic\nhours: 0.05\nlimit: 70\nexpect:\n  hottest_celsius: {max: 20}\n' >"$dir/s.yaml"
exits 1 "hottest_celsius: seed 1: got .* expected at most 20" --scenario "$dir/s.yaml" --plant "$plant"
exits 1 "ended with status 3" --card element-aic --plant 'exit 3'
exits 1 "status 127" --card element-aic --plant 'there-is-no-such-command'
exits 2 "--plant" --card element-aic --governor oracle --plant 'true'

exits 2 "which card" --hours 1
exits 2 "no card profile" --card none-such
exits 2 "no workload" --card element-aic --workload none-such
exits 2 "expected a number" --card element-aic --inlet hot
exits 2 "governor: got \"other\", expected element, none or oracle" --card element-aic --governor other
printf 'card: element-aic\nhours: 0.1\nexpect:\n  iops: {min: 1e12}\n' >"$dir/s.yaml"
printf 'card: element-aic\nhours: 0.1\nseed: 0\n' >"$dir/s0.yaml"
exits 0 "seed 0$" --scenario "$dir/s0.yaml" # the nominal card, not what is used where nothing is said
exits 0 "seed 7$" --scenario "$dir/s0.yaml" --seed 7
exits 1 "iops: seed 1: got .* expected at least 1e+12" --scenario "$dir/s.yaml"
printf 'card: element-aic\nexpect:\n  happiness: {min: 1}\n' >"$dir/s.yaml"
exits 1 "no figure" --scenario "$dir/s.yaml"
printf 'card: element-aic\nevents:\n  - {at: 5, event: explode}\n' >"$dir/s.yaml"
exits 1 "s.yaml:3: events\[0\].event" --scenario "$dir/s.yaml"

"$elementd" envelope --card lqd4500 --workload sql --json --profiles "$root/deploy/profiles" --plot "$dir/e.svg" >"$dir/e" || failed=1
check "more air never hurts" jq -e '[.share[] | . == sort] | all' "$dir/e" >/dev/null
check "a warmer inlet never helps" jq -e '[.share | transpose[] | . == sort] | all' "$dir/e" >/dev/null
check "the grid is XML" python3 -c "import sys, xml.dom.minidom as m; m.parse(sys.argv[1])" "$dir/e.svg"
for wrong in idle nonsense; do # which no card can do a share of
  "$elementd" envelope --card lqd4500 --workload $wrong --profiles "$root/deploy/profiles" >"$dir/o" 2>"$dir/err"
  check "envelope refuses $wrong" test $? -eq 2 -a ! -s "$dir/o" -a -s "$dir/err"
done
envelope() { "$elementd" envelope --card element-aic --profiles "$root/deploy/profiles" "$@"; }
envelope --inlet 30:42:2.5 --airflow 150 --json --plot "$dir/e2.svg" >"$dir/e" || failed=1
check "a grid of one's own" jq -e '.inlet_celsius == [40, 37.5, 35, 32.5, 30] and .airflow_lfm == [150] and (.share | map(length)) == [1, 1, 1, 1, 1]' "$dir/e" >/dev/null
check "the picture has that grid" grep -q '>37.5<' "$dir/e2.svg"
check "a finer grid has the same values" test "$(envelope --inlet 50 --airflow 300 --json | jq -c .share[0][0])" = "$(envelope --inlet 45:50:5 --airflow 200:300:100 --json | jq -c .share[0][1])"
check "the load is set beside the rating" grep -q '0 to 55 C, at least 400 LFM, at a typical 25 W; all of this work draws 38 W' <(envelope --workload random-write-4k --inlet 40 --airflow 400)
for wrong in "--inlet 1:2" "--inlet hot" "--inlet 30:20:5" "--inlet 20:30:0" "--inlet 20:30:5:1" "--inlet 20:99:5" "--airflow 0:5000:1" "--airflow 100:6000:50"; do
  envelope $wrong >"$dir/o" 2>"$dir/err"
  check "envelope refuses $wrong" test $? -eq 2 -a ! -s "$dir/o" -a -s "$dir/err"
done
check "who waits at a terminal is told how far it is" timeout 120 python3 - "$elementd" "$root/deploy/profiles" <<'PY'
import os, pty, sys
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], ["elementd", "envelope", "--card", "lqd4500", "--profiles", sys.argv[2], "--inlet", "0:60:1", "--airflow", "30:630:10"])
seen = b""
while b" of 3721 points" not in seen:
    seen += os.read(fd, 4096)
os.kill(pid, 9)
os.waitpid(pid, 0)
PY
ln -s "$dir/e.svg" "$dir/link" # what is named is written into: as root it may be /dev/stdout
simulate --card element-aic --hours 0.1 --plot "$dir/link" >/dev/null || failed=1
check "a link stays one" test -L "$dir/link"
for how in performance cool quiet; do # a fan that may be driven comes before any cap; a dead one is reported, and caps hold the limit
  simulate --card element-aic --preference $how --plant "python3 $root/tests/twin/fan_plant.py" --json >"$dir/$how" || failed=1
  check "a fan that turns lets work run free, $how" jq -e '.iops > 2050000 and .seconds_above_limit_per_hour == 0' "$dir/$how" >/dev/null
done
simulate --card element-aic --plant "python3 $root/tests/twin/fan_plant.py dead" --csv "$dir/f.csv" --json >"$dir/j" || failed=1
check "a dead fan is reported within two minutes" jq -e '.first_air_alert_seconds > 2700 and .first_air_alert_seconds < 2820 and .seconds_above_warning_per_hour == 0' "$dir/j" >/dev/null
check "a run with a plant and a fault replays" simulate --replay "$dir/f.csv" >/dev/null
exit $failed
