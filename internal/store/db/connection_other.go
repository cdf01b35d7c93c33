//go:build !linux

package db

import "syscall"

// dropUnanswered does nothing: such systems close a connection after timeouts of their own, and transactions have others.
func dropUnanswered(string, string, syscall.RawConn) error { return nil }
