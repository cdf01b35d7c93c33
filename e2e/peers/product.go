package main

import (
	"context"
	"net"

	"sett/internal/setttest/traffic"
)

// product is a system that accepts reports of errors. An instance has its data in a directory.
type product interface {
	// name is its name and version.
	name() string
	// install gets what it needs into a directory, once.
	install(ctx context.Context, dir string) error
	// create makes an empty instance with as many projects as report notices.
	create(ctx context.Context, dir string) (instance, error)
}

// instance is a product with data.
type instance interface {
	// start starts all its processes, and returns when they serve.
	start(ctx context.Context) (*group, error)
	// address is where it accepts reports.
	address() string
	// requests are the notices in its protocol.
	requests(notices []traffic.Notice) ([]request, error)
	// progress returns how many events are stored where users see them, and how many wait.
	progress(ctx context.Context) (stored, waiting int, err error)
	// ids returns the ids of all stored events, without dashes.
	ids(ctx context.Context) (map[string]bool, error)
	// disk returns the bytes of its data on the disk.
	disk() (int64, error)
}

// freeAddress returns a free loopback address.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}
