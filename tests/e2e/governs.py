"""Hot inlet, little air: the governor caps visibly and says why, and no drive passes its critical temperature."""
import os
import time

from e2e import Run, SLOW, check, command, wait_for

with Run("--simulate", "lqd4500", "--workload", "random-write-4k", "--inlet", "50", "--airflow", "200") as run:
    def capped():
        return [s for s in run.snapshot()["slots"] if s.get("decision", s).get("cap_ratio", 1) < 1]

    wait_for("a cap", lambda: min(run.samples("element_drive_cap_ratio") or [1]) < 1, 150)
    # Whatever drives the fans finds the air that is wished for in a file, in steps of 10 LFM.
    wish = wait_for("a wish for more air", lambda: open(run.runtime + "/airflow-wish", encoding="utf-8").read(), 60)
    check(int(wish) > 200 and int(wish) % 10 == 0, wish)
    status = command("status", "--runtime-dir", run.runtime).stdout
    check("drive temperature" in status, status)
    end = time.monotonic() + 30
    while time.monotonic() < end:
        text = run.metrics()
        hottest = max(run.samples("element_drive_temperature_celsius", text))  # composite and single sensors
        critical = min(run.samples("element_drive_critical_temperature_threshold_celsius", text) or [82])
        check(hottest < critical, f"{hottest} C, critical is {critical} C")
        time.sleep(1)
    print(status)
    code, took = run.terminate()
    check(code == 0 and took < 2 * SLOW, f"SIGTERM: code {code} after {took:.2f} s")
    check(not os.path.exists(run.runtime + "/airflow-wish"), "an old wish stays")

# Advice caps nothing, and is not called a cap.
with Run("--simulate", "lqd4500", "--workload", "random-write-4k", "--inlet", "50", "--airflow", "200", "--mode", "advise") as run:
    wait_for("advice", lambda: " would be capped (down to" in run.read_log(), 150)
    check(" capped (down to" not in run.read_log().replace("would be capped", ""), run.read_log())
