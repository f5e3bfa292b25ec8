#!/usr/bin/env python3
"""The rules of the house, as checks that can fail.

usage: house.py CHECK [--root DIR] [--build DIR]     findings on standard output; exit 0 none, 1 some, 2 usage
       house.py CHECK --self-test                    breaks the rule in a scratch tree and expects it to be found
"""
import argparse
import fnmatch
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

LAYERS = {
    "base": [],
    "model": ["base"],
    "config": ["base", "model"],
    "device": ["base", "model"],
    "twin": ["base", "model"],
    "governor": ["base", "model"],
    "exporter": ["base", "model"],
    "control": ["base", "model", "config", "device", "twin", "governor"],
    "cli": ["base", "model", "config", "device", "twin", "governor", "control"],
}
# The network's main sees the exporter; it must not see the room with device rights. `decode` shows what the exporter's pure
# views make of a page: the linker takes those alone, and no network library, into elementd.
ROOM_OF_FILE = {
    "cli/main_exporter.c": ["base", "model", "config", "exporter", "cli"],
    "cli/flags.c": ["base", "model", "config", "cli"],
    "cli/decode.c": ["base", "model", "exporter", "cli"],
    "cli/status.c": ["base", "model", "exporter", "cli"],
    "cli/check.c": ["base", "model", "config", "exporter", "cli"],
}

# library: its headers, the one place that may include them
LIBRARIES = {
    "libnvme": (r"libnvme\.h|nvme/[a-z]+\.h", {"src/device/nvme.c"}),
    "libsensors": (r"sensors/[a-z]+\.h", {"src/device/hwmon.c"}),
    "libmicrohttpd": (r"microhttpd\.h", {"src/exporter/http.c"}),
    "net-snmp": (r"net-snmp/.*", {"src/exporter/snmp_net.h"}),
    "net-snmp, by its one door": (r"exporter/snmp_(net|answer)\.h", {f"src/exporter/snmp{f}" for f in (".c", "_answer.c", "_answer.h", "_send.c")}),
}
CLOCKS = re.compile(r"\b(clock_gettime|clock_nanosleep|gettimeofday|timespec_get|ftime|nanosleep|usleep)\s*\(|\btime\s*\(\s*(NULL|0)\s*\)")
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|HACK|placeholder|lorem ipsum)\b|(?<!i2c-)\bstubs?\b", re.I)
PRIVATE = re.compile(r"(?<![\w.])/(opt|work|home|root|Users)/\w+/|Co-authored-by|\bissue #?\d+\b|\b(see|as) the brief\b", re.I)
LINES_MAX = 600
INCLUDES_MAX = 12


def files(root, *patterns):
    """Of patterns like `src/**/*.c`. Never looks into a build directory: other tests make and remove whole systems in there."""
    skip = {".git", "build", "__pycache__", "corpus", "fixtures", "golden"}
    for pattern in patterns:
        top, _, name = pattern.partition("**/")
        for folder, below, names in os.walk(root / top):
            below[:] = sorted(d for d in below if d not in skip and not d.startswith("build"))
            for path in (pathlib.Path(folder, n) for n in sorted(fnmatch.filter(names, name)) if n not in skip):
                if path.is_file():
                    yield path, str(path.relative_to(root))


def numbered(path):
    return enumerate(path.read_text(errors="replace").splitlines(), 1)


def code_lines(path):
    """Lines without comments: rules about calls do not concern prose."""
    text = path.read_text(errors="replace")
    text = re.sub(r"/\*.*?\*/", lambda m: "\n" * m.group().count("\n"), text, flags=re.S)
    return enumerate(re.sub(r"//.*", "", text).splitlines(), 1)


def check_layers(root, _build):
    for path, rel in files(root, "src/**/*.[ch]"):
        inside = rel[len("src/"):]
        room = inside.split("/")[0]
        allowed = ROOM_OF_FILE.get(inside, LAYERS.get(room, []) + [room])
        if room not in LAYERS:
            yield f"{rel}: no such room; the rooms are {', '.join(LAYERS)}"
            continue
        for line, text in numbered(path):
            m = re.match(r'\s*#\s*include\s+"([^"]+)"', text)
            if not m:
                continue
            target = m.group(1).split("/")[0]
            if not (root / "src" / m.group(1)).exists():
                yield f"{rel}:{line}: \"{m.group(1)}\" is not written from src/"
            elif target not in allowed:
                yield f"{rel}:{line}: {room} must not include {target}"


