//go:build !linux

package bench

import (
	"os"
	"time"
)

func processTime(int) time.Duration { return 0 }

func processMemory(*os.ProcessState) int64 { return 0 }
