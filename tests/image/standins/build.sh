#!/bin/sh
# Images for the tests of Compose, of Debian's packages: where there is no registry, each stands in for one
# that the Compose files name.
#
# As root on Debian or Ubuntu, with mmdebstrap and buildah. SUITE is their Debian.
#   build.sh postgres NAME redis NAME garage NAME     makes those that are named
set -eu
here=$(cd "$(dirname "$0")" && pwd)
SUITE="${SUITE:-trixie}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

make_base() {
    mmdebstrap --quiet --variant=minbase \
        --include=postgresql,redis-server,python3-moto,python3-flask,python3-flask-cors \
        --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
        --dpkgopt='path-exclude=/usr/share/locale/*' \
        --customize-hook='rm -rf "$1"/var/lib/postgresql/* "$1"/var/lib/apt/lists' "$SUITE" "$work/root"
    base=$(buildah from scratch)
    buildah add --quiet "$base" "$work/root" / >/dev/null
    buildah config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$base"
    buildah commit --quiet --rm "$base" localhost/heliograph-standins >/dev/null
}

# minutes, for 700 MB: it stays for the next time
buildah inspect --type image localhost/heliograph-standins >/dev/null 2>&1 || make_base

while [ $# -gt 0 ]; do
    container=$(buildah from localhost/heliograph-standins)
    case $1 in
    garage) # whose image has no entry point
        buildah copy --quiet --chmod 755 "$container" "$here/garage" /garage >/dev/null ;;
    *)
        buildah copy --quiet --chmod 755 "$container" "$here/$1" /standin >/dev/null
        buildah config --entrypoint '["/standin"]' "$container" ;;
    esac
    buildah commit --quiet --rm "$container" "$2" >/dev/null
    shift 2
done