def check_libraries(root, _build):
    for path, rel in files(root, "src/**/*.[ch]"):
        for line, text in numbered(path):
            m = re.match(r"\s*#\s*include\s+[<\"]([^>\"]+)[>\"]", text)
            for name, (headers, users) in LIBRARIES.items():
                if m and re.fullmatch(headers, m.group(1)) and rel not in users:
                    yield f"{rel}:{line}: only {', '.join(sorted(users))} may use {name}"


def check_clocks(root, _build):
    for path, rel in files(root, "src/**/*.[ch]"):
        if rel == "src/base/clock.c":
            continue
        for line, text in code_lines(path):
            if CLOCKS.search(text):
                yield f"{rel}:{line}: only src/base/clock.c reads or waits on clocks: {text.strip()}"


def check_words(root, _build):
    for path, rel in files(root, "**/*"):
        if rel.startswith("tests/lint/") or path.suffix in {".png", ".bin", ".gz", ".json"}:
            continue
        finished = rel.startswith(("src/", "deploy/", "docs/", "mibs/", "dashboards/")) or rel.endswith(".md")
        for line, text in numbered(path):
            if PRIVATE.search(text):
                yield f"{rel}:{line}: names a place or a person's matter: {text.strip()[:100]}"
            if finished and UNFINISHED.search(text):
                yield f"{rel}:{line}: unfinished: {text.strip()[:100]}"


def check_sizes(root, _build):
    for path, rel in files(root, "src/**/*.[ch]", "tests/**/*.[ch]", "tests/**/*.py", "tests/**/*.sh"):
        text = path.read_text(errors="replace")
        count = text.count("\n")
        if count > LINES_MAX:
            yield f"{rel}: {count} lines; {LINES_MAX} is the most, split it"
        includes = len(re.findall(r'^\s*#\s*include\s+"', text, re.M))
        if rel.startswith("src/") and rel.endswith(".c") and includes > INCLUDES_MAX:
            yield f"{rel}: {includes} local includes; {INCLUDES_MAX} is the most"
        if rel.startswith("src/") and rel.endswith(".h") and "#pragma once" not in text:
            yield f"{rel}: no #pragma once"
        if re.match(r"src/cli/main_.*\.c$", rel) and count > 150:
            yield f"{rel}: {count} lines; a main has at most 150"


def nm(*args):
    return subprocess.run(["nm", *args], capture_output=True, text=True, check=True).stdout


def exported(path, dynamic):
    args = ["-D", "--defined-only", str(path)] if dynamic else ["-g", "--defined-only", str(path)]
    return {m.group(1).split("@")[0] for m in re.finditer(r"^[0-9a-f]+ [A-Ziu] (\S+)$", nm(*args), re.M)}


def linked_libraries(programs):
    found = set()
    for program in programs:
        out = subprocess.run(["ldd", str(program)], capture_output=True, text=True).stdout
        found.update(re.findall(r"=> (/\S+)", out))
    return sorted(found)


def check_symbols(_root, build):
    foreign = {}
    for library in linked_libraries([p for p in (build / "elementd", build / "elementd-exporter") if p.exists()]):
        for symbol in exported(library, True):
            foreign.setdefault(symbol, library)
    archives = sorted((build / "src").glob("lib*.a"))
    if not archives:
        yield f"{build}/src: no static library; build first"
    for archive in archives:
        for symbol in sorted(exported(archive, False)):
            if not symbol.startswith("el_") and not re.match(r"(__asan|__odr_asan|__tsan|__gcov|_sub_[DI])", symbol):
                yield f"{archive.name}: external symbol {symbol} does not start with el_"
            if symbol in foreign:
                yield f"{archive.name}: {symbol} is also exported by {foreign[symbol]}"


def check_links(root, _build):
    """Relative links and the paths a document names in code marks must exist."""
    for path, rel in files(root, "**/*.md"):
        for line, text in numbered(path):
            for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
                if re.match(r"[a-z]+:", target):
                    continue
                if not (path.parent / target).exists():
                    yield f"{rel}:{line}: link to {target}, which does not exist"
            for target in re.findall(r"`((?:src|tests|deploy|dashboards|mibs)/[\w./-]*)`", text):
                if not (root / target).exists() and not re.search(r"[A-Z]{4}", target):
                    yield f"{rel}:{line}: names {target}, which does not exist"


def put(root, name, text):
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def archive(build, name, source):
    put(build, "src/x.c", source)
    subprocess.run(["gcc", "-c", "-o", build / "src/x.o", build / "src/x.c"], check=True)
    subprocess.run(["ar", "rcs", build / f"src/lib{name}.a", build / "src/x.o"], check=True)


