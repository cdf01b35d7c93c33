package upload

import (
	"errors"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	"sett/internal/serve"
	"sett/internal/sett"
)

// The bounds on bodies that are kept on the disk. A sender is slow when the next piece of its body takes longer than a pause.
const (
	mostBodies   = 256
	mostOfSender = 64
	mostBytes    = 1 << 30 // of all bodies
	bytesOfOne   = 256 << 20
	piece        = 64 << 10
	longestPause = 10 * time.Second
	longestBody  = 2 * time.Minute
)

// bodies keeps bodies of requests in files until they are read.
type bodies struct {
	dir string
	mu  sync.Mutex
	all kept
	of  map[int64]kept // by sender
}

// kept is how much is kept.
type kept struct{ bodies, bytes int }

// Receive reads the body of a request to its end, and returns it once all of it is there. The body is on the disk meanwhile, so that it takes
// no memory, and its sender may take a small part of the room for all. The caller bounds the body, and calls free.
func (d *Desk) Receive(w http.ResponseWriter, r *http.Request, sender int64, body io.Reader) (whole io.Reader, free func(), err error) {
	serve.Unbudgeted(r.Context())
	b := &received{bodies: &d.bodies, sender: sender}
	if err := b.take(kept{bodies: 1}); err != nil {
		return nil, nil, err
	}
	if b.file, err = b.temporary(); err == nil {
		err = b.read(http.NewResponseController(w), body)
	}
	if err == nil {
		_, err = b.file.Seek(0, io.SeekStart)
	}
	if err != nil {
		b.free()
		return nil, nil, err
	}
	return b.file, b.free, nil
}

// received is a body that is read into a file.
type received struct {
	*bodies
	sender int64
	took   kept
	file   *os.File
}

// read copies a body piece by piece. A piece that does not arrive in time ends it.
func (b *received) read(control *http.ResponseController, body io.Reader) error {
	end := time.Now().Add(longestBody)
	buffer := make([]byte, piece)
	for {
		deadline := time.Now().Add(longestPause)
		if end.Before(deadline) {
			deadline = end
		}
		_ = control.SetReadDeadline(deadline) // a test's writer has no deadlines
		n, err := io.ReadFull(body, buffer)
		if failed := b.take(kept{bytes: n}); failed != nil {
			return failed
		}
		if _, failed := b.file.Write(buffer[:n]); failed != nil {
			return errDisk(failed)
		}
		switch {
		case errors.Is(err, io.EOF), err == io.ErrUnexpectedEOF: // a wrapped one is that of a body that was cut off
			_ = control.SetReadDeadline(time.Time{})
			return nil
		case err != nil:
			return err
		}
	}
}

// errDisk says that a body cannot be kept.
func errDisk(err error) error {
	return &sett.Error{Code: sett.Unavailable, Message: "The server cannot keep the upload until it is read: " + err.Error() + ". Upload again in a minute.", RetryAfter: time.Minute}
}

// temporary creates a file in the directory or, if that cannot be written, where the system has its temporary files.
func (b *bodies) temporary() (file *os.File, err error) {
	if file, err = os.CreateTemp(b.dir, "upload-*"); err != nil {
		file, err = os.CreateTemp("", "sett-upload-*")
	}
	if err != nil {
		return nil, errDisk(err)
	}
	_ = os.Remove(file.Name()) // it is gone even if the process is killed; where that is not possible, free removes it
	return file, nil
}

// take takes room of the sender's.
func (b *received) take(more kept) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	all, own := b.all.plus(more), b.of[b.sender].plus(more)
	if all.bodies > mostBodies || all.bytes > mostBytes || own.bodies > mostOfSender || own.bytes > bytesOfOne {
		return errBusy()
	}
	b.all, b.of[b.sender], b.took = all, own, b.took.plus(more)
	return nil
}

func (k kept) plus(more kept) kept { return kept{k.bodies + more.bodies, k.bytes + more.bytes} }

func (b *received) free() {
	if b.file != nil {
		_ = b.file.Close() // nothing is kept of it
		_ = os.Remove(b.file.Name())
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	less := kept{-b.took.bodies, -b.took.bytes}
	b.took = kept{}
	b.all, b.of[b.sender] = b.all.plus(less), b.of[b.sender].plus(less)
	if b.of[b.sender] == (kept{}) {
		delete(b.of, b.sender)
	}
}
