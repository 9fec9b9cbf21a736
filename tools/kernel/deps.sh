#!/bin/bash
# SPDX-License-Identifier: MIT
# Install the Debian packages that a job needs: as root, or through sudo; otherwise print
# the one line that does, and stop.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

build=(gcc make libc6-dev flex bison bc perl xz-utils ccache kmod git)
lab=(iperf3 iproute2 ethtool iputils-ping procps python3-rich python3-matplotlib python3-numpy)
deb=("${build[@]}" libelf-dev libssl-dev openssl debhelper dpkg-dev rsync cpio)
arm64=(gcc-aarch64-linux-gnu libc6-dev-arm64-cross)

# for_config CONFIG: what the packages' configuration needs: all but "small" may have BTF.
for_config() {
	local config=linux-config-$series_version
	[ "$1" != small ] || return 0
	packages+=(pahole)
	[ "$1" = debian ] || return 0
	# Debian does not have all of them
	apt-cache show "$config" >/dev/null 2>&1 || config=linux-config-$base_version
	packages+=("$config")
}

job=${1:-}
case $job in
build) packages=("${build[@]}") ;;
run) packages=("${build[@]}" "${lab[@]}") ;;
figures) packages=("${build[@]}" "${lab[@]}" tcpdump python3-dpkt) ;;
check) packages=("${lab[@]}" "${deb[@]}" tcpdump man-db g++ patch musl-tools python3-dpkt python3-h11 nftables mptcpize curl nginx-light openvpn) ;;
style) packages=("${build[@]}" libelf-dev libssl-dev dwarves sparse shellcheck python3-venv codespell python3-rich python3-numpy) ;;
upstream) packages=("${build[@]}" iproute2 ethtool iputils-ping procps iptables nftables tcpdump) ;;
send) packages=("${build[@]}" iproute2 jq patch procps python3 zlib1g-dev) ;;
bench) packages=("${build[@]}" "${lab[@]}" nginx-light curl openssl python3-h11) ;;
slurm) packages=("${build[@]}" "${lab[@]}" slurm-wlm munge) ;;
dask) packages=("${build[@]}" "${lab[@]}" python3-distributed) ;;
vm) packages=("${build[@]}" "${lab[@]}" libelf-dev libssl-dev tcpdump nftables qemu-system-x86 python3-venv) ;;
uninit) packages=("${build[@]}" "${lab[@]}" libelf-dev libssl-dev tcpdump nftables python3-dpkt qemu-system-x86 clang) ;;
bpf) packages=("${build[@]}" "${lab[@]}" libelf-dev libssl-dev qemu-system-x86 clang libbpf-dev bpftool dwarves) ;;
deb) packages=("${deb[@]}" libbpf-dev) # whose header a mptcpctl that loads schedulers needs
	for_config "${CONFIG:-debian}"
	[ "${ARCH:-}" != arm64 ] || packages+=("${arm64[@]}") ;;
check-deb) packages=("${deb[@]}" libbpf-dev mmdebstrap grub-common grub-pc-bin xorriso mtools e2fsprogs qemu-system-x86 qemu-utils)
	for_config "${CONFIG:-small}"
	[ "${ARCH:-}" != arm64 ] || packages+=("${arm64[@]}" qemu-system-arm qemu-user-static binfmt-support arch-test) ;;
*) die "usage: deps.sh build|run|figures|check|style|upstream|send|
  bench|slurm|dask|vm|uninit|bpf|deb|check-deb" ;;
esac
case $job in
style) ;;
*) [ -n "${KSRC:-}" ] || packages+=("linux-source-$base_version") ;;
esac

missing=()
for package in "${packages[@]}"; do
	dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed ||
		missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

install=(apt-get install -y --no-install-recommends "${missing[@]}")
if ! command -v apt-get >/dev/null; then
	die "this is no Debian system; install what these packages hold: ${missing[*]}"
elif [ "$(id -u)" = 0 ]; then
	as_root=(env DEBIAN_FRONTEND=noninteractive)
elif command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
	as_root=(sudo env DEBIAN_FRONTEND=noninteractive)
else
	printf 'Some packages are missing. Install them once as root, then try again:\n\n  %s\n\n' \
		"${install[*]}" >&2
	exit 1
fi
say "installing ${missing[*]}"
"${as_root[@]}" apt-get update -qq || say "warning: apt-get update failed; trying with what is known"
said=$(mktemp)
trap 'rm -f -- "$said"' EXIT
"${as_root[@]}" "${install[@]}" >"$said" 2>&1 || {
	tail -n 20 "$said" >&2
	die "apt-get could not install them; the end of what it said is above"
}
