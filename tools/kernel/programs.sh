#!/bin/bash
# SPDX-License-Identifier: MIT
# Programs of later releases of Debian in build/programs/RELEASE, for programs-test.sh: their packages, unpacked and not installed,
# so that it needs no root.
# usage: programs.sh RELEASE... (of Debian, such as trixie)
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

# base-files: /bin and /lib, which are links to directories below /usr
packages=(base-files dash coreutils nginx-light haproxy curl iperf3 valkey-server lighttpd systemd)
keys=/usr/share/keyrings/debian-archive-keyring.gpg

# apt_get DIRECTORY ARG...: with lists of its own there, as if nothing were installed: all that a package needs is
# fetched, too.
apt_get() {
	apt-get -qq -o Dir::Etc::sourcelist="$1/sources.list" -o Dir::Etc::sourceparts=- -o Dir::State::lists="$1/lists" \
		-o Dir::State::status="$1/status" -o Dir::Cache="$1/cache" -o APT::Install-Recommends=false \
		-o APT::Sandbox::User="$(id -un)" -o Debug::NoLocking=true -o Acquire::Languages=none "${@:2}"
}

# fetch RELEASE TREE
fetch() {
	local package
	apt=$(mktemp -d)
	trap 'rm -rf -- "$apt"' EXIT
	mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
	: >"$apt/status"
	echo "deb [signed-by=$keys] http://deb.debian.org/debian $1 main" >"$apt/sources.list"
	apt_get "$apt" update || die "the lists of Debian $1 could not be fetched: is there a network, and such a release?"
	apt_get "$apt" install -y --download-only "${packages[@]}" || die "the packages of Debian $1 could not be fetched"
	rm -rf -- "$2"
	mkdir -p "$2"
	for package in "$apt"/cache/archives/base-files_*.deb "$apt"/cache/archives/*.deb; do
		dpkg-deb --fsys-tarfile "$package" | tar -x -C "$2" --keep-directory-symlink --no-same-owner --no-same-permissions
	done
	rm -rf -- "$apt"
}

[ $# -gt 0 ] || die "usage: programs.sh RELEASE... (of Debian, such as trixie)"
[ -f $keys ] || die "$keys is missing, by which Debian's packages are known: install debian-archive-keyring"
for release; do
	tree=$build/programs/$release
	stamp=$(sha256sum <"$0")
	[ "$(cat "$tree/.made-of" 2>/dev/null)" != "$stamp" ] || continue
	say "fetching programs of Debian $release: 120 MB"
	fetch "$release" "$tree"
	printf '%s\n' "$stamp" >"$tree/.made-of"
done
