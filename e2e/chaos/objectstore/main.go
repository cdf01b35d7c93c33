// Command objectstore is S3-compatible object storage for end-to-end tests: Versity's gateway on a directory. It takes an address to listen on, a directory,
// and the names of buckets, which it creates; the credentials are those of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.
package main

import (
	"log"
	"os"
	"path/filepath"

	"github.com/versity/versitygw/auth"
	"github.com/versity/versitygw/backend/meta"
	"github.com/versity/versitygw/backend/posix"
	"github.com/versity/versitygw/s3api"
	"github.com/versity/versitygw/s3api/middlewares"
)

func main() {
	if len(os.Args) < 3 {
		log.Fatal("usage: objectstore ADDRESS DIRECTORY BUCKET...")
	}
	log.Fatal(serve(os.Args[1], os.Args[2], os.Args[3:]))
}

func serve(address, dir string, buckets []string) error {
	objects, side := filepath.Join(dir, "buckets"), filepath.Join(dir, "meta")
	for _, name := range append([]string{side, objects}, within(objects, buckets)...) {
		if err := os.MkdirAll(name, 0o700); err != nil {
			return err
		}
	}
	sidecar, err := meta.NewSideCar(side)
	if err != nil {
		return err
	}
	backend, err := posix.New(objects, sidecar, posix.PosixOpts{SideCarDir: side})
	if err != nil {
		return err
	}
	access, secret := os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY")
	users := auth.NewIAMServiceSingle(auth.Account{Access: access, Secret: secret, Role: auth.RoleAdmin})
	s, err := s3api.New(backend, middlewares.RootUserConfig{Access: access, Secret: secret}, "us-east-1", users, nil, nil, nil, nil,
		s3api.WithQuiet(), s3api.WithKeepAlive(), s3api.WithConcurrencyLimiter(1000, 1000))
	if err != nil {
		return err
	}
	return s.ServeMultiPort([]string{address})
}

func within(dir string, names []string) (paths []string) {
	for _, name := range names {
		paths = append(paths, filepath.Join(dir, name))
	}
	return paths
}
