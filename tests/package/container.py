#!/usr/bin/env python3
"""Builds what the Containerfile says without a container engine: container.py SCRATCH-DIR

Each FROM is a fresh Debian 12 (minbase; the slim image is that less documents), each RUN line runs in it, each COPY copies, and the
entry point of the last stage is started. What it does not show: layers, the registry's base image, an engine's own defaults.
Exit 77 (skipped) without root, mmdebstrap or Debian's archive.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def instructions(text):
    text = re.sub(r"^#.*\n", "", text, flags=re.M)
    for line in re.sub(r"\\\n", " ", text).splitlines():
        if line.strip():
            word, _, rest = line.strip().partition(" ")
            yield word, rest.strip()


def inside(root, *command):
    """In namespaces of its own, with the network (for apt) but no other process in sight."""
    script = 'mount -t proc proc "$1/proc"; mount -t tmpfs tmpfs "$1/run"; root=$1; shift; exec chroot "$root" "$@"'
    return subprocess.run(["unshare", "-m", "-p", "-f", "sh", "-c", script, "sh", str(root), *command], capture_output=True, text=True,
                          env={"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive"})


def make_base(root):
    r = subprocess.run(["mmdebstrap", "--quiet", "--variant=minbase", "--mode=root", "bookworm", str(root)], capture_output=True, text=True)
    if r.returncode:
        print("skipped: no Debian:", r.stderr[-300:])
        sys.exit(77)
    for extra in ("etc/apt/sources.list.d/debian.sources", *(str(p)[1:] for p in pathlib.Path("/etc/apt/apt.conf.d").glob("*registry*"))):
        if os.path.exists("/" + extra):  # however this machine reaches Debian's archive
            shutil.copy("/" + extra, root / extra)


def copy(stages, root, rest):
    words = rest.split()
    if words[0].startswith("--from="):
        subprocess.run(["cp", "-a", f"{stages[words[0][7:]]}{words[1]}.", f"{root}{words[2]}"], check=True)
    else:
        (root / words[1].strip("/")).mkdir(parents=True, exist_ok=True)
        subprocess.run(f"git -C {ROOT} archive HEAD | tar -x -C {root}{words[1]}", shell=True, check=True)


def build(scratch):
    stages, settings, root = {}, {}, None
    for word, rest in instructions((ROOT / "deploy/container/Containerfile").read_text()):
        print(word, rest[:100], flush=True)
        if word == "FROM":
            image, _, name = rest.partition(" AS ")
            assert image == "debian:12-slim", image
            root = scratch / (name or "final")
            stages[name or "final"] = root
            make_base(root)
        elif word == "RUN":
            r = inside(root, "sh", "-c", rest)
            if r.returncode:
                print(r.stdout[-2000:], r.stderr[-2000:])
                sys.exit(1)
        elif word == "COPY":
            copy(stages, root, rest)
        else:
            settings[word] = rest
    return root, settings


def main():
    if os.geteuid() or not shutil.which("mmdebstrap") or subprocess.run(["unshare", "-m", "-p", "-f", "true"]).returncode:
        return 77
    scratch = pathlib.Path(sys.argv[1])
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    try:
        root, settings = build(scratch)
        entry = json.loads(settings["ENTRYPOINT"])
        assert json.loads(settings["CMD"])[0] in inside(root, *entry, "--help").stdout
        for command in (("scan", "--simulate", "lqd4500"), ("simulate", "--card", "element-aic", "--workload", "sql", "--hours", "0.1"),
                        ("check", "/etc/elementd/elementd.yaml")):
            r = inside(root, *entry, *command)
            assert r.returncode == 0, (command, r.stdout, r.stderr)
        serve = inside(root, "sh", "-c", f"timeout 20 {entry[0]} run --simulate lqd4500 --web.listen-address 127.0.0.1:0 2>&1; test $? = 124")
        assert serve.returncode == 0 and re.search(r"8 of 8 drives up", serve.stdout) and "serving on" in serve.stdout, serve.stdout + serve.stderr
        assert "no user elementd-exporter" not in serve.stdout, serve.stdout
        assert not (root / "usr/bin/gcc").exists(), "the compiler is in the image"
        size = subprocess.run(["du", "-sm", root], capture_output=True, text=True).stdout.split()[0]
        print(f"the last stage is {size} MB, with apt's own caches of the base")
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
