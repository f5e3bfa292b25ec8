"""Either half is killed: the exporter is back within 2 s and no round is lost; without the daemon the exporter serves on, says that
the snapshot is stale, drops what is no longer true, and recovers."""
import os
import signal
import time

from e2e import Run, SLOW, check, wait_for

with Run("--simulate", "element-aic", "--workload", "sql") as run:
    before = run.value("element_ticks_total")
    os.kill(run.child("exporter"), signal.SIGKILL)
    start = time.monotonic()
    time.sleep(0.05)
    wait_for("metrics after the exporter was killed", lambda: run.value("element_ready") == 1, 2)
    print(f"exporter back after {time.monotonic() - start:.2f} s")
    wait_for("two more rounds", lambda: run.value("element_ticks_total") >= before + 2, 8)
    check(run.value("element_ticks_late_total") == 0, "no round was late")

    # Stopped, not killed: the launcher does not start another, so what the exporter says of an old snapshot can be looked at.
    govern = run.child("govern")
    os.kill(govern, signal.SIGSTOP)
    wait_for("the snapshot to be called stale", lambda: run.value("element_snapshot_stale") == 1, 20)
    text = run.metrics()
    check(not run.samples("element_drive_temperature_celsius", text), "old temperatures are not served")
    check(sum(run.samples("element_drive_up", text)) == 0, "no drive is called up")
    os.kill(govern, signal.SIGKILL)
    wait_for("recovery", lambda: run.value("element_snapshot_stale") == 0 and len(run.samples("element_drive_temperature_celsius")) > 0, 15)
    check(run.child("govern") != govern, "another daemon")
    code, took = run.terminate()
    check(code == 0 and took < 2 * SLOW, f"SIGTERM: code {code} after {took:.2f} s")
