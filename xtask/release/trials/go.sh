# The Go module from a proxy for modules, in a new module: vendored, for Arm, without kernels.
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
export GOPROXY=file:///tmp/proxy GOSUMDB=off GOTOOLCHAIN=local GOFLAGS=-trimpath CGO_ENABLED=0
cd /tmp/new
go mod init new
timed go get "$module"
sed "s|\"hashlanes|\"$module|" /trials/go/main.go >main.go
prints() { [ "$("$@")" = "lanes: $lanes" ]; }
lanes=true
timed prints go run .
go vet .
go mod verify
go test "$module" "$module/internal/kernels" "$module/md5simd" "$module/sha256simd"
has_notices "$(go list -m -f '{{.Dir}}' "$module")" ^zeroize
go mod vendor
timed prints go run -mod=vendor .
rm -r vendor
GOARCH=arm64 timed go build -o /tmp/arm .
prints qemu-aarch64-static /tmp/arm
lanes=false
timed prints go run -tags purego .
for system in darwin/arm64 windows/amd64 linux/386 freebsd/amd64; do
    GOOS=${system%/*} GOARCH=${system#*/} go vet .
done
