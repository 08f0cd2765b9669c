#!/usr/bin/env bash
# Makes the disk of the Linux guest that tests boot: make-disk.sh FILE
# The kernel and its programs come from Debian packages, which are downloaded and unpacked, but not installed. Needs
# apt-get, dpkg-deb, mtools and syslinux; needs no rights of root.
set -euo pipefail

disk=$(realpath -m "$1")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# The package linux-image-cloud-amd64 is empty and depends on the package of the present kernel.
kernel_package() { apt-cache depends linux-image-cloud-amd64 2>/dev/null | sed -n 's/.*Depends: \(linux-image-[^ ]*\)$/\1/p' | head -n 1; }
kernel=$(kernel_package)
if [ -z "$kernel" ]; then
  # A fresh machine has no list of packages.
  apt-get update -qq || sudo -n apt-get update -qq
  kernel=$(kernel_package)
fi
[ -n "$kernel" ] || { echo 'make-disk: no package of a Linux kernel is known' >&2; exit 1; }
# apt-get warns if the user _apt cannot write to the folder, and then downloads as this user.
apt-get download -qq "$kernel" busybox-static 2>/dev/null
for package in ./*.deb; do dpkg-deb -x "$package" unpacked; done
version=${kernel#linux-image-}
busybox=$work/unpacked/bin/busybox

# The drivers of virtual devices are modules, to be loaded in the order of modules.dep.
"$busybox" depmod -b "$work/unpacked" "$version"
modules=unpacked/lib/modules/$version
mkdir -p root/bin root/modules
cp "$busybox" root/bin/busybox
cp "$here/init" "$here/leased" root/
chmod 755 root/init root/leased
for wanted in virtio_pci virtio_blk virtio_net virtio-rng isofs button evdev; do
  line=$(grep -E "/$wanted\.ko:" "$modules/modules.dep" | head -n 1 || true)
  [ -n "$line" ] || continue
  # A line names a module, and then the modules that must be loaded before, the last one first.
  for module in $(printf '%s\n' "${line/:/}" | tr ' ' '\n' | tac); do
    name=${module##*/}
    [ -f "root/modules/$name" ] && continue
    cp "$modules/$module" "root/modules/$name"
    echo "$name" >>root/modules/order
  done
done
(cd root && find . | "$busybox" cpio -o -H newc 2>/dev/null | gzip -9) >initrd.gz

truncate -s 48M "$disk.tmp"
mformat -i "$disk.tmp" -F ::
mcopy -i "$disk.tmp" "unpacked/boot/vmlinuz-$version" ::linux
mcopy -i "$disk.tmp" initrd.gz ::initrd.gz
mcopy -i "$disk.tmp" "$here/syslinux.cfg" ::syslinux.cfg
syslinux --install "$disk.tmp"
mv "$disk.tmp" "$disk"
