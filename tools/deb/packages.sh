#!/bin/bash
# SPDX-License-Identifier: MIT
# Debian packages of the patched kernel and of mptcpctl, for real machines, in build/deb/amd64.
# Goes on where it was interrupted; a compiler cache helps when it starts anew.
set -euo pipefail
here=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=../kernel/lib.sh
. "$here/../kernel/lib.sh"

usage() {
	cat <<-USAGE
	usage: packages.sh
	CONFIG=debian   Debian's own configuration of this Linux or, where
	                linux-config-VERSION is not installed, of $base_version (default)
	CONFIG=small    servers and virtual machines without a desktop: quick to build
	CONFIG=running  the running kernel's
	CONFIG=FILE     any other
	ARCH=arm64      cross-built (default: this machine's)
	KSRC=PATH       another Linux, which is in build/VERSION
	DEB=DIR         instead of build/deb, or build/VERSION/deb
	USAGE
}

# Names of one architecture: the kernel's, Debian's compiler's, its image.
set_arch() {
	local native
	native=$(dpkg --print-architecture)
	arch=${ARCH:-$native}
	case $arch in
	amd64) karch=x86_64 triplet=x86_64-linux-gnu ;;
	arm64) karch=arm64 triplet=aarch64-linux-gnu ;;
	*) die "ARCH=$arch: only amd64 and arm64 are known here" ;;
	esac
	cross=() profiles=pkg.linux-upstream.nokerneldbg
	if [ "$arch" != "$native" ]; then
		cross=(CROSS_COMPILE="$triplet-")
		# their programs would be this machine's
		profiles+=" pkg.linux-upstream.nokernelheaders"
	fi
}

# unpack_config FILE: as text, whatever it is packed with.
unpack_config() {
	case $1 in
	*.xz) xzcat -- "$1" ;;
	*.gz) zcat -- "$1" ;;
	*) cat -- "$1" ;;
	esac
}

# What the configuration starts from: a file, or nothing for the architecture's defconfig.
find_config() {
	local running
	running=/boot/config-$(uname -r)
	case ${CONFIG:=debian} in
	small) config='' ;;
	debian)
		for config in /usr/src/linux-config-{"$series_version","$base_version"}/"config.${arch}_none_$arch.xz"; do
			[ ! -f "$config" ] || break
		done
		[ -f "$config" ] || die "no $config: install linux-config-$base_version ($arch)," \
			"or take CONFIG=small, running, or a file" ;;
	running) config=$running
		[ -f "$config" ] || config=/proc/config.gz
		[ -f "$config" ] || die "the running kernel's configuration is neither in /boot nor in /proc" ;;
	*) config=$CONFIG
		[ -f "$config" ] || die "CONFIG=$config: no such file" ;;
	esac
	say "configuration: $CONFIG${config:+ ($config)}"
}

# How much there is to do: object files, and disk in GB. Of "small" on amd64 it was counted; for others,
# which have modules for everything and debug information, it is a guess.
# Debug information, which BTF is made of, is most of what a build takes.
set_size() {
	local options typed
	case $CONFIG in
	small) files=3600 gigabytes=3 ;;
	*) files=26000 gigabytes=35 ;;
	esac
	[ -n "${config:-}" ] || return 0
	options=$(unpack_config "$config" | grep -c '=[ym]$' || true)
	typed=$(unpack_config "$config" | grep -c '^CONFIG_DEBUG_INFO=y' || true)
	[ "$typed" != 0 ] || gigabytes=$((2 + options / 1000))
}

check_disk() {
	local free used
	mkdir -p "$out"
	free=$(df --output=avail -BG "$out" | tr -dc '0-9\n' | tail -n 1)
	used=$(du -sBG "$out" | cut -dG -f1)
	[ $((free + used)) -ge "$gigabytes" ] ||
		die "$out: $free GB free, about $gigabytes needed: free some, or set BUILD= to a place with more"
}

kmake() {
	make -C "$tree" O="$out" ARCH="$karch" "${cross[@]}" CC="$cc" LOCALVERSION=-mptcp \
		KBUILD_BUILD_USER=mptcp KBUILD_BUILD_HOST=mptcp -j"$(nproc)" "$@"
}

# Made anew when what it is made of has changed.
configure() {
	local stamp part parts=("$here/ours.config")
	[ "$CONFIG" != small ] || parts=("$here/small.config" "$here/small-$arch.config" "${parts[@]}")
	stamp=$({ echo "$CONFIG"; unpack_config "${config:-/dev/null}"; cat -- "${parts[@]}" "$tree/Makefile" \
		"$tree"/net/mptcp/{,*/}Kconfig*; } | sha256sum)
	[ "$(cat "$out/.made-of" 2>/dev/null)" != "$stamp" ] || return 0
	# interrupted or refused, it is none
	rm -f -- "$out/.made-of"
	if [ -n "$config" ]; then
		unpack_config "$config" >"$out/.config"
	else
		kmake -s defconfig
	fi
	(cd "$out" && "$tree/scripts/kconfig/merge_config.sh" -m -O . .config "${parts[@]}" >/dev/null)
	kmake -s olddefconfig
	for part in "${parts[@]}"; do heed "$part"; done
	printf '%s\n' "$stamp" >"$out/.made-of"
}

# known OPTION: in a menu of this Linux, for whatever architecture.
known() { grep -Erqx --include='Kconfig*' "[[:space:]]*(menu)?config ${1#CONFIG_}" "$tree"; }

