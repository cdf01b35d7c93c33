package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// group is the processes of a running product with their descendants.
type group struct{ roots []*exec.Cmd }

// start starts a command as part of the product. It leads a process group of its own, so that a kill reaches all of it. Its output is added
// to a file.
func (g *group) start(dir, log string, env []string, command ...string) error {
	out, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer out.Close()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, append(environment(), env...), out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", command[0], err)
	}
	g.roots = append(g.roots, cmd)
	return nil
}

// environment is that of this process without variables that configure a product.
func environment() (env []string) {
	for _, line := range os.Environ() {
		if !strings.HasPrefix(line, "SETT_") && !strings.HasPrefix(line, "DJANGO_") {
			env = append(env, line)
		}
	}
	return env
}

// kill sends SIGKILL to the process groups of all roots.
func (g *group) kill() {
	for _, root := range g.roots {
		_ = syscall.Kill(-root.Process.Pid, syscall.SIGKILL) // fails only when all have exited
	}
}

// signal sends a signal to the roots, or SIGKILL to all processes, and waits until each root has exited. After SIGTERM, they have half a minute.
func (g *group) signal(s syscall.Signal) {
	if g == nil {
		return // it was never started
	}
	for _, root := range g.roots {
		_ = root.Process.Signal(s) // fails only when it has exited
	}
	if s == syscall.SIGKILL {
		g.kill()
	}
	for _, root := range g.roots {
		late := time.AfterFunc(30*time.Second, func() { _ = syscall.Kill(-root.Process.Pid, syscall.SIGKILL) })
		_ = root.Wait() // its status is that of the signal
		late.Stop()
		_ = syscall.Kill(-root.Process.Pid, syscall.SIGKILL) // what it has left behind
	}
	g.roots = nil
}

// exited reports which command is not running any more, "" if all are.
func (g *group) exited() string {
	for _, root := range g.roots {
		if stat, err := readStat(root.Process.Pid); err != nil || stat.state == "Z" {
			return root.Path
		}
	}
	return ""
}

// running returns a context that ends when one of the roots exits, or when end is called.
func (g *group) running(ctx context.Context) (running context.Context, end func()) {
	running, cancel := context.WithCancelCause(ctx)
	var watching sync.WaitGroup
	watching.Go(func() {
		for sleep(running, time.Second) == nil {
			if name := g.exited(); name != "" {
				cancel(fmt.Errorf("%s exited", name))
			}
		}
	})
	return running, func() {
		cancel(nil)
		watching.Wait()
	}
}

// stat is what /proc/<pid>/stat has of a process.
type stat struct {
	pid, parent int
	state       string
	cpu         time.Duration // of the process and of its children that have exited
}

// clockTick is how long a tick of /proc/<pid>/stat is (USER_HZ, 100 on every Linux).
const clockTick = 10 * time.Millisecond

func readStat(pid int) (stat, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return stat{}, err
	}
	return parseStat(text)
}

// parseStat reads a line of proc(5): the process (1), its state (3), its parent (4), and its time and that of its children (14 to 17).
func parseStat(text []byte) (s stat, err error) {
	end := bytes.LastIndex(text, []byte(") ")) // the name in parentheses may hold blanks
	first, _, named := bytes.Cut(text, []byte(" ("))
	if end < 0 || !named {
		return s, fmt.Errorf("%q is not the status of a process", text)
	}
	fields := strings.Fields(string(text[end+2:]))
	if len(fields) < 15 {
		return s, fmt.Errorf("%q is not the status of a process", text)
	}
	var errs [6]error
	var ticks [4]int
	s.pid, errs[0] = strconv.Atoi(string(first))
	s.state = fields[0]
	s.parent, errs[1] = strconv.Atoi(fields[1])
	for i := range ticks {
		ticks[i], errs[2+i] = strconv.Atoi(fields[11+i])
		s.cpu += time.Duration(ticks[i]) * clockTick
	}
	return s, errors.Join(errs[:]...)
}

// all returns the roots and their descendants.
func (g *group) all() (family []stat) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	children := map[int][]stat{}
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			if s, err := readStat(pid); err == nil {
				children[s.parent] = append(children[s.parent], s)
			}
		}
	}
	for _, root := range g.roots {
		if s, err := readStat(root.Process.Pid); err == nil {
			family = append(family, s)
		}
	}
	for i := 0; i < len(family); i++ {
		family = append(family, children[family[i].pid]...)
	}
	return family
}

// cpu returns the CPU time that all processes have used.
func (g *group) cpu() (sum time.Duration) {
	for _, s := range g.all() {
		sum += s.cpu
	}
	return sum
}

// memory returns the memory of all processes in bytes. What several of them map is counted once: it is the sum of their shares (PSS).
func (g *group) memory() (sum int64) {
	for _, s := range g.all() {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", s.pid))
		if err == nil {
			sum += parsePSS(text)
		}
	}
	return sum
}

func parsePSS(text []byte) int64 {
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, "Pss:"); ok {
			kib, _ := strconv.ParseInt(strings.Fields(value)[0], 10, 64)
			return kib << 10
		}
	}
	return 0
}

// peak notes the greatest memory of the processes until the returned function is called. It looks less often after a while, because each
// look takes CPU time from the product.
func (g *group) peak() (end func() int64) {
	stop := make(chan struct{})
	var most int64
	var looking sync.WaitGroup
	looking.Go(func() {
		for n := 0; ; n++ {
			most = max(most, g.memory())
			every := 50 * time.Millisecond
			if n > 100 {
				every = time.Second
			}
			select {
			case <-stop:
				return
			case <-time.After(every):
			}
		}
	})
	return func() int64 {
		close(stop)
		looking.Wait()
		return most
	}
}

// machine is the CPU time that all processes of the machine have used, and that of this one with its children.
func machine() (all, own time.Duration) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, 0
	}
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var used syscall.Rusage
		if syscall.Getrusage(who, &used) == nil {
			own += time.Duration(used.Utime.Nano() + used.Stime.Nano())
		}
	}
	return parseMachine(text), own
}

// parseMachine reads /proc/stat: of the columns of its first line, all but idle time (4) and waiting for the disk (5), up to stolen time (8).
func parseMachine(text []byte) (sum time.Duration) {
	first, _, _ := bytes.Cut(text, []byte("\n"))
	for i, field := range strings.Fields(string(first)) {
		if i >= 1 && i <= 8 && i != 4 && i != 5 {
			ticks, _ := strconv.Atoi(field)
			sum += time.Duration(ticks) * clockTick
		}
	}
	return sum
}

// quiet waits until the processes use less than a twentieth of a core for three seconds.
func (g *group) quiet(ctx context.Context) error {
	for calm := 0; calm < 3; {
		before := g.cpu()
		if err := sleep(ctx, time.Second); err != nil {
			return err
		}
		if calm++; g.cpu()-before > time.Second/20 {
			calm = 0
		}
	}
	return nil
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// diskBytes returns what the files below a directory take on the disk, except those of the given endings.
func diskBytes(dir string, except ...string) (sum int64, err error) {
	return sum, filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || slices.Contains(except, filepath.Ext(name)) {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		if s, ok := info.Sys().(*syscall.Stat_t); ok {
			sum += s.Blocks * 512
		}
		return nil
	})
}
