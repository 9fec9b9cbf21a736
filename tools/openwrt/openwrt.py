#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Write the patchset as OpenWrt wants it, into OpenWrt's source tree or a folder
to be copied over it.

target/linux/generic/pending-6.12/   the patches, in order; one with new files
target/linux/generic/pending-6.18/   the same for OpenWrt's other kernel
package/kernel/linux/modules/        a kmod package for each scheduler and
                                     congestion control
package/network/utils/mptcpctl/      the command-line tool
target/linux/generic/config-6.12     what the kernel's build would ask for, in
target/linux/generic/config-6.18     OpenWrt's files; else mptcp.config, to be
                                     appended to them

Files that an earlier call left are replaced, mptcpctl's src/ as a whole; others
stay as they are. The test bed's patches are left out: routers do not run
User-Mode Linux.
"""

from __future__ import annotations

import argparse
import difflib
import re
import shutil
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
KERNELS = {"6.12": "patches/series", "6.18": "patches/6.18/series"}
GENERIC = Path("target/linux/generic")
MODULES = Path("package/kernel/linux/modules/mptcp.mk")
TOOL = Path("package/network/utils/mptcpctl")
NUMBER = 695  # among OpenWrt's patches: 6xx are those of the network
NAMED = f"{NUMBER}-mptcp-"  # so our patches begin
TESTBED = re.compile(r"([\d.]+/)?testbed/")
BUILT = re.compile(r"^obj-\$\(CONFIG_(\w+)\) \+= (\w+)\.o", re.MULTILINE)  # symbol, module
WIDTH = 76  # of a description
MARKS = "# MPTCP's patchset: begin\n", "# MPTCP's patchset: end\n"  # around our answers


@dataclass(frozen=True)
class Module:
    """name: of the .ko; symbol: in Kconfig; needs: symbols; title and text are Kconfig's."""

    name: str
    symbol: str
    title: str
    needs: tuple[str, ...]
    text: str

    def package(self) -> str:
        """kmod-mptcp-sched-inorder"""
        return self.name.replace("_", "-")


def series(file: Path) -> list[str]:
    lines = (line.split("#")[0].strip() for line in file.read_text().splitlines())
    return [line for line in lines if line and not TESTBED.match(line)]


def as_patch(files: Mapping[str, Path]) -> str:
    """One that adds these files to the kernel's tree, by their names there."""
    parts = ["Subject: mptcp: packet schedulers and coupled congestion control: the new files\n\n"]
    for name, file in files.items():
        added = difflib.unified_diff([], file.read_text().splitlines(keepends=True), "/dev/null", f"b/{name}")
        parts += [f"diff --git a/{name} b/{name}\nnew file mode 100644\n", *added]
    return "".join(parts)


def kconfig(text: str) -> Iterator[tuple[str, str, tuple[str, ...], str]]:
    """Symbol, title, what it depends on, and the first paragraph of the help, of each entry."""
    for entry in re.split(r"^config ", text, flags=re.MULTILINE)[1:]:
        title = re.search(r'^\ttristate "(.*?)"', entry, re.MULTILINE)
        if title:
            needs = re.findall(r"\w+", " ".join(re.findall(r"^\tdepends on (.*)", entry, re.MULTILINE)))
            told = entry.partition("\thelp\n")[2].split("\n\n")[0]
            yield entry.split()[0], title[1], tuple(needs), " ".join(told.split())


def modules(top: Path) -> list[Module]:
    """All that the kernel's Makefile builds, but for tests."""
    rooms = [top / "net/mptcp" / name for name in ("sched", "cong")]
    makefiles = [file for room in rooms for file in sorted(room.rglob("Makefile"))]
    built = {
        symbol: name
        for file in makefiles
        for symbol, name in BUILT.findall(file.read_text())
        if not name.endswith("_test")
    }
    told = {
        symbol: (title, needs, text)
        for room in rooms
        for symbol, title, needs, text in kconfig((room / "Kconfig").read_text())
    }
    return [Module(name, symbol, *told[symbol]) for symbol, name in built.items()]


def kmods(known: Sequence[Module]) -> str:
    """mptcp.mk"""
    packages = {module.symbol: module.package() for module in known}
    parts = ["# SPDX-License-Identifier: GPL-2.0-only\n# Schedulers and congestion controls of MPTCP.\n"]
    for module in known:
        depends = " ".join(["@KERNEL_MPTCP", *(f"+kmod-{packages[symbol]}" for symbol in module.needs)])
        parts.append(
            f"""
define KernelPackage/{module.package()}
  SUBMENU:=$(NETWORK_SUPPORT_MENU)
  TITLE:={module.title}
  DEPENDS:={depends}
  KCONFIG:=CONFIG_{module.symbol}
  FILES:=$(LINUX_DIR)/net/mptcp/{module.name}.ko
  AUTOLOAD:=$(call AutoProbe,{module.name})
endef

define KernelPackage/{module.package()}/description
{textwrap.fill(module.text, WIDTH, initial_indent=" ", subsequent_indent=" ")}
endef

$(eval $(call KernelPackage,{module.package()}))
"""
        )
    return "".join(parts)


