package db

import "path/filepath"

// Limits of the free space on the disk of SQLite's file, in bytes.
const (
	littleRoom = 1 << 30
	noRoom     = 100 << 20
)

// Room is the free space on a disk, and how large the database on it is, in bytes.
type Room struct {
	Free, Used int64
	Known      bool // whether the system says how much is free
}

// RoomIn returns the free space in a directory with a database.
func RoomIn(dir string, used int64) Room {
	free, known := freeBytes(dir)
	return Room{free, used, known}
}

// Little reports whether the room may soon be too little: an upgrade copies the database, and compacting it writes much of it again.
func (r Room) Little() bool { return r.Known && r.Free < max(littleRoom, r.Used/2) }

// None reports whether there is too little room to go on.
func (r Room) None() bool { return r.Known && r.Free < noRoom }

// Room returns the free space on the disk of SQLite's file. That of PostgreSQL's server is not known.
func (d *DB) Room(used int64) Room {
	if d.path == "" {
		return Room{}
	}
	return RoomIn(filepath.Dir(d.path), used)
}
