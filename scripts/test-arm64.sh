#!/usr/bin/env bash
# Runs live tests on an emulated arm64 machine. See --help.
set -euo pipefail

usage() {
	cat <<'TEXT'
Usage: scripts/test-arm64.sh [-t TIME] [PACKAGE [FLAG...]]

Runs the tests that need a live arm64 Linux under qemu-system-aarch64, with the
kernel of Debian's cloud images and a small initramfs; their C programs are built
by a cross compiler on this machine when they ask for gcc. Without arguments these
are the tests listed in scripts/arm64/plan; with some, those of one package, such
as "./task/ptrace -test.run Registers". Prints what the tests print, and fails when
one fails, or when the machine panics or is not done after TIME (40m).

What is missing is installed by apt-get, as root; the kernel is only downloaded,
from where this machine's apt has its packages, to build/arm64. Without apt-get, or
when it cannot get them, this says so in a line and ends with success.
TEXT
}

limit=40m
while getopts t:h flag; do
	case $flag in
	t) limit=$OPTARG ;;
	h) usage; exit ;;
	*) usage >&2 && exit 2 ;;
	esac
done
shift $((OPTIND - 1))

cd "$(dirname "$0")/.."
repo=$PWD out=$PWD/build/arm64
triplet=aarch64-linux-gnu
mkdir -p "$out"

skip() {
	echo "skipped: $*"
	exit 0
}

# install_tools gets what runs here: the emulator, the compiler, cpio.
install_tools() {
	local lacking=()
	command -v qemu-system-aarch64 >/dev/null || lacking+=(qemu-system-arm)
	command -v "$triplet-gcc" >/dev/null || lacking+=("gcc-$triplet")
	[[ -e /usr/$triplet/lib/libc.so.6 && -e /usr/$triplet/lib/libc.a ]] || lacking+=(libc6-dev-arm64-cross)
	command -v cpio >/dev/null || lacking+=(cpio)
	[[ ${#lacking[@]} -gt 0 ]] || return 0
	command -v apt-get >/dev/null || skip "there is no apt-get to get ${lacking[*]} with"
	[[ $(id -u) = 0 ]] || skip "only root can install ${lacking[*]}"
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${lacking[@]}" >"$out/apt.log" 2>&1 ||
		skip "apt-get cannot install ${lacking[*]} (see $out/apt.log)"
}

# fetch downloads Debian's arm64 packages that run in the guest, and names them in
# apt/wanted. Lists and files are kept apart: this machine's apt and dpkg do not hear
# of them.
fetch() {
	local apt=$out/apt kernel packages
	mkdir -p "$apt"/{lists,archives}/partial
	: >"$apt/status"
	cat >"$apt/conf" <<-CONF
		#clear APT::Update;
		#clear APT::Architectures;
		APT::Architecture "arm64";
		APT::Architectures { "arm64"; };
		APT::Sandbox::User "$(id -un)";
		Acquire::Languages "none";
		Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
		Dir::State::lists "$apt/lists";
		Dir::State::status "$apt/status";
		Dir::Cache "$apt";
		Dir::Cache::archives "archives";
	CONF
	apt-get -q -c "$apt/conf" update || echo "some lists may be missing"
	kernel=$(apt-cache -c "$apt/conf" depends linux-image-cloud-arm64 | sed -n 's/^ *Depends: //p')
	[[ -n $kernel ]] || return
	packages=("$kernel" busybox-static libc6 libc6-dbg libgcc-s1)
	# What is here already has no URI, so these are asked for from another folder.
	(cd "$apt/archives" && apt-get -q -c "$apt/conf" download "${packages[@]}" && cd "$apt" &&
		apt-get -q -c "$apt/conf" download --print-uris "${packages[@]}" | cut -d ' ' -f 2 >wanted)
}

# unpack makes the guest's file system of the packages, but for the kernel's.
unpack() {
	local deb
	rm -rf build/arm64/root build/arm64/boot
	while read -r deb; do
		case $deb in
		linux-image-*) dpkg-deb -x "$out/apt/archives/$deb" "$out/boot" ;;
		*) dpkg-deb -x "$out/apt/archives/$deb" "$out/root" ;;
		esac
	done <"$out/apt/wanted"
	rm -r "$out/root/usr/share"
}

# build_tests lists and builds the test programs that the arguments want, or the plan.
build_tests() {
	local plan=scripts/arm64/plan folder flags
	if [[ $# -gt 0 ]]; then
		plan=$out/plan
		echo "$*" >"$plan"
	fi
	mkdir -p "$out/root/tests.d"
	export GOOS=linux GOARCH=arm64 CGO_ENABLED=0
	while read -r folder flags; do
		[[ -n $folder && $folder != \#* ]] || continue
		folder=${folder#./}
		program=tests.d/${folder//\//-}.test
		go test -c -o "$out/root/$program" "./$folder"
		echo "$repo/$folder /$program $flags"
	done <"$plan" >"$out/root/tests"
	go build -o "$out/root/opt/cross" ./scripts/arm64/cross
	unset GOOS GOARCH CGO_ENABLED
}

# lay_out adds what is not of packages: tests and what they read, a first process, and
# the names that it calls this machine's compilers by.
lay_out() {
	local root=$out/root module name
	mkdir -p "$root"/{proc,sys,dev,tmp,run,etc,modules,"$repo"}
	ln -s busybox "$root/bin/sh"
	cp scripts/arm64/init.sh "$root/init"
	printf 'root:x:0:0::/tmp:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n' >"$root/etc/passwd"
	for name in gcc go objcopy strip; do ln -s cross "$root/opt/$name"; done
	for name in virtio_ring virtio virtio_mmio virtio_console unix_diag; do # in the order of their needs
		module=$(find "$out/boot/lib/modules" -name "$name.ko*")
		[[ -z $module ]] || cp "$module" "$root/modules/$(find "$root/modules" -type f | wc -l)-${module##*/}"
	done
	find . \( -name .git -o -path ./build \) -prune -o -type f -size -2048k -print0 |
		cpio -0 --quiet -pmd "$root$repo"
	(cd "$root" && find . -print0 | cpio -0 --quiet -o -H newc -R 0:0) >"$out/initramfs"
}

# boot runs the machine until it powers itself off.
boot() {
	timeout "$limit" qemu-system-aarch64 -M virt -cpu max,pauth-impdef=on -smp 2 -m 2G \
		-nodefaults -display none -nic none -no-reboot -serial stdio \
		-kernel "$out"/boot/boot/vmlinuz-* -initrd "$out/initramfs" -append "console=ttyAMA0 quiet oops=panic panic=-1" \
		-chardev "socket,id=cross,path=$1" -device virtio-serial-device -device virtserialport,chardev=cross
}

install_tools
fetch >"$out/apt.log" 2>&1 || [[ -s $out/apt/wanted ]] ||
	skip "apt-get cannot download Debian's arm64 kernel (see $out/apt.log)"
unpack
build_tests "$@"
lay_out

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go build -o "$work/cross" ./scripts/arm64/cross
"$work/cross" serve "$work/socket" &
server=$!
while kill -0 "$server" && [[ ! -S $work/socket ]]; do sleep 0.1; done
boot "$work/socket" </dev/null 2>&1 | sed -u '/^=== /d; s/\r$//' | tee "$out/console" || echo "the machine ended with ${PIPESTATUS[0]}"
kill "$server" 2>/dev/null || true
grep -qx 'arm64: exit 0' "$out/console" || {
	echo "arm64: the tests failed, or the machine did not come to their end within $limit"
	exit 1
}
