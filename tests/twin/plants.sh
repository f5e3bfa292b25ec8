#!/usr/bin/env bash
# Plants that misbehave, and odd ones that are in order: a clear error and exit 1, or figures that are complete. Never a crash.
set -u
elementd=$1 root=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
cat >"$dir/plant.py" <<'PY'
"""plant.py HELLO ANSWER [LINES [THEN]]: answers `hello` with HELLO, LINES commands with ANSWER (python, evaluated with t and n),
then does THEN (python)."""
import json, os, sys, time
null, true, false = None, True, False
json.loads(sys.stdin.readline())
if sys.argv[1] == "sleep":
    time.sleep(6)
print('{"duration_s":30}' if sys.argv[1] == "sleep" else sys.argv[1], flush=True)
lines = int(sys.argv[3]) if len(sys.argv) > 3 else 10**9
for n, line in enumerate(sys.stdin):
    if n >= lines:
        exec(sys.argv[4] if len(sys.argv) > 4 else "break")
    t = json.loads(line)["t_s"]
    assert line.count("NaN") == line.count("nan") == line.count("inf") == 0, line
    answer = eval(sys.argv[2])
    print(answer if isinstance(answer, str) else json.dumps(answer), flush=True)
PY
step=1
simulate() { "$elementd" simulate --profiles "$root/deploy/profiles" --card element-aic --step "$step" --plant "python3 $dir/plant.py $1" --json >"$dir/out" 2>"$dir/err"; }
good() { # good JQ HELLO ANSWER...: must run to its end, and the figures be complete and JQ true
  local jq=$1; shift
  simulate "$(printf '%q ' "$@")"; local got=$?
  [ $got -eq 0 ] && jq -e "has(\"iops\") and has(\"throughput_ratio_to_oracle\") and has(\"jain_fairness\") and ($jq)" "$dir/out" >/dev/null ||
    { echo "FAILED: good $*: exit $got, $(head -c 300 "$dir/err"), $(head -c 1200 "$dir/out")"; failed=1; }
}
bad() { # bad PATTERN HELLO ANSWER...: must exit 1 and say PATTERN
  local pattern=$1; shift
  simulate "$(printf '%q ' "$@")"; local got=$?
  [ $got -eq 1 ] && grep -qE -- "$pattern" "$dir/err" || { echo "FAILED: bad $*: exit $got, $(head -c 300 "$dir/err"), expected $pattern"; failed=1; }
}
slot='{"temperature_c":60,"sensors_c":[60,null],"read_bytes":n*4096000,"write_bytes":0,"read_ops":n*1000,"write_ops":0}'
whole='{"slots":['$slot']*4,"inlet_c":35,"airflow_lfm":400,"card_watts":20,"switch_c":60,"fan_rpm":[]}'
hello='{"duration_s":30}'

good '(.hours * 3600 | round) == 30 and .iops > 900' "$hello" "$whole"
good '(.hours * 3600 | round) == 7' '{"duration_s":6.5}' "$whole"
good '.iops != null' '{"duration_s":30,"slots":4.0,"fans":1.0,"arrays":[{"level":"raid0","slots":[0,1.0]},{"level":"raid1","slots":[2,3]}]}' "$whole"
good '.card_watts_mean == null and .iops > 0' "$hello" '{"slots":['$slot']*4}'
good '.iops == 0' "$hello" '{"slots":[null]*4,"inlet_c":null,"airflow_lfm":null,"card_watts":null,"switch_c":null,"fan_rpm":null}'
good '.iops == 0' "$hello" '{"slots":[{}]*4}'
good '.iops > 0' "$hello" '{"slots":[{"temperature_c":60.25,"sensors_c":null,"read_bytes":4096e3*n,"write_bytes":9.1e18,"read_ops":1e3*n,"write_ops":2**63-1}]*4,"more":[1]}'
good '.hottest_celsius != null' "$hello" '{"slots":['$slot' if n % 3 else null]*4}'
for slots in 1 5 32; do
  good '.iops > 0' '{"duration_s":20,"slots":'$slots',"card_limit_watts":1,"switch_limit_c":50,"limit_c":1}' '{"slots":['$slot']*'$slots',"card_watts":1e6,"switch_c":60}'
