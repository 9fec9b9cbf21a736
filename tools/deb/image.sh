#!/bin/bash
# SPDX-License-Identifier: MIT
# A bare Debian on a disk image of its own, made without root: Debian's kernel, systemd, GRUB's
# menu, what the kselftests need, and an agent that takes orders from outside.
# The image is the root file system alone; GRUB itself comes from a CD (boot.iso), since writing
# a boot sector would need root. For ARCH=arm64 there is no GRUB: kernel and initrd lie beside the
# image. Its programs run here by qemu-user-static, which binfmt_misc has to know.
set -euo pipefail
# shellcheck source=../kernel/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../kernel/lib.sh"

release=${RELEASE:-bookworm}
arch=${ARCH:-amd64}
out=$build/deb/image
disk=$out/$release.img
[ "$arch" = amd64 ] || disk=$out/$release-$arch.img
packages=(
	"linux-image-cloud-$arch" initramfs-tools zstd systemd-sysv dbus udev grub2-common grub-common
	qemu-guest-agent iproute2 iputils-ping procps kmod e2fsprogs less
	# what the operator's page uses
	mptcpd mptcpd-plugins mptcpize nginx-light curl openssh-server openssh-client
	# what the kselftests use
	make gcc libc6-dev python3 iperf3 ethtool tcpdump nftables
)

# Files of a machine that somebody has installed and not yet set up. Its two links have names by
# their MAC addresses; its disk is its root, found by label until GRUB's own menu is written.
dress() {
	local root=$1 link mac
	for link in dsl lte; do
		mac=52:54:00:00:00:$([ $link = dsl ] && echo 1 || echo 2)
		printf '[Match]\nMACAddress=%s1 %s2\n[Link]\nName=%s\n' "$mac" "$mac" $link \
			>"$root/etc/systemd/network/10-$link.link"
	done
	echo '/dev/vda / ext4 errors=remount-ro 0 1' >"$root/etc/fstab"
	echo debian >"$root/etc/hostname"
	cat >"$root/etc/default/grub" <<-'GRUB'
		GRUB_DEFAULT=0
		GRUB_TIMEOUT=0
		GRUB_TERMINAL=serial
		GRUB_CMDLINE_LINUX="console=ttyS0 quiet"
		GRUB_DISABLE_OS_PROBER=true
	GRUB
	mkdir -p "$root/boot/grub"
	chroot "$root" grub-editenv /boot/grub/grubenv create
	cat >"$root/boot/grub/grub.cfg" <<-GRUB
		linux /$(cd "$root" && echo boot/vmlinuz-*) root=/dev/vda console=ttyS0 quiet
		initrd /$(cd "$root" && echo boot/initrd.img-*)
		boot
	GRUB
}

# As mmdebstrap's hook, root in a namespace of its own. What is mounted on the tree is not wanted.
pack() {
	local flat
	flat=$(mktemp -d)
	mount --bind "$1" "$flat"
	mke2fs -q -t ext4 -L root -d "$flat" "$disk.new" 4G
	umount "$flat"
	rmdir "$flat"
	[ "$arch" != amd64 ] || return 0
	cp -- "$1"/boot/vmlinuz-* "${disk%.img}.vmlinuz"
	cp -- "$1"/boot/initrd.img-* "${disk%.img}.initrd"
}

make_disk() {
	say "making $disk: about 3 minutes, 1 GB"
	rm -f -- "$disk.new"
	mmdebstrap --quiet --mode=unshare --variant=apt --format=null --arch="$arch" \
		--include="$(IFS=,; echo "${packages[*]}")" \
		--customize-hook="RELEASE=$release ARCH=$arch BUILD=$(printf %q "$build") $(printf %q "$0") hook \"\$1\"" \
		"$release"
	mv -- "$disk.new" "$disk"
}

make_cd() {
	local root
	root=$(mktemp -d)
	mkdir -p "$root/boot/grub"
	cat >"$root/boot/grub/grub.cfg" <<-'GRUB'
		serial --unit=0 --speed=115200
		terminal_input serial
		terminal_output serial
		search --no-floppy --label root --set=root
		# what grub-reboot asked for, once: GRUB on a disk would find its notes by itself
		load_env -f /boot/grub/grubenv next_entry
		set once=$next_entry
		set next_entry=
		save_env -f /boot/grub/grubenv next_entry
		set next_entry=$once
		export next_entry
		configfile /boot/grub/grub.cfg
	GRUB
	grub-mkrescue -o "$out/boot.iso" "$root" >/dev/null 2>&1 || die "grub-mkrescue failed: it needs grub-pc-bin, xorriso, mtools"
	rm -rf -- "$root"
}

case ${1:-} in
'') mkdir -p "$out"
	stamp=$(sha256sum <"$0")
	if [ ! -f "$disk" ] || [ "$(cat "$disk.made-of" 2>/dev/null)" != "$stamp" ]; then make_disk; fi
	printf '%s\n' "$stamp" >"$disk.made-of"
	[ "$arch" != amd64 ] || make_cd ;;
hook) dress "$2"; pack "$2" ;;
*) die "usage: image.sh
  RELEASE=  of Debian (default: bookworm)
  ARCH=     amd64 (default) or arm64" ;;
esac