def program(build):
    put(build, "m.c", "#include <math.h>\nint main(int n, char **v) { (void)v; return (int)sin(n); }\n")
    subprocess.run(["gcc", "-o", build / "elementd", build / "m.c", "-lm"], check=True)


# check: (scratch tree that breaks it, text that must be found) ...; the clean tree must have no finding at all
BROKEN = {
    "layers": [
        (lambda r: (put(r, "src/twin/a.c", '#include "governor/g.h"\n'), put(r, "src/governor/g.h", "")), "twin must not include governor"),
        (lambda r: (put(r, "src/model/a.c", '#include "b.h"\n'), put(r, "src/model/b.h", "")), "not written from src/"),
        (lambda r: (put(r, "src/cli/main_exporter.c", '#include "control/c.h"\n'), put(r, "src/control/c.h", "")), "must not include control"),
        (lambda r: put(r, "src/attic/a.c", ""), "no such room"),
    ],
    "libraries": [
        (lambda r: put(r, "src/exporter/json.c", "#include <net-snmp/net-snmp-config.h>\n"), "may use net-snmp"),
        (lambda r: put(r, "src/exporter/json.c", '#include "exporter/snmp_net.h"\n'), "may use net-snmp"),
        (lambda r: put(r, "src/device/pcie.c", "#include <libnvme.h>\n"), "may use libnvme"),
    ],
    "clocks": [(lambda r: put(r, "src/governor/a.c", "void f(void) { clock_gettime(0, 0); }\n"), "src/governor/a.c:1")],
    "words": [
        (lambda r: put(r, "src/base/a.c", "/* TODO: later */\n"), "unfinished"),
        (lambda r: put(r, "deploy/a.conf", "dir = /home/jo/x\n"), "names a place"),
    ],
    "sizes": [
        (lambda r: put(r, "src/base/a.c", "\n" * 601), "601 lines"),
        (lambda r: put(r, "src/base/a.c", '#include "base/b.h"\n' * 13), "13 local includes"),
        (lambda r: put(r, "src/base/a.h", "int el_x;\n"), "#pragma once"),
        (lambda r: put(r, "src/cli/main_elementd.c", "\n" * 151), "at most 150"),
    ],
    "symbols": [
        (lambda r: (program(r / "build"), archive(r / "build", "base", "int helper;\n")), "helper does not start with el_"),
        (lambda r: (program(r / "build"), archive(r / "build", "base", "double sin(double x) { return x; }\n")), "sin is also exported by"),
        (lambda r: put(r, "build/src/none", ""), "no static library"),
    ],
    "links": [
        (lambda r: put(r, "README.md", "see [x](docs/x.md)\n"), "docs/x.md"),
        (lambda r: put(r, "README.md", "see `src/attic/`\n"), "src/attic/"),
    ],
}


def clean(root):
    put(root, "src/base/clock.c", '#include "base/clock.h"\nvoid el_now(void) { clock_gettime(0, 0); }\n')
    put(root, "src/base/clock.h", "#pragma once\n/* clock_gettime() stands in one file */\n")
    put(root, "src/twin/twin.c", '#include "base/clock.h"\n')
    put(root, "src/device/nvme.c", "#include <libnvme.h>\n")
    put(root, "README.md", "[map](src/base/clock.c) and `src/twin/`\n")
    program(root / "build")
    archive(root / "build", "base", "int el_ok;\n")


def self_test(name):
    check = CHECKS[name]
    bad = 0
    with tempfile.TemporaryDirectory() as scratch:
        root = pathlib.Path(scratch)
        clean(root)
        found = list(check(root, root / "build"))
        if found:
            print(f"{name}: the clean tree has findings: {found}")
            bad += 1
    for number, (break_it, expected) in enumerate(BROKEN[name], 1):
        with tempfile.TemporaryDirectory() as scratch:
            root = pathlib.Path(scratch)
            break_it(root)
            found = list(check(root, root / "build"))
            if not any(expected in text for text in found):
                print(f"{name}: broken tree {number} is not found; expected {expected!r}, got {found}")
                bad += 1
    return bad


CHECKS = {name[len("check_"):]: function for name, function in list(globals().items()) if name.startswith("check_")}


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("check", choices=sorted(CHECKS))
    p.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2])
    p.add_argument("--build", type=pathlib.Path)
    p.add_argument("--self-test", action="store_true")
    args = p.parse_args()
    if not shutil.which("nm"):
        p.error("nm is missing: install binutils")
    if args.self_test:
        return 1 if self_test(args.check) else 0
    found = list(CHECKS[args.check](args.root, args.build or args.root / "build/dev"))
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
