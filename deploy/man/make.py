#!/usr/bin/env python3
"""Manual pages from what the programs say themselves: elementd-COMMAND.1 from --help, elementd.yaml.5 from the commented example; the pages
of section 8 are those beside this file, with what --help lists in place of their line `.\\" HELP`.

usage: make.py ELEMENTD OUT-DIR
"""
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def said(*args):
    return subprocess.run(args, capture_output=True, text=True, check=True).stdout


def quote(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in text.splitlines())


def head(name, section, what):
    return f'.TH {name.upper()} {section} "" "elementd" "elementd manual"\n.SH NAME\n{quote(name)} \\- {quote(what)}\n'


def command_page(elementd, name, what):
    usage, _, rest = said(elementd, name, "--help").partition("\n")
    usage = re.sub(r"^usage: ", "", usage)
    return (head("elementd-" + name, 1, what) + ".SH SYNOPSIS\n.nf\n" + quote(usage) + "\n.fi\n.SH DESCRIPTION\n.nf\n" + quote(rest.strip("\n"))
            + "\n.fi\n.SH EXIT STATUS\n0 good, 1 it ran and the answer is bad, 2 wrong usage.\n.SH SEE ALSO\n.BR elementd (8),\n.BR elementd.yaml (5)\n")


def settings_page():
    example = (HERE.parent / "elementd.yaml").read_text()
    return (head("elementd.yaml", 5, "configuration of elementd") + ".SH DESCRIPTION\nOne YAML file, read by\n.BR elementd (8)\nand\n"
            ".BR elementd-exporter (8).\nEvery key is optional. An unknown key, a wrong type, a value out of range or a key given twice is an error\n"
            "with file and line, and then nothing of the file is taken.\n.B elementd check\nsays what is wrong. SIGHUP reads it again.\n"
            ".SH ALL KEYS\nWith their defaults:\n.PP\n.nf\n" + quote(example) + "\n.fi\n.SH SEE ALSO\n.BR elementd (8)\n")


def written_page(source, program):
    """With the lines of --help that begin with a flag or a command, and what continues them."""
    listed = "\n".join(line for line in said(program, "--help").splitlines() if line.startswith("  "))
    return source.read_text().replace('.\\" HELP\n', ".nf\n" + quote(listed) + "\n.fi\n")


def pages(elementd):
    for source in sorted(HERE.glob("*.8")):
        yield source.name, written_page(source, pathlib.Path(elementd).parent / source.stem)
    for name, what in re.findall(r"^  (\w+) +(\S.*)$", said(elementd, "--help"), re.M):
        yield f"elementd-{name}.1", command_page(elementd, name, what)
    yield "elementd.yaml.5", settings_page()


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    out = pathlib.Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    for old in out.glob("*.[158]"):
        old.unlink()
    for name, text in pages(sys.argv[1]):
        (out / name).write_text(text)


if __name__ == "__main__":
    main()
