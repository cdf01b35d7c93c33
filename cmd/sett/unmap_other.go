//go:build !linux

package main

// unmapProgram does nothing where no system call for it is known.
func unmapProgram() {}
