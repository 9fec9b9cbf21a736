# SPDX-License-Identifier: MIT
# Everything starts here; "make help" lists what there is.

K := tools/kernel
# the targets of one call share the trees and the packages; each uses all CPUs by itself
.NOTPARALLEL:
# "cd" would say where it went
unexport CDPATH
# a kernel source with a series of patches of its own is built in a folder of its own
ifdef KSRC
export BUILD := $(shell KSRC='$(KSRC)' $K/source.sh build)
endif

help: ## this list
	@awk -F ':.*## ' '/^##@ / { print "\n" substr($$0, 5) ":" } \
		/^[a-z-]+:.*## / { line = sprintf("  make %-19s", $$1); n = split($$2, words, " "); \
		for (i = 1; i <= n; i++) { if (length(line " " words[i]) > 80) { print line; line = sprintf("%26s", "") } \
			line = line " " words[i] } print line }' $(MAKEFILE_LIST)

##@ Try it

run: deps-run kernel mptcpctl ## build, boot, compare the schedulers over WiFi + 3G
	tools/mplab/mplab run

shell: deps-run kernel mptcpctl ## an interactive shell inside the patched kernel
	tools/mplab/mplab shell

vm: deps-vm source mptcpctl ## make shell in QEMU, on two CPUs
	$K/vm.sh shell

bench: deps-bench kernel mptcpctl ## networks as users have them: a scoreboard (QUICK=1: of few, in 3 minutes)
	tools/mplab/mplab bench $(if $(QUICK),--quick)

figures: deps-figures kernel mptcpctl ## the figures of Documentation/figures, small, into build/figures
	tools/mplab/mplab report

##@ Change it

source: deps-build ## unpack and patch the kernel source (KSRC=: a tree or tarball of your own)
	$K/source.sh prepare

kernel: source ## build the User-Mode Linux kernel
	$K/build.sh uml

kernel-stock: deps-build ## Linux as it came, built in build/stock, to compare with
	$K/source.sh prepare stock
	VARIANT=stock $K/build.sh uml

mptcpctl: ## build the command-line tool
	$(MAKE) -s -C tools/mptcpctl

patches-refresh: ## turn edits in build/linux into patches/ (PATCH=, GROUP=: into which)
	$K/source.sh refresh

port: deps-build ## begin, or go on with, a series for another Linux (KSRC=: which)
	$K/source.sh port

##@ Check it

check: deps-check kernel mptcpctl ## KUnit, kselftests and tool tests on the patched kernel (QUICK=1: the short ones)
	$K/check.sh $(if $(QUICK),soon)

check-style: deps-style source ## checkpatch, sparse, W=1, ruff, shellcheck on our files
	$K/check-style.sh

check-robust: deps-check kernel mptcpctl ## attacks, faults and middleboxes that MPTCP must survive, all of them
	$K/check.sh robust

check-programs: deps-check kernel mptcpctl ## what Documentation/programs.md says, with programs of later Debians, fetched first
	$K/programs.sh trixie forky
	$K/check.sh programs

check-debug: deps-check source mptcpctl ## make check, shortened, under lockdep, KASAN, UBSAN and kmemleak
	$K/build.sh debug
	KIND=debug $K/check.sh quick

check-locks: deps-vm source ## some of the tests under lockdep and slab debugging, in QEMU on two CPUs
	$K/vm.sh check locks

check-races: deps-vm source ## the kselftests under KCSAN, in QEMU on two CPUs
	$K/vm.sh check races

check-uninit: deps-uninit source ## some of the tests under KMSAN, in QEMU: values that nobody wrote
	$K/vm.sh check uninit

check-coverage: deps-check source mptcpctl ## which lines of net/mptcp the tests run, into Documentation/coverage.md
	$K/check-coverage.sh

check-without: deps-check source mptcpctl ## the kselftests on a kernel that FEATURE= was left out of: coding, say
	$K/build.sh without-$(FEATURE)
	KIND=without-$(FEATURE) $K/check.sh kselftests

check-vm: deps-vm source ## the kselftests in QEMU on two CPUs
	$K/vm.sh check

check-bpf: deps-bpf source ## schedulers in BPF, on a kernel with type information in QEMU (FOREIGN=: a folder of others' sources, too)
	$K/vm.sh check bpf

check-series: deps-check ## each patch applies, each group builds, each fix turns its test green, alone; each commit to send builds
	$K/check-series.sh

check-series-newest: deps-check ## which tests of the fixes fail on Linux as it came (KSRC=: of the newest version)
	$K/check-series.sh newest

check-upstream: deps-upstream ## Linux's own MPTCP selftests, patched and unpatched (SUITE=: those of another Linux tree)
	$K/check-upstream.sh

check-seeds: deps-upstream ## those of Linux's own selftests that fail now and then, in virtual time, with SEEDS= seeds each
	$K/check-seeds.sh

