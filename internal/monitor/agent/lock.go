package agent

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"sett/internal/sett"
)

// lockSpool makes the directory of a spool when it is missing, and keeps other agents from it: two that number the same
// batches, or send the same one, would lose some.
func lockSpool(dir string) (*flock.Flock, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("create the spool directory: %w", err)
	}
	lock := flock.New(filepath.Join(dir, "agent.lock"))
	locked, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock the spool directory: %w", err)
	}
	if !locked {
		return nil, sett.Errorf(sett.Conflict, "another agent uses the directory %s; stop it first, or choose another directory with --spool (SETT_SPOOL)", dir)
	}
	return lock, nil
}
