# The wheel for 64-bit Arm, unpacked for Debian's Python, emulated. What Debian's packages would do
# when they are installed cannot be emulated here.
dpkg --add-architecture arm64
mkdir -p /tmp/packages/partial /tmp/arm
ln -s usr/lib /tmp/arm/lib
apt-get update -qq
apt-get install -qq --download-only -o Dir::Cache::Archives=/tmp/packages python3:arm64
for package in /tmp/packages/*.deb; do
    dpkg -x "$package" /tmp/arm
done
python=$(echo /tmp/arm/usr/bin/python3.[0-9]*[0-9])
run() { qemu-aarch64-static -L /tmp/arm "$python" "$@"; }
export PYTHONPATH=/tmp/wheel
run -m zipfile -e /dist/hashlanes-*-cp311-abi3-manylinux*_aarch64.whl "$PYTHONPATH"
timed run /trials/installed.py
