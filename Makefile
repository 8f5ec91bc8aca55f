# SPDX-License-Identifier: GPL-2.0 OR MIT
# Builds, tests and installs vsplit: "make help". The module's parts are listed in Kbuild.

BUILD ?= $(CURDIR)/build
# Neither make nor the kernel's build works in a path with a space or a colon.
ifneq ($(words $(CURDIR) $(BUILD)) $(findstring :,$(CURDIR)$(BUILD)),2 )
$(error no build is possible in a path with a space or a colon: "$(CURDIR)", "$(BUILD)")
endif
PREFIX ?= /usr/local
KVER ?= $(shell uname -r)
# The kernel to build the module for: the running one, or, if that has no headers, Debian's kernel
# for the VM, which scripts/deps has unpacked into the cache.
KDIR ?= $(or $(wildcard /lib/modules/$(KVER)/build),$(shell scripts/deps --print-kernel 2>/dev/null | sed 's,$$,/build,'))
KDIR_VM = $(or $(shell scripts/deps --print-kernel 2>/dev/null),$(error no kernel headers: run "scripts/deps build" first))/build
KDIR_DEBUG ?= $(or $(shell vm/build-debug-kernel --check >/dev/null && vm/build-debug-kernel),$(error no debug kernel: run "vm/build-debug-kernel" first))

