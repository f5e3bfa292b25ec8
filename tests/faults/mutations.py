#!/usr/bin/env python3
"""mutations.py [NAME...]: does the fault campaign notice? Each mutation breaks one promise in a copy of the sources; the campaign, built from it, must
name the promise that was broken. Not part of tests/run: a dozen builds, some minutes. Exits 1 when a mutation goes unnoticed."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
# name: file, text, what it becomes, what the campaign must say, its flags
MUTATIONS = {
    "slow-round": ("src/control/tick.c", "static int publish(struct el_tick *t)\n{\n", "static int publish(struct el_tick *t)\n{\n    static int n;\n\n    if (++n == 50)\n        usleep(4100000);\n",
                   "a round over two periods", "--count 1"),
    "acts-always": ("src/control/actuate.c", "a->hand = kinds ? &el_carry_device_hand : &el_carry_null_hand;", "a->hand = &el_carry_device_hand;", "a write in observe or advise", ""),
    "no-journal": ("src/control/carry.c", "    r = el_journal_add(c->journal, &e);", "    r = 0;", "a write without journal", ""),
    "wrong-original": ("src/control/carry.c", "    r = el_journal_add(c->journal, &e);",
                       "    e.original[0] ^= 1;\n    r = el_journal_add(c->journal, &e);", "a journal with another original", ""),
    "restores-nothing": ("src/control/restore.c", "    return dev->ops->actuator_restore(dev->dev, e->actuator, slot.key, e->original);", "    return 0;", "not restored", ""),
    "never-caps": ("src/control/cards_act.c", "    bool caps = slot->decision.cap_ratio < 1;\n", "    bool caps = false;\n\n    if (slot->decision.cap_ratio < 1)\n        return false;\n",
                   "above critical though it could be slowed", ""),
    "sets-once": ("src/governor/governor.c", "(run_over && d->cap_ratio < 1)", "(run_over && d->cap_ratio < 0)", "above critical though it could be slowed",
                  "--first 5000505 --count 1"),
    "never-stale": ("src/model/fill.c", "        r->quality = EL_STALE;", "        r->quality = EL_GOOD;", "an untrue value", ""),
    "never-forgives": ("src/control/drive_set.c", "    d->failures = 0;\n", "",
                       "still hurt after the fault", ""),
    "learns-once": ("src/control/cards.c", "    l->again_us = !l->governor || el_profiles_lacked(c->profiles) ? c->in.now_us + AGAIN_US : 0;\n", "", "it knows",
                    "--count 2"),
    "sleeps-on": ("src/control/drive_set.c", "        d->due_us = d->quiet ? now_us : d->due_us;\n", "", "an untrue value", "--first 2107328 --count 1"),
    "unsealed": ("src/control/tick.c", "    el_snapshot_seal(s);\n", "    el_snapshot_seal(s);\n    s->seq++;\n", "an unsound snapshot", ""),
    "kill-before-journal": ("src/control/carry.c", "    r = el_journal_add(c->journal, &e);", "    r = strcmp(e.place, \"\") > 0 ? 0 : el_journal_add(c->journal, &e);",
                            "not restored", "--kills --first 3 --count 3"),
}


def campaign(build, flags):
    subprocess.run(["cmake", "--build", build, "--target", "faults_campaign", "-j2"], check=True, stdout=subprocess.DEVNULL)
    return subprocess.run([build / "tests/faults_campaign", *(flags or "--seconds 30").split()], capture_output=True, text=True, check=False)


def main():
    unnoticed = []
    with tempfile.TemporaryDirectory(prefix="el-mutations-") as scratch:
        tree = pathlib.Path(scratch) / "tree"
        shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns("build", ".git"), symlinks=True)
        build = tree / "build"
        subprocess.run(["cmake", "-S", tree, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=RelWithDebInfo"], check=True, stdout=subprocess.DEVNULL)
        for name, (file, old, new, says, flags) in MUTATIONS.items():
            if sys.argv[1:] and name not in sys.argv[1:]:
                continue
            path = tree / file
            good = path.read_text()
            if old not in good:
                raise SystemExit(f"{name}: {file} has changed: mend the mutation")
            path.write_text(good.replace(old, new, 1))
            r = campaign(build, flags)
            path.write_text(good)
            hit = [w for w in says.split("|") if w in r.stdout]
            print(f"{name:20} exit {r.returncode}  {hit[0] if hit else 'NOT NOTICED: ' + r.stdout[-300:]}", flush=True)
            if not hit or r.returncode == 0:
                unnoticed.append(name)
    print(f"{len(unnoticed)} unnoticed {unnoticed}")
    return 1 if unnoticed else 0


if __name__ == "__main__":
    sys.exit(main())
