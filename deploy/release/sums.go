package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// sumsName is the file that is signed. It has the checksum of every other file.
const sumsName = "SHA256SUMS"

// sign writes the checksums, as sha256sum -c reads them, and signs them with the SSH key that RELEASE_KEY names: a private key, or
// a public key whose private one an agent has. Without the variable, nothing is signed.
func (r *release) sign(ctx context.Context) error {
	sums, err := r.sums()
	if err != nil {
		return err
	}
	if err := r.write(sumsName, sums); err != nil {
		return err
	}
	key := os.Getenv("RELEASE_KEY")
	if key == "" {
		fmt.Fprintf(os.Stderr, "%s is not signed: set RELEASE_KEY to the file of an SSH key\n", sumsName)
		return nil
	}
	cmd := exec.CommandContext(ctx, "ssh-keygen", "-Y", "sign", "-n", "file", "-f", key, filepath.Join(r.out, sumsName))
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("sign the checksums: %w\n%s", err, out)
	}
	return nil
}

func (r *release) sums() ([]byte, error) {
	names, err := os.ReadDir(r.out)
	if err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	for _, f := range names {
		data, err := os.ReadFile(filepath.Join(r.out, f.Name()))
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&buf, "%x  %s\n", sha256.Sum256(data), f.Name())
	}
	return buf.Bytes(), nil
}
