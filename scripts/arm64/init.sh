#!/bin/sh
# The first process of the machine that scripts/test-arm64.sh starts: runs the
# tests that /tests lists, and says on the console how they went.
/bin/busybox --install -s /bin
export PATH=/opt:/bin HOME=/tmp TMPDIR=/tmp CGO_ENABLED=1
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mkdir -p /dev/shm /dev/pts
mount -t tmpfs tmpfs /dev/shm
mount -t devpts devpts /dev/pts
chmod 1777 /tmp # no file system of its own: the repository may be in it
mount -t tmpfs tmpfs /run
ifconfig lo up
for module in /modules/*; do insmod "$module"; done
until [ -c /dev/vport0p1 ]; do sleep 0.1; done # what gcc asks the host through
echo "arm64: Linux $(uname -r) is up after $(cut -d ' ' -f 1 /proc/uptime) s"

set -f # flags may have stars
failed=0
# Each line is a folder, its test program, and flags for that.
while read -r folder program flags; do
	began=$(cut -d . -f 1 /proc/uptime)
	cd "$folder" || failed=1
	# shellcheck disable=SC2086 # flags are several
	if "$program" -test.v -test.timeout=15m $flags </dev/null 2>&1; then
		said=passed
	else
		said=FAILED failed=1
	fi
	echo "arm64: $folder $said in $(($(cut -d . -f 1 /proc/uptime) - began)) s"
done </tests
echo "arm64: exit $failed"
poweroff -f
