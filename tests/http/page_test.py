#!/usr/bin/env python3
"""page_test.py BUILD: the status page in a real Chromium: no console error under its policy, nothing fetched from elsewhere, brought up to
date by its script, and whole without it. Exits 77 when there is no chromium. SHOTS=DIR keeps screenshots."""
import http.server
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading

from harness import Exporter, wait_until

FLAGS = ["--headless", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
         "--disable-sync", "--hide-scrollbars", "--enable-logging=stderr", "--v=0"]


def chromium(url, *more):
    with tempfile.TemporaryDirectory(prefix="el-chromium-") as profile:
        flags = FLAGS + (["--no-sandbox"] if os.geteuid() == 0 else [])
        r = subprocess.run(["chromium", *flags, f"--user-data-dir={profile}", *more, url], capture_output=True, text=True, timeout=90)
    console = [line for line in r.stderr.splitlines() if "CONSOLE" in line]
    return r.stdout, console


def dom(url, wait_ms=6000):
    text, console = chromium(url, f"--timeout={wait_ms}", f"--virtual-time-budget={wait_ms}", "--dump-dom")
    assert not console, console
    return text


def shots(url, name):
    directory = os.environ.get("SHOTS")
    if not directory:
        return
    for kind, size, more in (("light", "1400,1500", []), ("dark", "1400,1500", ["--blink-settings=preferredColorScheme=0"]), ("phone", "390,2600", [])):
        chromium(url, f"--window-size={size}", f"--screenshot={directory}/{name}-{kind}.png", *more)


def has(page, *texts):
    for text in texts:
        assert re.search(text, page), f"the page lacks {text}"


def contrast(css):
    """Text on its ground, light and dark: WCAG 2 asks for 4.5 (AA)."""
    def light(colour):
        digits = colour[1:] if len(colour) == 7 else "".join(2 * c for c in colour[1:])
        parts = [int(digits[i:i + 2], 16) / 255 for i in (0, 2, 4)]
        return sum(w * (p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4) for w, p in zip((0.2126, 0.7152, 0.0722), parts))

    names = [dict(re.findall(r"--([\w-]+):(#\w+)", block)) for block in re.findall(r":root\{(.*?)\}", css, re.S)]
    grounds = {"fg": "bg box bad-bg warn-bg ok-bg", "dim": "bg box bad-bg warn-bg board", "ok": "ok-bg box", "warn": "warn-bg box board",
               "bad": "bad-bg box board", "cap": "cap-bg box", "chip-fg": "chip"}
    for colours in (names[0], names[0] | names[1]):
        for text, on in grounds.items():
            for ground in on.split():
                a, b = sorted((light(colours[text]), light(colours[ground])))
                assert (b + 0.05) / (a + 0.05) >= 4.5, f"{text} on {ground}: {(b + 0.05) / (a + 0.05):.2f}"


def announces(page):
    """What is critical when the page is asked for again, and was not before, is read out; what was known is not."""
    alarm = '<li class="critical" data-key="%s"><strong>✖ critical</strong> %s</li>'
    served = [page.replace('<ul class="alarms">', '<ul class="alarms">' + text) for text in
              (alarm % ("8 0 9 -1", "known"), alarm % ("8 0 9 -1", "known") + alarm % ("8 0 8 -1", "new trouble"))]

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            body = served[0].encode()
            if len(served) > 1:
                del served[0]
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        news = re.search(r'<p id="news" role="alert">(.*?)</p>', dom(f"http://127.0.0.1:{server.server_port}/")).group(1)
        server.shutdown()
    assert "new trouble" in news and "known" not in news, news


def main():
    with open(os.path.join(os.path.dirname(__file__), "../../src/exporter/page/page.css"), encoding="utf-8") as f:
        contrast(f.read())
    if not shutil.which("chromium"):
        print("skipped: no chromium")
        return 77
    with Exporter(sys.argv[1], make=["--odd", "--alarms", "3"]) as x:
        url = f"http://127.0.0.1:{x.port}/"
        page = dom(url)
        has(page, r'id="live"[^>]*>Live\.', r"class=\"slot gone\"", r"class=\"slot bad\"", r"class=\"slot empty\"", r"role=\"rowheader\"", r"<h2", r"⚠ warning")
        assert not re.search(r'(src|href)="https?:', page), "an external resource"
        bare = x.get("/")[2].decode()  # what a browser without scripts has: all of it
        has(bare, r"class=\"slot bad\"", r"role=\"rowheader\"")
        announces(bare)
        shots(url, "odd")
        x.keep_fresh.clear()
        wait_until("stale", lambda: b"Stale." in x.get("/")[2])
        page = dom(url, 2500)
        has(page, r"<strong>✖ Stale\.", r"<title>✖", "not known", "last known: healthy")
        assert 'data-label="Health">healthy' not in page, "a drive nobody looks after is called healthy"
        assert " °C" not in re.sub(r"<style>.*?</style>", "", page, flags=re.S).split("<table")[0].split("facts")[0], "a temperature outlived its truth"
        shots(url, "stale")
    return 0


if __name__ == "__main__":
    sys.exit(main())
