package chaos

import (
	"cmp"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"sett/e2e/rig"
	"sett/e2e/rig/load"
)

// chaosStorage is object storage on a machine of its own, with a disk of its own.
type chaosStorage struct {
	objectStore
	at     machine
	keeper *keeper
}

func newChaosStorage(t testing.TB, l *lan) *chaosStorage {
	t.Helper()
	setObjectCredentials(t)
	binary, err := objectStoreBinary()
	if err != nil {
		t.Fatal(err)
	}
	o := &chaosStorage{at: l.machine(t)}
	o.dir, o.address = t.TempDir(), o.at.address+":9000"
	rig.NewRAMDisk(t, o.dir, "64")
	log, err := os.Create(filepath.Join(cmp.Or(os.Getenv("CHAOS_LOGS"), t.TempDir()), o.at.netns+".log"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = log.Close() })
	o.keeper = newKeeper(t, func() *exec.Cmd {
		cmd := exec.Command("ip", "netns", "exec", o.at.netns, binary, o.address, o.dir, "events")
		cmd.Stdout, cmd.Stderr = log, log
		return cmd
	})
	o.keeper.up()
	rig.Await(t, "object storage listens", func() bool {
		c, err := net.DialTimeout("tcp", o.address, time.Second)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
	return o
}

// stored returns the sizes of all objects of nodes, by key.
func (o *chaosStorage) stored(t testing.TB) map[string]string {
	t.Helper()
	found, dir := map[string]string{}, filepath.Join(o.dir, "buckets", "events", "sett")
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				found[strings.TrimPrefix(path, dir+"/")] = strconv.FormatInt(info.Size(), 10)
			}
		}
		return nil // of objects that are deleted meanwhile, too
	})
	if err != nil {
		t.Error(err)
	}
	return found
}

// proveStorage waits until all blocks are in object storage, and checks that each has its object, and that each object has a block or is to be deleted.
func (c *chaos) proveStorage(t testing.TB) (blocks int) {
	t.Helper()
	for late := time.Now().Add(2 * time.Minute); ; <-time.After(time.Second) {
		var wrong load.Problems
		blocks = c.compareStorage(t, &wrong)
		if len(wrong) == 0 || time.Now().After(late) {
			wrong.Report(t)
			return blocks
		}
	}
}

func (c *chaos) compareStorage(t testing.TB, wrong *load.Problems) (blocks int) {
	t.Helper()
	stored := c.storage.stored(t)
	ask := func(statement string) (lines []string) {
		text, err := c.pair.members[0].try(statement)
		if err != nil {
			wrong.Add("%s: %v", statement, err)
		}
		return strings.Fields(text)
	}
	if local := ask("SELECT count(*)::text FROM blocks WHERE NOT remote"); fmt.Sprint(local) != "[0]" {
		wrong.Add("%s blocks are not in object storage", local)
	}
	for _, line := range ask("SELECT coalesce(string_agg(object || '=' || bytes, ' '), '') FROM block_objects") {
		key, size, _ := strings.Cut(line, "=")
		if got, ok := stored[key]; !ok || got != size {
			wrong.Add("block %s of %s bytes is an object of %q bytes", key, size, got)
		}
		delete(stored, key)
		blocks++
	}
	for _, key := range ask("SELECT coalesce(string_agg(object, ' '), '') FROM dead_objects") {
		delete(stored, key)
	}
	for key := range stored {
		wrong.Add("object %s belongs to no block", key)
	}
	if blocks == 0 {
		wrong.Add("no block is in object storage")
	}
	return blocks
}
