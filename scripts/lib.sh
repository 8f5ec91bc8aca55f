# shellcheck shell=bash disable=SC2034
# SPDX-License-Identifier: GPL-2.0 OR MIT
# Common parts of vsplit's shell scripts: paths, complaints, locks, a progress line. Source this file. It sets TOP,
# CACHE and BUILD, defines functions, and does nothing else.

TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# Downloads and unpacked kernels, shared by all checkouts of this user.
CACHE=${VSPLIT_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/vsplit}
# The output of this checkout's builds.
BUILD=${VSPLIT_BUILD:-$TOP/build}
# The package of the kernel that the VM boots; the name of the versioned package is looked up from it.
KERNEL_META=linux-image-6.12-amd64
SOURCE_PKG=linux-source-6.12
# Python with Debian's modules, even if another one is first on PATH.
PYTHON=${PYTHON:-$([ -x /usr/bin/python3 ] && echo /usr/bin/python3 || echo python3)}

# modprobe and depmod are there, and the PATH of a user other than root may lack it.
PATH=$PATH:/usr/sbin:/sbin

prog=$(basename "$0")
die() { echo "$prog: $*" >&2; exit 1; }
note() { echo "$prog: $*" >&2; }
# help_for USAGE ARGUMENT...: end with the usage if the first argument asks for it.
help_for() {
	case ${2:-} in -h | --help) echo "$1"; exit ;; esac
}

# lock NAME: hold an exclusive lock of this name until the script ends.
lock() {
	local fd
	mkdir -p "$CACHE/locks" || die "cannot write the cache $CACHE (set VSPLIT_CACHE)"
	exec {fd}>"$CACHE/locks/$1"
	if ! flock -n "$fd"; then
		note "waiting for another run ($1)"
		flock "$fd"
	fi
}

# progress DONE TOTAL TEXT: print a line that overwrites itself on a terminal; elsewhere print a line every 10 %.
progress_last=-1
progress() {
	local pc=$((100 * $1 / ($2 > 0 ? $2 : 1)))
	((pc > 100)) && pc=100
	if [ -t 2 ]; then
		printf '\r%s: %3d %% (%d/%d)\033[K' "$3" "$pc" "$1" "$2" >&2
	elif ((pc / 10 > progress_last)); then
		progress_last=$((pc / 10))
		printf '%s: %d %% (%d/%d)\n' "$3" "$pc" "$1" "$2" >&2
	fi
}
progress_end() { [ ! -t 2 ] || printf '\n' >&2; }

# The last line of a test run.
SUMMARY='^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$'

# summary LOG: the summary of the run whose output is in LOG, as "PASSED FAILED SKIPPED"; "0 0 0" without a summary.
summary() {
	local line
	line=$(grep -aE "$SUMMARY" "$1" | tail -n 1)
	tr -dc '0-9 ' <<<"${line:-0 0 0}"
}

# package_version NAME: the version that apt would install; empty if there is none.
package_version() {
	LC_ALL=C apt-cache policy "$1" 2>/dev/null | awk '$1 == "Candidate:" && $2 != "(none)" {print $2}'
}

# fs_name VERSION: the version, usable as a file name.
fs_name() { printf '%s' "${1//[~:]/-}"; }
