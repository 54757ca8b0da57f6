#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""man3.py LIBIBWIRE_SO PAGES: the man pages of section 3 are whole, and of every function there is.

Functions are what the library exports (nm) and what the headers define inline, read here; each has a page, or
one that is sourced, whose synopsis has it and whose text describes it. The getters and setters of all fields, as
the compiler has them from expand.h, are in the synopsis of their header's page. Every page has all sections, and
groff and mandoc have nothing to say of it. When a pointer is NULL and a bool false is said, and the library has no
variables, as ibwire.h says to threads. The example of a header's page is a program of
tests/examples, which `examples` runs; those of the protocols' headers are compiled here.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "include/ibwire"
SECTIONS = ["NAME", "SYNOPSIS", "DESCRIPTION", "RETURN VALUE", "ERRORS", "UNITS", "BYTE ORDER",
            "THREAD SAFETY", "EXAMPLE"]
INLINE = re.compile(r"^(?:static inline|IBW_INLINE)[^;{}()]*?\b(ibw_\w+)\s*\(", re.M)
# The builder's own parts, which nobody calls but ibw_build_headers().
PARTS = re.compile(r"ibw_build_(wide|put|is|error_text)|ibw_build_\w+_bytes")
ESCAPES = {r"\-": "-", r"\(aq": "'", r"\(ga": "`", r"\(ha": "^", r"\(ti": "~", r"\&": "", r"\e": "\\"}


def functions(library):
    out = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True,
                         check=True).stdout
    names = {line.split()[2].split("@")[0] for line in out.splitlines() if line.split()[1] == "T"}
    if not names:
        sys.exit(f"{library} exports no function")
    for path in INCLUDE.glob("*.h"):
        if not path.name.startswith("expand"):
            names |= set(INLINE.findall(path.read_text()))
    return names


def plain(roff):
    return re.sub(r"\\(\(..|.)", lambda m: ESCAPES.get(m.group(0), m.group(0)), roff)


