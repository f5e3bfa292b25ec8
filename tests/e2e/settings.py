"""Settings: a reload takes a good file whole, keeps the old one when the new one is bad and says so; `check` names file and line;
usage errors end with 2; a taken port is said."""
import ctypes
import errno
import json
import os
import signal
import subprocess
import tempfile

from e2e import ELEMENTD, EXPORTER, SANDBOX, Run, check, command, free_port, wait_for


def without_landlock():
    """As on a kernel that has none: its first system call answers ENOSYS."""
    lib = ctypes.CDLL("libseccomp.so.2")
    lib.seccomp_init.restype = ctypes.c_void_p
    filter_ = ctypes.c_void_p(lib.seccomp_init(0x7fff0000))
    create_ruleset = lib.seccomp_syscall_resolve_name(b"landlock_create_ruleset")
    if create_ruleset < 0 or lib.seccomp_rule_add(filter_, 0x00050000 | errno.ENOSYS, create_ruleset, 0) or lib.seccomp_load(filter_):
        os.abort()


with tempfile.TemporaryDirectory(prefix="el-e2e-") as base:
    os.chmod(base, 0o755)
    path = os.path.join(base, "elementd.yaml")

    def write(text):
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)

    def limits():
        return set(run.samples("element_drive_limit_celsius"))

    write("cards: [{card: '*', limit_c: 70}]\n")
    with Run("--simulate", "element-aic", "--config", path) as run:
        check(limits() == {70}, f"limits {limits()}")
        write("cards: [{card: '*', limit_c: 65}]\npoll: {tick_ms: 500, hot_ms: 500}\n")
        run.process.send_signal(signal.SIGHUP)
        wait_for("the new limit", lambda: limits() == {65}, 8)
        write("cards: [{card: '*', limit_c: 60}]\npoll: {tick_mss: 500}\n")
        run.process.send_signal(signal.SIGHUP)
        wait_for("the refusal", lambda: run.value("element_config_last_reload_successful") == 0, 8)
        check(limits() == {65}, "nothing of the bad file was taken")
        check(run.read_log().count("poll.tick_mss") == 2, run.read_log())  # one line of each daemon
        check("elementd.yaml:2: poll.tick_mss: unknown key; did you mean \"tick_ms\"?" in run.read_log(), run.read_log())
        write("cards: [{card: '*', limit_c: 68}]\n")
        run.process.send_signal(signal.SIGHUP)
        wait_for("the good file", lambda: limits() == {68} and run.value("element_config_last_reload_successful") == 1, 8)

        # A file that was emptied, or is half written, is no wish for the defaults.
        for cut in ("", "# limits\n", "cards: [{card: '*', limit_c: 67}]\ngovernor:\n  mode: observe", "cards: [{card: '*', limit_c: 67}]"):
            write(cut)
            seen = len(run.read_log())
            run.process.send_signal(signal.SIGHUP)
            wait_for("both refusals", lambda: "not reloaded" in run.read_log()[seen:] and "the old configuration stays in force" in run.read_log()[seen:], 8)
            check(run.read_log()[seen:].count(f"{path}: ") == 2 and "half written?" in run.read_log()[seen:], run.read_log()[seen:])
            wait_for("the metrics", lambda: run.value("element_config_last_reload_successful") == 0
                     and run.value("element_exporter_config_last_reload_successful") == 0, 8)
            check(limits() == {68}, f"{cut!r}: limits {limits()}")
        write("cards: [{card: '*', limit_c: 68}]\n")
        run.process.send_signal(signal.SIGHUP)
        wait_for("the good file again", lambda: run.value("element_config_last_reload_successful") == 1, 8)

        other = Run("--simulate", "element-aic", "--web.listen-address", f"127.0.0.1:{run.port}", wait=False)
        check(other.process.wait(timeout=20) != 0, "a taken port ends it")
        check(str(run.port) in other.read_log(), other.read_log())
        other.end()

    port = free_port()
    write(f'web: {{listen_addresses: ["127.0.0.1:{port}"]}}\nsnmp: {{agentx: off}}\n')
    with subprocess.Popen([ELEMENTD, "run", "--simulate", "element-aic", "--config", path, *SANDBOX], stdout=subprocess.PIPE, text=True) as shown:
        page = shown.stdout.readline()
        shown.terminate()
        shown.communicate()
    check(page == f"page     http://127.0.0.1:{port}/\n", page)

    for line, says in (('sinks: ["v2c:public@upd:192.0.2.1:162"]', "snmp.sinks: "), ('sinks: ["v3:nobody@udp:192.0.2.1:162"]', "nobody"),
                       ("standalone: udp:127.0.0.1:1161", "name users"), ("standalone: udp:127.0.0.1:99999", "expected an address"),
                       ("users_file: /nonexistent", "No such file"), ("sinks: [agentx]\n  agentx: off", "snmp.agentx is off")):
        write(f"snmp:\n  entity: auto\n  {line}\n")
        bad = command("check", path)
        check(bad.returncode == 1 and f"{path}:3: snmp." in bad.stderr and says in bad.stderr, bad.stderr)
    write("cards:\n  - card: '*'\n    profile: lqd4501\n")
    bad = command("check", path)
    check(bad.returncode == 1 and f"{path}:3: cards[0].profile: no card profile" in bad.stderr, bad.stderr)
    write("cards:\n  - card: '*'\n    profile: lqd4500\n")
    check(command("check", path).returncode == 0, "a profile that is there")
    # The web configuration that it names, and its certificates. They are read in the sandbox, in which no leaks can be looked for.
    calm = dict(os.environ, ASAN_OPTIONS="detect_leaks=0")
    web = os.path.join(base, "web.yaml")
    for text, line, says in (("basic_auth_users:\n  alice: secret\n", 2, "expected a bcrypt hash"), ("tls_server_config: {}\n", 1, "states nothing"),
                             ("tls_server_config: {cert_file: gone.crt, key_file: gone.key}\n", None, f"cannot read {base}/gone.crt"),
                             ("tls_server_config: {cert: x, key: x}\n", None, "certificate (inline)"), (None, None, "cannot be read"), ("# later\n", None, None)):
        write(f"web: {{config_file: {web}}}\n")
        if text:
            with open(web, "w", encoding="utf-8") as f:
                f.write(text)
        elif os.path.exists(web):
            os.remove(web)
        got, told = command("check", path, env=calm), json.loads(command("check", "--json", path, env=calm).stdout)
        where = f"{web}:{line}: " if line else f"{web}: "
        check(got.returncode == (1 if says else 0) and (not says or where in got.stderr and says in got.stderr), f"{text}: {got}")
        check(not told["good"] or not says, str(told))
        check([(p["file"], p.get("line")) for p in told["problems"]] == ([(web, line)] if says else []), str(told))
        got = subprocess.run([ELEMENTD + "-exporter", "--config", path, "--config.check"], capture_output=True, text=True, timeout=60, check=False,
                             env=calm)
        check(got.returncode == (1 if says else 0) and (says or "is good") in got.stderr + got.stdout, f"{text}: {got}")
    write('snmp:\n  sinks:\n    - v2c:public@udp:127.0.0.1:162\n    - v2c:public@udp:no-such-host.invalid:162\n')
    warned = command("check", path)  # the exporter would start, and ask again
    check(warned.returncode == 0 and f"{path}:4: snmp.sinks[1]: warning: " in warned.stderr and warned.stderr.count("\n") == 1, warned.stderr)
    told = json.loads(command("check", "--json", path).stdout)
    check(told["good"] and not told["problems"] and [w["line"] for w in told["warnings"]] == [4], str(told))
    write("governor: {mode: fast}\nlog: {level: 5}\n")
    bad = command("check", path)
    check(bad.returncode == 1 and f"{path}:1: governor.mode" in bad.stderr and f"{path}:2: log.level" in bad.stderr, bad.stderr)
    told = json.loads(command("check", "--json", path).stdout)
    check(not told["good"] and [p["line"] for p in told["problems"]] == [1, 2], str(told))
    for args in (["run", "--nonsense"], ["govern", "--cards", "0", "--simulate", "element-aic"], ["scan", "--workload", "sql"], ["nonsense"],
                 ["pause", "soon"], ["check"], ["run", "--web.listen-address"]):
        got = command(*args)
        check(got.returncode == 2 and got.stderr, f"{args}: {got.returncode} {got.stderr}")
    for args in (["govern", "--simulate", "nonsense"], ["scan", "--root", "/nonexistent"],
                 ["status", "--runtime-dir", "/nonexistent"], ["govern", "--simulate", "element-aic", "--workload", "nonsense",
                                                               "--runtime-dir", base + "/r", "--state-dir", base + "/s"]):
        got = command(*args, timeout=20)
        check(got.returncode == 1 and got.stderr, f"{args}: {got.returncode} {got.stderr}")
    for name in ("run", "govern", "scan", "status", "check", "pause", "restore"):
        got = command(name, "--help")
        check(got.returncode == 0 and got.stdout.startswith("usage: "), name)

    # A daemon that would end the same way each time says so with its code, and its unit does not start it again.
    def ends(program, *flags, **kw):
        got = subprocess.run([*program, *flags], capture_output=True, text=True, timeout=60, check=False, **kw)
        return got.returncode, got.stderr

    daemons = (([ELEMENTD, "govern"], ("--simulate", "element-aic", "--runtime-dir", f"{base}/r", "--state-dir", f"{base}/s")),
               ([EXPORTER], ("--snapshot", f"{base}/r/snapshot", "--snmp.agentx", "off", "--web.listen-address", f"127.0.0.1:{free_port()}")))
    for program, flags in daemons:
        code, said = ends(program, "--config", path, *flags, *SANDBOX)
        check(code == 2 and f"{path}:1: governor.mode" in said, f"{program}: {code} {said}")
        code, said = ends(program, "--config", f"{base}/gone", *flags, *SANDBOX)
        check(code == 1 and f"{base}/gone" in said, f"what may come yet: {program}: {code} {said}")
        if not SANDBOX:
            code, said = ends(program, *flags, "--sandbox", "require", preexec_fn=without_landlock)
            check(code == 2 and "files are not confined" in said, f"no Landlock: {program}: {code} {said}")