# heed FRAGMENT: an option of it that got lost, as what it depends on is not there, is an error.
# One that this Linux does not have yet, or no more, is none, but for those of this project.
heed() {
	local line option lost=() must=()
	while read -r line; do
		case $line in
		CONFIG_*=\"\") ! grep "^${line%\"}" "$out/.config" | grep -qv '=""$' || lost+=("$line") ;;
		CONFIG_*) grep -qxF -- "$line" "$out/.config" || lost+=("$line") ;;
		\#\ CONFIG_*) line=${line#\# }
			! grep -q "^${line%% *}=" "$out/.config" || lost+=("# $line") ;;
		esac
	done <"$1"
	for line in "${lost[@]}"; do
		option=${line#\# } option=${option%%[= ]*}
		if [ "$1" = "$here/ours.config" ] || known "$option"; then must+=("$line"); else say "no $option in this Linux"; fi
	done
	[ ${#must[@]} = 0 ] || die "the configuration cannot have what $1 asks for:" "${must[@]}"
}

# (what find saw may be gone when it looks again)
objects() { { find "$out" -name '*.o' 2>/dev/null || true; } | wc -l; }

# progress START: a line every half minute until the build that runs beside it is done.
progress() {
	local first now begin=$SECONDS left
	first=$1
	# it outlives who is killed, and must not hold what reads our output
	while sleep 30 >/dev/null 2>&1; do
		now=$(objects)
		[ "$now" -gt $((first + 50)) ] || continue
		if [ "$now" -lt "$files" ]; then
			left=$(((SECONDS - begin) * (files - now) / (now - first) / 60 + 1))
			say "$((100 * now / files)) %, $(((SECONDS - begin) / 60)) min, about $left min left"
		else
			say "$(((SECONDS - begin) / 60)) min, nearly done: modules are linked, packages packed"
		fi
	done
}

build_kernel() {
	local log=$deb/$arch.log begin=$SECONDS
	# of a build that was interrupted: of another version
	rm -f -- "${out%/*}"/linux-*.{deb,changes,buildinfo}
	say "building; what make says goes to $log"
	progress "$(objects)" &
	trap 'kill "$progress" 2>/dev/null || true' EXIT
	progress=$!
	DEB_BUILD_PROFILES=$profiles KDEB_COMPRESS=xz \
		kmake KDEB_PKGVERSION="$version" bindeb-pkg >"$log" 2>&1 || {
		grep -E 'error|Error' "$log" | head -n 20 >&2 || tail -n 20 "$log" >&2
		die "the build failed; all it said is in $log. Mend it and call the same again: it goes on there"
	}
	kill "$progress"
	trap - EXIT
	say "built in $(((SECONDS - begin + 59) / 60)) min, $(du -sh "$out" | cut -f1) of disk"
}

# libc_of FOLDER: the oldest libc that the programs in it run with.
libc_of() {
	find "$1" -type f -perm -u+x -exec readelf -VW {} + 2>/dev/null | grep -oP 'GLIBC_\K[0-9.]+' | sort -V | tail -n 1
}

# The command-line tool as a package, so that the machine needs no compiler.
build_mptcpctl() {
	local root=$deb/$arch.mptcpctl libc
	rm -rf -- "$root" "$root.src"
	cp -a -- "$top/tools/mptcpctl" "$root.src"
	make -s -C "$root.src" clean
	make -s -C "$root.src" CC="$triplet-gcc" DESTDIR="$root" PREFIX=/usr install
	rm -rf -- "$root.src"
	mkdir -p "$root/DEBIAN"
	libc=$(libc_of "$root")
	sed "s/@VERSION@/$version/; s/@ARCH@/$arch/; s/@LIBC@/$libc/" "$here/mptcpctl.control" >"$root/DEBIAN/control"
	# whatever the umask; and a folder hands its setgid bit down
	chmod -R u=rwX,go=rX,g-s -- "$root"
	dpkg-deb --root-owner-group -b "$root" "$packages/mptcpctl_${version}_$arch.deb" >/dev/null
	rm -rf -- "$root"
}

# Every module and tool of ours that a package holds; one that is missing is an error.
list_packages() {
	local package listed=$deb/$arch.contents name missing=0
	say "packages:"
	for package in "$packages"/*.deb; do
		printf '  %s\n' "$package"
		dpkg-deb -c "$package" | awk '{ print $6 }' |
			grep -E 'vmlinuz-|/config-|mptcp_(sched|cong|diag)|bin/mptcpctl' | sed 's/^\./    /' || true
	done | tee "$listed"
	for name in $(sed -nE 's/^CONFIG_(MPTCP_(SCHED|CONG)_[A-Z]*)=m$/\1/p' "$here/ours.config" |
		tr '[:upper:]' '[:lower:]'); do
		grep -q "$name.ko" "$listed" || { say "error: no package holds $name.ko"; missing=1; }
	done
	return $missing
}

[ $# = 0 ] || { usage >&2; exit 2; }
set_arch
find_config
set_size
tree=$(source_tree patched)
deb=$(realpath -ms -- "${DEB:-$build/deb}")
packages=$deb/$arch
out=$deb/$arch.$(basename -- "$CONFIG" .config)/kernel
check_disk
cc=${triplet}-gcc
if command -v ccache >/dev/null; then
	cc="ccache $cc"
	export CCACHE_DIR=${CCACHE_DIR:-$build/ccache}
fi
configure
# of all packages; a later build is newer
version=$(kmake -s kernelversion)-1mptcp$(date -u +%Y%m%d%H%M)
build_kernel
mkdir -p "$packages"
# of this Linux: the folder may be the user's
rm -f -- "$packages"/{linux-*,mptcpctl_}"$series_version".*.deb
mv -- "$(dirname -- "$out")"/*.deb "$packages"
build_mptcpctl
list_packages