def answers(top: Path) -> dict[str, str]:
    """Lines of a configuration, by symbol: Kconfig's defaults. A module is none: its package decides."""
    texts = [file.read_text() for file in (top / "Kconfig", *sorted((top / "net/mptcp").rglob("Kconfig*")))]
    chosen = set(re.findall(r"^choice\n(?:\t.*\n)*?\tdefault (\w+)", "".join(texts), re.MULTILINE))
    lines = {}
    for text in texts:
        for entry in re.split(r"^\s*config ", text, flags=re.MULTILINE)[1:]:
            name = entry.split()[0]
            if re.search(r'^\s+bool "', entry, re.MULTILINE):
                yes = name in chosen or re.search(r"^\s+default y$", entry, re.MULTILINE)
                lines[name] = f"CONFIG_{name}=y\n" if yes else f"# CONFIG_{name} is not set\n"
    return lines


def answer(config: str, lines: Mapping[str, str]) -> str:
    """OpenWrt's with ours at its end: what it says itself stays, and ours of an earlier call goes."""
    begin, end = MARKS
    config = re.sub(f"{re.escape(begin)}.*?{re.escape(end)}", "", config, flags=re.DOTALL)
    said = set(re.findall(r"^(?:# )?CONFIG_(\w+)(?:=| is not set)", config, re.MULTILINE))
    if config and not config.endswith("\n"):
        config += "\n"
    return config + begin + "".join(line for name, line in lines.items() if name not in said) + end


def is_ours(file: Path) -> bool:
    """Not what editors, patch(1) and compilers leave."""
    left = file.name.startswith(".") or file.name.endswith(("~", ".orig", ".rej", ".o"))
    return file.is_file() and not left


def write_patches(top: Path, names: Sequence[str], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob(f"{NAMED}*.patch"):
        old.unlink()
    for number, name in enumerate(names, 1):
        words = re.sub(r"^[\d.]+/", "", re.sub(r"/\d+-", "-", name))
        shutil.copyfile(top / "patches" / name, folder / f"{NAMED}{number:03}-{words}")
    ours = sorted(file for file in (top / "net/mptcp").rglob("*") if is_ours(file))
    files = {str(file.relative_to(top)): file for file in ours} | {"net/mptcp/Kconfig.ours": top / "Kconfig"}
    (folder / f"{NAMED}{len(names) + 1:03}-new-files.patch").write_text(as_patch(files))


def write_tool(top: Path, folder: Path) -> None:
    source, copies = top / "tools/mptcpctl", folder / "src"
    if copies.exists():
        shutil.rmtree(copies)
    copies.mkdir(parents=True)
    shutil.copyfile(Path(__file__).with_name("mptcpctl.mk"), folder / "Makefile")
    for file in [source / "Makefile", *source.glob("*.[ch8]")]:
        shutil.copyfile(file, copies / file.name)


def write(top: Path, out: Path) -> list[Module]:
    """All of it."""
    known = modules(top)
    for version, file in KERNELS.items():
        write_patches(top, series(top / file), out / GENERIC / f"pending-{version}")
    (out / MODULES).parent.mkdir(parents=True, exist_ok=True)
    (out / MODULES).write_text(kmods(known))
    write_tool(top, out / TOOL)
    return known


def write_answers(top: Path, generic: Path) -> list[Path]:
    """Where: a tree of OpenWrt has a file for each of its kernels."""
    lines = answers(top)
    files = [file for version in KERNELS if (file := generic / f"config-{version}").is_file()]
    for file in files:
        # OpenWrt's own, which a full disk must not cut off
        new = file.with_name(f"{file.name}.new")
        new.write_text(answer(file.read_text(), lines))
        new.replace(file)
    if files:
        return files
    (generic / "mptcp.config").write_text(answer("", lines))
    return [generic / "mptcp.config"]


def where(tree: Path | None) -> Path:
    """OpenWrt's tree, which is there already, or a folder of ours."""
    if tree is None:
        return TOP / "build/openwrt"
    if not (tree / GENERIC).is_dir():
        why = f"{tree} is no source tree of OpenWrt: it has no {GENERIC}"
        sys.exit(f"openwrt.py: error: {why}; name yours (OPENWRT=), or none to get build/openwrt")
    return tree


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "tree", nargs="?", type=Path, metavar="TREE", help="OpenWrt's (default: build/openwrt, to be copied)"
    )
    folder = where(parser.parse_args().tree)
    try:
        known = write(TOP, folder)
        answered = write_answers(TOP, folder / GENERIC)
    except OSError as error:  # that of a full disk may name no file
        file = error.filename2 or error.filename or folder
        sys.exit(f"openwrt.py: error: {file}: {error.strerror}")
    for version in KERNELS:
        count = len(list((folder / GENERIC / f"pending-{version}").glob(f"{NAMED}*.patch")))
        print(f"{folder}: {count} patches for Linux {version}")
    for file in answered:
        print(f"{file}: append it to OpenWrt's config-VERSION" if file.name == "mptcp.config" else file)
    print("mptcpctl, and")
    for module in known:
        print(f"  kmod-{module.package()}")


if __name__ == "__main__":
    main()
