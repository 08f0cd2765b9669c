#!/usr/bin/env bash
# Makes an OCI image of Debian's own packages: make-debian-image.sh FOLDER
# The image FOLDER/image:made has a layer with packages, one with more packages, and one in which a package is removed.
# FOLDER/packages has its list by dpkg-query. Needs apt-get, dpkg and umoci.
set -euo pipefail

mkdir -p "$1"
cd "$1"
# A fresh machine has no list of packages.
apt-cache show base-files >/dev/null 2>&1 || apt-get update -qq
mkdir -p first second
# apt-get warns that the user _apt cannot write to the folder, and then downloads as this user.
(cd first && apt-get download -qq base-files libssl3 zlib1g gcc-12-base libexpat1 2>/dev/null)
(cd second && apt-get download -qq openssl netbase libstdc++6 2>/dev/null)

umoci init --layout image
umoci new --image image:made
umoci unpack --rootless --image image:made bundle
root=$PWD/bundle/rootfs
# The packages are unpacked, but not configured, since their programs have nothing to run on.
packages() { dpkg --root="$root" --force-not-root --force-depends --log=/dev/null "$@" >/dev/null 2>&1; }
layer() { umoci repack --refresh-bundle --image image:made bundle; }

mkdir -p "$root/var/lib/dpkg/updates" "$root/var/lib/dpkg/info"
touch "$root/var/lib/dpkg/status"
packages --unpack first/*.deb
# This one has no program for the configuration.
packages --configure gcc-12-base
layer
packages --unpack second/*.deb
layer
# Of the second one, files of configuration stay.
packages --remove libexpat1 openssl
layer

dpkg-query --admindir="$root/var/lib/dpkg" -W \
  -f '${db:Status-Status} ${Package} ${Version} ${Architecture} ${source:Package} ${source:Version}\n' >packages
