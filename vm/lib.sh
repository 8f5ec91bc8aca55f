# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR MIT
# Common parts of the scripts that build kernels. Source this file after scripts/lib.sh.

# lost_options CONFIG FRAGMENT...: print the options of the fragments that have other values in CONFIG.
lost_options() {
	local config=$1 key val
	shift
	while IFS='=' read -r key val; do
		if [ "$val" = n ]; then
			! grep -q "^$key=" "$config" || printf ' %s=n' "$key"
		else
			grep -qxF "$key=$val" "$config" || printf ' %s=%s' "$key" "$val"
		fi
	done < <(cat "$@" | grep '^CONFIG_')
}

# configure SOURCE DIR FRAGMENT...: make a configuration with these options, and little else, in DIR. The array
# make_args has more arguments of make.
make_args=()
configure() {
	local src=$1 dir=$2 bad
	shift 2
	make -s -C "$src" O="$dir" "${make_args[@]}" tinyconfig >/dev/null 2>&1 || die "make tinyconfig failed in $src"
	cat "$@" >>"$dir/.config"
	make -s -C "$src" O="$dir" "${make_args[@]}" olddefconfig >/dev/null 2>"$dir/olddefconfig.log"
	bad=$(lost_options "$dir/.config" "$@")
	[ -z "$bad" ] || die "these options did not survive olddefconfig in $src:$bad"
}

# build SOURCE DIR OBJECTS NAME: build kernel and modules with the configuration in DIR, and install the modules below
# DIR/root. OBJECTS: number of files to compile, for the progress line.
build() {
	local src=$1 dir=$2 objects=$3 name=$4 log=$2/build.log jobs pid
	jobs=$(nproc)
	note "building $name in $dir (log: $log)"
	# The loop below may read the file before the background shell has made it.
	: >"$log"
	(
		cd "$dir" || exit
		make -s -C "$src" O="$dir" "${make_args[@]}" olddefconfig
		nice -n 10 make -C "$src" O="$dir" "${make_args[@]}" -j"$jobs" KBUILD_BUILD_TIMESTAMP=@0 vmlinux modules
		rm -rf "$dir/root"
		make -s -C "$src" O="$dir" "${make_args[@]}" INSTALL_MOD_PATH="$dir/root" modules_install
	) >"$log" 2>&1 &
	pid=$!
	while kill -0 "$pid" 2>/dev/null; do
		progress "$(grep -cE '^ +(CC|AS|LD|AR) ' "$log" || true)" "$objects" "$name"
		sleep 3
	done
	progress_end
	if ! wait "$pid"; then
		tail -n 20 "$log" >&2
		die "$name did not build; the whole log is $log"
	fi
}
