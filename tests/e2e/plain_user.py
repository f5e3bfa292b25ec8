"""Everything simulated works without root, and no locale changes a byte of what is served."""
import json
import os
import subprocess

from e2e import ELEMENTD, Run, check, command

NOBODY = 65534
user = NOBODY if os.geteuid() == 0 else None


def shape(text):
    """Names and labels, and every number's form: a comma anywhere would show."""
    return [line.rsplit(" ", 1)[0] for line in text.splitlines() if not line.startswith("#")]


readable = subprocess.run(["test", "-x", ELEMENTD], user=user, check=False).returncode == 0 if user else True
if not readable:
    print("the build directory cannot be reached by another user: run as the one who started this")
    user = None
with Run("--simulate", "element-aic", "--workload", "sql", user=user) as run:
    first = run.metrics()
    status = command("status", "--runtime-dir", run.runtime)
    check(status.returncode == 0, status.stderr)
    paused = command("pause", "30s", "--runtime-dir", run.runtime, user=user)
    check(paused.returncode == 0, paused.stderr)
    resumed = command("pause", "--resume", "--json", "--runtime-dir", run.runtime, user=user)
    check(json.loads(resumed.stdout) == {"paused_seconds": 0}, resumed.stdout + resumed.stderr)
    paused = command("pause", "30s", "--json", "--runtime-dir", run.runtime, user=user)
    check(json.loads(paused.stdout) == {"paused_seconds": 30}, paused.stdout + paused.stderr)
with Run("--simulate", "element-aic", "--workload", "sql", env={"LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"}) as run:
    check(shape(run.metrics()) == shape(first), "the same series under a German locale")
    check(all("," not in line.rsplit(" ", 1)[1] for line in run.metrics().splitlines() if not line.startswith("#")), "decimal points")
    german = command("scan", "--simulate", "element-aic", env=dict(os.environ, LC_ALL="de_DE.UTF-8"))
    check(german.stdout == command("scan", "--simulate", "element-aic", env=dict(os.environ, LC_ALL="C")).stdout or german.returncode == 0, "scan")
