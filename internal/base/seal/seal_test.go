package seal_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sett/internal/base/seal"
)

func TestSealedTextsOpenInTheirPlaceAlone(t *testing.T) {
	t.Parallel()
	k := seal.NewKey()
	for _, plain := range []string{"", "JBSWY3DPEHPK3PXP", strings.Repeat("x", 100_000), "sealed:0123456789abcdef:", "\x00\xff"} {
		sealed := k.Seal("second_factors.secret 7", plain)
		if id, ok := seal.KeyOf(sealed); !ok || id != k.ID() || len(k.Prefix()) != seal.PrefixLength || !strings.HasPrefix(sealed, k.Prefix()) {
			t.Errorf("%.40s is not known as sealed by %s", sealed, k.ID())
		}
		if got, err := k.Open("second_factors.secret 7", sealed); err != nil || got != plain {
			t.Errorf("opened: %v", err)
		}
		if plain != "" && strings.Contains(sealed, plain) {
			t.Error("the text can be read")
		}
		if sealed == k.Seal("second_factors.secret 7", plain) {
			t.Error("the same text is sealed twice alike")
		}
		for _, place := range []string{"second_factors.secret 8", "sites.url 7", ""} {
			if _, err := k.Open(place, sealed); !errors.Is(err, seal.ErrDamaged) {
				t.Errorf("opened at %q: %v", place, err)
			}
		}
		if _, err := seal.NewKey().Open("second_factors.secret 7", sealed); !errors.Is(err, seal.ErrDamaged) {
			t.Errorf("opened by another key: %v", err)
		}
	}
}

func TestChangedTextsDoNotOpen(t *testing.T) {
	t.Parallel()
	k := seal.NewKey()
	sealed := k.Seal("p", "secret")
	for i := range sealed {
		changed := sealed[:i] + string(rune('A'+(sealed[i]+1)%26)) + sealed[i+1:]
		if changed == sealed {
			continue
		}
		if plain, err := k.Open("p", changed); err == nil && i >= seal.PrefixLength && i < len(sealed)-1 {
			t.Errorf("byte %d changed, and it opens as %q", i, plain)
		}
	}
	for _, no := range []string{"", "sealed:", "sealed:12:x", k.Prefix(), k.Prefix() + "!", "plain"} {
		if _, err := k.Open("p", no); !errors.Is(err, seal.ErrDamaged) {
			t.Errorf("%q opens: %v", no, err)
		}
	}
	for _, no := range []string{"", "plain", "sealed:", "sealed:0123456789abcdef", "{\"a\":1}"} {
		if id, ok := seal.KeyOf(no); ok {
			t.Errorf("%q is sealed by %q", no, id)
		}
	}
}

func TestKeysAreReadAsWritten(t *testing.T) {
	t.Parallel()
	k := seal.NewKey()
	again, err := seal.ParseKey(k.Text())
	if err != nil || again.ID() != k.ID() {
		t.Fatalf("%v, %v", again, err)
	}
	if plain, err := again.Open("p", k.Seal("p", "x")); err != nil || plain != "x" {
		t.Errorf("%q, %v", plain, err)
	}
	for _, text := range []string{fmt.Sprint(k), fmt.Sprintf("%v %+v %#v %s", k, k, k, seal.Ring{k})} {
		if strings.Contains(text, k.Text()) || strings.Contains(text, k.Text()[9:]) {
			t.Errorf("a key is printed: %s", text)
		}
	}
	for _, no := range []string{"", "hunter2", k.Text()[1:], k.Text()[:20], k.Text() + "AAAA", "sett-key-" + strings.Repeat("!", 43)} {
		_, err := seal.ParseKey(no)
		if err == nil || no != "" && strings.Contains(err.Error(), no) {
			t.Errorf("%q: %v", no, err)
		}
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "secret.key")
	if _, err := seal.ReadFile(file); !errors.Is(err, fs.ErrNotExist) || !seal.Missing(err) {
		t.Fatal(err)
	}
	made, err := seal.CreateFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := seal.CreateFile(file); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a key file was replaced: %v", err)
	}
	newest := append(seal.Ring{seal.NewKey()}, made...)
	if err := seal.WriteFile(file, newest); err != nil {
		t.Fatal(err)
	}
	read, err := seal.ReadFile(file)
	if err != nil || len(read) != 2 || read[0].ID() != newest[0].ID() || read[1].ID() != made[0].ID() {
		t.Errorf("%v, %v", read, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if left, err := os.ReadDir(filepath.Dir(file)); err != nil || len(left) != 1 {
		t.Errorf("beside the file there is more: %v, %v", left, err)
	}
	for mode, want := range map[os.FileMode]bool{0o600: false, 0o640: false, 0o644: true, 0o620: true} {
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
		if got, err := seal.Readable(file); got != want || err != nil {
			t.Errorf("%o: %t, %v", mode, got, err)
		}
	}
}

func TestParseRing(t *testing.T) {
	t.Parallel()
	a, b := seal.NewKey(), seal.NewKey()
	ring, err := seal.ParseRing("# keys\r\n\n " + a.Text() + " \r\n" + b.Text() + "\n" + a.Text())
	if err != nil || len(ring) != 2 || ring[0].ID() != a.ID() || ring[1].ID() != b.ID() {
		t.Errorf("%v, %v", ring, err)
	}
	for text, want := range map[string]string{"": "no key", "# only a comment": "no key", a.Text() + "\nhunter2": "line 2"} {
		if _, err := seal.ParseRing(text); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
