package deploy

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sett/e2e/rig"
)

// pebble is an issuer of certificates on this machine, which asks the name server of a test.
type pebble struct {
	directory string // its address
	ca        string // file of who has issued pebble's own certificate
	log       string // file
	roots     *x509.CertPool
}

// newPebble starts a pebble that looks for answers to its challenges at a server's two addresses.
func newPebble(ctx context.Context, t *testing.T, dns, plain, secure string) *pebble {
	t.Helper()
	dir, test := t.TempDir(), filepath.Join(moduleDir(ctx, t, "github.com/letsencrypt/pebble/v2"), "test", "certs")
	binary, config := filepath.Join(dir, "pebble"), filepath.Join(dir, "config.json")
	rig.RunGo(t, ".", "build", "-o", binary, "github.com/letsencrypt/pebble/v2/cmd/pebble")
	listen, management := rig.FreeAddress(t), rig.FreeAddress(t)
	p := &pebble{directory: "https://" + listen + "/dir", ca: filepath.Join(test, "pebble.minica.pem"), log: filepath.Join(dir, "log")}
	text, err := json.Marshal(map[string]any{"pebble": map[string]any{
		"listenAddress": listen, "managementListenAddress": management, "httpPort": portOf(t, plain), "tlsPort": portOf(t, secure),
		"certificate": filepath.Join(test, "localhost", "cert.pem"), "privateKey": filepath.Join(test, "localhost", "key.pem"), "keyAlgorithm": "ecdsa",
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, text, 0o600); err != nil {
		t.Fatal(err)
	}
	p.start(t, exec.Command(binary, "-config", config, "-dnsserver", dns))
	p.roots = p.awaitRoots(ctx, t, "https://"+management+"/roots/0")
	return p
}

func (p *pebble) start(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	log, err := os.Create(p.log)
	if err != nil {
		t.Fatal(err)
	}
	cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), "PEBBLE_VA_NOSLEEP=1", "PEBBLE_WFE_NONCEREJECT=0"), log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, _, _ = cmd.Process.Kill(), cmd.Wait(), log.Close()
		if text, err := os.ReadFile(p.log); t.Failed() && err == nil {
			t.Logf("the log of pebble:\n%s", text)
		}
	})
}

// awaitRoots waits for pebble and returns what it issues certificates by.
func (p *pebble) awaitRoots(ctx context.Context, t *testing.T, address string) *x509.CertPool {
	t.Helper()
	own, err := os.ReadFile(p.ca)
	if err != nil {
		t.Fatal(err)
	}
	trusted, roots := x509.NewCertPool(), x509.NewCertPool()
	trusted.AppendCertsFromPEM(own)
	client := &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted}}}
	for ; ctx.Err() == nil; time.Sleep(20 * time.Millisecond) {
		r, err := client.Get(address)
		if err != nil {
			continue
		}
		text, err := io.ReadAll(r.Body)
		_ = r.Body.Close()
		if err == nil && roots.AppendCertsFromPEM(text) {
			return roots
		}
	}
	t.Fatal("pebble does not answer")
	return nil
}

// orders counts what pebble was asked for.
func (p *pebble) orders(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile(p.log)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(text), "POST /order-plz")
}

// moduleDir is where the files of a module are that e2e/go.mod names.
func moduleDir(ctx context.Context, t *testing.T, module string) string {
	t.Helper()
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		t.Fatalf("find %s: %v", module, err)
	}
	return strings.TrimSpace(string(out))
}

func portOf(t *testing.T, addr string) int {
	t.Helper()
	at, err := net.ResolveTCPAddr("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	return at.Port
}