# Directories with a Makefile of their own, which has the targets all, check, clean and install, and
# builds in O=. The IGT tests need libigt (package intel-gpu-tools), which "make check" installs.
USER_DIRS := $(patsubst %/Makefile,%,$(wildcard $(addsuffix /Makefile,libuser tools \
	$(if $(wildcard /usr/lib/*/libigt.so.0),igt-tests))))
MODULE_SOURCES := Kbuild $(shell find drv uapi tests/kunit -name '*.[ch]' 2>/dev/null)

.PHONY: all module user module-vm module-vm-test module-debug demo bench check check-bench check-debug check-fuzz check-lite \
	check-clients check-coverage check-igt check-knobs check-loaded check-mutants check-nightly check-packages check-pci check-races check-spin check-uninit check-vm ledger lint docs packages install modules_install clean help deps \
	$(USER_DIRS)

all: module user

help:
	@echo 'vsplit: a virtual DRM driver that splits DMA buffers'
	@echo
	@echo '  make                 the module for KDIR (default: the running kernel), the library, the tools'
	@echo '  make demo            multiplies matrices of four times the video memory, in a VM'
	@echo '  make check           installs what is missing, then host tests and VM tests'
	@echo '  make check-debug     nearly all VM tests on a kernel with KASAN, lockdep, ...'
	@echo '  make check-lite      the VM tests on the stock kernel with its own checkers'
	@echo '  make check-fuzz      a million calls of the fuzzer on the debug kernel, in two VMs (VSPLIT_CALLS=N for another number)'
	@echo '  make check-pci       the tests of adapters that are PCI devices, in a VM that has two'
	@echo '  make bench           what plans, submissions and paging cost, beside what they would have to'
	@echo '  make check-bench     the same without what depends on the machine: no figure may be 2 % worse'
	@echo '  make check-vm        vm/run itself: what it passes on, what it catches'
	@echo '  make check-spin      the model of the protocol, by spin'
	@echo '  make check-mutants   breaks the driver in one place at a time; its tests must notice, in a VM'
	@echo '  make check-clients   compositors and other clients of a head, in the VM'
	@echo '  make check-races     the VM tests on a kernel with KCSAN, which reports data races of the driver'
	@echo '  make check-uninit    VM tests on a kernel with KMSAN, which reports uses of memory that was never written'
	@echo '  make check-coverage  what the VM tests reach of TTM, drm_sched, drm_exec and drm_gpuvm (SOURCE= names Linux sources)'
	@echo '  make check-knobs     the VM tests under each fault knob'
	@echo '  make check-loaded    "make check" ten times beside four busy programs (TIMES=N for another number)'
	@echo '  make check-nightly   all of these, longer'
	@echo '  make check-igt       generic suites of the IGT tree that IGT= names, which is built, on an adapter in a VM'
	@echo '  make ledger          make check-nightly, with the figures of the documentation'
	@echo '  make lint            checkpatch, sparse, W=1, shellcheck: no finding allowed'
	@echo '  make docs            pages of Documentation/, in build/docs'
	@echo '  make packages        Debian packages, in build/packages, and a look at them'
	@echo '  make check-packages  installs, uses and removes them in a small Debian of their own, too (root)'
	@echo '  make install         the library, the tools and the udev rule, to PREFIX (default /usr/local; DESTDIR)'
	@echo '  make modules_install the module, to the kernel of KDIR (INSTALL_MOD_PATH)'
	@echo '  make clean           removes build/'
	@echo '  vm/run -- COMMAND    runs a command in a VM with the module loaded (vm/run --help)'
	@echo
	@echo '  KDIR=$(KDIR)'

# Builds use all processors, unless "make -jN" says how many.
jobs = $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(shell nproc))

# --- the module ---------------------------------------------------------------------------------
# Each kernel has a build directory of its own, with links to the sources, so that no object file
# gets among the sources. $(call build-module,DIRECTORY,KDIR,ARGUMENTS)
define build-module
	@mkdir -p $(1)/tests
	@cp -rsf $(abspath drv uapi Kbuild) $(1)/
	@cp -rsf $(abspath tests/kunit) $(1)/tests/
	@find $(1) -xtype l -delete
	$(MAKE) $(jobs) -C $(2) M=$(1) CONFIG_DRM_VSPLIT=m $(3) modules
	@touch $(1)/vsplit.ko
endef
# Debian's kernel was built by a compiler of this name; with any other name kbuild warns that the
# compilers differ. BTF is off because the unpacked headers have no vmlinux to make it from.
vm-args := CONFIG_DEBUG_INFO_BTF_MODULES= $(if $(shell command -v x86_64-linux-gnu-gcc-12),CC=x86_64-linux-gnu-gcc-12)

module: $(BUILD)/module/vsplit.ko
module-vm: $(BUILD)/module-vm/vsplit.ko
module-vm-test: $(BUILD)/module-vm-test/vsplit.ko
module-debug: $(BUILD)/module-debug/vsplit.ko

$(BUILD)/module/vsplit.ko: $(MODULE_SOURCES)
	@[ -e '$(KDIR)/Makefile' ] || { echo 'No kernel headers in "$(KDIR)". Install those of the running kernel,' \
		'name others by KDIR=, or run "scripts/deps build" to take those of the kernel that the VM runs.' >&2; exit 1; }
	@[ -e /lib/modules/$(KVER)/build ] || [ '$(origin KDIR)' != file ] || \
		echo 'The running kernel ($(KVER)) has no headers here: building for $(KDIR)'
	$(call build-module,$(@D),$(KDIR),$(if $(findstring linux-headers,$(realpath $(KDIR))),$(vm-args)))

$(BUILD)/module-vm/vsplit.ko: $(MODULE_SOURCES)
	$(call build-module,$(@D),$(KDIR_VM),$(vm-args))

$(BUILD)/module-vm-test/vsplit.ko: $(MODULE_SOURCES)
	$(call build-module,$(@D),$(KDIR_VM),$(vm-args) CONFIG_DRM_VSPLIT_DEBUG=y)

$(BUILD)/module-debug/vsplit.ko: $(MODULE_SOURCES)
	$(call build-module,$(@D),$(KDIR_DEBUG),KCFLAGS=-g1)

# For a kernel of the user's own (vm/run --kernel-tree). It is phony, so that kbuild looks each time
# for changes of that kernel. The compiler of a kernel has to build its modules, too.
.PHONY: module-own
module-own:
	$(call build-module,$(BUILD)/module-$(OWN),$(KDIR_OWN),$(if $(findstring linux-headers,$(realpath $(KDIR_OWN))),$(vm-args)) \
		$(if $(shell grep -sx CONFIG_CC_IS_CLANG=y '$(KDIR_OWN)/.config'),CC=clang) \
		$(if $(TEST_BUILD),CONFIG_DRM_VSPLIT_DEBUG=y))

modules_install: module
	$(MAKE) -C $(KDIR) M=$(BUILD)/module CONFIG_DRM_VSPLIT=m modules_install

# --- the library, the tools, the tests ----------------------------------------------------------
user: $(USER_DIRS)

$(USER_DIRS):
	$(MAKE) $(jobs) -C $@ O=$(BUILD)/$@ all

tools igt-tests: $(filter libuser,$(USER_DIRS))

install: $(filter libuser tools,$(USER_DIRS))
	for d in $(filter libuser tools,$(USER_DIRS)); do \
		$(MAKE) -C $$d O=$(BUILD)/$$d PREFIX=$(PREFIX) DESTDIR=$(DESTDIR) install || exit; \
	done
	install -D -m 644 scripts/udev/72-vsplit.rules $(DESTDIR)$(PREFIX)/lib/udev/rules.d/72-vsplit.rules

# --- trying and testing -------------------------------------------------------------------------
deps:
	scripts/deps build

demo:
	scripts/demo

check:
	scripts/check

check-debug:
	scripts/check --debug

check-lite:
	scripts/check --lite

check-fuzz:
	scripts/check --fuzz

check-pci:
	scripts/check --pci

bench:
	scripts/bench

check-bench:
	scripts/bench --part plan --part walk --part vm --compare tests/bench.json

check-vm:
	vm/selftest

check-spin:
	scripts/check --spin

check-loaded:
	scripts/loaded $(TIMES)

check-knobs:
	scripts/check --knobs

check-mutants:
	scripts/check --mutants

check-clients:
	scripts/check --clients

check-races:
	scripts/check --races

check-uninit:
	scripts/check --uninit

check-coverage:
	scripts/check --coverage $(if $(SOURCE),--drm-source '$(SOURCE)')

check-nightly:
	scripts/check --nightly

check-igt:
	scripts/check --igt '$(or $(IGT),$(error name an IGT tree that is built: make check-igt IGT=path))'

ledger:
	scripts/check --nightly --ledger

lint:
	scripts/lint

docs:
	scripts/deps docs
	sphinx-build -q -n -W -b html Documentation $(BUILD)/docs
	@echo '$(BUILD)/docs/index.html'

packages:
	scripts/packages

check-packages:
	scripts/packages --chroot

clean:
	rm -rf $(BUILD)
