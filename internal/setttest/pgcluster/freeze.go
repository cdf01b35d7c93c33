package pgcluster

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// Freeze stops all processes of the server, which then neither answer nor close their connections. It needs Linux.
func (c *Cluster) Freeze() error { return c.signal(syscall.SIGSTOP) }

// Thaw is the inverse of Freeze.
func (c *Cluster) Thaw() error { return c.signal(syscall.SIGCONT) }

// signal sends a signal to the server, and then to its children.
func (c *Cluster) signal(s syscall.Signal) error {
	text, err := os.ReadFile(filepath.Join(c.data(), "postmaster.pid"))
	if err != nil {
		return err
	}
	first, _, _ := strings.Cut(string(text), "\n")
	server, err := strconv.Atoi(first)
	if err != nil {
		return err
	}
	if err := syscall.Kill(server, s); err != nil {
		return fmt.Errorf("signal the server: %w", err)
	}
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", server, server))
	if err != nil {
		return err
	}
	for _, child := range strings.Fields(string(children)) {
		pid, err := strconv.Atoi(child)
		if err == nil {
			err = syscall.Kill(pid, s)
		}
		if err != nil {
			return fmt.Errorf("signal a child of the server: %w", err)
		}
	}
	return nil
}
