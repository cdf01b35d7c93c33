package chaos

import (
	"context"
	"io/fs"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"sett/e2e/rig"
	"sett/e2e/rig/load"
)

// objectStore is a Versity gateway on a directory of this machine.
type objectStore struct {
	dir, address string
	cmd          *exec.Cmd
	t            *testing.T
}

// objectStoreBinary builds the gateway once.
var objectStoreBinary = sync.OnceValues(func() (string, error) {
	file := filepath.Join(rig.Dir, "objectstore")
	out, err := rig.GoCommand(context.Background(), "objectstore", "build", rig.LittleRun("github.com"), "-o", file, ".").CombinedOutput()
	if err != nil {
		err = &exec.Error{Name: string(out), Err: err}
	}
	return file, err
})

// newObjectStore starts a gateway, which ends with the test.
func newObjectStore(t *testing.T) *objectStore {
	t.Helper()
	setObjectCredentials(t)
	o := &objectStore{dir: t.TempDir(), address: rig.FreeAddress(t), t: t}
	o.start()
	t.Cleanup(o.kill)
	return o
}

// setObjectCredentials sets the credentials of gateways and of those who use them.
func setObjectCredentials(t testing.TB) {
	t.Helper()
	for _, name := range []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"} { // the same for all tests
		if err := os.Setenv(name, "of-these-tests"); err != nil {
			t.Fatal(err)
		}
	}
}

func (o *objectStore) start() {
	o.t.Helper()
	binary, err := objectStoreBinary()
	if err != nil {
		o.t.Fatal(err)
	}
	o.cmd = exec.Command(binary, o.address, o.dir, "events")
	o.cmd.Stderr = os.Stderr
	if err := o.cmd.Start(); err != nil {
		o.t.Fatal(err)
	}
	rig.Await(o.t, "object storage listens", func() bool {
		c, err := net.Dial("tcp", o.address)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
}

func (o *objectStore) kill() {
	_ = o.cmd.Process.Kill() // fails only when it has ended
	_ = o.cmd.Wait()
}

func (o *objectStore) signal(s syscall.Signal) {
	o.t.Helper()
	if err := o.cmd.Process.Signal(s); err != nil {
		o.t.Fatal(err)
	}
}

// url is its address, for --blocks.
func (o *objectStore) url() string {
	return "s3://events/sett?path-style=true&endpoint=http://" + o.address
}

// objects counts the objects that are stored.
func (o *objectStore) objects() (n int) {
	err := filepath.WalkDir(filepath.Join(o.dir, "buckets", "events", "sett"), func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			n++
		}
		return nil // of objects that are deleted meanwhile, too
	})
	if err != nil {
		o.t.Error(err)
	}
	return n
}

const (
	remoteBlocks = `sett_blocks{place="object_storage"}`
	localBlocks  = `sett_blocks{place="database"}`
)

// TestObjectStorage kills a server over and over while it takes reports, makes blocks of them and moves these to object storage, which is killed, stopped, slow
// and full meanwhile. No report waits for object storage. In the end, each notice that was accepted is read from there, once; and object storage has the objects of
// blocks and those that are to be deleted, and no others.
func TestObjectStorage(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) { t.Parallel(); objectStorage(t, rig.Prepare(t, ""), false) })
	t.Run("postgres", func(t *testing.T) { t.Parallel(); objectStorage(t, rig.Prepare(t, rig.DurablePostgres(t)), true) })
}

// objectStorage kills s. Beside it, another server may live on, which moves blocks whenever s does not.
func objectStorage(t *testing.T, s *rig.Server, two bool) {
	o, l := newObjectStore(t), load.New(s.APIKey)
	s.Flags = append(s.Flags, "--blocks", o.url(), "--metrics-networks", "127.0.0.1/32")
	s.Restart(t)
	if two {
		other := rig.Launch(t, s.Flags...)
		other.Await(t)
		defer other.Stop(t)
	}
	end := l.Begin(s.Base)
	l.Await(t, 3000)
	rig.Await(t, "a block is in object storage", func() bool { return s.Metric(t, remoteBlocks) > 0 })
	for _, trouble := range []struct {
		name        string
		begin, stop func()
	}{
		{"none", func() {}, func() {}},
		{"killed", o.kill, o.start},
		{"stopped", func() { o.signal(syscall.SIGSTOP) }, func() { o.signal(syscall.SIGCONT) }},
		{"full", func() { o.limit(1 << 10) }, func() { o.limit(rig.NoLimit) }},
		{"killed again", o.kill, o.start},
	} {
		trouble.begin()
		began := time.Now()
		l.Await(t, 1500) // fails if no report is accepted
		t.Logf("object storage with trouble: %s: 1,500 notices were accepted in %v", trouble.name, time.Since(began).Round(time.Millisecond))
		<-time.After(rand.N(time.Second)) // the server compacts and moves at its start
		s.Kill()
		end()
		if rand.IntN(2) == 0 {
			trouble.stop()
			s.Restart(t)
		} else {
			s.Restart(t)
			trouble.stop()
		}
		end = l.Begin(s.Base)
	}
	l.Await(t, 1500)
	end()
	t.Log(load.Prove(t, s, l))
	rig.Await(t, "all blocks are in object storage", func() bool { return s.Metric(t, localBlocks) == 0 && s.Metric(t, remoteBlocks) >= 5 })
	found := load.Prove(t, s, l)
	rig.Await(t, "object storage has the objects of blocks", func() bool {
		blocks, dead, objects := s.Metric(t, remoteBlocks), s.Metric(t, "sett_objects_to_delete"), o.objects()
		return objects >= blocks && objects <= blocks+dead
	})
	t.Logf("%d blocks, %d objects, %d of them to be deleted; %s", s.Metric(t, remoteBlocks), o.objects(), s.Metric(t, "sett_objects_to_delete"), found)
	s.Stop(t)
}

// limit lets object storage write no file beyond so many bytes, as on a full disk.
func (o *objectStore) limit(bytes int64) {
	o.t.Helper()
	(&rig.Process{Cmd: o.cmd}).LimitFiles(o.t, bytes)
}
