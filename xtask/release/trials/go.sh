# The Go module from a proxy for modules, in a new module: with cgo, without, vendored, and for Arm.
archive=$(echo hashlanes-go-v*.zip)
version=${archive#hashlanes-go-}
version=${version%.zip}
module=$(unzip -Z1 "$archive" | sed -n "s|@$version/go\.mod\$||p")
proxy=/tmp/proxy/$module/@v
mkdir -p "$proxy" /tmp/new
cp "$archive" "$proxy/$version.zip"
unzip -p "$archive" "$module@$version/go.mod" >"$proxy/$version.mod"
printf '{"Version":"%s"}' "$version" >"$proxy/$version.info"
echo "$version" >"$proxy/list"
export GOPROXY=file:///tmp/proxy GOSUMDB=off GOTOOLCHAIN=local GOFLAGS=-trimpath
cd /tmp/new
go mod init new
timed go get "$module"
sed "s|\"hashlanes|\"$module|" /trials/go/main.go >main.go
prints() { [ "$("$@")" = "lanes: $lanes" ]; }
lanes=true
timed prints go run .
go vet .
go mod verify
go test "$module" "$module/md5simd" "$module/sha256simd"
has_notices "$(go list -m -f '{{.Dir}}' "$module")" ^zeroize
go mod vendor
timed prints go run -mod=vendor .
rm -r vendor
CGO_ENABLED=1 GOARCH=arm64 CC=aarch64-linux-gnu-gcc timed go build -o /tmp/arm .
prints qemu-aarch64-static -L /usr/aarch64-linux-gnu /tmp/arm
lanes=false
CGO_ENABLED=0 timed prints go run .
timed prints go run -tags purego .
# Systems that the module has no library for, whether there is a C compiler for them or not.
for system in darwin/arm64 windows/amd64 linux/386 freebsd/amd64; do
    GOOS=${system%/*} GOARCH=${system#*/} go vet .
done