done
good '(.hours * 3600 | round) == 5' '{}' "$whole" 5 'sys.exit(0)' # ends with status 0 before its time
good '.iops > 0' "$hello" '"\n".join([json.dumps('"$whole"', separators=(", ", " : ")) + "\r"])' # spaces, and lines as another system ends them
good '.iops > 900' "$hello" 'sys.stderr.write("said\n") and '"$whole" && grep -q said "$dir/err" || { echo "FAILED: standard error does not stay what the plant makes of it"; failed=1; }
# A drive that comes back as another one counts anew: 10 s of 1000 a second, 5 s of nothing, 15 s of 1000 a second.
good '.iops > 3300 and .iops < 3400' "$hello" '{"slots":[null if 10 <= n < 15 else {"temperature_c":60,"read_bytes":0,"write_bytes":0,"read_ops":(n + 1) * 1000 if n < 10 else (n - 14) * 1000,"write_ops":0}]*4}'
# The first command precedes any reading, the next one knows better; each t_s follows its step; budgets are whole without a cap.
good '.iops > 0' '{"duration_s":20,"idle_watts":2.5,"full_watts":8}' '(lambda c: '"$whole"' if c["t_s"] == n + 1 and c["fans"] == [] and all(s["power_state"] == 0 and (s["cap_ratio"] < 0.06 if n == 0 else s == {"cap_ratio": 1, "budget_watts": 5.5, "power_state": 0}) for s in c["slots"]) else sys.exit(9))(json.loads(line))'
# Limits: the plant's, a degree below its warning temperature, or what the command line says.
for case in '{"limit_c":59}:1' '{"warning_c":58}:3' '{"limit_c":70}:0'; do
  good ".overshoot_celsius == ${case##*:}" "$(jq -c '. + {duration_s:20}' <<<"${case%:*}")" "$whole"
done
# A reset or another drive counts anew, seen to be gone or not.
good '.iops > 3900 and .iops <= 4000' "$hello" '{"slots":[{"temperature_c":60,"read_bytes":0,"write_bytes":0,"read_ops":(n % 10 + 1) * 1000,"write_ops":0}]*4}'
good '.limit_celsius == 61 and .card_watts_limit == 31 and .inlet_celsius == null' '{"duration_s":30,"limit_c":61,"card_limit_watts":31}' "$whole"
for step in 0.5 5; do # t_s follows the step, and figures its length
  good '(.hours * 3600 | round) == 30 and (.iops | round) == 4 * 1000 / '$step'' "$hello" '(lambda c: '"${whole//n\*/(n + 1)*}"' if c["t_s"] == (n + 1) * '$step' else sys.exit(9))(json.loads(line))'
