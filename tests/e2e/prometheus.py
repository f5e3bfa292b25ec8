"""A real Prometheus scrapes it for a while (EL_SCRAPE_SECONDS, 60) and has it `up` all the time."""
import json
import os
import subprocess
import tempfile
import time
import urllib.parse
import urllib.request

from e2e import Run, check, free_port, wait_for

seconds = int(os.environ.get("EL_SCRAPE_SECONDS", "60"))
with Run("--simulate", "lqd4500", "--workload", "mixed") as run, tempfile.TemporaryDirectory(prefix="el-e2e-") as base:
    port = free_port()
    with open(f"{base}/prometheus.yml", "w", encoding="utf-8") as f:
        f.write(f"global: {{scrape_interval: 1s}}\nscrape_configs:\n- job_name: elementd\n  static_configs: [{{targets: ['127.0.0.1:{run.port}']}}]\n")
    with open(f"{base}/log", "w", encoding="utf-8") as log:
        p = subprocess.Popen(["prometheus", f"--config.file={base}/prometheus.yml", f"--storage.tsdb.path={base}/data",
                              f"--web.listen-address=127.0.0.1:{port}"], stdout=log, stderr=log)
    try:
        def query(q):
            url = f"http://127.0.0.1:{port}/api/v1/query?query={urllib.parse.quote(q)}"
            with urllib.request.urlopen(url, timeout=5) as r:
                return [float(s["value"][1]) for s in json.load(r)["data"]["result"]]

        wait_for("the first scrape", lambda: query("up") == [1], 30)
        time.sleep(seconds)
        check(query(f"min_over_time(up[{seconds}s])") == [1], "up throughout")
        check(query("count(element_drive_up == 1)") == [8], "eight drives in Prometheus")
        print(f"scraped {query('count_over_time(up[1h])')} times; slowest {query('max_over_time(scrape_duration_seconds[1h])')} s, "
              f"{query('scrape_samples_scraped')} samples")
    finally:
        p.terminate()
        p.wait(timeout=20)
