//go:build !linux

package db

import "os"

func syncData(f *os.File) error { return f.Sync() }

// syncDir does nothing: not every system can sync a directory, and those that cannot keep names in order.
func syncDir(string) error { return nil }

// witness does nothing here; see log_file_linux.go.
type witness struct{}

func newWitness(string) (witness, error) { return witness{}, nil }

func (*witness) change() error { return nil }

func (*witness) close() error { return nil }
