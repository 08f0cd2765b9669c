#!/usr/bin/env bash
# Makes an OCI image of a whole system of Debian: make-debian-system.sh FOLDER
# The image FOLDER/image:made has a layer with a system by debootstrap, and a layer in which packages are removed.
# FOLDER/packages has its list by dpkg-query in the system. Needs the rights of root, debootstrap and umoci.
set -euo pipefail

mkdir -p "$1"
cd "$1"
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
# The packages come from the place that apt uses.
site=$(apt-get indextargets --format '$(SITE)' "Codename: $suite" 'Created-By: Packages' | sort -u | head -n 1)

umoci init --layout image
umoci new --image image:made
umoci unpack --image image:made bundle
root=$PWD/bundle/rootfs
debootstrap --variant=minbase "$suite" "$root" ${site:+"$site"} >debootstrap.log 2>&1
umoci repack --refresh-bundle --image image:made bundle
# Of the first one, files of configuration stay.
chroot "$root" dpkg --remove --force-depends apt >/dev/null 2>&1
chroot "$root" dpkg --purge --force-depends tzdata >/dev/null 2>&1
umoci repack --refresh-bundle --image image:made bundle

chroot "$root" dpkg-query -W \
  -f '${db:Status-Status} ${Package} ${Version} ${Architecture} ${source:Package} ${source:Version}\n' >packages
rm -rf bundle
