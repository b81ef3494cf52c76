#!/bin/sh
# Build the image of Debian's packages alone, without a registry. `make image` calls this, and then runs
# what it has built.
#
# As root on Debian or Ubuntu, with mmdebstrap, buildah, podman and crun, which are installed if they are
# missing. IMAGE names the image; SUITE is the Debian of both bases.
set -eu
cd "$(dirname "$0")/../.."
IMAGE="${IMAGE:-localhost/heliograph:latest}"
SUITE="${SUITE:-trixie}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

need() {
    command -v "$1" >/dev/null || apt-get -qq -o DPkg::Lock::Timeout=300 install --yes --no-install-recommends "$1"
}

# $1: its name; $2: its folder
import_image() {
    container=$(buildah from scratch)
    buildah add --quiet "$container" "$2" / >/dev/null
    buildah config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$container"
    buildah commit --quiet "$container" "$1" >/dev/null
    buildah rm "$container" >/dev/null
}

for program in mmdebstrap buildah podman crun; do need "$program"; done

mmdebstrap --quiet --variant=minbase \
    --include=python3-venv,binutils,ca-certificates "$SUITE" "$work/builder"
import_image localhost/heliograph-builder "$work/builder"

# Of libmagic the WhatsApp library wants to be loaded with it, and never asks for a type of file: so its
# database is left out, 10 MB. The rest is essential to a machine to install packages on, and of no use to one
# program; dpkg removes it, and what a container scanner reads of the others stays.
unneeded="apt perl-base e2fsprogs util-linux mount login login.defs passwd sysvinit-utils gpgv
    init-system-helpers ncurses-bin bash findutils grep sed gzip diffutils hostname openssl tar sqv
    libapt-pkg7.0 libdb5.3t64 libsystemd0 libudev1 bsdutils logsave libss2 libext2fs2t64
    debian-archive-keyring openssl-provider-legacy adduser libmount1 libblkid1 libsmartcols1
    libnettle8t64 libhogweed6t64 libsepol2 libsemanage2 libsemanage-common libpam-modules
    libpam-modules-bin libpam-runtime libpam0g libreadline8t64 libncursesw6 libgmp10"
mmdebstrap --quiet --variant=minbase \
    --include=python3-minimal,libpython3-stdlib,libmagic1t64,ca-certificates \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
    --dpkgopt='path-exclude=/usr/share/info/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
    --dpkgopt='path-exclude=/usr/lib/*/gconv/*' --dpkgopt='path-exclude=/usr/lib/python3*/pydoc_data/*' \
    --dpkgopt='path-exclude=/usr/lib/file/magic.mgc' \
    --customize-hook="chroot \"\$1\" dpkg --purge --force-all $(echo $unneeded) >/dev/null 2>&1 || true" \
    --customize-hook='find "$1/usr" -name __pycache__ -prune -exec rm -rf {} +' \
    "$SUITE" "$work/base"
rm -rf "$work/base/var/lib/apt/lists" "$work/base/var/cache/apt" "$work/base/var/cache/debconf"
import_image localhost/heliograph-base "$work/base"

# the authorities that this machine believes, among them those of a proxy
buildah build --quiet --isolation chroot --format docker --file deploy/compose/Dockerfile \
    --build-arg BUILDER=localhost/heliograph-builder --build-arg BASE=localhost/heliograph-base \
    --volume /etc/ssl/certs/ca-certificates.crt:/etc/ssl/certs/ca-certificates.crt:ro \
    --tag "$IMAGE" .
buildah images "$IMAGE"
