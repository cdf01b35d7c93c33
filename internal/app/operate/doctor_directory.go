package operate

import (
	"os"
	"path/filepath"

	"sett/internal/store/db"
)

// directory looks whether the data directory can be written to, and whether there is room. With PostgreSQL it has nothing.
func (d *doctor) directory() {
	if d.Database != "" {
		return
	}
	const check = "data directory"
	dir := d.Dir
	if _, err := os.Stat(dir); os.IsNotExist(err) {
		d.found(check, Warn, "%s does not exist yet; sett serve creates it", dir)
		return
	}
	f, err := os.CreateTemp(dir, ".sett-doctor-*")
	if err != nil {
		d.found(check, Fails, "%s is not writable: %v; make it writable for the user that runs sett", dir, Reason(err))
		return
	}
	_, err = f.WriteString("this can be deleted")
	closed, removed := f.Close(), os.Remove(f.Name())
	for _, err := range []error{err, closed, removed} {
		if err != nil {
			d.found(check, Fails, "%s is not writable: %v; free space on its disk, or replace the disk", dir, Reason(err))
			return
		}
	}
	d.room(check, dir)
}

func (d *doctor) room(check, dir string) {
	var used int64
	if about, err := os.Stat(filepath.Join(dir, "sett.db")); err == nil {
		used = about.Size()
	}
	room := db.RoomIn(dir, used)
	switch {
	case !room.Known:
		d.found(check, Fine, "%s is writable; the free space is unknown on this system", dir)
	case room.None():
		d.found(check, Fails, "%s has %s free; free space on its disk", dir, Size(room.Free))
	case room.Little():
		d.found(check, Warn, "%s has only %s free; free space on its disk", dir, Size(room.Free))
	default:
		d.found(check, Fine, "%s is writable, %s free", dir, Size(room.Free))
	}
}

// Reason is what the system said, without the name of the file.
func Reason(err error) error {
	for {
		inner, ok := err.(interface{ Unwrap() error })
		if !ok || inner.Unwrap() == nil {
			return err
		}
		err = inner.Unwrap()
	}
}