done
step=1
bad 'status 3 after 6 lines' '{}' "$whole" 5 'sys.exit(3)'
bad 'signal 9|status 137' '{}' "$whole" 5 'os.kill(os.getpid(), 9)'
bad 'before the first step' '{}' "$whole" 0 'sys.exit(0)'
bad 'middle of line 7' '{}' "$whole" 5 'sys.stdout.write("{"); sys.exit(0)'
bad 'line 2 of the plant is no JSON' '{}' '"rubbish"'
bad 'line 2 of the plant is no JSON' '{}' '"{\"slots\":NaN}"'
bad 'no JSON object' '{}' '"[1]"'
bad 'no JSON' '{}' '""'
bad 'no JSON' '{}' '"\ufeff{\"slots\":[null,null,null,null]}"' # a byte order mark
bad 'no JSON' '{}' '"{\"slots\":[null,null,null,null],\"inlet_c\":1e999}"'
bad 'more than one line at once after line 2' '{}' '(lambda l: l + "\n" + l)(json.dumps('"$whole"'))'
bad 'have fallen nine times' '{}' '{"slots":[{"temperature_c":60,"read_bytes":0,"write_bytes":0,"read_ops":1000 - n % 2,"write_ops":0}]*4}' # counts of each step are not counts since the start
bad 'as many slots as were declared' '{}' '{"slots":['$slot']*(4 if n < 5 else 3)}'
bad 'as many slots as were declared' '{}' '{"slots":['$slot']*(4 if n < 5 else 5)}'
bad 'duration_s: expected a number' '{"duration_s":1e308}' "$whole"
bad 'longer than 1 MiB' '{}' '" " * 3000000'
bad 'slots: expected a list' '{}' '{"inlet_c":30}'
bad 'slots: expected a list' '{}' '{"slots":['$slot']*3}'
bad 'slots: expected an object' '{}' '{"slots":[3]*4}'
bad 'temperature_c: expected a number' '{}' '{"slots":[{"temperature_c":"hot"}]*4}'
bad 'temperature_c: expected a number' '{}' '{"slots":[{"temperature_c":1e300}]*4}'
bad 'read_bytes: expected a count' '{}' '{"slots":[{"read_bytes":-1}]*4}'
bad 'sensors_c: expected a list' '{}' '{"slots":[{"sensors_c":[1]*9}]*4}'
bad 'fan_rpm: expected a list' '{}' '{"slots":[null]*4,"fan_rpm":7}'
bad 'duration_s: expected' '{"duration_s":0}' "$whole"
bad 'card_limit_watts: expected more than 0 W' '{"card_limit_watts":0}' "$whole"
bad 'limit_c: expected -100 to 1000 C' '{"limit_c":-273.2}' "$whole"
bad 'switch_limit_c: expected -100 to 1000 C' '{"switch_limit_c":95000}' "$whole"
bad 'no JSON.*"?.31mred ?"$' '{}' '"\x1b[31mred\x07"' # nothing of it moves the terminal
bad 'no JSON: unable to decode byte 0xff' '{}' 'os.write(1, b"{\"x\":\"\xff\"}\n") and ""'
bad 'duration_s: expected' '{"duration_s":-1}' "$whole"
bad 'slots: expected a whole number from 1 to 32' '{"slots":33}' "$whole"
bad 'slots: expected a whole number from 1 to 32' '{"slots":0}' "$whole"
bad 'slots: expected a whole number from 1 to 32' '{"slots":2.5}' "$whole"
bad 'fans: expected a whole number from 0 to 8' '{"fans":9}' "$whole"
bad 'full power above idle' '{"idle_watts":8,"full_watts":2}' "$whole"
bad 'arrays.slots: expected numbers' '{"arrays":[{"level":"raid0","slots":[0,4]}]}' "$whole"
bad 'arrays.slots: expected each slot once' '{"arrays":[{"level":"raid0","slots":[0,1]},{"level":"raid1","slots":[1,2]}]}' "$whole"
bad 'arrays.level: expected' '{"arrays":[{"level":"raid5","slots":[0,1]}]}' "$whole"
bad 'arrays.level: expected' '{"arrays":[7]}' "$whole"
bad 'arrays: expected a list' '{"arrays":{}}' "$whole"
# Plants that never come to speak: said at once, or after the half minute that an answer may take.
speechless() { # speechless PATTERN COMMAND
  local mine=$dir/$BASHPID got
  "$elementd" simulate --profiles "$root/deploy/profiles" --card element-aic --plant "$2" --json >"$mine.out" 2>"$mine.err"
  got=$?
  if [ $got -ne 1 ] || [ -s "$mine.out" ] || ! grep -qE -- "$1" "$mine.err"; then
    echo "FAILED: speechless $2: exit $got, $(head -c 300 "$mine.err")" | tee -a "$dir/speechless"
  fi
}
speechless 'mute: no answer to line 1 within 30 s' 'exec sleep 600 <&-' &
speechless 'mute: no answer to line 2 within 30 s' 'echo "{}"; exec sleep 600' &
speechless 'status 3 after 0 lines' 'exit 3'
speechless 'status 127 after 0 lines' "$dir/none"
speechless 'before it answered hello' 'true'
speechless 'line 1 of the plant is no JSON' 'echo garbage'
speechless 'signal 11' 'kill -11 $$'
speechless 'more than one line at once' 'yes "{}"'
speechless 'closed its output after 1 lines but goes on running' 'trap "" TERM; echo "{}"; exec >&-; while :; do sleep 1; done'
# Whoever needs long to begin is waited for, and it is said.
good '.iops > 900' 'sleep' "$whole" && grep -q "waiting for the plant's answer to line 1, 30 s at most" "$dir/err" || { echo "FAILED: nothing said of a slow start"; failed=1; }
# What a plant leaves running ends with the run, whether the plant does or not; and when elementd is killed.
gone() { for _ in $(seq 600); do [ -e "/proc/$1" ] || return 0; sleep 0.1; done; echo "FAILED: $2 goes on running"; failed=1; }
rm -f "$dir/pid"
speechless 'before it answered hello' "sleep 600 >$dir/null 2>&1 & echo \$! >$dir/pid"
gone "$(cat "$dir/pid")" "what a plant left behind"
rm "$dir/pid"
"$elementd" simulate --profiles "$root/deploy/profiles" --card element-aic --plant "echo \$\$ >$dir/new; mv $dir/new $dir/pid; trap '' TERM; exec sleep 600" &
until [ -s "$dir/pid" ]; do kill -0 $! || break; sleep 0.1; done
kill -9 $!
wait $! 2>/dev/null
gone "$(cat "$dir/pid")" "the plant of a run that was killed"
wait
[ -s "$dir/speechless" ] && failed=1
exit $failed