check-interop: deps-upstream ## patched and unpatched kernels as client and server of each other
	$K/check-interop.sh

check-packets: deps-check ## handshakes of the patched kernel, packet by packet those of the unpatched one
	$K/check-packets.sh

check-send: deps-send ## packetdrill scripts and selftests of make send: red unpatched, green patched (SUITE=: packetdrill's checkout)
	$K/check-send.sh

check-cost: deps-run kernel mptcpctl kernel-stock ## CPU time and memory, patched against unpatched, and by scheduler
	tools/mplab/mplab cost
	tools/mplab/mplab cost --connections --rounds 3
	tools/mplab/mplab cost --scheduler default,minrtt,inorder

# of amd64 or, with ARCH=arm64, of that: one machine and the quick selftests
BUILT := $(or $(BUILD),build)
DEBS := $(or $(DEB),$(BUILT)/deb)
IMAGE := $(BUILT)/deb/image/$(or $(RELEASE),bookworm)
CHECK_DEB_amd64 := tools/deb/check.py --logs $(BUILT)/check/deb $(DEBS)/amd64 $(IMAGE).img
CHECK_DEB_arm64 := tools/deb/check_arm64.py $(DEBS)/arm64 $(IMAGE)-arm64.img
check-deb: deps-check-deb source ## install the packages on two bare Debian machines in QEMU, follow two-uplinks.md there (KSRC=: of which Linux)
	CONFIG=$(or $(CONFIG),small) tools/deb/packages.sh
	tools/deb/image.sh
	$(CHECK_DEB_$(or $(ARCH),amd64))

check-dask: deps-dask kernel mptcpctl ## runs on the workers of a Dask cluster, one of which is killed
	/usr/bin/python3 tools/mplab/tests/spread.py $(or $(BUILD),build)/uml dask

check-slurm: deps-slurm kernel mptcpctl ## runs as a job array of a real Slurm on this machine
	$K/check-slurm.sh

kernels: deps-vm deps-uninit deps-bpf deps-upstream kernel ## build the kernels that check-whole runs, so that it says what tests take
	$K/build.sh debug
	$K/build.sh locks
	$K/build.sh races
	$K/build.sh uninit
	$K/build.sh bpf
	$K/build.sh upstream
	$K/source.sh prepare stock
	VARIANT=stock $K/build.sh upstream

check-whole: ## check, check-robust to check-series and check-deb, but what passed as it is (ONLY=: these)
	$K/check-parts.sh whole

check-kernels: ## check on all three kernels (KERNELS="TREE-OR-TARBALL...": of 6.18 and 7.3), but what passed as it is
	$K/check-parts.sh kernels $(KERNELS)

check-table: ## the results of check-whole and check-kernels, and what is stale, into Documentation/testing.md
	$K/check-parts.sh table

fixes-table: ## the table of Documentation/upstream-fixes.md, from the patches' messages
	$K/fixes_table.py write

##@ Install it, or send it

deb: deps-deb source ## Debian packages for a real machine (CONFIG=small: quick to build; ARCH=arm64; KSRC=: of which Linux)
	tools/deb/packages.sh

patch: deps-build ## all patches in one file for "git am", "git apply" or "patch -p1", into build/ (KSRC=: of which Linux)
	$K/source.sh single

openwrt: ## the patchset as OpenWrt wants it, into build/openwrt (OPENWRT=: its source tree)
	tools/openwrt/openwrt.py $(OPENWRT)

send: source ## the fixes as series for the mailing list, into build/send (KSRC=: for which Linux)
	$K/send.sh

##@ Publish numbers

evidence: deps-run kernel mptcpctl ## measure published numbers that changed, write them into the texts (ONLY=: a name)
	tools/mplab/mplab evidence measure $(ONLY:%=--only %)

evidence-texts: deps-run ## write the numbers of Documentation/evidence into the texts
	tools/mplab/mplab evidence write

deps-%:
	@$K/deps.sh $*

clean: ## remove what was built, keep the compiler cache
	@$K/source.sh spare
	rm -rf build/linux build/stock build/uml build/upstream build/debug build/coverage build/x86 build/locks build/races build/uninit build/bpf build/deb \
		build/openwrt build/series build/other \
		$(filter-out %/ccache %/mplab %/evidence,$(wildcard $(patsubst patches/%/series,build/%/*,$(wildcard patches/*/series))))
	$(MAKE) -s -C tools/mptcpctl clean

.PHONY: help run figures bench evidence evidence-texts check shell source kernel kernel-stock mptcpctl \
	patches-refresh port check-style check-programs \
	check-series check-series-newest \
	check-robust check-debug check-coverage check-without check-locks check-races check-uninit check-bpf check-upstream check-seeds check-interop check-packets check-send \
	kernels check-dask check-slurm check-whole check-kernels check-table fixes-table check-cost vm check-vm deb check-deb patch send openwrt clean