def sections(text):
    """{title: its lines}"""
    parts = re.split(r"^\.SH (.*)\n", text, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def page_of(pages, name):
    """The page a name leads to, one link followed; None: there is none."""
    text = (pages / f"{name}.3").read_text() if (pages / f"{name}.3").exists() else None
    match = re.fullmatch(r"\.so man3/(\w+)\.3\n", text or "")
    if not match:
        return name if text else None
    target = pages / f"{match.group(1)}.3"
    return target.stem if target.exists() and not target.read_text().startswith(".so") else None


def described(pages, names):
    for name in sorted(names):
        page = page_of(pages, name)
        if not page:
            yield f"{name}: no page"
            continue
        found = sections((pages / f"{page}.3").read_text())
        if not re.search(rf"\b{name}\(", found.get("SYNOPSIS", "")):
            yield f"{name}: not in the synopsis of {page}(3)"
        if not re.search(rf"(^|\W){name}\b", found.get("NAME", "")):
            yield f"{name}: not in the names of {page}(3)"
        if f".BR {name} ()" not in found.get("FUNCTIONS", "") and not PARTS.match(name):
            yield f"{name}: {page}(3) does not say what it does: no comment in front of it"


def bodies():
    """{function: what is between its braces}, of the headers and of the library"""
    found = {}
    for path in [*INCLUDE.glob("*.h"), *(ROOT / "codec").glob("*.c")]:
        for name, body in re.findall(r"^\w[^;{}()#]*\b(ibw_\w+)\([^;{}()]*\)\n\{\n(.*?)^\}", path.read_text(), re.M | re.S):
            found[name] = body
    return found


def null_functions():
    """Those that may return NULL: they, or what they return the value of."""
    found = bodies()
    may = {name for name, body in found.items() if re.search(r"\breturn [^;]*\bNULL\b", body)}
    while more := {name for name, body in found.items() if name not in may and
                   any(callee in may for callee in re.findall(r"\breturn (?:\([^()]*\))?(ibw_\w+)\(", body))}:
        may |= more
    return may


def returned(pages, names):
    """When a pointer is NULL, and a bool false, is said of the function or of its whole header."""
    may, held = null_functions(), 0
    for name in sorted(names):
        page = page_of(pages, name)
        if not page or PARTS.match(name):
            continue
        found = sections((pages / f"{page}.3").read_text())
        returns = re.search(rf"^(.*?)\b{name}\(", found["SYNOPSIS"].replace("\n    ", " "), re.M)
        own = [item for item in found.get("FUNCTIONS", "").split(".TP\n") if f".BR {name} ()\n" in item]
        text = " ".join([*own, found["DESCRIPTION"]])
        if not returns:
            yield f"{name}: its type is not in the synopsis of {page}(3)"
        elif "*" in returns.group(1) and name in may:
            held += 1
            if "NULL" not in text:
                yield f"{name}: {page}(3) does not say when it is NULL"
        elif returns.group(1) == "bool ":
            held += 1
            if not re.search(r"\b(whether|false|true)\b", " ".join(own), re.I) and "false" not in text.lower():
                yield f"{name}: {page}(3) does not say when it is false"
    if held < 80:
        yield f"{held} functions that return a pointer that may be NULL, or a bool"


def stateless(library):
    """Any thread may call any function: the library has no variable."""
    out = subprocess.run(["nm", "--format=sysv", library], capture_output=True, text=True, check=True).stdout
    rows = [[word.strip() for word in line.split("|")] for line in out.splitlines() if line.count("|") == 6]
    if not any(section == ".text" for *_, section in rows):
        yield "nm tells nothing of the library"
    for name, *_, section in rows:
        if re.match(r"\.t?(data|bss)$", section) and not re.match(r"_|completed\.", name):
            yield f"{name}: a variable, and ibwire.h says that there is none"


def whole(path):
    found = sections(path.read_text())
    for title in SECTIONS:
        if len(found.get(title, "").split()) < 3:
            yield f"{path.name}: nothing under {title}"


def example(path):
    match = re.search(r"^\.SH EXAMPLE\n(?:\.\w.*\n)*?\.EX\n(.*?)^\.EE", path.read_text(), re.M | re.S)
    return plain(match.group(1)) if match else ""


def examples(pages):
    """Those of headers are whole programs of tests/examples; all others compile together."""
    programs = {p.read_text().split("\n", 1)[1].expandtabs() for p in
                (ROOT / "tests/examples").glob("*.c")}
    code = "#include <ibwire/ibwire.h>\n"
    for path in pages:
        text = example(path)
        if path.stem.startswith("ibwire"):
            if text not in programs:
                yield f"{path.name}: its example is no program of tests/examples"
            names = re.findall(r"^\.BR (\w+) \(\)$", path.read_text(), re.M)
            names += ["ibw_get_be16"] if path.stem == "ibwire_base" else []  # which a macro defines
            if names and not re.search(rf"\b({'|'.join(names)})\(", text):
                yield f"{path.name}: its example uses none of its functions"
            continue
        code += f"int {path.stem}_example(const void *p, size_t n);\n" \
                f"int {path.stem}_example(const void *p, size_t n)\n{{\n{text}\n" \
                "\treturn w ? ((const char *)&v)[0] : 0;\n}\n"
    done = subprocess.run(["gcc", "-std=c11", "-xc", "-O0", "-Wall", "-Wextra", "-Wno-maybe-uninitialized",
                           "-Werror", f"-I{ROOT / 'include'}", "-fsyntax-only", "-"], input=code,
                          capture_output=True, text=True)
    if done.returncode:
        yield f"the examples do not compile:\n{done.stderr[:2000]}"


def prototypes(pages):
    """What the preprocessor makes of every getter and setter is in the synopsis of its header, word for word."""
    code = subprocess.run(["gcc", "-E", "-P", f"-I{ROOT / 'include'}", "-include", "ibwire/ibwire.h", "-xc", "/dev/null"],
                          capture_output=True, text=True, check=True).stdout
    found = re.findall(r"static inline (?:__attribute__\(\(always_inline\)\) )?((?:const )?\w+ \*?)(ibw_\w+)\("
                       r"(?:const )?struct (ibw_\w+)_wire ?\* ?w(, [^)]*)?\) \{", code)
    text = {p.stem: sections(p.read_text()).get("SYNOPSIS", "") for p in pages}
    held = 0
    for returns, name, header, rest in found:
        const = "" if name.startswith(f"{header}_set_") else "const "
        if re.match(rf"{header}_(unpack|pack|rsvd_set)$", name) or header not in text:
            continue
        held += 1
        if f"{returns}{name}({const}struct {header}_wire *w{rest});\n" not in text[header]:
            yield f"{name}: not in the synopsis of {header}(3) as {returns}{name}(...{rest})"
    if held < 2000:
        yield f"{held} getters and setters only"


def linted(pages):
    with tempfile.TemporaryDirectory() as tmp:
        planted = pathlib.Path(tmp) / "planted.3"
        for program, fault in (("groff", ".nosuchmacro"), ("mandoc", ".PP")):
            planted.write_text(f'.TH P 3 "2026-11-23" "P" "P"\n.SH NAME\np \\- p\n{fault}\n')
            if not said(program, [planted]):
                yield f"{program} finds nothing in a page with a fault"
            if text := said(program, pages):
                yield f"{program}: {text[:2000]}"


def said(program, pages):
    words = {"groff": ["groff", "-man", "-ww", "-Tutf8", "-z"], "mandoc": ["mandoc", "-Tlint"]}[program]
    done = subprocess.run([*words, *pages], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def main():
    library, pages = sys.argv[1], pathlib.Path(sys.argv[2])
    names = functions(library)
    real = sorted(p for p in pages.glob("*.3") if not p.read_text().startswith(".so"))
    faults = [*described(pages, names), *returned(pages, names), *stateless(library)]
    for path in real:
        faults += whole(path)
    if len(real) < 200:
        faults.append(f"{len(real)} pages only")
    else:
        faults += [*examples(real), *prototypes(real), *linted(real)]
    for path in sorted(pages.glob("*.3")):
        if not page_of(pages, path.stem):
            faults.append(f"{path.name}: leads nowhere")
    print("\n".join(faults + [f"{len(names)} functions, {len(real)} pages, {len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
